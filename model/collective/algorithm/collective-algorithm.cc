// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

#include "tournament.h"

#include "ns3/abort.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

double
CollectiveCost::GetSeconds(const AlphaBeta& network,
                           const AlphaBeta& domain,
                           double switching) const
{
    return rounds * network.alpha + domainRounds * domain.alpha + switches * switching +
           GetDataSeconds(network.beta, domain.beta);
}

CollectiveCost
CollectiveCost::On(const GroupShape& shape, bool hasDomains) const
{
    CollectiveCost cost = *this;
    if (!hasDomains)
    {
        cost.rounds += std::exchange(cost.domainRounds, 0);
        cost.bytes += std::exchange(cost.domainBytes, 0);
    }
    else if (shape.GetDomains() == 1 && cost.domainRounds == 0)
    {
        std::swap(cost.rounds, cost.domainRounds);
        std::swap(cost.bytes, cost.domainBytes);
    }
    return cost;
}

double
CollectiveCost::GetDataSeconds(double network, double domain) const
{
    const auto [shorter, longer] = std::minmax({bytes * network, domainBytes * domain});
    return longer + (1 - overlap) * shorter;
}

double
CollectiveCost::GetSecondsOn(const CircuitTerms& terms) const
{
    return GetSeconds({terms.latency, terms.byteSeconds}, {}, terms.switchSeconds);
}

CollectiveCost
operator*(double times, const CollectiveCost& cost)
{
    return {times * cost.rounds,
            times * cost.bytes,
            times * cost.domainRounds,
            times * cost.domainBytes,
            times * cost.switches,
            cost.overlap,
            cost.treeBytes};
}

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithm").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

std::vector<Variant<CollectiveAlgorithm>>
CollectiveAlgorithm::GetAll(CollectiveKind kind)
{
    std::vector<Variant<CollectiveAlgorithm>> all;
    for (const auto& name : Variant<CollectiveAlgorithm>::GetNames())
    {
        const Variant<CollectiveAlgorithm> algorithm(name);
        if (algorithm->Supports(kind))
        {
            all.push_back(algorithm);
        }
    }
    const auto first = std::find(all.begin(), all.end(), GetDefault(kind));
    if (first != all.end())
    {
        std::rotate(all.begin(), first, first + 1);
    }
    return all;
}

Variant<CollectiveAlgorithm>
CollectiveAlgorithm::GetDefault(CollectiveKind kind)
{
    return kind == CollectiveKind::ALL_TO_ALL ? "direct" : "ring";
}

Variant<CollectiveAlgorithm>
CollectiveAlgorithm::GetDefaultAcross(CollectiveKind kind, const GroupShape& shape)
{
    const Variant<CollectiveAlgorithm> channels("channels");
    if (kind == CollectiveKind::ALL_TO_ALL)
    {
        return "pxn";
    }
    if (!channels->Supports(kind))
    {
        return GetDefault(kind);
    }
    // The same for all kinds: groups have one set of connectors, and of circuits.
    return shape.size * channels->GetMostReceives(CollectiveKind::ALL_REDUCE, shape) <=
                   CHANNEL_MESSAGES
               ? channels
               : "hierarchical";
}

Variant<CollectiveAlgorithm>
CollectiveAlgorithm::GetDefaultOnHosts(CollectiveKind kind)
{
    const Variant<CollectiveAlgorithm> tree("tree");
    return tree->Supports(kind) ? tree : GetDefault(kind);
}

std::string
CollectiveAlgorithm::CheckShape(CollectiveKind kind, const GroupShape& shape) const
{
    const auto what = [this, kind] { return GetName() + " cannot carry out " + ToString(kind); };
    if (!Supports(kind))
    {
        std::string names;
        for (const auto& other : GetAll(kind))
        {
            names += (names.empty() ? "; use " : ", ") + other->GetName();
        }
        return what() + names;
    }
    if (shape.size == 0)
    {
        return "a group without ranks";
    }
    if (NeedsDomains() && (shape.perDomain == 0 || shape.size % shape.perDomain != 0))
    {
        return GetName() + " needs full scale-up domains, but " + std::to_string(shape.size) +
               " ranks do not fill domains of " + std::to_string(shape.perDomain);
    }
    const std::string error = DoCheck(kind, shape);
    return error.empty() ? "" : GetName() + " " + error;
}

std::string
CollectiveAlgorithm::Check(CollectiveKind kind, const GroupShape& shape) const
{
    auto error = CheckShape(kind, shape);
    if (error.empty() && GetMostReceives(kind, shape) > CollectiveSchedule::MAX_RECEIVES)
    {
        return GetName() + " cannot carry out " + ToString(kind) + " among " +
               std::to_string(shape.size) + " ranks: a rank would receive more than " +
               std::to_string(CollectiveSchedule::MAX_RECEIVES) + " messages";
    }
    return error;
}

void
CollectiveAlgorithm::AbortUnlessValid(const RankContext& part, const std::string& error)
{
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    NS_ABORT_MSG_UNLESS(part.index < part.shape.size && part.root < part.shape.size,
                        "rank " << part.index << " or root " << part.root
                                << " outside of a group of " << part.shape.size);
    NS_ABORT_MSG_UNLESS(part.directions == 1 || part.directions == 2,
                        part.directions << " directions");
}

