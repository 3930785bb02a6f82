// SPDX-License-Identifier: GPL-2.0-only

#include "fibre-capture.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/priority-flow-control.h"
#include "ns3/rdma-nic.h"
#include "ns3/roce-header.h"
#include "ns3/secondary-nic.h"
#include "ns3/simulator.h"
#include "ns3/trace-helper.h"

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <vector>

namespace ns3
{

namespace
{

using DropReason = EthernetPortNetDevice::DropReason;

/// The trace sources that carry a frame and nothing else.
struct Source
{
    const char* name;
    char letter;
};

const std::vector<Source> FRAMES = {{"MacTx", '+'},
                                    {"PfcTx", '+'},
                                    {"PhyTxBegin", '-'},
                                    {"MacRx", 'r'},
                                    {"PfcRx", 'r'}};
const std::vector<const char*> DROPS = {"MacTxDrop", "PhyTxDrop", "PhyRxDrop", "MacRxDrop"};

/// Write a header as Packet::Print would, and what follows it.
template <typename Header>
bool
PrintIf(std::ostream& os, const Ptr<const Packet>& frame)
{
    Header header;
    const uint32_t bytes = frame->PeekHeader(header);
    if (bytes == 0)
    {
        return false;
    }
    os << Header::GetTypeId().GetName() << " (";
    header.Print(os);
    os << ")";
    if (frame->GetSize() > bytes)
    {
        os << " Payload (size=" << frame->GetSize() - bytes << ")";
    }
    return true;
}

/// @return the time in seconds, every picosecond of it
std::string
PrintNow()
{
    constexpr int64_t second = 1000000000000;
    const int64_t now = Simulator::Now().GetPicoSeconds();
    std::ostringstream text;
    text << now / second << '.' << std::setw(12) << std::setfill('0') << now % second;
    return text.str();
}

/// Write a line but its end.
void
Write(std::ostream& os, char letter, const std::string& context, const Ptr<const Packet>& frame)
{
    os << letter << ' ' << PrintNow() << ' ' << context << (context.empty() ? "" : " ");
    const bool mayBePfc = frame->GetSize() == PfcHeader::FRAME_BYTES;
    if (!(mayBePfc && PrintIf<PfcHeader>(os, frame)) && !PrintIf<RoceHeader>(os, frame))
    {
        os << *frame;
    }
}

/// End a line.
void
EndLine(std::ostream& os)
{
    if (!std::endl(os))
    {
        std::cerr << "an ascii trace could not be written: is the disk full?" << std::endl;
        std::exit(1);
    }
}

// Callbacks bind copies: ns-3 distinguishes callbacks by the exact types of bound arguments.
void
Frame(Ptr<OutputStreamWrapper> stream, char letter, std::string context, Ptr<const Packet> frame)
{
    Write(*stream->GetStream(), letter, context, frame);
    EndLine(*stream->GetStream());
}

void
Drop(Ptr<OutputStreamWrapper> stream,
     std::string context,
     Ptr<const Packet> frame,
     DropReason reason)
{
    static const std::vector<const char*> names =
        {"light lost", "no light", "queue full", "corrupted", "refused", "other host", "unclaimed"};
    Write(*stream->GetStream(), 'd', context, frame);
    *stream->GetStream() << " (" << names.at(reason) << ")";
    EndLine(*stream->GetStream());
}

/**
 * @brief Write what becomes of frames.
 * @param port the port
 * @param stream to write to
 * @param path of the port's trace sources, or empty for no context
 */
void
Connect(Ptr<EthernetPortNetDevice> port, Ptr<OutputStreamWrapper> stream, const std::string& path)
{
    const auto getContext = [&path](const char* name) { return path.empty() ? "" : path + name; };
    for (const auto& [name, letter] : FRAMES)
    {
        port->TraceConnectWithoutContext(
            name,
            MakeBoundCallback(&Frame, stream, letter, getContext(name)));
    }
    for (const auto* name : DROPS)
    {
        port->TraceConnectWithoutContext(name, MakeBoundCallback(&Drop, stream, getContext(name)));
    }
}

} // namespace

void
FibreAscii::Start(Ptr<NetDevice> device, Ptr<OutputStreamWrapper> stream)
{
    if (auto port = DynamicCast<EthernetPortNetDevice>(device))
    {
        std::ostringstream path;
        path << "/NodeList/" << port->GetNode()->GetId() << "/DeviceList/" << port->GetIfIndex()
             << "/$ns3::EthernetPortNetDevice/";
        Connect(port, stream, path.str());
    }
}

void
FibreAscii::Start(Ptr<NetDevice> device, const std::string& filename)
{
    auto port = DynamicCast<EthernetPortNetDevice>(device);
    if (!port)
    {
        return;
    }
    if (!std::ofstream(filename))
    {
        // As CommandLine does with a wrong flag: a line and no core dump.
        std::cerr << "the ascii trace " << filename << " cannot be written" << std::endl;
        std::exit(1);
    }
    Connect(port, AsciiTraceHelper().CreateFileStream(filename), "");
}

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
