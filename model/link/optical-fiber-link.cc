// SPDX-License-Identifier: GPL-2.0-only

#include "optical-fiber-link.h"

#include "fiber-net-device.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpticalFiberLink");
NS_OBJECT_ENSURE_REGISTERED(OpticalFiberLink);

TypeId
OpticalFiberLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpticalFiberLink")
                            .SetParent<Channel>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpticalFiberLink>()
                            .AddAttribute("Delay",
                                          "Propagation delay; 5 ns per metre of fiber. At least 0.",
                                          TimeValue(NanoSeconds(100)),
                                          MakeTimeAccessor(&OpticalFiberLink::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
OpticalFiberLink::Attach(Ptr<FiberNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_ends[1], "a fiber has two ends, and both are taken");
    m_ends[m_ends[0] ? 1 : 0] = device;
    device->PlugIn(this);
    if (m_ends[1])
    {
        m_ends[0]->FarEndChanged();
        m_ends[1]->FarEndChanged();
    }
}

void
OpticalFiberLink::Replace(Ptr<FiberNetDevice> from, Ptr<FiberNetDevice> to)
{
    NS_LOG_FUNCTION(this << from << to);
    NS_ASSERT_MSG(from == m_ends[0] || from == m_ends[1], "device is not on this fiber");
    m_ends[from == m_ends[0] ? 0 : 1] = to;
    if (from)
    {
        from->PlugIn(nullptr);
    }
    if (to)
    {
        to->PlugIn(this);
    }
    for (const auto& end : m_ends)
    {
        if (end)
        {
            end->FarEndChanged();
        }
    }
}

FiberNetDevice*
OpticalFiberLink::GetFarEnd(const FiberNetDevice* device) const
{
    FiberNetDevice* first = PeekPointer(m_ends[0]);
    FiberNetDevice* second = PeekPointer(m_ends[1]);
    NS_ASSERT_MSG(device == first || device == second, "device is not on this fiber");
    return device == first ? second : first;
}

Ptr<NetDevice>
OpticalFiberLink::GetDevice(std::size_t i) const
{
    NS_ASSERT(i < GetNDevices());
    return m_ends[i];
}

void
OpticalFiberLink::DoDispose()
{
    m_ends = {};
    Channel::DoDispose();
}

} // namespace ns3
