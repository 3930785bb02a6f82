// SPDX-License-Identifier: GPL-2.0-only

#include "lost-frames.h"

#include "ns3/electrical-switch.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/rdma-nic.h"

namespace ns3
{

namespace
{

/// @return frames lost at a port: in the dark, or corrupted
uint64_t
CountLostAt(const EthernetPortNetDevice& port)
{
    return port.GetFramesLost() + port.GetFramesCorrupted();
}

} // namespace

uint64_t
CountLostAtSwitches(const RailCluster& cluster)
{
    uint64_t lost = 0;
    for (const auto& one : cluster.GetSwitches())
    {
        for (const uint64_t frames : one.device->GetStatistics().dropped)
        {
            lost += one.tier > 0 ? frames : 0;
        }
        for (uint32_t port = 0; one.tier > 0 && port < one.device->GetNPorts(); ++port)
        {
            lost += CountLostAt(*one.device->GetPort(port));
        }
    }
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus() && !cluster.IsPhotonic(); ++gpu)
    {
        for (uint32_t port = 0; port < cluster.GetNicPortCount(); ++port)
        {
            lost += CountLostAt(*cluster.GetNic(gpu)->GetPort(port));
        }
    }
    return lost;
}

} // namespace ns3
