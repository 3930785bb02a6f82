// SPDX-License-Identifier: GPL-2.0-only

#include "switch-data-path.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

Time
SwitchPort::GetNextReady(uint8_t priorities) const
{
    Time next = Time::Max();
    for (uint8_t priority = 0; priorities >> priority != 0; ++priority)
    {
        if ((priorities >> priority) & 1)
        {
            next = std::min(next, queues.GetHead(priority).readyAt);
        }
    }
    return next;
}

void
SwitchPort::WakeAt(const Time& at)
{
    if (!ready->IsPending())
    {
        readyAt = at;
        ready->Schedule(device->GetContext(), at - Simulator::Now());
    }
    else if (at < readyAt)
    {
        // Rare: a frame cuts through while another frame waits until it has arrived in full.
        Simulator::Schedule(at - Simulator::Now(), &EthernetPortNetDevice::Decide, device);
    }
}

uint64_t
SwitchDataPath::GetLoad(uint32_t port) const
{
    const SwitchPort& output = ports[port];
    if (output.isDown)
    {
        return std::numeric_limits<uint64_t>::max();
    }
    uint64_t bytes = 0;
    for (uint8_t priority = 0; output.queues.GetBacklog() >> priority != 0; ++priority)
    {
        bytes += output.queues.GetDepth(priority);
    }
    return bytes;
}

} // namespace ns3
