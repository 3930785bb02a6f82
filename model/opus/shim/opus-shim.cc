// SPDX-License-Identifier: GPL-2.0-only

#include "opus-shim.h"

#include "ns3/boolean.h"
#include "ns3/lease-number.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusShim");
NS_OBJECT_ENSURE_REGISTERED(OpusShim);

/// The shim as the provider of its collective library.
class OpusShim::Connectivity : public ConnectivityProvider
{
  public:
    /// @param shim serves the requests
    explicit Connectivity(OpusShim* shim)
        : m_shim(shim)
    {
    }

    /// The shim is disposed of.
    void Detach()
    {
        m_shim = nullptr;
        m_traffic = Traffic{};
    }

    // Also called on nodes of other processes, which have no shim, while groups are joined.
    CollectiveNetwork ChooseNetwork(const ProcessGroup&, const CollectiveCall& call) const override
    {
        return rule.Choose({false, true, true}, call);
    }

    CircuitTerms GetTerms() const override
    {
        return terms;
    }

    void Announce(const ProcessGroup& group,
                  const CollectiveCall& call,
                  Callback<void> lent) override
    {
        if (m_shim)
        {
            m_shim->Announce(group, call, lent);
        }
    }

    void EndRounds(const ProcessGroup& group, const CollectiveCall& call) override
    {
        if (m_shim)
        {
            m_shim->EndAnnounced(m_shim->GetLeaseGroup(group, call), call.kind, true);
            m_shim->ScheduleFlush();
        }
    }

    void Request(const ProcessGroup& group,
                 const CollectiveCall& call,
                 Callback<void> granted) override
    {
        if (m_shim)
        {
            m_shim->Request(group, call, granted);
        }
    }

    Wait DescribeWait(const ProcessGroup& group, const CollectiveCall& call) const override
    {
        return {m_shim ? m_shim->DescribeWait(group, call) : "", {}};
    }

    void Release(const ProcessGroup& group, const CollectiveCall& call) override
    {
        if (m_shim)
        {
            m_shim->Release(group, call);
        }
    }

    /// @return the engine's side of a suspension
    const Traffic& GetTraffic() const
    {
        return m_traffic;
    }

    NetworkRule rule;   //!< says which calls take the network of the hosts
    CircuitTerms terms; //!< of the circuits

  private:
    OpusShim* m_shim;
};

TypeId
OpusShim::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpusShim")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusShim>()
            .AddAttribute("Provisioning",
                          "Request the group of the next phase as soon as a phase has ended "
                          "(true), or only when a call needs the group (false).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&OpusShim::m_provisioning),
                          MakeBooleanChecker())
            .AddAttribute(
                "KeepLeases",
                "Keep a lease for later calls on the group (true), or release the lease when the "
                "last call on the group has ended, so that every call sends a request (false).",
                BooleanValue(true),
                MakeBooleanAccessor(&OpusShim::m_keepLeases),
                MakeBooleanChecker())
            .AddAttribute(
                "HoldTime",
                "Without KeepLeases: how long a lease is kept after the last call on the group has "
                "ended, unless another call or the controller needs its ports earlier.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&OpusShim::m_holdTime),
                MakeTimeChecker(Time(0)))
            .AddAttribute("SliceGrants",
                          "After how many times the time of a grant with switching, or the delay "
                          "of the path if that is longer, a recalled lease ends although "
                          "collectives use the lease: they are suspended, and go on with the next "
                          "lease. 0: they are completed first, as they are on "
                          "ranks without an AllToAll in rounds.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&OpusShim::m_sliceGrants),
                          MakeUintegerChecker<uint32_t>(0, 1000000))
            .AddAttribute("DetectIterations",
                          "Detect the end of iterations in the sequence of calls (true), or rely "
                          "on NotifyIterationEnd (false).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpusShim::m_detectIterations),
                          MakeBooleanChecker())
            .AddAttribute(
                "HostThreshold",
                "Calls of fewer bytes take the host network, if there is one; 0 for "
                "none. The same on all ranks.",
                UintegerValue(0),
                MakeUintegerAccessor(&OpusShim::SetHostThreshold, &OpusShim::GetHostThreshold),
                MakeUintegerChecker<uint64_t>())
            .AddTraceSource("Tx",
                            "A message is sent to the manager.",
                            MakeTraceSourceAccessor(&OpusShim::m_txTrace),
                            "ns3::OpusShim::MessageTracedCallback")
            .AddTraceSource("Rx",
                            "A message from the manager is about to be processed.",
                            MakeTraceSourceAccessor(&OpusShim::m_rxTrace),
                            "ns3::OpusShim::MessageTracedCallback")
            .AddTraceSource("Requested",
                            "A request for a group is sent.",
                            MakeTraceSourceAccessor(&OpusShim::m_requested),
                            "ns3::OpusShim::RequestedTracedCallback")
            .AddTraceSource("Granted",
                            "A group has been granted.",
                            MakeTraceSourceAccessor(&OpusShim::m_granted),
                            "ns3::OpusShim::GrantedTracedCallback")
            .AddTraceSource("Released",
                            "The lease of a group, or the request for it, is released.",
                            MakeTraceSourceAccessor(&OpusShim::m_released),
                            "ns3::OpusShim::ReleasedTracedCallback")
            .AddTraceSource(
                "Mispredicted",
                "A call needs another group than the one that was requested speculatively.",
                MakeTraceSourceAccessor(&OpusShim::m_mispredicted),
                "ns3::OpusShim::MispredictedTracedCallback")
            .AddTraceSource("Refused",
                            "The controller has refused a group; calls on the group wait for ever.",
                            MakeTraceSourceAccessor(&OpusShim::m_refused),
                            "ns3::OpusShim::RefusedTracedCallback")
            .AddTraceSource("Aborted",
                            "The job has failed; calls of the rank wait for ever.",
                            MakeTraceSourceAccessor(&OpusShim::m_abortedTrace),
                            "ns3::OpusShim::AbortedTracedCallback");
    return tid;
}

