// SPDX-License-Identifier: GPL-2.0-only

#include "algorithm-check.h"

#include "schedule-check.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// Orders of messages in which each call is replayed.
constexpr std::size_t ORDERS = 8;

/// @return a call and an error in one line
std::string
DescribeError(const RankContext& part, const std::string& error)
{
    std::ostringstream text;
    text << part.shape.size << " ranks";
    if (part.shape.perDomain > 1)
    {
        text << " in domains of " << part.shape.perDomain;
    }
    text << ", " << part.call.bytes << (part.call.sizes ? " bytes in unlike parts" : " bytes")
         << ", root " << part.root << ", " << part.directions << " directions: " << error;
    return text.str();
}

/// @return sizes of an AllToAll, some of them 0
Ptr<const AllToAllSizes>
MakeUnlikeSizes(uint32_t ranks)
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < ranks * ranks; ++i)
    {
        bytes.push_back(i * 7 % 5);
    }
    return Create<AllToAllSizes>(ranks, bytes);
}

} // namespace

AlgorithmCheck::AlgorithmCheck(Variant<CollectiveAlgorithm> algorithm, CollectiveKind kind)
    : m_algorithm(algorithm),
      m_kind(kind)
{
}

std::string
AlgorithmCheck::Run(uint32_t mostRanks)
{
    for (uint32_t size = 2; size <= mostRanks; ++size)
    {
        for (uint32_t perDomain = 1; perDomain <= (m_algorithm->NeedsDomains() ? size : 1);
             ++perDomain)
        {
            if (size % perDomain != 0)
            {
                continue;
            }
            if (!m_algorithm->Check(m_kind, {size, perDomain}).empty())
            {
                ++m_refused;
                continue;
            }
            for (const bool lendsPairs : {false, true})
            {
                if (lendsPairs && !m_algorithm->HasRounds(m_kind))
                {
                    continue;
                }
                m_terms.lendsPairs = lendsPairs;
                if (auto error = CheckGroup({size, perDomain}); !error.empty())
                {
                    return (lendsPairs ? "on lent circuits, " : "") + error;
                }
            }
        }
    }
    return "";
}

std::string
AlgorithmCheck::CheckGroup(const GroupShape& shape)
{
    RankContext part;
    part.call.kind = m_kind;
    part.shape = shape;
    part.chunkBytes = 7;
    part.eagerBytes = 5;
    part.terms = m_terms;
    const bool hasRoot = part.call.HasRoot() || m_algorithm->NeedsRoot();
    for (part.directions = 1; part.directions <= 2; ++part.directions)
    {
        for (const uint64_t bytes : {0U, 1U, shape.size - 1, shape.size, 2 * shape.size + 1, 97U})
        {
            part.call.bytes = bytes;
            ++part.sequence;
            for (part.root = 0; part.root < (hasRoot ? shape.size : 1); ++part.root)
            {
                if (auto error = CheckCall(part); !error.empty())
                {
                    return DescribeError(part, error);
                }
            }
            part.root = 0;
        }
        if (m_kind == CollectiveKind::ALL_TO_ALL)
        {
            part.call.sizes = MakeUnlikeSizes(shape.size);
            if (auto error = CheckCall(part); !error.empty())
            {
                return DescribeError(part, error);
            }
            part.call.sizes = nullptr;
        }
    }
    return CheckCost(shape);
}

std::string
AlgorithmCheck::CheckCall(const RankContext& part)
{
    ScheduleCheck check(m_algorithm, part);
    std::string error = check.CheckFit();
    error = error.empty() ? check.RunAll(ORDERS) : error;
    ++m_calls;
    const uint64_t most = m_algorithm->GetReceiveLimit(m_kind, part.shape);
    for (uint32_t rank = 0; rank < part.shape.size && error.empty(); ++rank)
    {
        const uint64_t receives = check.schedules[rank].GetReceives().size();
        if (receives > most)
        {
            return "rank " + std::to_string(rank) + " receives " + std::to_string(receives) +
                   " messages, but GetMostReceives says " + std::to_string(most);
        }
        const auto connectors = m_algorithm->GetConnectors(m_kind, part.shape, rank);
        for (const auto& id : check.GetUsedConnectors(rank))
        {
            if (m_terms.lendsPairs && id.connector == CONNECTOR_DIRECT &&
                check.schedules[rank].GetRounds().empty())
            {
                return "rank " + std::to_string(rank) + " has messages with rank " +
                       std::to_string(id.peer) + " in no round, where circuits are lent to pairs";
            }
            if (!std::binary_search(connectors.begin(), connectors.end(), id))
            {
                return "rank " + std::to_string(rank) + " has no connector of this kind to rank " +
                       std::to_string(id.peer) + ": DoGetConnectors does not name it";
            }
        }
    }
    return error;
}

std::string
AlgorithmCheck::CheckCost(const GroupShape& shape) const
{
    RankContext part;
    part.call.kind = m_kind;
    // Chunks are parts of the ranks, of the ranks but one, or halves of them.
    part.call.bytes = uint64_t{2} * shape.size * shape.size * (shape.size - 1);
    part.shape = shape;
    part.chunkBytes = part.call.bytes * shape.size;
    part.terms = m_terms;
    ScheduleCheck check(m_algorithm, part);
    if (auto error = check.Run({}); !error.empty())
    {
        return DescribeError(part, error);
    }
    const CollectiveCost cost = m_algorithm->GetCost(part);
    const double rounds = cost.rounds + cost.domainRounds;
    const double bytes = cost.bytes + cost.domainBytes;
    uint64_t most = 0;
    for (const auto& schedule : check.schedules)
    {
        most = std::max(most, schedule.GetBytesSent());
    }
    std::ostringstream error;
    const double lack = check.GetRounds() - rounds;
    if (m_algorithm->NeedsRoot() ? lack > 0 : lack != 0)
    {
        error << "DoGetCost has " << rounds << " rounds, but " << check.GetRounds()
              << " messages wait for each other";
    }
    else if (bytes + 0.5 < static_cast<double>(most))
    {
        error << "DoGetCost has " << bytes << " bytes, but a rank sends " << most;
    }
    return error.str().empty() ? "" : DescribeError(part, error.str());
}

} // namespace ns3
