// SPDX-License-Identifier: GPL-2.0-only

#include "switch-data-path.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

void
SwitchPort::WakeAt(const Time& at)
{
    if (!ready->IsPending())
    {
        readyAt = at;
        ready->Schedule(device->GetNode()->GetId(), at - Simulator::Now());
    }
    else if (at < readyAt)
    {
        // Rare: a frame cuts through while another frame waits until it has arrived in full.
        Simulator::Schedule(at - Simulator::Now(), &EthernetPortNetDevice::Decide, device);
    }
}

} // namespace ns3