OpusShim::OpusShim()
    : m_connectivity(CreateObject<Connectivity>(this))
{
}

OpusShim::~OpusShim()
{
    if (m_connectivity) // not disposed of on nodes of other processes
    {
        m_connectivity->Detach();
    }
}

void
OpusShim::SetCircuitTerms(const CircuitTerms& terms)
{
    m_connectivity->terms = terms;
}

void
OpusShim::SetHostThreshold(uint64_t bytes)
{
    m_networkRule.hostThreshold = bytes;
    m_connectivity->rule = m_networkRule;
}

uint64_t
OpusShim::GetHostThreshold() const
{
    return m_networkRule.hostThreshold;
}

void
OpusShim::SetHostLink(Ptr<NetDevice> device)
{
    m_link = std::make_unique<HostLink>(device, 0, MakeCallback(&OpusShim::HandleMessage, this));
}

void
OpusShim::StartApplication()
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
    {
        nic->GetPort(port)->TraceConnectWithoutContext(
            "Failure",
            MakeCallback(&OpusShim::NicPortFailed, this));
    }
    ReportFailedPorts();
}

void
OpusShim::ReportFailedPorts()
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
    {
        if (nic->GetPort(port)->HasFailed())
        {
            SendFault(FaultKind::NIC_PORT, port, false);
        }
    }
}

void
OpusShim::DoDispose()
{
    m_flush.Cancel();
    m_again.Cancel();
    for (auto* ends : {&m_holds, &m_slices})
    {
        for (auto& [group, end] : *ends)
        {
            end.Cancel();
        }
    }
    if (m_connectivity)
    {
        m_connectivity->Detach();
        m_connectivity = nullptr;
    }
    m_link.reset();
    m_calls.clear();
    m_announced.clear();
    Application::DoDispose();
}

void
OpusShim::Announce(const ProcessGroup& group, const CollectiveCall& call, Callback<void> lent)
{
    NS_LOG_FUNCTION(this << group.id << ToString(call.kind));
    if (group.GetSize() < 2 || m_isDown || m_isHalted)
    {
        lent();
        return;
    }
    if (m_hasLeft || !m_aborted.empty())
    {
        return;
    }
    const uint64_t lease = m_groups.Record(m_rank, group, call);
    m_announced.push_back({m_issued++, lease, call.kind, call.isRound, false, false, lent});
    if (call.isRound)
    {
        m_announced.back().lent = Callback<void>(); // each round is lent circuits of its own
        lent();
    }
    ScheduleFlush();
}

