// SPDX-License-Identifier: GPL-2.0-only

#include "opus-controller.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusController");
NS_OBJECT_ENSURE_REGISTERED(OpusController);

TypeId
OpusController::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpusController")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusController>()
            .AddAttribute("Port",
                          "UDP port on which the controller receives messages of managers and "
                          "agents, from 1 to 65535.",
                          UintegerValue(5812),
                          MakeUintegerAccessor(&OpusController::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute(
                "MessageTime",
                "Time that the controller takes for each message, at least 0. Messages are "
                "served one at a time, in the order of arrival.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&OpusController::m_messageTime),
                MakeTimeChecker(Time(0)))
            .AddAttribute("MessageByteTime",
                          "Time that the controller takes for each byte of a message, at least 0.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusController::m_byteTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Threads",
                          "Threads that serve messages, 1 to 65536: the rails are shared out "
                          "between them, by their number modulo this one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&OpusController::m_threads),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("MaxGroups",
                          "Groups of a job that are admitted, at least 1; more are refused.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&OpusController::m_maxGroups),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "CommandWindow",
                "Largest number of commands sent to a switch and not yet reported; further "
                "commands wait in the controller, in order. 0: any number.",
                UintegerValue(0),
                MakeUintegerAccessor(&OpusController::m_window),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("LearnTimeout",
                          "Time without an answer after which a controller that has begun anew no "
                          "longer waits for the rest of the switches and ranks, provided that more "
                          "than half have answered; above 0.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&OpusController::m_learnTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("JobRate",
                          "Largest number of messages of a job that a thread serves per second, "
                          "besides 1,000,000 at once, at least 0; further messages wait. 0: any "
                          "number.",
                          DoubleValue(1e6),
                          MakeDoubleAccessor(&OpusController::m_jobRate),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("JobQueue",
                          "Largest number of messages of a job that wait for a thread; further "
                          "messages are dropped. 0: any number.",
                          UintegerValue(1000000),
                          MakeUintegerAccessor(&OpusController::m_jobQueue),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Crash",
                            "The active controller crashes.",
                            MakeTraceSourceAccessor(&OpusController::m_crashTrace),
                            "ns3::OpusController::EventTracedCallback")
            .AddTraceSource("Learn",
                            "The controller begins to learn what it does not know (true), or "
                            "serves from now on (false).",
                            MakeTraceSourceAccessor(&OpusController::m_learn),
                            "ns3::OpusController::LearnTracedCallback")
            .AddTraceSource("Rebuild",
                            "The circuits of a rail are lost. Circuits with leases are made again, "
                            "on the switch that carries the rail now.",
                            MakeTraceSourceAccessor(&OpusController::m_rebuild),
                            "ns3::OpusController::RebuildTracedCallback")
            .AddTraceSource("Rx",
                            "A REQUEST, RELEASE or RESTART of a rank is about to be processed, "
                            "also as a part of a LEASES.",
                            MakeTraceSourceAccessor(&OpusController::m_rxTrace),
                            "ns3::OpusController::RxTracedCallback")
            .AddTraceSource("Tx",
                            "A message is sent to the manager of a rank.",
                            MakeTraceSourceAccessor(&OpusController::m_txTrace),
                            "ns3::OpusController::TxTracedCallback")
            .AddTraceSource("GroupGranted",
                            "The circuits of a group carry light; grants are sent to its ranks.",
                            MakeTraceSourceAccessor(&OpusController::m_groupGranted),
                            "ns3::OpusController::GrantTracedCallback")
            .AddTraceSource("FaultServed",
                            "The controller has processed a report of a fault or of a repair.",
                            MakeTraceSourceAccessor(&OpusController::m_faultServed),
                            "ns3::OpusController::FaultTracedCallback")
            .AddTraceSource("JobFailed",
                            "A job cannot continue; its ranks receive an ABORT.",
                            MakeTraceSourceAccessor(&OpusController::m_jobFailed),
                            "ns3::OpusController::JobFailedTracedCallback")
            .AddTraceSource("ReconfigurationBegin",
                            "A command is sent to a switch.",
                            MakeTraceSourceAccessor(&OpusController::m_begin),
                            "ns3::OpusController::ReconfigurationTracedCallback")
            .AddTraceSource("ReconfigurationEnd",
                            "A switch has reported light.",
                            MakeTraceSourceAccessor(&OpusController::m_end),
                            "ns3::OpusController::ReconfigurationTracedCallback");
    return tid;
}

OpusController::OpusController()
    : m_machine({m_rxTrace, m_txTrace, m_groupGranted, m_rebuild, m_jobFailed, m_begin, m_end},
                {m_rxTrace, m_faultServed}),
      m_leases(m_machine.GetLeases())
{
    m_leases.SetOutput(MakeCallback(&OpusController::Send, this));
    m_server.SetHandler(MakeCallback(&OpusController::Serve, this));
}

void
OpusController::DoDispose()
{
    m_server.Clear();
    m_server.SetHandler(MessageServer::Handler());
    m_restart.Cancel();
    m_leases.SetOutput(LeaseService::Output());
    if (m_network)
    {
        m_network->Listen(m_port, ManagementPort::ReceiveCallback());
    }
    m_network = nullptr;
    Application::DoDispose();
}

void
OpusController::SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric)
{
    m_leases.GetJobs().SetFabric(ocs, fabric);
    m_leases.ResetScheduler();
}

void
OpusController::SetPair(Callback<void> crashed, Callback<void> returned)
{
    m_crashed = crashed;
    m_returned = returned;
}

OpusController::Stats
OpusController::GetStats() const
{
    Stats stats = m_leases.GetStats();
    stats.foreign += m_dropped;
    stats.malformed += m_network ? m_network->GetMalformed() : 0;
    return stats;
}

void
OpusController::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a controller needs a management port on its node");
    m_server.SetLimits(m_jobRate, m_jobQueue);
    m_leases.SetLimits(m_window, m_maxGroups);
    m_configured = m_leases.GetJobs();
    m_network->SetDeposed(m_port, MakeCallback(&OpusController::HandleDeposed, this));
    if (!m_isSecond)
    {
        m_crashStats.leads = true;
        Listen();
    }
}

void
OpusController::StopApplication()
{
    m_server.Clear();
    m_restart.Cancel();
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
}

void
OpusController::Listen()
{
    m_network->Listen(m_port, MakeCallback(&OpusController::HandleMessage, this));
}

void
OpusController::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (!SenderRights::IsInput(message))
    {
        ++m_dropped;
        return;
    }
    m_server.Put(m_threads == 1 ? 0 : m_leases.GetRail(message) % m_threads,
                 MessageCost{m_messageTime, m_byteTime}.Get(message),
                 {0, from, message},
                 m_machine.GetRights().GetTenant(from));
}

