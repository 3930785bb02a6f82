// SPDX-License-Identifier: GPL-2.0-only

#include "protection-switch.h"

#include "optical-circuit-switch.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ProtectionSwitch);

TypeId
ProtectionSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ProtectionSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ProtectionSwitch>()
            .AddAttribute(
                "ProtectionTime",
                "Time for which fibres are dark while they are switched to this switch, at "
                "least 0.",
                TimeValue(MilliSeconds(10)),
                MakeTimeAccessor(&ProtectionSwitch::m_time),
                MakeTimeChecker(Time(0)))
            .AddTraceSource("Protected",
                            "The fibres of a rail are connected to this switch.",
                            MakeTraceSourceAccessor(&ProtectionSwitch::m_protected),
                            "ns3::ProtectionSwitch::ProtectedTracedCallback");
    return tid;
}

void
ProtectionSwitch::DoDispose()
{
    m_fibres.clear();
    Object::DoDispose();
}

void
ProtectionSwitch::AddFibre(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs, uint32_t port)
{
    auto device = ocs->GetPort(port);
    NS_ABORT_MSG_UNLESS(device && device->GetFibre(), "port " << port << " has no fibre");
    const Ptr<OpticalFibreLink> channel(device->GetFibre());
    m_fibres[rail].push_back(
        Fibre{channel, Ptr<FibreNetDevice>(channel->GetFarEnd(PeekPointer(device))), port});
}

Ptr<OcsNetDevice>
ProtectionSwitch::GetEnd(const Fibre& fibre)
{
    const Ptr<FibreNetDevice> end(fibre.channel->GetFarEnd(PeekPointer(fibre.nicPort)));
    return DynamicCast<OcsNetDevice>(end);
}

std::optional<uint32_t>
ProtectionSwitch::FindRail() const
{
    if (m_moving)
    {
        return m_moving;
    }
    for (const auto& [rail, fibres] : m_fibres)
    {
        const auto end = GetEnd(fibres.front());
        if (end && end->GetNode()->GetObject<ProtectionSwitch>() == this)
        {
            return rail;
        }
    }
    return std::nullopt;
}

bool
ProtectionSwitch::Protect(uint32_t rail, Callback<void> done)
{
    const auto user = FindRail();
    if (m_moving || m_fibres.count(rail) == 0 || user.value_or(rail) != rail)
    {
        return false;
    }
    if (user)
    {
        done();
        return true;
    }
    m_moving = rail;
    for (const Fibre& fibre : m_fibres[rail])
    {
        if (auto device = GetEnd(fibre))
        {
            device->Unplug();
            fibre.channel->Replace(device, nullptr);
        }
    }
    Simulator::Schedule(m_time, &ProtectionSwitch::Finish, Ptr<ProtectionSwitch>(this), done);
    return true;
}

void
ProtectionSwitch::Finish(Callback<void> done)
{
    const auto fibres = m_fibres.find(m_moving.value());
    auto here = GetObject<OpticalCircuitSwitch>();
    if (fibres == m_fibres.end() || !here)
    {
        return; // disposed of in the meantime
    }
    const uint32_t rail = m_moving.value();
    m_moving.reset();
    for (const Fibre& fibre : fibres->second)
    {
        fibre.channel->Replace(nullptr, here->GetPort(fibre.port));
    }
    m_protected(rail);
    done();
}

} // namespace ns3