void
OpusShim::EndAnnounced(uint64_t group, CollectiveKind kind, bool isRound)
{
    const auto ended = std::find_if(m_announced.begin(), m_announced.end(), [&](const auto& call) {
        return call.group == group && call.kind == kind && call.isRound == isRound &&
               (call.hasBegun || isRound);
    });
    if (ended != m_announced.end())
    {
        m_announced.erase(ended);
    }
}

void
OpusShim::ReturnLent()
{
    // A call is lent its circuits when all calls announced before use the same ones, or others that
    // are up beside them.
    std::vector<Callback<void>> lent;
    std::set<uint64_t> before;
    for (auto& call : m_announced)
    {
        const bool fits = std::all_of(before.begin(), before.end(), [&call](uint64_t group) {
            return group == call.group || LeaseNumber::AreSideBySide(group, call.group);
        });
        if (!fits || call.isRound || !m_leases.IsHeld(call.group))
        {
            break;
        }
        before.insert(call.group);
        if (!call.lent.IsNull())
        {
            lent.push_back(call.lent);
            call.lent = Callback<void>();
        }
    }
    for (const auto& back : lent)
    {
        back();
    }
}

void
OpusShim::ClearAnnounced()
{
    std::deque<Announced> calls;
    calls.swap(m_announced);
    for (const auto& call : calls)
    {
        if (!call.lent.IsNull())
        {
            call.lent();
        }
    }
}

void
OpusShim::Request(const ProcessGroup& group, const CollectiveCall& call, Callback<void> granted)
{
    NS_LOG_FUNCTION(this << group.id << ToString(call.kind));
    if (group.GetSize() < 2)
    {
        granted(); // a group of one rank needs no circuits
        return;
    }
    if (m_hasLeft || !m_aborted.empty())
    {
        ++m_stats.refused;
        m_refused(m_rank, GetLeaseGroup(group, call), m_aborted);
        return;
    }
    const uint64_t lease = m_groups.Record(m_rank, group, call);
    m_hasRounds = m_hasRounds || call.isRound;
    m_leases.SetKeep(m_keepLeases || !m_holdTime.IsZero());
    m_holds[lease].Cancel();
    // A round is of the first call that is announced with rounds and has not ended.
    const auto announced = std::find_if(m_announced.begin(), m_announced.end(), [&](auto& one) {
        return one.isRound == call.isRound &&
               (one.isRound || (one.group == lease && one.kind == call.kind && !one.hasBegun));
    });
    const bool isAnnounced = announced != m_announced.end();
    m_phases.Begin(call,
                   isAnnounced ? announced->number : m_issued,
                   Simulator::Now(),
                   m_detectIterations);
    if (const auto expected = m_phases.TakeMisprediction(lease, call))
    {
        ++m_stats.mispredicted;
        m_leases.Cancel(*expected);
        m_mispredicted(m_rank, *expected, lease);
    }
    Callback<void> lent;
    if (isAnnounced && !call.isRound)
    {
        announced->hasBegun = true;
        std::swap(lent, announced->lent);
    }
    const uint64_t token = ++m_lastToken;
    const bool now = m_leases.Begin(lease, call.kind, token);
    ScheduleFlush();
    if (now)
    {
        Admit({granted, lent});
        return;
    }
    m_calls[token] = {granted, lent};
    m_times.StartWait(lease, Simulator::Now());
}

void
OpusShim::Admit(const WaitingCall& call)
{
    call.granted();
    if (!call.lent.IsNull())
    {
        call.lent();
    }
}

void
OpusShim::Release(const ProcessGroup& group, const CollectiveCall& call)
{
    NS_LOG_FUNCTION(this << group.id << ToString(call.kind));
    if (group.GetSize() < 2)
    {
        return;
    }
    const uint64_t lease = GetLeaseGroup(group, call);
    m_leases.End(lease, call.kind);
    if (!m_keepLeases && !m_holdTime.IsZero())
    {
        m_holds[lease].Cancel();
        m_holds[lease] = Simulator::Schedule(m_holdTime, &OpusShim::HandleHoldEnd, this, lease);
    }
    m_phases.End(Simulator::Now());
    if (!call.isRound)
    {
        EndAnnounced(lease, call.kind, false);
    }
    RunEffects();
}

