// SPDX-License-Identifier: GPL-2.0-only

#include "controller-standby.h"

#include "ns3/abort.h"
#include "ns3/kept-rule.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/opus-controller.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ControllerStandby");
NS_OBJECT_ENSURE_REGISTERED(ControllerStandby);

TypeId
ControllerStandby::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ControllerStandby")
                            .SetParent<Application>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<ControllerStandby>()
                            .AddAttribute("HeartbeatInterval",
                                          "Interval of the heartbeats of the first controller, as "
                                          "its attribute of that name; above 0.",
                                          TimeValue(MilliSeconds(10)),
                                          MakeTimeAccessor(&ControllerStandby::m_interval),
                                          MakeTimeChecker(TimeStep(1)))
                            .AddAttribute("MissedHeartbeats",
                                          "Number of intervals without a message after which the "
                                          "second controller takes over, at least 1.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&ControllerStandby::m_missed),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Latency",
                                          "Time that a message takes on the network, at least 0: "
                                          "the first one of the first controller comes so much "
                                          "later than it is sent.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&ControllerStandby::m_latency),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

ControllerStandby::ControllerStandby() = default;
ControllerStandby::~ControllerStandby() = default;

void
ControllerStandby::SetControllers(Ipv4Address primary,
                                  Ptr<OpusController> second,
                                  Ptr<ControllerLog> log)
{
    m_primary = primary;
    m_second = second;
    m_log = log;
}

void
ControllerStandby::StopWatching()
{
    m_watch.Cancel();
    m_isOver = true;
}

bool
ControllerStandby::HasTakenOver() const
{
    return m_hasTakenOver;
}

uint64_t
ControllerStandby::GetForeign() const
{
    return m_foreign;
}

void
ControllerStandby::DoDispose()
{
    m_watch.Cancel();
    m_second = nullptr;
    m_network = nullptr;
    Application::DoDispose();
}

void
ControllerStandby::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network && m_network->IsReliable(), "a standby needs a Reliable port");
    NS_ABORT_MSG_UNLESS(m_second && m_log, "a standby needs a controller and its log");
    m_network->Listen(PORT, MakeCallback(&ControllerStandby::HandleMessage, this));
    m_lastRx = Simulator::Now() + m_latency;
    Watch();
}

void
ControllerStandby::StopApplication()
{
    m_watch.Cancel();
    m_network->Listen(PORT, ManagementPort::ReceiveCallback());
}

void
ControllerStandby::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (m_isOver)
    {
        return;
    }
    if (InetSocketAddress::ConvertFrom(from).GetIpv4() != m_primary)
    {
        ++m_foreign;
        return;
    }
    if (m_hasTakenOver && IsRuleKept("fence"))
    {
        m_network->Send(PORT, from, OpusYield());
        return;
    }
    m_lastRx = Simulator::Now();
    if (const auto* entry = message.Get<OpusEntry>())
    {
        const InetSocketAddress sender(Ipv4Address(entry->fromAddress), entry->fromPort);
        m_log->Append({{0, sender, entry->message[0], {entry->begin, entry->end}},
                       m_lastRx,
                       entry->acknowledged});
        m_second->Compact();
        OpusStored stored;
        stored.number = entry->number;
        m_network->Send(PORT, from, stored);
    }
    else if (const auto* lead = message.Get<OpusLead>())
    {
        m_epoch = static_cast<uint32_t>(lead->epoch);
    }
    else if (message.Get<OpusYield>())
    {
        TakeOver();
    }
    else
    {
        ++m_foreign;
    }
}

void
ControllerStandby::Watch()
{
    const Time deadline = m_lastRx + m_interval * static_cast<int64_t>(m_missed);
    if (Simulator::Now() >= deadline)
    {
        TakeOver();
        return;
    }
    m_watch = Simulator::Schedule(deadline - Simulator::Now(), &ControllerStandby::Watch, this);
}

void
ControllerStandby::TakeOver()
{
    NS_LOG_INFO("the first controller is silent");
    m_hasTakenOver = true;
    m_watch.Cancel();
    m_second->TakeOver(m_primary, m_epoch);
}

} // namespace ns3
