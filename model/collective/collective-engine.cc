// SPDX-License-Identifier: GPL-2.0-only

#include "collective-engine.h"

#include "collective-communicator.h"
#include "collective-run.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/rdma-connection.h"
#include "ns3/ring-algorithm.h"
#include "ns3/simulator.h"
#include "ns3/time-sum.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveEngine");
NS_OBJECT_ENSURE_REGISTERED(CollectiveEngine);

namespace
{

/// Ignore the grant of a Recv, which sends nothing.
void
IgnoreGrant()
{
}

} // namespace

TypeId
CollectiveEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveEngine")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<CollectiveEngine>()
            .AddAttribute("Directions",
                          "Ways round the ring that a collective uses at the same time: 1, or 2 "
                          "with half of the data on each. The same on all ranks.",
                          UintegerValue(RING_DIRECTIONS),
                          MakeUintegerAccessor(&CollectiveEngine::m_directions),
                          MakeUintegerChecker<uint32_t>(1, 2))
            .AddAttribute("ChunkBytes",
                          "Size of the pieces in which trees, chains and relays pipeline a long "
                          "message, in bytes. The same on all ranks. NCCL's simple protocol moves "
                          "1/8 of its buffer (NCCL_BUFFSIZE, 4 MiB) at a time.",
                          UintegerValue(512 << 10),
                          MakeUintegerAccessor(&CollectiveEngine::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "EagerBytes",
                "What halving-doubling sends of a message before its receiver has come to "
                "that step and called for the rest, in bytes. The same on all ranks. "
                "Enough to last for a latency, so that ranks that keep step never wait "
                "for a call.",
                UintegerValue(64 << 10),
                MakeUintegerAccessor(&CollectiveEngine::m_eagerBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("LibraryTime",
                          "Whether calls take the time of a library on GPUs and proxies: launches, "
                          "steps and protocols by the latencies of NCCL, in groups whose rates are "
                          "known (CollectiveHelper). Without it only the network takes time. The "
                          "same on all ranks.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&CollectiveEngine::m_takesTime),
                          MakeBooleanChecker())
            .AddTraceSource("CallArrived",
                            "This rank made a call.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_callArrived),
                            "ns3::CollectiveEngine::CallTracedCallback")
            .AddTraceSource("CallStarted",
                            "A call was granted connectivity and begins to send.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_callStarted),
                            "ns3::CollectiveEngine::CallTracedCallback")
            .AddTraceSource("CallEnded",
                            "All of a call's data has arrived here and at this rank's peers.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_callEnded),
                            "ns3::CollectiveEngine::CallTracedCallback")
            .AddTraceSource("CallFailed",
                            "A message on the call's group was not delivered: the call will "
                            "never end.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_callFailed),
                            "ns3::CollectiveEngine::CallTracedCallback")
            .AddTraceSource("RoundStarted",
                            "A round of a collective on circuits that are lent to pairs was "
                            "granted: once with the Send to its peer, once with the Recv.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_roundStarted),
                            "ns3::CollectiveEngine::RoundTracedCallback")
            .AddTraceSource("RoundEnded",
                            "What this rank sends in a round has been acknowledged, or what it "
                            "receives has arrived.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_roundEnded),
                            "ns3::CollectiveEngine::RoundTracedCallback")
            .AddTraceSource("CallRecord",
                            "A call has ended or failed: what it was, its times, and how long it "
                            "waited for the connectivity provider.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_callRecord),
                            "ns3::CollectiveEngine::CallRecordTracedCallback")
            .AddTraceSource("MessageRecord",
                            "A message of a call has been acknowledged in full, or has failed. "
                            "Messages that were posted before the first sink was connected are "
                            "left out.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_messageRecord),
                            "ns3::CollectiveEngine::MessageRecordTracedCallback");
    return tid;
}

CollectiveEngine::CollectiveEngine() = default;
CollectiveEngine::~CollectiveEngine() = default;

void
CollectiveEngine::DoDispose()
{
    m_memberships.clear();
    m_left.clear();
    m_posted.clear();
    m_provider = nullptr;
    Object::DoDispose();
}

void
CollectiveEngine::SetConnectivityProvider(Ptr<ConnectivityProvider> provider)
{
    m_provider = provider;
    m_provider->SetTraffic({MakeCallback(&CollectiveEngine::Suspend, this),
                            MakeCallback(&CollectiveEngine::Resume, this)});
}

void
CollectiveEngine::Join(const ProcessGroup& group,
                       Ptr<RdmaConnection> next,
                       Ptr<RdmaConnection> previous)
{
    const bool isAlone = group.GetSize() == 1;
    JoinOver(group,
             isAlone ? nullptr : std::make_unique<RdmaConnector>(next),
             isAlone ? nullptr : std::make_unique<RdmaConnector>(previous));
}

void
CollectiveEngine::JoinOver(const ProcessGroup& group,
                           std::unique_ptr<CollectiveConnector> next,
                           std::unique_ptr<CollectiveConnector> previous)
{
    const uint32_t size = group.GetSize();
    const uint32_t index = group.GetIndex(m_rank);
    std::vector<CollectiveConnectorPlace> connectors;
    if (size > 1)
    {
        connectors.push_back({{(index + 1) % size, CONNECTOR_NEXT}, std::move(next)});
        connectors.push_back(
            {{(index + size - 1) % size, CONNECTOR_PREVIOUS}, std::move(previous)});
    }
    JoinOver(group, 1, CollectiveAlgorithms::Rings(), std::move(connectors));
}

void
CollectiveEngine::JoinOver(const ProcessGroup& group,
                           uint32_t perDomain,
                           const CollectiveAlgorithms& algorithms,
                           std::vector<CollectiveConnectorPlace> connectors)
{
    auto& own = m_memberships[group.id].own;
    MakeCommunicator(own, group, perDomain, algorithms, std::move(connectors));
    own->isLent = true;
}

void
CollectiveEngine::JoinHosts(const ProcessGroup& group,
                            uint32_t perDomain,
                            const CollectiveAlgorithms& algorithms,
                            std::vector<CollectiveConnectorPlace> connectors)
{
    auto& hosts = m_memberships[group.id].hosts;
    MakeCommunicator(hosts, group, perDomain, algorithms, std::move(connectors));
}

void
CollectiveEngine::MakeCommunicator(std::unique_ptr<CollectiveCommunicator>& communicator,
                                   const ProcessGroup& group,
                                   uint32_t perDomain,
                                   const CollectiveAlgorithms& algorithms,
                                   std::vector<CollectiveConnectorPlace> connectors)
{
    NS_ABORT_MSG_IF(communicator, "rank " << m_rank << " joins group " << group.id << " twice");
    const GroupShape shape{group.GetSize(), perDomain};
    const uint32_t index = group.GetIndex(m_rank);
    NS_ABORT_MSG_IF(index >= shape.size,
                    "rank " << m_rank << " is no member of group " << group.id);
    const std::string error = algorithms.Check(shape);
    NS_ABORT_MSG_UNLESS(error.empty(), "group " << group.id << ": " << error);

    communicator = std::make_unique<CollectiveCommunicator>();
    communicator->group = group;
    communicator->index = index;
    communicator->shape = shape;
    communicator->algorithms = algorithms;

    std::sort(connectors.begin(), connectors.end(), [](const auto& a, const auto& b) {
        return a.id < b.id;
    });
    communicator->connectors.reserve(connectors.size());
    for (auto& place : connectors)
    {
        NS_ABORT_MSG_IF(!place.connector || place.id.peer >= shape.size || place.id.peer == index ||
                            communicator->HasConnector(place.id),
                        "rank " << m_rank << " is given a connector to rank " << place.id.peer
                                << " of group " << group.id << " that it cannot have");
        communicator->connectors.push_back(std::move(place));
    }
    for (const auto& id : algorithms.GetConnectors(shape, index))
    {
        NS_ABORT_MSG_UNLESS(communicator->HasConnector(id),
                            "rank " << m_rank << " lacks a connector in group " << group.id);
    }
    for (const CollectiveConnectorPlace& place : communicator->connectors)
    {
        // Functions cost less than bound callbacks, here and for each call.
        place.connector->SetCallbacks(
            [this, to = communicator.get(), &place](uint32_t immediate, bool delivered) {
                MessageSent(to, &place, immediate, delivered);
            },
            [this, to = communicator.get(), peer = place.id.peer](uint32_t immediate,
                                                                  uint64_t bytes) {
                StripeReceived(to, peer, immediate, bytes);
            });
    }
}

CollectiveEngine::Membership&
CollectiveEngine::Find(uint32_t groupId)
{
    const auto entry = m_memberships.find(groupId);
    NS_ABORT_MSG_IF(entry == m_memberships.end(),
                    "rank " << m_rank << " has not joined group " << groupId);
    return entry->second;
}

CollectiveCommunicator&
CollectiveEngine::FindLent(uint32_t groupId)
{
    const Membership& membership = Find(groupId);
    NS_ABORT_MSG_UNLESS(membership.own, "group " << groupId << " is on the host network only");
    return *membership.own;
}

CollectiveNetwork
CollectiveEngine::GetNetwork(const CollectiveCall& call)
{
    const Membership& membership = Find(call.groupId);
    if (!membership.own)
    {
        return CollectiveNetwork::HOSTS;
    }
    if (!membership.own->NeedsGrant(call))
    {
        return CollectiveNetwork::SCALE_UP;
    }
    return membership.hosts && m_provider ? m_provider->ChooseNetwork(membership.own->group, call)
                                          : CollectiveNetwork::RAILS;
}

void
CollectiveEngine::Announce(const CollectiveCall& call, Callback<void> lent)
{
    NS_LOG_FUNCTION(this << m_rank << ToString(call.kind) << call.groupId << call.bytes);
    if (!m_provider || GetNetwork(call) != CollectiveNetwork::RAILS)
    {
        lent();
        return;
    }
    const CollectiveCommunicator& communicator = *Find(call.groupId).own;
    CollectiveCall announced = call;
    announced.isRound = communicator.MayHaveRounds(call);
    announced.link = communicator.GetLink(call);
    m_provider->Announce(communicator.group, announced, lent);
}

void
CollectiveEngine::Run(const CollectiveCall& call, Callback<void> ended)
{
    NS_LOG_FUNCTION(this << m_rank << ToString(call.kind) << call.groupId << call.bytes);
    Membership& membership = Find(call.groupId);
    CollectiveCommunicator& communicator =
        GetNetwork(call) == CollectiveNetwork::HOSTS ? *membership.hosts : *membership.own;
    const std::string error = communicator.Check(call);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    CollectiveStream& stream = communicator.GetStream(call);

    auto state = std::make_shared<CollectiveCallState>();
    state->communicator = &communicator;
    state->stream = &stream;
    state->call = call;
    state->call.link = communicator.GetLink(call);
    state->groupSequence = membership.made++;
    state->streamSequence = stream.made++;
    state->ended = ended;
    state->made = Simulator::Now();

    m_callArrived(m_rank, call, state->groupSequence);
    if (communicator.failed)
    {
        communicator.failedCall = communicator.failedCall.value_or(call);
        m_callFailed(m_rank, call, state->groupSequence);
        RecordCall(*state, true);
        return;
    }
    stream.waiting.push_back(state);
    StartNext(communicator, stream);
}

void
CollectiveEngine::StartNext(CollectiveCommunicator& communicator, CollectiveStream& stream)
{
    if (stream.current || stream.waiting.empty())
    {
        return;
    }
    const std::shared_ptr<CollectiveCallState> state = stream.waiting.front();
    stream.waiting.pop_front();
    stream.current = state;
    if (m_takesTime && communicator.group.GetSize() > 1)
    {
        state->protocol = communicator.ChooseProtocol(state->call, m_directions, m_chunkBytes);
    }
    if (state->protocol.GetLaunch() > 0)
    {
        Simulator::Schedule(MakeDelay(state->protocol.GetLaunch()),
                            &CollectiveEngine::Ask,
                            Ptr<CollectiveEngine>(this),
                            state);
        return;
    }
    Ask(state);
}

void
CollectiveEngine::Ask(std::shared_ptr<CollectiveCallState> state)
{
    if (IsDisposed() || state->communicator->failed)
    {
        return;
    }
    CollectiveCommunicator& communicator = *state->communicator;
    state->asked = Simulator::Now();
    if (communicator.group.GetSize() == 1)
    {
        // Not from within Run: a program may make call after call when each has ended.
        Simulator::ScheduleNow(&CollectiveEngine::Granted, Ptr<CollectiveEngine>(this), state);
        return;
    }
    if (!communicator.NeedsGrant(state->call))
    {
        Granted(state);
        return;
    }
    NS_ABORT_MSG_IF(!m_provider, "rank " << m_rank << " has no connectivity provider");
    if (communicator.MayHaveRounds(state->call))
    {
        state->prepared = MakeRun(*state);
        if (state->prepared->GetNextRound())
        {
            RequestRound(state);
            return;
        }
    }
    m_provider->Request(communicator.group, state->call, [this, state] { Granted(state); });
}

std::unique_ptr<CollectiveRun>
CollectiveEngine::MakeRun(CollectiveCallState& state)
{
    CollectiveImmediate immediate{state.call.IsPointToPoint(),
                                  CollectiveImmediate::Wrap(state.streamSequence)};
    const CollectiveCommunicator& communicator = *state.communicator;
    CollectiveSchedule schedule = communicator.MakeSchedule(state.call,
                                                            state.streamSequence,
                                                            m_directions,
                                                            m_chunkBytes,
                                                            m_eagerBytes);
    m_bytesForwarded += communicator.CountForwarded(state.call, schedule);
    return std::make_unique<CollectiveRun>(
        std::move(schedule),
        [this, &state, immediate](const ScheduledSend& send, bool last) mutable {
            immediate.transferId = send.transferId;
            Post(state, send, immediate.Encode(), last);
        },
        state.protocol.GetLaunch() > 0
            ? [this, &state](const ScheduledReceive& receive,
                             uint16_t transferId) { Take(state, receive, transferId); }
            : CollectiveRun::Taker());
}

void
CollectiveEngine::Take(CollectiveCallState& state,
                       const ScheduledReceive& receive,
                       uint16_t transferId)
{
    if (receive.action == ScheduledReceive::Action::RELAY)
    {
        state.run->Taken(transferId); // a GPU of the domain has written into the proxy's memory
        return;
    }
    const bool leaves = state.communicator->GetEnd({receive.peer, receive.connector}).leavesDomain;
    const double delay =
        state.protocol.GetLink(leaves).GetDelay(leaves ? state.busyOutside : state.busyInside,
                                                Simulator::Now().ToDouble(Time::S),
                                                receive.data.bytes);
    Simulator::Schedule(MakeDelay(delay),
                        &CollectiveEngine::StepEnded,
                        Ptr<CollectiveEngine>(this),
                        state.stream->current,
                        transferId);
}

void
CollectiveEngine::StepEnded(std::shared_ptr<CollectiveCallState> state, uint16_t transferId)
{
    if (!IsDisposed())
    {
        state->run->Taken(transferId);
        EndIfDone(state);
    }
}

void
CollectiveEngine::Post(const CollectiveCallState& state,
                       const ScheduledSend& send,
                       uint32_t immediate,
                       bool last)
{
    const CollectiveCommunicator& communicator = *state.communicator;
    const CollectiveConnectorPlace& end = communicator.GetEnd({send.peer, send.connector});
    const bool isTraced = !m_messageRecord.IsEmpty();
    if (isTraced)
    {
        CollectiveMessageRecord record;
        record.rank = m_rank;
        record.peer = communicator.group.ranks[send.peer];
        record.call = state.call;
        record.sequence = state.groupSequence;
        record.network = communicator.GetNetwork(end);
        record.bytes = send.data.bytes;
        record.posted = Simulator::Now();
        record.waited = state.waited;
        m_posted[&end].push_back({record, immediate, last});
    }
    end.connector->Post(send.data.bytes, immediate, last || isTraced);
}

bool
CollectiveEngine::RecordMessage(const CollectiveConnectorPlace& place,
                                uint32_t immediate,
                                bool delivered)
{
    const auto found = m_posted.find(&place);
    if (found == m_posted.end() || found->second.front().immediate != immediate)
    {
        return true; // posted while nobody listened, so only the last one is reported
    }
    PostedMessage message = found->second.front();
    found->second.pop_front();
    if (found->second.empty())
    {
        m_posted.erase(found);
    }
    message.record.ended = Simulator::Now();
    message.record.delivered = delivered;
    m_messageRecord(message.record);
    return message.last;
}

void
CollectiveEngine::RecordCall(const CollectiveCallState& state, bool failed) const
{
    if (m_callRecord.IsEmpty())
    {
        return;
    }
    m_callRecord({m_rank,
                  state.call,
                  state.groupSequence,
                  state.communicator->GetNetwork(state.call),
                  failed,
                  state.made,
                  state.started,
                  Simulator::Now(),
                  state.waited});
}

void
CollectiveEngine::Granted(std::shared_ptr<CollectiveCallState> state)
{
    CollectiveStream& stream = *state->stream;
    const CollectiveCommunicator& communicator = *state->communicator;
    if (communicator.failed)
    {
        return;
    }
    NS_ASSERT_MSG(stream.current == state && !state->run, "a call was granted twice");
    NS_ABORT_MSG_IF(
        state->call.kind == CollectiveKind::SEND && communicator.suspended &&
            communicator.NeedsGrant(state->call) &&
            !communicator.IsLentToPair(communicator.group.GetIndex(state->call.peer)),
        "rank " << m_rank << " sends a message in group " << state->call.groupId
                << ", a collective of which has been suspended, over the same connectors: "
                   "give messages a group of their own");
    NS_LOG_INFO("rank " << m_rank << " begins " << ToString(state->call.kind) << " on group "
                        << state->call.groupId << " after " << Simulator::Now() - state->made);
    state->started = Simulator::Now();
    state->waited += state->started - state->asked;
    m_callStarted(m_rank, state->call, state->groupSequence);
    state->run = state->prepared ? std::move(state->prepared) : MakeRun(*state);
    state->run->Start();

    // Whatever the peers have sent ahead belongs to transfers 0 to 65535 of this sequence number.
    const CollectiveImmediate immediate{state->call.IsPointToPoint(),
                                        CollectiveImmediate::Wrap(state->streamSequence)};
    auto kept = stream.early.lower_bound(immediate.Encode());
    while (kept != stream.early.end() &&
           CollectiveImmediate::Decode(kept->first).sequence == immediate.sequence)
    {
        state->run->StripeArrived(CollectiveImmediate::Decode(kept->first).transferId,
                                  kept->second);
        kept = stream.early.erase(kept);
    }
    EndIfDone(state);
}

void
CollectiveEngine::RequestRound(const std::shared_ptr<CollectiveCallState>& state)
{
    NS_LOG_FUNCTION(this << m_rank << state->call.groupId);
    const ProcessGroup& group = state->communicator->group;
    const CollectiveRun& run = state->run ? *state->run : *state->prepared;
    const ScheduledRound& round = *run.GetNextRound();
    const uint32_t peer = group.ranks[round.peer];
    const uint8_t stream = state->call.stream;
    const auto makeCall = [&](CollectiveKind kind, std::optional<uint64_t> bytes) {
        return bytes ? std::optional<CollectiveCall>(
                           {kind, group.id, *bytes, peer, nullptr, stream, true})
                     : std::nullopt;
    };
    state->send = makeCall(CollectiveKind::SEND, run.GetRoundSent(round));
    state->receive = makeCall(CollectiveKind::RECV, run.GetRoundReceived(round));
    state->waitsForRound = true;
    state->asksForRound = true;
    state->asked = Simulator::Now();
    const auto isLent = [&](const std::optional<CollectiveCall>& call) {
        return call && state->communicator->NeedsGrant(*call);
    };
    state->isRoundGranted = !isLent(state->send);
    if (isLent(state->send))
    {
        m_provider->Request(group,
                            *state->send,
                            MakeCallback(&CollectiveEngine::RoundGranted, this).Bind(state));
    }
    if (isLent(state->receive))
    {
        m_provider->Request(group, *state->receive, MakeCallback(&IgnoreGrant));
    }
    state->asksForRound = false;
    if (state->isRoundGranted)
    {
        StartRound(state);
    }
}

void
CollectiveEngine::RoundGranted(std::shared_ptr<CollectiveCallState> state)
{
    state->isRoundGranted = true;
    if (!state->asksForRound)
    {
        StartRound(state);
    }
}

void
CollectiveEngine::StartRound(const std::shared_ptr<CollectiveCallState>& state)
{
    if (state->communicator->failed)
    {
        return;
    }
    NS_ASSERT_MSG(state->waitsForRound, "a round was granted twice");
    if (!state->run)
    {
        Granted(state); // what arrives early may be for the first round
    }
    else
    {
        state->waited += Simulator::Now() - state->asked;
    }
    state->waitsForRound = false;
    NS_LOG_LOGIC("rank " << m_rank << " begins a round on group " << state->call.groupId);
    for (const auto& call : {state->send, state->receive})
    {
        if (call)
        {
            m_roundStarted(m_rank, *call, state->groupSequence);
        }
    }
    state->run->StartRound();
    EndIfDone(state);
}

bool
CollectiveEngine::EndRound(const std::shared_ptr<CollectiveCallState>& state)
{
    if (state->waitsForRound)
    {
        return false;
    }
    const auto release = [&](std::optional<CollectiveCall>& held) {
        const CollectiveCall call = *held;
        held.reset();
        m_roundEnded(m_rank, call, state->groupSequence);
        if (state->communicator->NeedsGrant(call))
        {
            m_provider->Release(state->communicator->group, call);
        }
    };
    if (state->send && state->run->HasSent())
    {
        release(state->send);
    }
    if (state->receive && state->run->HasReceived())
    {
        release(state->receive);
    }
    if (state->send || state->receive)
    {
        return false;
    }
    if (state->run->GetNextRound())
    {
        RequestRound(state);
        return false;
    }
    return true;
}

void
CollectiveEngine::EndIfDone(const std::shared_ptr<CollectiveCallState>& state)
{
    CollectiveStream& stream = *state->stream;
    if (stream.current != state)
    {
        return;
    }
    const bool hasRounds = state->waitsForRound || state->run->GetRound();
    if ((hasRounds && !EndRound(state)) || !state->run->HasEnded())
    {
        return;
    }
    CollectiveCommunicator& communicator = *state->communicator;
    stream.current = nullptr;
    ++stream.ended;
    NS_LOG_INFO("rank " << m_rank << " ends " << ToString(state->call.kind) << " on group "
                        << state->call.groupId << " that waited " << state->waited);
    m_callEnded(m_rank, state->call, state->groupSequence);
    RecordCall(*state, false);
    if (communicator.NeedsGrant(state->call))
    {
        if (!hasRounds)
        {
            m_provider->Release(communicator.group, state->call);
        }
        if (communicator.MayHaveRounds(state->call))
        {
            m_provider->EndRounds(communicator.group, state->call);
        }
    }
    StartNext(communicator, stream);
    if (!state->ended.IsNull())
    {
        state->ended();
    }
}

void
CollectiveEngine::MessageSent(CollectiveCommunicator* communicator,
                              const CollectiveConnectorPlace* place,
                              uint32_t immediate,
                              bool delivered)
{
    const bool last = RecordMessage(*place, immediate, delivered);
    if (communicator->failed || (delivered && !last))
    {
        return;
    }
    if (!delivered)
    {
        communicator->lost = place->id.peer;
        Fail(*communicator);
        return;
    }
    const auto decoded = CollectiveImmediate::Decode(immediate);
    CollectiveStream& stream =
        decoded.pointToPoint ? communicator->sends[place->id.peer] : communicator->collectives;
    const std::shared_ptr<CollectiveCallState> state = stream.current;
    NS_ABORT_MSG_IF(!state || !state->run || decoded.GetCallsAhead(stream.ended) != 0,
                    "rank " << m_rank << " sent a message that belongs to no call in progress");
    state->run->SendAcknowledged();
    EndIfDone(state);
}

void
CollectiveEngine::StripeReceived(CollectiveCommunicator* communicator,
                                 uint32_t peer,
                                 uint32_t immediate,
                                 uint64_t bytes)
{
    if (communicator->failed)
    {
        return;
    }
    const auto decoded = CollectiveImmediate::Decode(immediate);
    CollectiveStream& stream =
        decoded.pointToPoint ? communicator->receives[peer] : communicator->collectives;
    const uint32_t ahead = decoded.GetCallsAhead(stream.ended);
    NS_ABORT_MSG_IF(ahead >= CollectiveImmediate::SEQUENCES / 2,
                    "rank " << m_rank << " received data of a call on group "
                            << communicator->group.id << " that has ended");
    const std::shared_ptr<CollectiveCallState> state = stream.current;
    if (ahead > 0 || !state || !state->run)
    {
        stream.early[immediate] += bytes;
        return;
    }
    state->run->StripeArrived(decoded.transferId, bytes);
    EndIfDone(state);
}

void
CollectiveEngine::Fail(CollectiveCommunicator& communicator)
{
    communicator.failed = true;
    for (CollectiveStream* stream : communicator.GetStreams())
    {
        if (stream->current)
        {
            stream->waiting.push_front(stream->current);
            stream->current = nullptr;
        }
        const auto failed = std::move(stream->waiting);
        stream->waiting.clear();
        for (const auto& state : failed)
        {
            NS_LOG_WARN("rank " << m_rank << ": " << ToString(state->call.kind) << " on group "
                                << state->call.groupId << " failed");
            if (state->run)
            {
                state->run->Fail();
            }
            communicator.failedCall = communicator.failedCall.value_or(state->call);
            m_callFailed(m_rank, state->call, state->groupSequence);
            RecordCall(*state, true);
        }
    }
}

CallWait
CollectiveEngine::GetWait(const CollectiveCommunicator& communicator,
                          const CollectiveStream& stream) const
{
    const CollectiveCallState& state = *stream.current;
    CallWait wait;
    wait.call = state.call;
    wait.asked = state.GetAsked();
    wait.group = communicator.group;
    wait.sequence = state.streamSequence;
    wait.behind = stream.waiting.size();
    wait.suspended = communicator.suspended;
    if (!state.run || state.waitsForRound)
    {
        if (m_provider)
        {
            const auto [text, ranks] = m_provider->DescribeWait(communicator.group, wait.asked);
            wait.fidelity = text;
            wait.peers = ranks;
        }
        return wait;
    }
    for (const uint32_t peer : state.run->GetMissingPeers())
    {
        wait.peers.push_back(communicator.group.ranks[peer]);
    }
    wait.cause = wait.peers.empty() ? CallWait::ACKNOWLEDGEMENT : CallWait::DATA;
    for (const auto& end : communicator.connectors)
    {
        const std::string trouble = end.connector->DescribeTrouble();
        if (wait.fidelity.empty() && !trouble.empty())
        {
            wait.fidelity = "cannot send to rank " +
                            std::to_string(communicator.group.ranks[end.id.peer]) + ": " + trouble;
        }
    }
    return wait;
}

std::vector<CallWait>
CollectiveEngine::GetWaits() const
{
    std::vector<CallWait> waits;
    for (const auto& [id, membership] : m_memberships)
    {
        for (CollectiveCommunicator* one : {membership.own.get(), membership.hosts.get()})
        {
            for (const CollectiveStream* stream :
                 one ? one->GetStreams() : std::vector<CollectiveStream*>())
            {
                if (stream->current)
                {
                    waits.push_back(GetWait(*one, *stream));
                    waits.back().onHosts = one == membership.hosts.get();
                }
            }
            if (one && one->failedCall)
            {
                CallWait wait;
                wait.call = *one->failedCall;
                wait.group = one->group;
                wait.cause = CallWait::NOTHING;
                wait.fidelity = "failed: a message to rank " +
                                std::to_string(one->group.ranks[one->lost]) + " was not delivered";
                waits.push_back(wait);
            }
        }
    }
    return waits;
}

uint64_t
CollectiveEngine::CountCalls(const CollectiveCall& call, bool onHosts) const
{
    const auto membership = m_memberships.find(call.groupId);
    if (membership == m_memberships.end())
    {
        return 0;
    }
    const auto& [own, hosts, made] = membership->second;
    const auto& communicator = onHosts ? hosts : own;
    return communicator ? communicator->CountCalls(call) : 0;
}

void
CollectiveEngine::Abort()
{
    NS_LOG_FUNCTION(this << m_rank << m_memberships.size());
    m_left.push_back(std::move(m_memberships));
    m_memberships.clear();
    for (auto& [id, membership] : m_left.back())
    {
        for (CollectiveCommunicator* communicator : {membership.own.get(), membership.hosts.get()})
        {
            if (!communicator)
            {
                continue;
            }
            communicator->suspension = nullptr;
            Fail(*communicator);
            for (const auto& end : communicator->connectors)
            {
                end.connector->Abort();
            }
        }
    }
}

void
CollectiveEngine::Suspend(uint32_t groupId, Callback<void> drained)
{
    NS_LOG_FUNCTION(this << m_rank << groupId);
    CollectiveCommunicator& communicator = FindLent(groupId);
    const auto lent = communicator.GetLentConnectors();
    communicator.suspended = true;
    if (lent.empty())
    {
        drained();
        return;
    }
    const auto suspension = std::make_shared<CollectiveSuspension>(
        CollectiveSuspension{&communicator, static_cast<uint32_t>(lent.size()), drained});
    communicator.suspension = suspension;
    for (CollectiveConnector* connector : lent)
    {
        connector->Pause(MakeCallback(&CollectiveEngine::ConnectorDrained, this).Bind(suspension));
    }
}

void
CollectiveEngine::ConnectorDrained(std::shared_ptr<CollectiveSuspension> suspension)
{
    // The provider may have resumed the group before it had drained.
    if (suspension->communicator->suspension != suspension || --suspension->lanesLeft > 0)
    {
        return;
    }
    suspension->communicator->suspension = nullptr;
    NS_LOG_LOGIC("rank " << m_rank << " has drained group " << suspension->communicator->group.id);
    suspension->drained();
}

void
CollectiveEngine::Resume(uint32_t groupId)
{
    NS_LOG_FUNCTION(this << m_rank << groupId);
    CollectiveCommunicator& communicator = FindLent(groupId);
    communicator.suspension = nullptr;
    communicator.suspended = false;
    for (CollectiveConnector* connector : communicator.GetLentConnectors())
    {
        connector->Resume();
    }
}

} // namespace ns3
