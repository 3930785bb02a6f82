// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-agent.h"

#include "ns3/abort.h"
#include "ns3/fiber-switches.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OcsAgent");
NS_OBJECT_ENSURE_REGISTERED(OcsAgent);

TypeId
OcsAgent::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OcsAgent")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OcsAgent>()
            .AddAttribute("Port",
                          "UDP port on which the agent listens, from 1 to 65535.",
                          UintegerValue(5811),
                          MakeUintegerAccessor(&OcsAgent::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("MessageTime",
                          "Time that the agent takes for each message, at least 0. Messages are "
                          "served one at a time, in the order of arrival.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OcsAgent::m_messageTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MessageByteTime",
                          "Time that the agent takes for each byte of a message, at least 0.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OcsAgent::m_byteTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CommandLatency",
                          "Time from the end of service of a command until the switch begins to "
                          "reconfigure, at least 0. Several commands can be in this state at once.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OcsAgent::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LightTimeout",
                          "Time after which a port that should have light, and is dark, counts as "
                          "stuck; at least 0.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&OcsAgent::m_lightTimeout),
                          MakeTimeChecker(Time(0)));
    return tid;
}

uint64_t
OcsAgent::GetMalformed() const
{
    return m_malformed + (m_network ? m_network->GetMalformed() : 0);
}

void
OcsAgent::DoDispose()
{
    m_server.Clear();
    m_server.SetHandler(MessageServer::Handler());
    m_network = nullptr;
    Application::DoDispose();
}

void
OcsAgent::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "an agent needs a management port on its node");
    m_network->Listen(m_port, MakeCallback(&OcsAgent::HandleMessage, this));
    m_server.SetHandler(MakeCallback(&OcsAgent::Serve, this));
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->TraceConnectWithoutContext("PortStuck", MakeCallback(&OcsAgent::PortStuck, this));
    }
    if (m_interval.IsStrictlyPositive())
    {
        Heartbeat(m_starts);
    }
}

void
OcsAgent::StopApplication()
{
    m_server.Clear();
    m_arrivals.clear();
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
}

void
OcsAgent::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (m_isDown)
    {
        return;
    }
    if (!m_controllers.empty() &&
        std::find(m_controllers.begin(), m_controllers.end(), from) == m_controllers.end())
    {
        ++m_foreign;
        return;
    }
    m_arrivals.push_back(Simulator::Now());
    m_server.Put(0, MessageCost{m_messageTime, m_byteTime}.Get(message), {0, from, message});
}

void
OcsAgent::Serve(const OpusArrival& arrival)
{
    const Time begin = m_arrivals.front();
    m_arrivals.pop_front();
    if (arrival.message.Get<OpusLearn>())
    {
        Learn(arrival);
        return;
    }
    const auto* takeOver = arrival.message.Get<OpusTakeOver>();
    if (!arrival.message.Get<OpusCommand>() && !takeOver)
    {
        ++m_malformed;
        return;
    }
    m_controller = arrival.from;
    if (takeOver)
    {
        TakeOver(*takeOver);
        return;
    }
    if (m_isForgotten)
    {
        return; // made for circuits that are lost; the controller plans anew
    }
    if (m_takesOver)
    {
        m_waiting.emplace_back(arrival, begin);
        return;
    }
    Begin(arrival, begin);
}

void
OcsAgent::Begin(const OpusArrival& command, Time begin)
{
    OpusArrival arrival = command;
    arrival.link = m_round; // an agent has no host links
    ++m_commands;
    if (m_latency.IsZero())
    {
        Act(arrival, begin);
        return;
    }
    Simulator::Schedule(m_latency, &OcsAgent::Act, Ptr<OcsAgent>(this), arrival, begin);
}

