// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-job.h"

#include "lambda-call.h"

#include "ns3/collective-helper.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <set>
#include <utility>

namespace ns3
{
namespace test
{

OpusJobRun::OpusJobRun(const RandomJob& job,
                       uint32_t number,
                       const RailCluster& part,
                       const OpusHelper& opus,
                       const std::string& exchange)
    : m_job(job),
      m_part(part),
      m_exchange(exchange),
      m_ranks(part.GetNGpus()),
      m_ends(job.steps.size())
{
    const std::set<uint32_t> exchanging = FindExchanging(job);
    for (const auto& group : job.groups)
    {
        const bool exchanges = exchanging.count(group.id) > 0;
        CollectiveAlgorithms algorithms = GetAlgorithms(exchanges ? exchange : "ring", group);
        const GroupShape shape = CollectiveHelper::GetShape(part, group);
        for (const auto kind : CollectiveAlgorithms::GetKinds())
        {
            if (shape.perDomain > 1 && kind != CollectiveKind::ALL_TO_ALL)
            {
                algorithms.Choose(kind, CollectiveAlgorithm::GetDefaultAcross(kind, shape));
            }
        }
        CollectiveHelper::Join(part, group, algorithms);
    }
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        m_ranks[rank].engine = part.GetGpu(rank)->GetObject<CollectiveEngine>();
        m_ranks[rank].shim = opus.GetShim(rank, number);
        m_ranks[rank].streams.resize(job.streams);
        m_ranks[rank].issued.resize(job.streams);
        m_ranks[rank].waits.resize(job.streams);
    }
}

std::set<uint32_t>
OpusJobRun::FindExchanging(const RandomJob& job)
{
    std::set<uint32_t> exchanging;
    for (const auto& steps : job.steps)
    {
        for (const auto& step : steps)
        {
            if (step.kind == CollectiveKind::ALL_TO_ALL)
            {
                exchanging.insert(job.groups[step.group].id);
            }
        }
    }
    return exchanging;
}

CollectiveAlgorithms
OpusJobRun::GetAlgorithms(const std::string& exchange, const ProcessGroup& group)
{
    auto algorithms = CollectiveAlgorithms::Rings();
    const Variant<CollectiveAlgorithm> wanted(exchange);
    const bool fits = wanted->Check(CollectiveKind::ALL_TO_ALL, {group.GetSize(), 1}).empty();
    algorithms.Choose(CollectiveKind::ALL_TO_ALL, fits ? exchange : "pairwise");
    return algorithms;
}

CollectiveSchedule
OpusJobRun::MakeExchange(const RailCluster& part,
                         const std::string& exchange,
                         const ProcessGroup& group,
                         const CollectiveCall& call)
{
    RankContext context;
    context.call = call;
    context.shape.size = group.GetSize();
    context.terms = CollectiveHelper::GetTerms(part);
    return GetAlgorithms(exchange, group).Get(call.kind)->MakeSchedule(context);
}

void
OpusJobRun::SetHosts(const OpusScenario& scenario)
{
    m_areAhead = scenario.hosts != "none";
    m_areBlocked = scenario.hosts == "blocking";
    m_launchTime = scenario.launchTime;
    m_launchDepth = scenario.launchDepth;
}

void
OpusJobRun::Start()
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        ScheduleCall(Time(0), [this, rank] { Begin(rank); });
    }
}

CollectiveCall
OpusJobRun::GetCall(const OpusStep& step, uint32_t index) const
{
    const auto& group = m_job.groups[step.group];
    CollectiveCall call;
    call.groupId = group.id;
    call.kind = step.kind;
    call.bytes = step.bytes;
    if (step.kind == CollectiveKind::SEND)
    {
        call.kind = index == step.from ? CollectiveKind::SEND : CollectiveKind::RECV;
        call.peer = group.ranks[index == step.from ? step.to : step.from];
    }
    return call;
}