void
OpusShim::HandleHoldEnd(uint64_t group)
{
    if (m_leases.IsHeld(group))
    {
        m_leases.Cancel(group); // without effect while calls use the lease
        RunEffects();
    }
}

void
OpusShim::HandleMessage(uint32_t, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    const auto* failedPorts = message.Get<OpusFailedPorts>();
    const auto* learn = message.Get<OpusLearn>();
    m_missedPorts = m_missedPorts || (learn && m_isHalted);
    if (m_hasLeft || m_isDown || (m_isHalted && !failedPorts && !learn))
    {
        return;
    }
    m_rxTrace(message);
    if (learn)
    {
        m_learn = learn->epoch;
        m_isHalted || !m_aborted.empty() ? SendLeases() : ScheduleFlush();
        return;
    }
    if (const auto* grant = message.Get<OpusGrant>())
    {
        HandleGrant(*grant);
    }
    else if (const auto* abort = message.Get<OpusAbort>())
    {
        HandleAbort(*abort);
    }
    else if (failedPorts)
    {
        HandleFailedPorts(*failedPorts);
    }
    else if (const auto* recall = message.Get<OpusRecall>())
    {
        HandleRecall(*recall);
    }
    else if (const auto* refusal = message.Get<OpusRefusal>())
    {
        NS_LOG_ERROR("rank " << m_rank << ", group " << refusal->group << ": " << refusal->error);
        ++m_stats.refused;
        m_refusals[refusal->group] = refusal->error;
        m_refused(m_rank, refusal->group, refusal->error);
    }
    else
    {
        NS_LOG_WARN("unexpected " << message);
    }
    RunEffects();
}

void
OpusShim::HandleRecall(const OpusRecall& recall)
{
    if (recall.speculative)
    {
        m_leases.Hint(recall.group, recall.lease);
        return;
    }
    const bool isHeld = m_leases.Recall(recall.group, recall.lease, recall.limit);
    m_stats.recalled += isHeld ? 1 : 0;
    Announced* const next = FindNextAnnounced();
    if (isHeld && !m_leases.IsHeld(recall.group) && next && next->group == recall.group)
    {
        // Requested again at once, two groups whose calls wait for other ranks would take ports
        // from each other without end.
        next->isTaken = true;
    }
    // Light and data take their time on long fibers: a shorter slice would end before the first
    // byte.
    const CircuitTerms& terms = m_connectivity->terms;
    const Time slice = m_sliceGrants * Seconds(std::max(terms.switchSeconds, terms.latency));
    if (isHeld && m_hasRounds && !slice.IsZero())
    {
        const Time left = m_times.GetGranted(recall.group) + slice - Simulator::Now();
        EventId& end = m_slices[recall.group];
        end.Cancel();
        end = Simulator::Schedule(Max(left, Time(0)),
                                  &OpusShim::HandleSliceEnd,
                                  this,
                                  recall.group,
                                  recall.lease);
    }
}

void
OpusShim::HandleSliceEnd(uint64_t group, uint32_t lease)
{
    m_leases.Recall(group, lease, 0);
    RunEffects();
}

void
OpusShim::HandleGrant(const OpusGrant& message)
{
    if (!m_leases.Grant(message.group, message.lease))
    {
        return; // withdrawn in the meantime
    }
    m_groups.TakeMembers(message.group); // the controller knows them
    m_holds[message.group].Cancel();
    const auto [waited, exposed] =
        m_times.Grant(message.group, message.switching, Simulator::Now());
    ++m_stats.granted;
    m_stats.waited += waited;
    m_stats.exposed += exposed;
    const bool speculative = m_phases.TakeExpected(message.group);
    NS_LOG_INFO("rank " << m_rank << " is granted group " << message.group << " after " << waited);
    m_granted(m_rank, message.group, waited, exposed, speculative);
}

void
OpusShim::HandleDrained(uint64_t group)
{
    m_times.StartWait(group, Simulator::Now());
    m_leases.Drained(group);
    RunEffects();
}

void
OpusShim::RunEffects()
{
    ScheduleFlush();
    if (m_runsEffects)
    {
        return; // the loop below takes the new effects
    }
    m_runsEffects = true;
    for (auto effects = m_leases.TakeEffects(); !effects.empty(); effects = m_leases.TakeEffects())
    {
        for (const auto& effect : effects)
        {
            RunEffect(effect);
        }
    }
    m_runsEffects = false;
}

