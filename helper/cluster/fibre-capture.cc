// SPDX-License-Identifier: GPL-2.0-only

#include "fibre-capture.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/rdma-nic.h"
#include "ns3/secondary-nic.h"
#include "ns3/simulator.h"
#include "ns3/trace-helper.h"

#include <cstdlib>
#include <iostream>

namespace ns3
{

namespace
{

void
Capture(Ptr<PcapFileWrapper> file, Ptr<const Packet> frame)
{
    file->Write(Simulator::Now(), frame);
    if (file->Fail())
    {
        std::cerr << "a capture could not be written: is the disk full?" << std::endl;
        std::exit(1);
    }
}

} // namespace

void
FibreCapture::Start(Ptr<NetDevice> device, const std::string& filename, uint32_t snapLength)
{
    auto port = DynamicCast<EthernetPortNetDevice>(device);
    if (!port)
    {
        return;
    }
    if (auto nic = port->GetNode()->GetObject<RdmaNic>())
    {
        nic->SetQueuePairAttribute("InvariantCrc", BooleanValue(true));
    }
    if (auto scaleUp = port->GetNode()->GetObject<ScaleUpNic>())
    {
        scaleUp->GetNic()->SetQueuePairAttribute("InvariantCrc", BooleanValue(true));
    }
    auto file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true)); // packets are less than 1 us apart
    file->Open(filename, std::ios::out | std::ios::binary);
    if (file->Fail())
    {
        // As CommandLine does with a wrong flag: a line and no core dump.
        std::cerr << "the capture " << filename << " cannot be written" << std::endl;
        std::exit(1);
    }
    constexpr uint32_t ethernet = 1;
    file->Init(ethernet, snapLength);
    port->TraceConnectWithoutContext("PromiscSniffer", MakeBoundCallback(&Capture, file));
}

} // namespace ns3