void
OpusJobRun::Begin(uint32_t rank)
{
    Rank& r = m_ranks[rank];
    while (r.left == 0 && r.iteration < m_job.steps.size())
    {
        for (const auto& step : m_job.steps[r.iteration])
        {
            const auto& group = m_job.groups[step.group];
            const uint32_t index = group.GetIndex(rank);
            const bool isMessage = step.kind == CollectiveKind::SEND;
            if (index == group.GetSize() || (isMessage && index != step.from && index != step.to))
            {
                continue;
            }
            // Collectives of a group have to keep their order, and messages of either end.
            const CollectiveCall call = GetCall(step, index);
            const uint32_t place =
                group.id + (isMessage ? 1 : 0) + (call.kind == CollectiveKind::RECV ? 1 : 0);
            r.streams[place % m_job.streams].push_back({call, step.think[index]});
            r.unissued.emplace_back(call, place % m_job.streams);
            ++r.left;
        }
        ++r.iteration;
    }
    if (r.left == 0)
    {
        return;
    }
    for (uint32_t stream = 0; stream < m_job.streams; ++stream)
    {
        Next(rank, stream);
    }
    Launch(rank);
}

void
OpusJobRun::Launch(uint32_t rank)
{
    Rank& r = m_ranks[rank];
    if (m_areAhead && !r.isBusy && !r.unissued.empty() && r.underWay < m_launchDepth)
    {
        r.isBusy = true;
        ScheduleCall(m_launchTime, [this, rank] { Launched(rank); });
    }
}

void
OpusJobRun::Launched(uint32_t rank)
{
    Rank& r = m_ranks[rank];
    const auto [call, stream] = r.unissued.front();
    r.unissued.pop_front();
    ++r.issued[stream];
    ++r.underWay;
    const bool waits = m_areBlocked && !call.IsPointToPoint();
    r.isBusy = waits;
    r.engine->Announce(call, ToCallback([this, rank = rank, waits] { Lent(rank, waits); }));
    if (r.waits[stream])
    {
        r.waits[stream] = false;
        Next(rank, stream);
    }
    Launch(rank);
}

void
OpusJobRun::Lent(uint32_t rank, bool hasWaited)
{
    if (hasWaited)
    {
        m_ranks[rank].isBusy = false;
        Launch(rank);
    }
}

void
OpusJobRun::Next(uint32_t rank, uint32_t stream)
{
    Rank& r = m_ranks[rank];
    const auto& calls = r.streams[stream];
    r.waits[stream] = m_areAhead && !calls.empty() && r.issued[stream] == 0;
    if (calls.empty() || r.waits[stream])
    {
        return;
    }
    if (calls.front().think.IsZero())
    {
        Make(rank, stream);
        return;
    }
    ScheduleCall(calls.front().think, [this, rank, stream] { Make(rank, stream); });
}

void
OpusJobRun::Make(uint32_t rank, uint32_t stream)
{
    Rank& r = m_ranks[rank];
    r.engine->Run(r.streams[stream].front().call,
                  ToCallback([this, rank, stream] { Ended(rank, stream); }));
}

void
OpusJobRun::Ended(uint32_t rank, uint32_t stream)
{
    Rank& r = m_ranks[rank];
    r.streams[stream].pop_front();
    if (m_areAhead)
    {
        --r.issued[stream];
        --r.underWay;
        Launch(rank);
    }
    if (--r.left > 0)
    {
        Next(rank, stream);
        return;
    }
    m_ends[r.iteration - 1] = Simulator::Now();
    r.shim->NotifyIterationEnd();
    Begin(rank);
}

std::string
OpusJobRun::CheckEnded() const
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const Rank& r = m_ranks[rank];
        for (const auto& calls : r.streams)
        {
            if (!calls.empty())
            {
                const auto& call = calls.front().call;
                return "rank " + std::to_string(rank) + " has not ended: in iteration " +
                       std::to_string(r.iteration - 1) + " it waits in " + ToString(call.kind) +
                       " on group " + std::to_string(call.groupId);
            }
        }
    }
    return "";
}

const std::vector<Time>&
OpusJobRun::GetIterationEnds() const
{
    return m_ends;
}

