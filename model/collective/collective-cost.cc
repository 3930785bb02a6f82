// SPDX-License-Identifier: GPL-2.0-only

#include "collective-cost.h"

#include "chain-schedule.h"
#include "collective-algorithm.h"
#include "double-binary-tree.h"
#include "stragglar-plan.h"
#include "stragglar-schedule.h"
#include "tree-schedule.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// What the formulas are made of.
struct Terms
{
    double ranks;     //!< N
    double perDomain; //!< L
    double domains;   //!< D
    double tensor;    //!< n
};

/// @return the larger part of log2
uint32_t
GetLog(uint32_t size)
{
    uint32_t log = 0;
    while (size >> (log + 1) > 0)
    {
        ++log;
    }
    return log;
}

/// @return cost of an AllGather or a ReduceScatter; an AllReduce is one of each
CollectiveCost
GetGatherCost(CollectiveAlgorithm algorithm, const CollectivePart& part, const Terms& t)
{
    switch (algorithm)
    {
    case CollectiveAlgorithm::RING:
        return {t.ranks - 1, t.tensor * (t.ranks - 1) / t.ranks, 0, 0};
    case CollectiveAlgorithm::HALVING_DOUBLING:
        return {static_cast<double>(GetLog(part.shape.size)),
                t.tensor * (t.ranks - 1) / t.ranks,
                0,
                0};
    case CollectiveAlgorithm::DIRECT:
        return {1, t.tensor * (t.ranks - 1) / t.ranks, 0, 0};
    default:
        return {t.domains - 1,
                t.tensor * (t.domains - 1) / t.ranks,
                t.perDomain > 1 ? 1.0 : 0.0,
                t.tensor * (t.perDomain - 1) / t.perDomain};
    }
}

/// @return cost of an AllReduce over trees
CollectiveCost
GetTreeReduceCost(const CollectivePart& part, const Terms& t)
{
    const uint32_t size = part.shape.size;
    const DoubleBinaryTree trees(size);
    std::size_t busiest = 0;
    for (uint32_t node = 1; node <= size; ++node)
    {
        std::size_t sends = 0;
        for (uint32_t tree = 0; tree < DoubleBinaryTree::TREES; ++tree)
        {
            sends += trees.GetChildren(tree, node).size();
            sends += trees.GetParent(tree, node) != 0 ? 1 : 0;
        }
        busiest = std::max(busiest, sends);
    }
    const double levels = 2.0 * trees.GetDepth();
    const double children = size > 2 ? 2 : 1;
    const double chunks = GetTreeChunks(part);
    return {levels,
            (levels * children + static_cast<double>(busiest) * (chunks - 1)) * t.tensor / 2 /
                chunks,
            0,
            0};
}

/// @return cost of a Broadcast or a Reduce
CollectiveCost
GetRootedCost(CollectiveAlgorithm algorithm, const CollectivePart& part, const Terms& t)
{
    const bool tree = algorithm == CollectiveAlgorithm::DOUBLE_BINARY_TREE;
    const double levels = tree ? 1.0 + GetLog(part.shape.size - 1) : t.ranks - 1;
    const double chunks = tree ? GetTreeChunks(part) : GetChainChunks(part);
    return {levels, (levels + chunks - 1) * t.tensor / chunks, 0, 0};
}

CollectiveCost
GetAllToAllCost(CollectiveAlgorithm algorithm, const CollectivePart& part, const Terms& t)
{
    const uint64_t size = part.shape.size;
    switch (algorithm)
    {
    case CollectiveAlgorithm::PAIRWISE:
        return {t.ranks - 1, t.tensor * (t.ranks - 1) / t.ranks, 0, 0};
    case CollectiveAlgorithm::DIRECT:
        return {1, t.tensor * (t.ranks - 1) / t.ranks, 0, 0};
    case CollectiveAlgorithm::PXN:
        return {t.domains > 1 ? 1.0 : 0.0,
                t.tensor * (t.domains - 1) / t.domains,
                t.perDomain > 1 ? 1.0 : 0.0,
                t.tensor * (t.perDomain - 1) / t.perDomain};
    default:
        break;
    }
    if (part.directions == 1)
    {
        return {t.ranks - 1, t.tensor * (t.ranks - 1) / 2, 0, 0};
    }
    return {static_cast<double>(size / 2),
            static_cast<double>(size * size / 4) * t.tensor / t.ranks,
            0,
            0};
}

} // namespace

double
CollectiveCost::GetSeconds(const AlphaBeta& network, const AlphaBeta& domain) const
{
    return rounds * network.alpha + bytes * network.beta + domainRounds * domain.alpha +
           domainBytes * domain.beta;
}

CollectiveCost
GetCollectiveCost(CollectiveAlgorithm algorithm, const CollectivePart& part)
{
    const auto kind = part.call.kind;
    const auto error = CheckAlgorithm(kind, algorithm, part.shape);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    NS_ABORT_MSG_IF(part.call.sizes, "no formula for an AllToAll whose parts are not alike");
    if (part.shape.size == 1)
    {
        return {};
    }
    Terms terms;
    terms.ranks = part.shape.size;
    terms.perDomain = part.shape.perDomain;
    terms.domains = part.shape.GetDomains();
    terms.tensor = static_cast<double>(GetTensorBytes(kind, part.shape.size, part.call.bytes));
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return GetGatherCost(algorithm, part, terms);
    case CollectiveKind::ALL_REDUCE: {
        if (algorithm == CollectiveAlgorithm::DOUBLE_BINARY_TREE)
        {
            return GetTreeReduceCost(part, terms);
        }
        if (algorithm == CollectiveAlgorithm::STRAGGLAR)
        {
            const auto cost = GetStragglarCost(part);
            const auto chain = GetStragglarChain(part.shape.size, part.shape.size - 2);
            return {static_cast<double>(chain.GetMessages()),
                    cost.scatter.bytes + cost.rounds.bytes,
                    0,
                    0};
        }
        const auto half = GetGatherCost(algorithm, part, terms);
        return {2 * half.rounds, 2 * half.bytes, 2 * half.domainRounds, 2 * half.domainBytes};
    }
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return GetRootedCost(algorithm, part, terms);
    default:
        return GetAllToAllCost(algorithm, part, terms);
    }
}

double
StragglarCost::GetSeconds(const AlphaBeta& network, double callAlpha, double delay) const
{
    return std::max(delay, scatter.GetSeconds(network)) + rounds.GetSeconds(network) +
           calls * callAlpha;
}

StragglarCost
GetStragglarCost(const CollectivePart& part)
{
    const double others = part.shape.size - 1;
    const double chunk = static_cast<double>(part.call.bytes) / others;
    const auto rounds = static_cast<double>(GetStragglarPlan(part.shape.size)->rounds.size());
    StragglarCost cost;
    cost.scatter.rounds = others - 1;
    cost.scatter.bytes = (others - 1) * chunk;
    const auto chain = GetStragglarChain(part.shape.size, 0);
    cost.rounds.rounds = chain.chunks;
    cost.calls = chain.calls;
    cost.rounds.bytes = rounds * chunk;
    return cost;
}

} // namespace ns3
