// SPDX-License-Identifier: GPL-2.0-only

#include "optical-fibre-link.h"

#include "fibre-net-device.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpticalFibreLink");
NS_OBJECT_ENSURE_REGISTERED(OpticalFibreLink);

TypeId
OpticalFibreLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpticalFibreLink")
                            .SetParent<Channel>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpticalFibreLink>()
                            .AddAttribute("Delay",
                                          "Propagation delay; 5 ns per metre of fibre. At least 0.",
                                          TimeValue(NanoSeconds(100)),
                                          MakeTimeAccessor(&OpticalFibreLink::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
OpticalFibreLink::Attach(Ptr<FibreNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_ends[1], "a fibre has two ends, and both are taken");
    m_ends[m_ends[0] ? 1 : 0] = device;
    device->PlugIn(this);
    if (m_ends[1])
    {
        m_ends[0]->FarEndChanged();
        m_ends[1]->FarEndChanged();
    }
}

void
OpticalFibreLink::Replace(Ptr<FibreNetDevice> from, Ptr<FibreNetDevice> to)
{
    NS_LOG_FUNCTION(this << from << to);
    NS_ASSERT_MSG(from == m_ends[0] || from == m_ends[1], "device is not on this fibre");
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

FibreNetDevice*
OpticalFibreLink::GetFarEnd(const FibreNetDevice* device) const
{
    FibreNetDevice* first = PeekPointer(m_ends[0]);
    FibreNetDevice* second = PeekPointer(m_ends[1]);
    NS_ASSERT_MSG(device == first || device == second, "device is not on this fibre");
    return device == first ? second : first;
}

Ptr<NetDevice>
OpticalFibreLink::GetDevice(std::size_t i) const
{
    NS_ASSERT(i < GetNDevices());
    return m_ends[i];
}

void
OpticalFibreLink::DoDispose()
{
    m_ends = {};
    Channel::DoDispose();
}

} // namespace ns3
