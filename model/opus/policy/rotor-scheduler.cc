// SPDX-License-Identifier: GPL-2.0-only

#include "rotor-scheduler.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RotorScheduler");
NS_OBJECT_ENSURE_REGISTERED(RotorScheduler);

TypeId
RotorScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RotorScheduler")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RotorScheduler>()
            .AddAttribute("SlotTime",
                          "For how long the circuits of a step carry light, above 0.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&RotorScheduler::m_slotTime),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

RotorScheduler::RotorScheduler() = default;

RotorScheduler::~RotorScheduler() = default;

void
RotorScheduler::SetSteps(std::vector<CircuitSet> steps)
{
    NS_ABORT_MSG_IF(steps.empty(), "a rotor needs at least one step");
    m_steps = std::move(steps);
}

void
RotorScheduler::Finish()
{
    NS_LOG_FUNCTION(this);
    m_isFinishing = true;
    m_stepsLeft = m_steps.size();
}

void
RotorScheduler::DoDispose()
{
    m_turn.Cancel();
    m_ocs = nullptr;
    Application::DoDispose();
}

void
RotorScheduler::StartApplication()
{
    m_ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    NS_ABORT_MSG_UNLESS(m_ocs, "a rotor needs an optical circuit switch on its node");
    NS_ABORT_MSG_IF(m_steps.empty(), "SetSteps comes before the start");
    m_step = m_steps.size() - 1; // the first step is next
    Turn();
}

void
RotorScheduler::Turn()
{
    if (m_isFinishing && m_stepsLeft-- == 0)
    {
        return;
    }
    const CircuitSet drop = m_isUp ? m_steps[m_step] : CircuitSet();
    m_step = (m_step + 1) % m_steps.size();
    m_isUp = true;
    NS_LOG_LOGIC("step " << m_step);
    const std::string error =
        m_ocs->Reconfigure(drop, m_steps[m_step], MakeCallback(&RotorScheduler::Lit, this));
    NS_ABORT_MSG_UNLESS(error.empty(), "step " << m_step << " of a rotor: " << error);
}

void
RotorScheduler::Lit()
{
    if (m_steps.size() > 1)
    {
        m_turn = Simulator::Schedule(m_slotTime, &RotorScheduler::Turn, this);
    }
}

} // namespace ns3
