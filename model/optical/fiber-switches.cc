// SPDX-License-Identifier: GPL-2.0-only

#include "fiber-switches.h"

#include "optical-circuit-switch.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FiberSwitches");
NS_OBJECT_ENSURE_REGISTERED(FiberSelector);

TypeId
FiberSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FiberSelector")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<FiberSelector>()
            .AddAttribute("SelectionTime",
                          "Time for which fibers are dark during a selection, at least 0. "
                          "Opto-mechanical 1xN switches take about 10 ms; an assumption.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FiberSelector::m_time),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Selected",
                            "The fibers are connected to a rail.",
                            MakeTraceSourceAccessor(&FiberSelector::m_selected),
                            "ns3::FiberSelector::SelectedTracedCallback");
    return tid;
}

void
FiberSelector::DoDispose()
{
    m_fibers.clear();
    Object::DoDispose();
}

void
FiberSelector::AddFiber(Ptr<OpticalFiberLink> fiber, const std::vector<Ptr<OcsNetDevice>>& branches)
{
    NS_ABORT_MSG_IF(branches.empty(), "a selector has at least one branch");
    m_fibers.push_back({fiber, branches});
}

void
FiberSelector::Select(uint32_t rail, Callback<void> done)
{
    NS_LOG_FUNCTION(this << rail);
    NS_ABORT_MSG_IF(m_fibers.empty() || rail >= m_fibers.front().branches.size(),
                    "the selector has no branch to rail " << rail);
    ++m_selection;
    if (m_rail == rail && !m_isMoving)
    {
        done();
        return;
    }
    for (Fiber& fiber : m_fibers)
    {
        if (m_rail != NONE && !m_isMoving)
        {
            fiber.branches[m_rail]->Unplug();
            fiber.channel->Replace(fiber.branches[m_rail], nullptr);
        }
    }
    m_rail = rail;
    m_isMoving = true;
    Simulator::Schedule(m_time,
                        &FiberSelector::Finish,
                        Ptr<FiberSelector>(this),
                        m_selection,
                        done);
}

void
FiberSelector::Finish(uint32_t selection, Callback<void> done)
{
    if (selection != m_selection || m_fibers.empty())
    {
        return; // replaced by a later selection, or disposed of
    }
    m_isMoving = false;
    for (Fiber& fiber : m_fibers)
    {
        fiber.channel->Replace(nullptr, fiber.branches[m_rail]);
    }
    NS_LOG_INFO(m_fibers.size() << " fibers have been led to rail " << m_rail);
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
                "Time for which fibers are dark while they are switched to this switch, at "
                "least 0.",
                TimeValue(MilliSeconds(10)),
                MakeTimeAccessor(&ProtectionSwitch::m_time),
                MakeTimeChecker(Time(0)))
            .AddTraceSource("Protected",
                            "The fibers of a rail are connected to this switch.",
                            MakeTraceSourceAccessor(&ProtectionSwitch::m_protected),
                            "ns3::ProtectionSwitch::ProtectedTracedCallback");
    return tid;
}

void
ProtectionSwitch::DoDispose()
{
    m_fibers.clear();
    Object::DoDispose();
}

void
ProtectionSwitch::AddFiber(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs, uint32_t port)
{
    auto device = ocs->GetPort(port);
    NS_ABORT_MSG_UNLESS(device && device->GetFiber(), "port " << port << " has no fiber");
    const Ptr<OpticalFiberLink> channel(device->GetFiber());
    m_fibers[rail].push_back(
        Fiber{channel, Ptr<FiberNetDevice>(channel->GetFarEnd(PeekPointer(device))), port});
}

Ptr<OcsNetDevice>
ProtectionSwitch::GetEnd(const Fiber& fiber)
{
    const Ptr<FiberNetDevice> end(fiber.channel->GetFarEnd(PeekPointer(fiber.nicPort)));
    return DynamicCast<OcsNetDevice>(end);
}

std::optional<uint32_t>
ProtectionSwitch::FindRail() const
{
    if (m_moving)
    {
        return m_moving;
    }
    for (const auto& [rail, fibers] : m_fibers)
    {
        const auto end = GetEnd(fibers.front());
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
    if (m_moving || m_fibers.count(rail) == 0 || user.value_or(rail) != rail)
    {
        NS_LOG_WARN("the fibers of rail " << rail << " do not come here, or those of another have");
        return false;
    }
    if (user)
    {
        done();
        return true;
    }
    m_moving = rail;
    for (const Fiber& fiber : m_fibers[rail])
    {
        if (auto device = GetEnd(fiber))
        {
            device->Unplug();
            fiber.channel->Replace(device, nullptr);
        }
    }
    Simulator::Schedule(m_time, &ProtectionSwitch::Finish, Ptr<ProtectionSwitch>(this), done);
    return true;
}

void
ProtectionSwitch::Finish(Callback<void> done)
{
    const auto fibers = m_fibers.find(m_moving.value());
    auto here = GetObject<OpticalCircuitSwitch>();
    if (fibers == m_fibers.end() || !here)
    {
        return; // disposed of in the meantime
    }
    const uint32_t rail = m_moving.value();
    m_moving.reset();
    for (const Fiber& fiber : fibers->second)
    {
        fiber.channel->Replace(nullptr, here->GetPort(fiber.port));
    }
    NS_LOG_INFO(fibers->second.size() << " fibers of rail " << rail << " have been led here");
    m_protected(rail);
    done();
}

} // namespace ns3
