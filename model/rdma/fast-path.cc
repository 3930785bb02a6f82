// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path.h"

#include "rdma-nic.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

int64_t
FastPath::Now()
{
    return Simulator::Now().GetTimeStep();
}

FastPath::Outlook
FastPath::MakeOutlook(uint32_t end)
{
    Outlook outlook;
    outlook.wake = Create<RecurringEvent>([this, end] { Woken(end); });
    return outlook;
}

void
FastPath::WakeAt(Outlook& outlook, uint32_t end, const EthernetPortNetDevice& port, int64_t at)
{
    if (!port.GetNode()) // disposed of
    {
        return;
    }
    const uint32_t node = port.GetContext();
    if (!outlook.wake->IsPending())
    {
        outlook.wakeAt = at;
        outlook.wake->Schedule(node, TimeStep(at - Now()));
    }
    else if (at < outlook.wakeAt)
    {
        // Rare: a message posted meanwhile makes an event observable before the pending one. The
        // pending event stays, so a second event is needed.
        Simulator::ScheduleWithContext(node,
                                       TimeStep(at - Now()),
                                       &FastPath::Woken,
                                       Ptr<FastPath>(this),
                                       end);
    }
}

void
FastPath::WakeUp(Outlook& outlook,
                 uint32_t end,
                 EthernetPortNetDevice& port,
                 RdmaNic& nic,
                 bool ends)
{
    const Ptr<FastPath> self(this); // processing arrivals may end and release it
    if (ends && outlook.visibleAt <= Now())
    {
        nic.Interrupt(port);
        return;
    }
    nic.TakeArrivals(port);
    const bool awaits = outlook.visibleAt != std::numeric_limits<int64_t>::max();
    if (!m_over && awaits && outlook.visibleAt > Now())
    {
        WakeAt(outlook, end, port, outlook.visibleAt);
    }
}

FastPathHop*
FastPathHopOwner::Find(MacClient* client)
{
    auto* owner = dynamic_cast<FastPathHopOwner*>(client);
    return owner ? &owner->GetFastPathHop() : nullptr;
}

} // namespace ns3