void
OpusShim::RunEffect(const LeaseClient::Effect& effect)
{
    // Only collectives are suspended, and the number of their lease group is the id of the group.
    const auto group = static_cast<uint32_t>(effect.group);
    switch (effect.type)
    {
    case LeaseClient::Effect::ADMIT: {
        const auto call = m_calls.find(effect.token);
        if (call == m_calls.end())
        {
            break; // the job has failed
        }
        const WaitingCall admitted = call->second;
        m_calls.erase(call);
        Admit(admitted);
        break;
    }
    case LeaseClient::Effect::SUSPEND: {
        NS_LOG_LOGIC("rank " << m_rank << " suspends collectives on group " << group);
        ++m_stats.suspended;
        const Callback<void> drained =
            MakeCallback(&OpusShim::HandleDrained, this).Bind(effect.group);
        const auto& suspend = m_connectivity->GetTraffic().suspend;
        if (suspend.IsNull())
        {
            drained();
        }
        else
        {
            suspend(group, drained);
        }
        break;
    }
    case LeaseClient::Effect::RESUME: {
        const auto& resume = m_connectivity->GetTraffic().resume;
        if (!resume.IsNull())
        {
            resume(group);
        }
        break;
    }
    }
}

void
OpusShim::ScheduleFlush()
{
    // At the end of the instant: later calls at the same time decide whether a phase has ended, and
    // all messages of the instant share one frame.
    if (m_flush.IsExpired())
    {
        m_flush = Simulator::ScheduleNow(&OpusShim::Flush, this);
    }
}

void
OpusShim::Flush()
{
    if (m_isDown || m_isHalted)
    {
        return; // Restart or Begin sends the messages
    }
    Provision();
    const auto wait = Yield();
    if (wait && wait->IsZero())
    {
        m_phases.EndPhase(); // the rank may need the same group again
        Provision();
    }
    else if (wait)
    {
        // At once, ranks would take circuits from each other without end that none of them needs.
        m_again.Cancel();
        m_again = Simulator::Schedule(*wait, &OpusShim::ProvisionAgain, this);
    }
    std::vector<OpusMessage> messages;
    for (const auto& message : m_leases.TakeMessages())
    {
        messages.push_back(MakeMessage(message));
    }
    if (m_learn)
    {
        SendLeases(); // contains what the messages say
    }
    else if (!messages.empty() && m_link && !m_hasLeft && m_aborted.empty())
    {
        SendMessages(messages);
    }
    ReturnLent();
}

void
OpusShim::SendLeases()
{
    OpusLeases answer{{m_job, m_rank}, *m_learn, m_hasFailedPorts, m_aborted, {}};
    m_learn.reset();
    if (m_rank == NO_RANK || m_hasLeft || !m_link)
    {
        return;
    }
    m_groups.ClearKnownMembers();
    std::vector<LeaseClient::Message> report;
    if (!m_isHalted && m_aborted.empty())
    {
        report = m_leases.Report();
    }
    for (const auto& one : report)
    {
        const OpusLease lease{{m_job, m_rank}, one.group, one.lease};
        if (!one.request)
        {
            answer.parts.emplace_back(OpusRelease{lease, one.completed});
            continue;
        }
        answer.parts.emplace_back(OpusRequest{lease,
                                              one.completed,
                                              one.passive,
                                              one.speculative,
                                              one.held,
                                              m_groups.GetMembers(one.group)});
    }
    SendMessages({answer});
}

OpusShim::Announced*
OpusShim::FindNextAnnounced()
{
    const auto next = std::find_if(m_announced.begin(), m_announced.end(), [](const auto& call) {
        return !call.hasBegun;
    });
    return next == m_announced.end() ? nullptr : &*next;
}

void
OpusShim::Provision()
{
    if (!m_announced.empty())
    {
        const Announced* const next = FindNextAnnounced();
        if (next && !next->isRound && !next->isTaken && m_leases.IsIdle() &&
            !m_leases.IsHeld(next->group))
        {
            Prefetch(next->group, next->kind);
        }
        return;
    }
    const auto next =
        m_phases.TakePrefetch(m_provisioning && m_leases.IsIdle(), m_times.GetFastest());
    if (!next)
    {
        return;
    }
    const uint64_t group = GetLeaseGroup(m_groups.GetGroup(next->groupId), *next);
    if (!m_leases.IsHeld(group))
    {
        Prefetch(group, next->kind);
    }
}

