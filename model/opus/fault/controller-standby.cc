// SPDX-License-Identifier: GPL-2.0-only

#include "controller-standby.h"

#include "ns3/abort.h"
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
                                          "Interval of the heartbeats of the active controller, as "
                                          "its attribute of that name, and of JOIN messages; "
                                          "above 0.",
                                          TimeValue(MilliSeconds(10)),
                                          MakeTimeAccessor(&ControllerStandby::m_interval),
                                          MakeTimeChecker(TimeStep(1)))
                            .AddAttribute("MissedHeartbeats",
                                          "Number of intervals without a message after which the "
                                          "controller of the node takes over, at least 1.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&ControllerStandby::m_missed),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Latency",
                                          "Time that a message takes on the network, at least 0: "
                                          "the first one of the active controller comes so much "
                                          "later than it is sent.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&ControllerStandby::m_latency),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
ControllerStandby::SetPair(Ipv4Address other,
                           Ptr<OpusController> own,
                           Ptr<ControllerLog> log,
                           Ipv4Address identity,
                           bool isFirst)
{
    m_other = other;
    m_own = own;
    m_log = log;
    m_identity = identity;
    m_isFirst = isFirst;
}

void
ControllerStandby::DoDispose()
{
    m_watch.Cancel();
    if (m_own)
    {
        m_own->SetPairCallbacks(Callback<void>(), Callback<void>());
    }
    m_own = nullptr;
    m_network = nullptr;
    Application::DoDispose();
}

void
ControllerStandby::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network && m_network->IsReliable(), "a standby needs a Reliable port");
    NS_ABORT_MSG_UNLESS(m_own && m_log, "a standby needs a controller and its log");
    m_own->SetPairCallbacks(MakeCallback(&ControllerStandby::Crash, this),
                            MakeCallback(&ControllerStandby::Join, this));
    m_network->Listen(PORT, MakeCallback(&ControllerStandby::HandleMessage, this));
    m_lastRx = Simulator::Now() + m_latency;
    if (!m_isFirst)
    {
        Watch();
    }
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
    if (InetSocketAddress::ConvertFrom(from).GetIpv4() != m_other)
    {
        ++m_foreign;
        return;
    }
    if (const auto* join = message.Get<OpusJoin>())
    {
        HandleJoin(*join);
        return;
    }
    if (m_own->IsActive())
    {
        m_network->Send(PORT, from, OpusYield());
        return;
    }
    if (const auto* lead = message.Get<OpusLead>())
    {
        HandleLead(from, *lead);
    }
    else if (const auto* entry = message.Get<OpusEntry>())
    {
        HandleEntry(from, *entry);
    }
    else
    {
        ++m_foreign;
    }
}

void
ControllerStandby::HandleLead(const Address& from, const OpusLead& lead)
{
    if (lead.attempt != m_attempt)
    {
        return; // of a controller that was active before
    }
    if (from != m_leader)
    {
        if (lead.kept + 1 < m_log->GetFirst())
        {
            Join(); // an answer to a late message
            return;
        }
        m_leader = from;
        m_log->Truncate(lead.kept);
    }
    m_lastRx = Simulator::Now();
    if (m_isJoining)
    {
        m_isJoining = false;
        m_watch.Cancel();
        Watch();
    }
    m_log->RaiseEpoch(static_cast<uint32_t>(lead.epoch));
    m_log->SetStored(lead.entries);
    m_log->SetCommitted(lead.entries);
    m_isComplete = m_isComplete || !lead.isAlone;
    Confirm(from);
}

void
ControllerStandby::HandleEntry(const Address& from, const OpusEntry& entry)
{
    if (m_isJoining || from != m_leader)
    {
        return; // of a controller that was active before
    }
    m_lastRx = Simulator::Now();
    if (entry.number == m_log->GetCount() + 1)
    {
        const InetSocketAddress sender(Ipv4Address(entry.fromAddress), entry.fromPort);
        m_log->Append({{0, sender, entry.message[0], {entry.begin, entry.end}},
                       m_lastRx,
                       entry.acknowledged});
        m_own->Compact();
    }
    Confirm(from);
}

void
ControllerStandby::Confirm(const Address& to) const
{
    m_network->Send(PORT, to, OpusStored{m_log->GetCount()});
}

void
ControllerStandby::HandleJoin(const OpusJoin& join)
{
    const bool isLate = join.epoch < m_log->GetEpoch() && !m_isJoining;
    m_log->RaiseEpoch(static_cast<uint32_t>(join.epoch));
    if (m_own->IsActive())
    {
        m_own->AttachStandby(join);
        return;
    }
    if (isLate)
    {
        return; // sent before the other controller became active
    }
    const uint64_t entries = m_log->GetCount();
    const bool isComplete = m_isComplete && entries >= join.entries;
    const bool isLonger = entries > join.entries || (entries == join.entries && m_isFirst);
    if (!m_isJoining && !isComplete)
    {
        Join();
    }
    else if (!m_isJoining || join.concedes == m_attempt)
    {
        TakeOver();
    }
    else if (!isLonger && m_conceded != join.attempt)
    {
        // From now on only the other node may take over, and what this one stored before is late.
        m_conceded = join.attempt;
        m_log->SetAlone(false);
        ++m_attempt;
    }
}

void
ControllerStandby::Watch()
{
    const Time deadline = m_lastRx + m_interval * static_cast<int64_t>(m_missed);
    if (Simulator::Now() >= deadline)
    {
        m_isComplete ? TakeOver() : Join();
        return;
    }
    m_watch = Simulator::Schedule(deadline - Simulator::Now(), &ControllerStandby::Watch, this);
}

void
ControllerStandby::Crash()
{
    m_watch.Cancel();
    m_isJoining = false;
    m_network->Close(PORT);
}

void
ControllerStandby::Join()
{
    if (m_isOver)
    {
        return;
    }
    m_network->Close(PORT); // the channels of former controllers
    m_network->Listen(PORT, MakeCallback(&ControllerStandby::HandleMessage, this));
    m_isJoining = true;
    m_isComplete = false;
    m_leader = Address();
    m_conceded = 0;
    m_joined = Simulator::Now();
    ++m_attempt;
    m_watch.Cancel();
    SendJoin();
}

void
ControllerStandby::SendJoin()
{
    const Time patience = m_interval * static_cast<int64_t>(m_missed) + 2 * m_latency;
    if (m_log->IsAlone() && Simulator::Now() >= m_joined + patience)
    {
        TakeOver(); // the other node stores nothing since this one led alone
        return;
    }
    const OpusJoin join{m_log->GetEpoch(),
                        m_log->GetCount(),
                        m_log->GetCommitted(),
                        m_attempt,
                        m_conceded};
    m_network->SendDatagram(PORT, InetSocketAddress(m_other, PORT), join);
    m_watch = Simulator::Schedule(m_interval, &ControllerStandby::SendJoin, this);
}

void
ControllerStandby::TakeOver()
{
    NS_LOG_INFO("no controller is active");
    ++m_takeovers;
    m_isJoining = false;
    m_isComplete = true;
    m_watch.Cancel();
    m_own->TakeOver(m_identity);
}

} // namespace ns3
