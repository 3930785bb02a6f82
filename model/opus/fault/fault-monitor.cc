// SPDX-License-Identifier: GPL-2.0-only

#include "fault-monitor.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FaultMonitor");
NS_OBJECT_ENSURE_REGISTERED(FaultMonitor);

TypeId
FaultMonitor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FaultMonitor")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<FaultMonitor>()
            .AddAttribute("Port",
                          "UDP port on which the monitor receives heartbeats, from 1 to 65535.",
                          UintegerValue(5814),
                          MakeUintegerAccessor(&FaultMonitor::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("DetectionTime",
                          "Time without a heartbeat after which an agent is lost, above 0.",
                          TimeValue(MilliSeconds(30)),
                          MakeTimeAccessor(&FaultMonitor::m_detectionTime),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("Latency",
                          "Time that a heartbeat takes on the network, at least 0: the first one "
                          "of an agent comes so much later than it is sent.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FaultMonitor::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Noticed",
                            "The agent of a switch is lost, or has sent a heartbeat again.",
                            MakeTraceSourceAccessor(&FaultMonitor::m_noticed),
                            "ns3::FaultMonitor::NoticedTracedCallback");
    return tid;
}

FaultMonitor::FaultMonitor() = default;

void
FaultMonitor::DoDispose()
{
    m_network = nullptr;
    m_agents.clear();
    Application::DoDispose();
}

void
FaultMonitor::StartApplication()
{
    NS_LOG_FUNCTION(this);
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a monitor needs a management port on its node");
    m_network->Listen(m_port, MakeCallback(&FaultMonitor::HandleMessage, this));
    AwaitSpan(0);
}

void
FaultMonitor::AwaitSpan(std::size_t span)
{
    if (span < m_spans.size())
    {
        const Time left = m_spans[span].first + m_latency - Simulator::Now();
        m_supervision =
            Simulator::Schedule(Max(left, Time(0)), &FaultMonitor::Supervise, this, span);
    }
}

void
FaultMonitor::Supervise(std::size_t span)
{
    NS_LOG_FUNCTION(this << span);
    AwaitSpan(span + 1);
    m_end = m_spans[span].second + m_latency;
    for (auto& [address, agent] : m_agents)
    {
        if (!agent.lost)
        {
            agent.lastHeartbeat = Simulator::Now();
            ScheduleCheck(address);
        }
    }
}

void
FaultMonitor::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_supervision.Cancel();
    for (auto& [address, agent] : m_agents)
    {
        agent.check.Cancel();
    }
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
}

void
FaultMonitor::HandleMessage(const Address& from, const OpusMessage& message)
{
    if (from == m_controller && message.Get<OpusLearn>())
    {
        for (const auto& [address, agent] : m_agents)
        {
            if (agent.lost)
            {
                Send(agent, false);
            }
        }
        return;
    }
    const auto it = m_agents.find(from);
    const auto* heartbeat = message.Get<OpusHeartbeat>();
    if (it == m_agents.end() || !heartbeat)
    {
        return;
    }
    Agent& agent = it->second;
    if (heartbeat->starts < agent.started)
    {
        return; // overtaken by a heartbeat after a restart
    }
    const bool isNew = heartbeat->starts > agent.started;
    agent.started = heartbeat->starts;
    agent.lastHeartbeat = Simulator::Now();
    if (isNew || agent.lost)
    {
        agent.lost = false;
        Report(agent, true);
    }
    if (agent.check.IsExpired())
    {
        ScheduleCheck(from);
    }
}

void
FaultMonitor::ScheduleCheck(const Address& address)
{
    Agent& agent = m_agents.at(address);
    const Time deadline = agent.lastHeartbeat + m_detectionTime;
    if (deadline <= m_end)
    {
        agent.check =
            Simulator::Schedule(deadline - Simulator::Now(), &FaultMonitor::Check, this, address);
    }
}

void
FaultMonitor::Check(Address address)
{
    NS_LOG_FUNCTION(this << address);
    Agent& agent = m_agents.at(address);
    if (agent.lastHeartbeat + m_detectionTime > Simulator::Now())
    {
        ScheduleCheck(address); // a heartbeat has arrived since this check was scheduled
        return;
    }
    agent.lost = true;
    Report(agent, false);
}

void
FaultMonitor::Report(const Agent& agent, bool repaired)
{
    NS_LOG_FUNCTION(this << repaired);
    NS_LOG_INFO("switch " << agent.ocs << (repaired ? " is back at " : " is lost since ")
                          << agent.lastHeartbeat);
    m_noticed(agent.ocs, !repaired);
    Send(agent, repaired);
}

void
FaultMonitor::Send(const Agent& agent, bool repaired)
{
    m_network->Send(m_port,
                    m_controller,
                    OpusFault{{}, FaultKind::OCS, repaired, agent.ocs, 0, agent.started});
}

} // namespace ns3