void
OpusController::Serve(const OpusArrival& arrival)
{
    m_lastServed = Simulator::Now();
    if (!m_isLearning)
    {
        m_machine.Serve(arrival, m_lastServed);
        return;
    }
    m_learning.Add(arrival, m_leases, m_machine.GetRights());
    m_lastAnswer = m_lastServed;
    if (m_learning.IsComplete())
    {
        EndLearning();
    }
}

void
OpusController::Send(const Address& to, const OpusMessage& message)
{
    m_network->Send(m_port, to, message);
}

// --- crashes ------------------------------------------------------------------------------------

void
OpusController::Crash(Time restart)
{
    CrashForGood();
    m_restart = Simulator::Schedule(restart, &OpusController::Restart, this);
}

void
OpusController::CrashForGood()
{
    NS_LOG_FUNCTION(this << m_crashStats.leads);
    NS_ABORT_MSG_UNLESS(m_network && m_network->IsReliable(),
                        "a controller that crashes needs a Reliable port and a start");
    if (m_crashStats.leads)
    {
        ++m_crashStats.crashes;
        m_crashStats.downSince = m_crashStats.downSince.value_or(Simulator::Now());
        m_crashTrace();
    }
    Close();
    if (!m_crashed.IsNull())
    {
        m_crashed();
    }
}

void
OpusController::Close()
{
    m_restart.Cancel();
    m_server.Clear();
    m_learning.Clear();
    m_isLearning = false;
    m_network->Close(m_port);
}

void
OpusController::Restart()
{
    if (m_returned.IsNull())
    {
        BeginAnew();
        return;
    }
    m_crashStats.leads = false;
    m_crashStats.downSince.reset();
    m_returned();
}

void
OpusController::TakeOver(Ipv4Address identity)
{
    NS_ABORT_MSG_UNLESS(m_network && !m_returned.IsNull(), "a controller of a pair takes over");
    m_crashStats.leads = true;
    m_identity = identity.Get();
    BeginAnew();
}

void
OpusController::StepDown()
{
    if (m_crashStats.leads && m_network && !m_returned.IsNull())
    {
        Close();
        Restart();
    }
}

void
OpusController::HandleDeposed(const Address& from, uint32_t epoch)
{
    if (m_machine.GetRights().GetTenant(from) == SenderRights::INFRASTRUCTURE)
    {
        RaiseEpoch(epoch);
        StepDown();
    }
}

void
OpusController::BeginAnew()
{
    m_epoch = GetNextEpoch();
    NS_LOG_INFO("begins anew, epoch " << m_epoch);
    m_network->Reopen(m_port, m_epoch, m_identity);
    m_leases.Forget(m_configured);
    m_learning.Begin(m_epoch, m_leases, m_machine.GetRights());
    m_isLearning = true;
    m_learn(true);
    Listen();
    for (const auto& peers : {m_leases.GetJobs().GetPeers(), m_machine.GetRights().GetPeers()})
    {
        for (const Address& peer : peers)
        {
            Send(peer, OpusLearn{m_epoch});
        }
    }
    m_lastAnswer = Simulator::Now();
    m_learning.IsComplete() ? EndLearning() : CheckLearning();
}

void
OpusController::CheckLearning()
{
    const Time silence = Simulator::Now() - m_lastAnswer;
    if (silence >= m_learnTimeout && m_learning.HasMajority())
    {
        EndLearning();
        return;
    }
    const Time left = silence >= m_learnTimeout ? m_learnTimeout : m_learnTimeout - silence;
    m_restart = Simulator::Schedule(left, &OpusController::CheckLearning, this);
}

void
OpusController::EndLearning()
{
    m_restart.Cancel();
    m_isLearning = false;
    m_crashStats.downSince.reset();
    m_learn(false);
    NS_LOG_INFO("has learned from " << m_learning.GetArrivals().size() << " messages");
    m_machine.Learn(m_learning.GetArrivals(), Simulator::Now());
    m_learning.Clear();
}

uint32_t
OpusController::GetNextEpoch() const
{
    const uint32_t next = m_epoch + 1;
    const bool isOwn = m_returned.IsNull() || next % 2 == (m_isSecond ? 1 : 0);
    return isOwn ? next : next + 1;
}

} // namespace ns3