void
OcsAgent::Act(OpusArrival arrival, Time begin)
{
    if (!m_network || arrival.link != m_round)
    {
        return; // disposed of, or the command is void
    }
    const auto& message = *arrival.message.Get<OpusCommand>();
    Ptr<OpticalCircuitSwitch> ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    const uint64_t command = message.number;
    const Callback<void> done = MakeCallback(&OcsAgent::Report, Ptr<OcsAgent>(this))
                                    .Bind(arrival.from)
                                    .Bind(command)
                                    .Bind(begin);
    const std::string error =
        ocs ? ocs->Reconfigure(message.drop, message.make, done) : "no optical circuit switch here";
    if (error.empty())
    {
        m_unreported[command] = message.make;
    }
    else
    {
        NS_LOG_WARN("command " << command << " refused: " << error);
        m_network->Send(m_port, arrival.from, OpusReport{command, Time(), error});
    }
}

void
OcsAgent::Report(Address to, uint64_t command, Time begin)
{
    if (!m_network)
    {
        return; // disposed of
    }
    if (IsDark(m_unreported[command]))
    {
        Simulator::Schedule(m_lightTimeout,
                            &OcsAgent::CheckLight,
                            Ptr<OcsAgent>(this),
                            to,
                            command,
                            begin,
                            m_incarnation);
        return;
    }
    NS_LOG_INFO("command " << command << " is done after " << Simulator::Now() - begin);
    m_unreported.erase(command);
    if (m_learn)
    {
        AnswerAtRest(); // the command was of a controller that has lost its memory
        return;
    }
    m_network->Send(m_port, to, OpusReport{command, Simulator::Now() - begin, ""});
}

// --- a controller that begins anew --------------------------------------------------------------

void
OcsAgent::Learn(const OpusArrival& arrival)
{
    m_controller = arrival.from;
    ++m_round;
    m_waiting.clear();
    m_learn = arrival;
    AnswerAtRest();
}

void
OcsAgent::AnswerAtRest()
{
    if (!m_learn || !m_unreported.empty() || m_takesOver)
    {
        return;
    }
    OpusCircuits answer{m_learn->message.Get<OpusLearn>()->epoch, m_starts, m_isForgotten, {}, {}};
    if (const auto protection = GetNode()->GetObject<ProtectionSwitch>())
    {
        const auto rail = protection->FindRail();
        answer.rails.assign(rail ? 1 : 0, rail.value_or(0));
    }
    else
    {
        answer.rails.assign(1, OpusCircuits::OWN_RAIL);
    }
    if (const auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        answer.circuits = ocs->GetCircuits();
    }
    m_network->Send(m_port, m_learn->from, answer);
    m_learn.reset();
    for (const uint32_t port : m_broken)
    {
        SendPortFault(port, false);
    }
}

// --- the switch as a whole ----------------------------------------------------------------------

void
OcsAgent::SendHeartbeats(const Address& monitor,
                         Time interval,
                         const std::vector<std::pair<Time, Time>>& spans)
{
    m_monitor = monitor;
    m_interval = interval;
    m_heartbeatSpans = spans;
}

void
OcsAgent::Heartbeat(uint32_t incarnation)
{
    const Time now = Simulator::Now();
    const auto span = std::find_if(m_heartbeatSpans.begin(),
                                   m_heartbeatSpans.end(),
                                   [now](const auto& one) { return one.second >= now; });
    if (m_isDown || !m_network || incarnation != m_starts || span == m_heartbeatSpans.end())
    {
        return;
    }
    // Heartbeats that are left out do not change the times of the others.
    const int64_t leftOut = Div(Max(span->first - now, Time(0)), m_interval);
    if (leftOut == 0)
    {
        m_network->SendDatagram(m_port, m_monitor, OpusHeartbeat{m_starts});
    }
    Simulator::Schedule(std::max<int64_t>(leftOut, 1) * m_interval,
                        &OcsAgent::Heartbeat,
                        Ptr<OcsAgent>(this),
                        incarnation);
}

void
OcsAgent::Fail()
{
    NS_LOG_FUNCTION(this << m_unreported.size());
    m_isDown = true;
    ++m_incarnation;
    ++m_round;
    m_learn.reset();
    m_server.Clear();
    m_arrivals.clear();
    m_waiting.clear();
    m_unreported.clear();
    m_broken.clear();
    m_takesOver = false;
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->Fail();
    }
}