void
OpusShim::ProvisionAgain()
{
    m_phases.EndPhase();
    ScheduleFlush();
}

void
OpusShim::Prefetch(uint64_t group, CollectiveKind kind)
{
    m_phases.Expect(group);
    ++m_stats.speculative;
    m_leases.Prefetch(group, kind == CollectiveKind::RECV);
}

std::optional<Time>
OpusShim::Yield()
{
    if (!m_announced.empty())
    {
        return m_leases.Yield(m_announced.front().group) ? std::optional<Time>(Time())
                                                         : std::nullopt;
    }
    const auto next = m_phases.PredictNext(Simulator::Now(), m_times.GetFastest());
    if (!next)
    {
        return std::nullopt; // without a prediction all leases are kept
    }
    const uint64_t group = GetLeaseGroup(m_groups.GetGroup(next->call.groupId), next->call);
    const bool isReleased =
        m_leases.Yield(next->sendsSoon ? std::optional<uint64_t>(group) : std::nullopt);
    return isReleased ? std::optional<Time>(next->spare) : std::nullopt;
}

void
OpusShim::WriteProfile(std::ostream& os) const
{
    using Json = nlohmann::ordered_json;
    Json calls = Json::array();
    for (const auto& [call, gap, issued] : m_phases.GetProfile().GetIteration())
    {
        Json json{{"group", call.groupId},
                  {"ranks", m_groups.GetGroup(call.groupId).ranks},
                  {"kind", ToString(call.kind)},
                  {"bytes", call.bytes}};
        if (call.IsPointToPoint())
        {
            json["peer"] = call.peer;
        }
        json["stream"] = call.stream;
        json["gap_s"] = gap.GetSeconds();
        calls.push_back(json);
    }
    os << Json{{"rank", m_rank}, {"calls", calls}}.dump(2) << "\n";
}

void
OpusShim::SendMessages(const std::vector<OpusMessage>& messages)
{
    for (const auto& message : messages)
    {
        NS_LOG_LOGIC("rank " << m_rank << " sends " << message);
        m_txTrace(message);
    }
    m_link->Send(messages);
}

OpusMessage
OpusShim::MakeMessage(const LeaseClient::Message& message)
{
    const OpusLease lease{{m_job, m_rank}, message.group, message.lease};
    if (!message.request)
    {
        m_times.Release(message.group);
        m_slices[message.group].Cancel();
        ++m_stats.released;
        NS_LOG_INFO("rank " << m_rank << " releases group " << message.group);
        m_released(m_rank, message.group);
        return OpusRelease{lease, message.completed};
    }
    ++m_stats.requested;
    m_times.Request(message.group, Simulator::Now());
    OpusRequest request{lease, message.completed, message.passive, message.speculative, false, {}};
    // The request of a call may overtake that of its announcement, in a controller of several
    // threads: so the members go with every request of an announcement until the first grant.
    request.ranks = request.speculative && !m_announced.empty()
                        ? m_groups.GetUnknownMembers(message.group)
                        : m_groups.TakeMembers(message.group);
    NS_LOG_INFO("rank " << m_rank << " requests group " << message.group
                        << (request.speculative ? " ahead" : ""));
    m_requested(m_rank, message.group, request.speculative);
    return request;
}

void
OpusShim::HandleAbort(const OpusAbort& message)
{
    NS_LOG_WARN("rank " << m_rank << " makes no more calls: " << message.error);
    m_aborted = message.error;
    m_calls.clear();
    m_announced.clear();
    for (const uint64_t group : m_times.TakeWaiting())
    {
        ++m_stats.refused;
        m_refused(m_rank, group, message.error);
    }
    m_abortedTrace(m_rank, message.error);
}

std::string
OpusShim::DescribeWait(const ProcessGroup& group, const CollectiveCall& call) const
{
    const auto refusal = m_refusals.find(GetLeaseGroup(group, call));
    return !m_aborted.empty()            ? "is not granted: the job has failed: " + m_aborted
           : m_hasLeft                   ? "is not granted: the GPU has left"
           : m_isDown || m_isHalted      ? "is not granted: the shim is down"
           : refusal != m_refusals.end() ? "is refused: " + refusal->second
                                         : "";
}