std::pair<uint64_t, uint64_t>
OpusJobRun::GetVolume(const CollectiveCall& call) const
{
    const auto& group = m_job.groups[call.groupId];
    const uint64_t size = group.GetSize();
    switch (call.kind)
    {
    case CollectiveKind::ALL_GATHER:
        return {(size - 1) * call.bytes, (size - 1) * call.bytes};
    case CollectiveKind::REDUCE_SCATTER:
        return {(size - 1) * (call.bytes / size), (size - 1) * (call.bytes / size)};
    case CollectiveKind::ALL_REDUCE:
        return {2 * (size - 1) * (call.bytes / size), 2 * (size - 1) * (call.bytes / size)};
    case CollectiveKind::ALL_TO_ALL: {
        // All ranks send and receive alike.
        const uint64_t sent = MakeExchange(m_part, m_exchange, group, call).GetBytesSent();
        return {sent, sent};
    }
    case CollectiveKind::SEND:
        return {call.bytes, 0};
    default:
        return {0, call.bytes};
    }
}

uint64_t
OpusJobRun::GetRelayed(const CollectiveCall& call, uint32_t rank) const
{
    const auto& group = m_job.groups[call.groupId];
    const GroupShape shape = CollectiveHelper::GetShape(m_part, group);
    const Variant<CollectiveAlgorithm> channels("channels");
    if (shape.perDomain == 1 || shape.GetDomains() == 1 || shape.GetDomains() % 2 == 0 ||
        !channels->Supports(call.kind) || !CollectiveHelper::IsAligned(m_part, group) ||
        CollectiveAlgorithm::GetDefaultAcross(call.kind, shape) != channels)
    {
        return 0;
    }
    const uint32_t index = group.GetIndex(rank);
    const uint64_t chunk = call.bytes / (call.kind == CollectiveKind::ALL_GATHER ? 1 : shape.size);
    const uint64_t rings = 2 * shape.perDomain; // one each way for each rail
    uint64_t relayed = 0;
    for (const uint32_t direction : {0, 1})
    {
        const uint32_t last = direction == 0 ? shape.GetDomains() - 1 : 0;
        const uint64_t ring = direction * shape.perDomain + index % shape.perDomain;
        relayed += index / shape.perDomain == last
                       ? SplitEvenly({0, chunk}, rings, ring).bytes * (shape.size - 1)
                       : 0;
    }
    return relayed * (call.kind == CollectiveKind::ALL_REDUCE ? 2 : 1);
}

std::string
OpusJobRun::CheckVolumes(uint64_t threshold) const
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        uint64_t sent = 0;
        uint64_t received = 0;
        for (const auto& steps : m_job.steps)
        {
            for (const auto& step : steps)
            {
                const auto& group = m_job.groups[step.group];
                const uint32_t index = group.GetIndex(rank);
                const bool isMessage = step.kind == CollectiveKind::SEND;
                if (index < group.GetSize() && step.bytes >= threshold &&
                    (!isMessage || index == step.from || index == step.to))
                {
                    const CollectiveCall call = GetCall(step, index);
                    const auto volume = GetVolume(call);
                    const uint64_t relayed = GetRelayed(call, rank);
                    sent += volume.first + relayed;
                    received += volume.second + relayed;
                }
            }
        }
        auto counted = m_part.GetNic(rank)->GetQueuePairStatistics();
        if (const auto scaleUp = m_part.GetScaleUpNic(rank))
        {
            counted.bytesPosted += scaleUp->GetQueuePairStatistics().bytesPosted;
            counted.bytesDelivered += scaleUp->GetQueuePairStatistics().bytesDelivered;
        }
        if (counted.bytesPosted != sent || counted.bytesDelivered != received)
        {
            return "rank " + std::to_string(rank) + " should have sent " + std::to_string(sent) +
                   " B and received " + std::to_string(received) + " B, and has sent " +
                   std::to_string(counted.bytesPosted) + " B and received " +
                   std::to_string(counted.bytesDelivered) + " B";
        }
    }
    return "";
}

} // namespace test
} // namespace ns3
