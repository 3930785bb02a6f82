// SPDX-License-Identifier: GPL-2.0-only

#include "fibre-switches.h"

#include "optical-circuit-switch.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FibreSwitches");
NS_OBJECT_ENSURE_REGISTERED(FibreSelector);

TypeId
FibreSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FibreSelector")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<FibreSelector>()
            .AddAttribute("SelectionTime",
                          "Time for which fibres are dark during a selection, at least 0. "
                          "Opto-mechanical 1xN switches take about 10 ms; an assumption.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FibreSelector::m_time),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Selected",
                            "The fibres are connected to a rail.",
                            MakeTraceSourceAccessor(&FibreSelector::m_selected),
                            "ns3::FibreSelector::SelectedTracedCallback");
    return tid;
}

void
FibreSelector::DoDispose()
{
    m_fibres.clear();
    Object::DoDispose();
}

void
FibreSelector::AddFibre(Ptr<OpticalFibreLink> fibre, const std::vector<Ptr<OcsNetDevice>>& branches)
{
    NS_ABORT_MSG_IF(branches.empty(), "a selector has at least one branch");
    m_fibres.push_back({fibre, branches});
}

void
FibreSelector::Select(uint32_t rail, Callback<void> done)
{
    NS_LOG_FUNCTION(this << rail);
    NS_ABORT_MSG_IF(m_fibres.empty() || rail >= m_fibres.front().branches.size(),
                    "the selector has no branch to rail " << rail);
    ++m_selection;
    if (m_rail == rail && !m_isMoving)
    {
        done();
        return;
    }
    for (Fibre& fibre : m_fibres)
    {
        if (m_rail != NONE && !m_isMoving)
        {
            fibre.branches[m_rail]->Unplug();
            fibre.channel->Replace(fibre.branches[m_rail], nullptr);
        }
    }
    m_rail = rail;
    m_isMoving = true;
    Simulator::Schedule(m_time,
                        &FibreSelector::Finish,
                        Ptr<FibreSelector>(this),
                        m_selection,
                        done);
}

void
FibreSelector::Finish(uint32_t selection, Callback<void> done)
{
    if (selection != m_selection || m_fibres.empty())
    {
        return; // replaced by a later selection, or disposed of
    }
    m_isMoving = false;
    for (Fibre& fibre : m_fibres)
    {
        fibre.channel->Replace(nullptr, fibre.branches[m_rail]);
    }
    NS_LOG_INFO(m_fibres.size() << " fibres have been led to rail " << m_rail);
    m_selected(m_rail);
    done();
}

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
    NS_LOG_FUNCTION(this << rail);
    const auto user = FindRail();
    if (m_moving || m_fibres.count(rail) == 0 || user.value_or(rail) != rail)
    {
        NS_LOG_WARN("the fibres of rail " << rail << " do not come here, or those of another have");
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
    NS_LOG_INFO(fibres->second.size() << " fibres of rail " << rail << " have been led here");
    m_protected(rail);
    done();
}

} // namespace ns3