void
OpusShim::HandleFailedPorts(const OpusFailedPorts& message)
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    std::set<Mac48Address> failed;
    for (const auto& [gpu, port] : message.ports)
    {
        const bool isKnown = m_directory && gpu < m_directory->size() && (*m_directory)[gpu] &&
                             port < (*m_directory)[gpu]->size();
        if (isKnown)
        {
            failed.insert((*(*m_directory)[gpu])[port].first);
        }
    }
    m_hasFailedPorts = !failed.empty();
    if (nic)
    {
        nic->SetFailedPorts(failed);
    }
}

void
OpusShim::Fail()
{
    NS_LOG_FUNCTION(this << m_rank);
    m_isDown = true;
    m_missedPorts = true;
    Forget();
}

void
OpusShim::Forget()
{
    ++m_incarnation;
    m_missedPorts = m_missedPorts || m_learn; // without an answer
    m_learn.reset();
    m_again.Cancel();
    m_leases.Reset(m_incarnation * LEASES_PER_INCARNATION);
    m_phases.Reset();
    m_times.ClearRequests();
    m_groups.ClearKnownMembers();
    ClearAnnounced();
}

void
OpusShim::Restart()
{
    NS_LOG_FUNCTION(this << m_rank << m_isDown);
    if (!m_isDown || m_hasLeft)
    {
        return;
    }
    m_isDown = false;
    m_missedPorts = false; // the answer has the failed ports
    m_leases.Reset(m_incarnation * LEASES_PER_INCARNATION);
    SendRestart(m_leases.GetNeeded());
    ScheduleFlush();
}

void
OpusShim::Halt()
{
    NS_LOG_FUNCTION(this << m_rank);
    m_isHalted = true;
    Forget();
    m_flush.Cancel();
    m_leases = LeaseClient();
    m_calls.clear();
    m_refusals.clear();
    m_times = GrantTimes();
    m_groups = LeaseGroups();
    m_phases.Halt();
}

void
OpusShim::ReleaseLeases()
{
    if (m_rank != NO_RANK && !m_hasLeft && m_link)
    {
        SendRestart({});
    }
}

void
OpusShim::SendRestart(const std::vector<uint64_t>& groups)
{
    SendMessages({OpusRestart{{m_job, m_rank}, groups}});
}

void
OpusShim::Begin(uint32_t rank, uint32_t generation)
{
    NS_LOG_FUNCTION(this << rank << generation);
    const bool isNew = rank != m_rank;
    m_rank = rank;
    m_incarnation = std::max(m_incarnation, generation * INCARNATIONS_PER_GENERATION);
    m_leases.Reset(m_incarnation * LEASES_PER_INCARNATION);
    m_phases.Start(Simulator::Now());
    m_isHalted = false;
    m_isDown = false; // the process of the rank has started anew
    if (isNew || m_missedPorts)
    {
        ReleaseLeases(); // tells the controller the new location; the answer has the failed ports
        m_missedPorts = false;
    }
    if (isNew)
    {
        ReportFailedPorts();
    }
}

void
OpusShim::Leave()
{
    NS_LOG_FUNCTION(this << m_rank);
    // Stands for the loss of the link, which the root port of the host detects.
    SendFault(FaultKind::GPU, 0, false);
    m_hasLeft = true;
}

void
OpusShim::NicPortFailed(Ptr<const EthernetPortNetDevice> port, bool failed)
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    for (uint32_t index = 0; index < nic->GetNPorts(); ++index)
    {
        if (nic->GetPort(index) == port)
        {
            SendFault(FaultKind::NIC_PORT, index, !failed);
        }
    }
}

void
OpusShim::SendFault(FaultKind kind, uint32_t port, bool repaired)
{
    if (!m_hasLeft && m_link && m_rank != NO_RANK)
    {
        SendMessages({OpusFault{{m_job, m_rank}, kind, repaired, 0, port}});
    }
}

Ptr<ConnectivityProvider>
OpusShim::GetProvider() const
{
    return m_connectivity;
}

} // namespace ns3