void
OcsAgent::Repair()
{
    NS_LOG_FUNCTION(this << m_starts);
    if (!m_isDown)
    {
        return;
    }
    m_isDown = false;
    m_isForgotten = true;
    ++m_starts;
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->Repair();
    }
    if (m_interval.IsStrictlyPositive())
    {
        Heartbeat(m_starts);
    }
}

void
OcsAgent::TakeOver(const OpusTakeOver& message)
{
    NS_LOG_FUNCTION(this << message.rail << message.starts << m_starts);
    if (message.starts != m_starts)
    {
        return; // another one follows when the controller knows of the last start
    }
    m_isForgotten = false;
    ++m_incarnation; // commands in progress are for lost circuits
    ++m_round;
    m_learn.reset();
    m_waiting.clear();
    m_unreported.clear();
    if (auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>())
    {
        ocs->Clear();
    }
    auto protection = GetNode()->GetObject<ProtectionSwitch>();
    if (!protection)
    {
        return; // the fibers of the rail end at this switch
    }
    m_takesOver = true;
    const Callback<void> done =
        MakeCallback(&OcsAgent::TakenOver, Ptr<OcsAgent>(this)).Bind(m_incarnation);
    if (!protection->Protect(message.rail, done))
    {
        m_takesOver = false;
        ++m_malformed;
    }
}

void
OcsAgent::TakenOver(uint32_t incarnation)
{
    if (incarnation != m_incarnation || !m_network)
    {
        return;
    }
    m_takesOver = false;
    std::deque<std::pair<OpusArrival, Time>> waiting;
    waiting.swap(m_waiting);
    for (const auto& [arrival, begin] : waiting)
    {
        Begin(arrival, begin);
    }
    AnswerAtRest();
}

// --- ports --------------------------------------------------------------------------------------

bool
OcsAgent::IsDark(const CircuitSet& circuits) const
{
    auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    return std::any_of(circuits.begin(), circuits.end(), [&ocs](const Circuit& circuit) {
        return ocs->GetPortState(circuit.a) != OpticalCircuitSwitch::UP;
    });
}

void
OcsAgent::CheckLight(Address to, uint64_t command, Time begin, uint32_t incarnation)
{
    if (incarnation != m_incarnation || !m_network)
    {
        return;
    }
    const CircuitSet made = m_unreported[command];
    if (!IsDark(made))
    {
        Report(to, command, begin);
        return;
    }
    // Report stuck ports first, so that they are planned again before the other circuits are used.
    m_unreported[command].clear(); // it is not at rest before the report
    for (const Circuit& circuit : made)
    {
        ReportPort(circuit.a, incarnation);
        ReportPort(circuit.b, incarnation);
    }
    Report(to, command, begin);
}

void
OcsAgent::PortStuck(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port, bool stuck)
{
    if (stuck)
    {
        const CircuitSet circuits = ocs->GetCircuits();
        const auto isHere = [port](const Circuit& one) { return one.a == port || one.b == port; };
        if (std::any_of(circuits.begin(), circuits.end(), isHere) &&
            ocs->GetPortState(port) == OpticalCircuitSwitch::DARK)
        {
            Simulator::Schedule(m_lightTimeout,
                                &OcsAgent::ReportPort,
                                Ptr<OcsAgent>(this),
                                port,
                                m_incarnation);
        }
    }
    else if (m_broken.erase(port) > 0 && m_network && !m_isDown)
    {
        SendPortFault(port, true);
    }
}

void
OcsAgent::ReportPort(uint32_t port, uint32_t incarnation)
{
    auto ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    if (incarnation != m_incarnation || !m_network || !ocs->IsPortStuck(port) ||
        !m_broken.insert(port).second)
    {
        return;
    }
    SendPortFault(port, false);
}

void
OcsAgent::SendPortFault(uint32_t port, bool repaired)
{
    NS_LOG_INFO("port " << port << (repaired ? " has light again" : " is reported as stuck"));
    m_network->Send(m_port, m_controller, OpusFault{{}, FaultKind::OCS_PORT, repaired, 0, port});
}

} // namespace ns3
