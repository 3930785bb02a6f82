// SPDX-License-Identifier: GPL-2.0-only

#include "opus-controller.h"

#include "ns3/boolean.h"
#include "ns3/management-port.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

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
                          "UDP port on which managers and agents are heard, from 1 to 65535.",
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
                "Commands that a switch is sent before it has reported on the first; "
                "more wait in the controller, in order. 0: any number.",
                UintegerValue(0),
                MakeUintegerAccessor(&OpusController::SetWindow, &OpusController::GetWindow),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("LogWriteTime",
                          "Time to write a message to the log before it is acted on, at least 0. "
                          "Messages are written one at a time.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusController::m_writeTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LogReadTime",
                          "Time to read a message of the log and to act on it again, after a "
                          "crash; at least 0.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&OpusController::m_replayTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TraceReplay",
                          "Whether trace sources tell again what a log makes the controller do "
                          "again (true), or each thing once (false). A standby does for the first "
                          "time, too, what the first controller had no time for.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpusController::m_tracesReplay),
                          MakeBooleanChecker())
            .AddTraceSource("Replay",
                            "The log is about to be acted on again (true), or has been (false).",
                            MakeTraceSourceAccessor(&OpusController::m_replay),
                            "ns3::OpusController::ReplayTracedCallback")
            .AddTraceSource("Rebuild",
                            "The circuits of a rail are gone. Those that are held are made again, "
                            "on the switch that has the rail now.",
                            MakeTraceSourceAccessor(&OpusController::m_rebuild),
                            "ns3::OpusController::RebuildTracedCallback")
            .AddTraceSource("Heard",
                            "A request or a release of a rank, or that its shim has forgotten its "
                            "leases, is about to be acted on.",
                            MakeTraceSourceAccessor(&OpusController::m_heard),
                            "ns3::OpusController::HeardTracedCallback")
            .AddTraceSource("Told",
                            "A message is sent to the manager of a rank.",
                            MakeTraceSourceAccessor(&OpusController::m_told),
                            "ns3::OpusController::ToldTracedCallback")
            .AddAttribute("HeartbeatInterval",
                          "Time between two signs of life to a standby, above 0. They go on until "
                          "StopHeartbeats.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&OpusController::m_heartbeatInterval),
                          MakeTimeChecker(TimeStep(1)))
            .AddTraceSource("GroupGranted",
                            "The circuits of a group carry light and its ranks are told.",
                            MakeTraceSourceAccessor(&OpusController::m_groupGranted),
                            "ns3::OpusController::GrantTracedCallback")
            .AddTraceSource("FaultServed",
                            "The controller has dealt with a fault, or that it is mended.",
                            MakeTraceSourceAccessor(&OpusController::m_faultServed),
                            "ns3::OpusController::FaultTracedCallback")
            .AddTraceSource("JobFailed",
                            "A job cannot go on, and its ranks are told.",
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
{
    m_server.SetHandler(MakeCallback(&OpusController::Write, this));
    m_disk.SetHandler(MakeCallback(&OpusController::Store, this));
}

OpusController::~OpusController() = default;

std::string
OpusController::AddRank(uint32_t job, uint32_t rank, const std::vector<OcsPortId>& ports)
{
    m_configured.AddRank(job, rank, ports);
    return m_jobs.AddRank(job, rank, ports);
}

void
OpusController::SetManager(uint32_t job, uint32_t rank, const Address& manager)
{
    m_configured.SetManager(job, rank, manager);
    m_jobs.SetManager(job, rank, manager);
}

void
OpusController::AddOcs(uint32_t ocs, const Address& agent)
{
    m_configured.AddSwitch(ocs, agent);
    m_jobs.AddSwitch(ocs, agent);
}

void
OpusController::SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric)
{
    m_configured.SetFabric(ocs, fabric);
    m_jobs.SetFabric(ocs, fabric);
    OpenLedger();
}

void
OpusController::OpenLedger()
{
    m_ledger = CircuitLedger();
    for (const auto& [ocs, fabric] : m_jobs.GetFabrics())
    {
        const Ptr<CircuitFabric> idle = fabric->Copy();
        idle->Clear();
        m_ledger.SetFabric(ocs, idle);
    }
}

void
OpusController::AddSpare(uint32_t ocs, const Address& agent)
{
    m_jobs.GetPlaces().AddSpare(ocs, agent);
    m_configured.GetPlaces().AddSpare(ocs, agent);
}

void
OpusController::AddSpareGpu(uint32_t gpu,
                            const std::map<uint32_t, std::vector<OcsPortId>>& ports,
                            const Address& manager)
{
    m_configured.AddSpareGpu(gpu, ports, manager);
    m_jobs.AddSpareGpu(gpu, ports, manager);
}

void
OpusController::SetCoordinator(const Address& coordinator)
{
    m_coordinator = coordinator;
}

void
OpusController::SetMonitor(const Address& monitor)
{
    m_monitor = monitor;
}

std::string
OpusController::CheckGroup(uint32_t job, const std::vector<uint32_t>& ranks)
{
    m_configured.Plan(job, ranks);
    return m_jobs.Plan(job, ranks).error;
}

CircuitLedger::GroupState
OpusController::GetGroupState(uint32_t job, uint64_t group) const
{
    return m_ledger.GetState({job, group});
}

CircuitLedger::Standing
OpusController::GetStanding(uint32_t job, uint64_t group) const
{
    return m_ledger.GetStanding({job, group});
}

OpusController::Stats
OpusController::GetStats() const
{
    Stats stats = m_stats;
    stats.plans = m_jobs.GetStats().planned;
    stats.planHits = m_jobs.GetStats().planHits;
    stats.waited = m_times.GetWaits();
    stats.delayed = m_commands.GetDelayed();
    stats.malformed += m_ledger.GetIgnored() + (m_network ? m_network->GetMalformed() : 0);
    return stats;
}

std::vector<OcsPortId>
OpusController::GetPorts() const
{
    return m_jobs.GetPorts();
}

Time
OpusController::GetUpTime(const OcsPortId& port) const
{
    return m_times.GetUpTime(port, m_lastServed);
}

Time
OpusController::GetLastServed() const
{
    return m_lastServed;
}

const MessageServer::Stats&
OpusController::GetServerStats() const
{
    return m_server.GetStats();
}

void
OpusController::SetWindow(uint32_t window)
{
    m_window = window;
    m_commands.SetWindow(window);
}

uint32_t
OpusController::GetWindow() const
{
    return m_window;
}

} // namespace ns3