CollectiveSchedule
CollectiveAlgorithm::MakeSchedule(const RankContext& part) const
{
    AbortUnlessValid(part, Check(part.call.kind, part.shape));
    return DoMakeSchedule(part);
}

std::map<uint32_t, uint64_t>
CollectiveAlgorithm::GetSent(const RankContext& part) const
{
    AbortUnlessValid(part, CheckShape(part.call.kind, part.shape));
    return DoGetSent(part);
}

std::vector<CollectiveConnectorId>
CollectiveAlgorithm::GetConnectors(CollectiveKind kind,
                                   const GroupShape& shape,
                                   uint32_t index) const
{
    const auto all =
        shape.size > 1 ? DoGetConnectors(kind, shape, index) : std::vector<CollectiveConnectorId>();
    const std::set<CollectiveConnectorId> connectors(all.begin(), all.end());
    return {connectors.begin(), connectors.end()};
}

uint64_t
CollectiveAlgorithm::GetReceiveLimit(CollectiveKind kind, const GroupShape& shape) const
{
    const uint64_t most = GetMostReceives(kind, shape);
    return most == 0 ? CollectiveSchedule::MAX_RECEIVES : most;
}

CollectiveCost
CollectiveAlgorithm::GetCost(const RankContext& part) const
{
    const auto error = Check(part.call.kind, part.shape);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    NS_ABORT_MSG_IF(part.call.sizes, "no formula for an AllToAll whose parts are not alike");
    return part.shape.size == 1 ? CollectiveCost{} : DoGetCost(part);
}

std::string
CollectiveAlgorithm::CheckPowerOfTwo(const GroupShape& shape)
{
    return Tournament::IsPowerOfTwo(shape.size)
               ? ""
               : "needs a power of two of ranks, not " + std::to_string(shape.size) + " ranks";
}

std::map<uint32_t, uint64_t>
CollectiveAlgorithm::DoGetSent(const RankContext& part) const
{
    std::map<uint32_t, uint64_t> sent;
    if (!Check(part.call.kind, part.shape).empty())
    {
        return sent;
    }
    const CollectiveSchedule schedule = DoMakeSchedule(part);
    for (const auto& send : schedule.GetSends())
    {
        sent[send.peer] += send.data.bytes;
    }
    return sent;
}

std::vector<CollectiveConnectorId>
CollectiveAlgorithm::DoGetConnectors(CollectiveKind kind,
                                     const GroupShape& shape,
                                     uint32_t index) const
{
    RankContext part;
    part.call.kind = kind;
    part.shape = shape;
    part.index = index;
    return MakeSchedule(part).GetConnectors();
}

const std::vector<CollectiveKind>&
CollectiveAlgorithms::GetKinds()
{
    static const std::vector<CollectiveKind> kinds{CollectiveKind::ALL_GATHER,
                                                   CollectiveKind::REDUCE_SCATTER,
                                                   CollectiveKind::ALL_REDUCE,
                                                   CollectiveKind::ALL_TO_ALL,
                                                   CollectiveKind::BROADCAST,
                                                   CollectiveKind::REDUCE};
    return kinds;
}

CollectiveAlgorithms
CollectiveAlgorithms::Rings()
{
    const Variant<CollectiveAlgorithm> ring("ring");
    CollectiveAlgorithms rings;
    for (const CollectiveKind kind : GetKinds())
    {
        if (ring->Supports(kind))
        {
            rings.Choose(kind, ring);
        }
    }
    return rings;
}

void
CollectiveAlgorithms::CheckKind(CollectiveKind kind)
{
    const auto& kinds = GetKinds();
    NS_ABORT_MSG_IF(std::find(kinds.begin(), kinds.end(), kind) == kinds.end(),
                    ToString(kind) << " needs no algorithm");
}

CollectiveAlgorithms&
CollectiveAlgorithms::Choose(CollectiveKind kind, Variant<CollectiveAlgorithm> algorithm)
{
    CheckKind(kind);
    m_chosen.insert_or_assign(kind, algorithm);
    return *this;
}

bool
CollectiveAlgorithms::IsChosen(CollectiveKind kind) const
{
    CheckKind(kind);
    return m_chosen.count(kind) > 0;
}

Variant<CollectiveAlgorithm>
CollectiveAlgorithms::Get(CollectiveKind kind) const
{
    CheckKind(kind);
    const auto chosen = m_chosen.find(kind);
    return chosen != m_chosen.end() ? chosen->second : CollectiveAlgorithm::GetDefault(kind);
}

std::string
CollectiveAlgorithms::Check(const GroupShape& shape) const
{
    for (const auto& [kind, algorithm] : m_chosen)
    {
        if (auto error = algorithm->Check(kind, shape); !error.empty())
        {
            return error;
        }
    }
    return "";
}

std::vector<CollectiveConnectorId>
CollectiveAlgorithms::GetConnectors(const GroupShape& shape, uint32_t index) const
{
    std::set<CollectiveConnectorId> connectors;
    for (const auto& [kind, algorithm] : m_chosen)
    {
        const auto more = algorithm->GetConnectors(kind, shape, index);
        connectors.insert(more.begin(), more.end());
    }
    return {connectors.begin(), connectors.end()};
}

} // namespace ns3
