// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-links.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

/// Pairs of ranks as edges between them.
class PairGraph
{
  public:
    /// @param pair a group of two ranks, which must outlive the graph
    void Add(const ProcessGroup& pair)
    {
        m_ids.insert(pair.id);
        for (const uint32_t rank : pair.ranks)
        {
            m_pairs[rank].push_back(&pair);
        }
    }

    /// @param id a group @return true if it is a pair of the graph
    bool Has(uint32_t id) const
    {
        return m_ids.count(id) > 0;
    }

    /// @return the ranks with pairs, those with one pair first
    std::vector<uint32_t> GetStarts() const
    {
        std::vector<uint32_t> ranks;
        for (const bool isEnd : {true, false})
        {
            for (const auto& [rank, pairs] : m_pairs)
            {
                if ((pairs.size() == 1) == isEnd)
                {
                    ranks.push_back(rank);
                }
            }
        }
        return ranks;
    }

    /**
     * @param start a rank; on a ring any
     * @return the pairs from there on, each directed away from the rank, up to the end or round the
     * ring; empty if a rank on the way has more than two pairs, or if there are no three ranks
     */
    std::vector<ProcessGroup> Walk(uint32_t start) const
    {
        std::vector<ProcessGroup> links;
        const ProcessGroup* last = nullptr;
        for (uint32_t rank = start; links.empty() || rank != start;)
        {
            const auto& pairs = m_pairs.at(rank);
            if (pairs.size() > 2)
            {
                return {};
            }
            const ProcessGroup* next = pairs.front() == last ? pairs.back() : pairs.front();
            if (next == last)
            {
                break; // the end of a line
            }
            const uint32_t other = next->ranks[next->ranks[0] == rank ? 1 : 0];
            links.push_back({next->id, {rank, other}, true});
            last = next;
            rank = other;
        }
        const bool isRoundTrip = links.size() == 2 && links[1].ranks[1] == start;
        return links.size() < 2 || isRoundTrip ? std::vector<ProcessGroup>{} : links;
    }

  private:
    std::map<uint32_t, std::vector<const ProcessGroup*>> m_pairs; //!< by rank
    std::set<uint32_t> m_ids;
};

/// The traffic of a rank with its neighbours in an iteration.
struct RankTraffic
{
    uint64_t changes{0}; //!< from a call with one neighbour to the next call, with the other
    uint64_t bytes{0};   //!< that it sends to both

    /// @param terms of circuits @return true if links cost less than switching
    bool PrefersLinks(const CircuitTerms& terms) const
    {
        return static_cast<double>(changes) * terms.switchSeconds >
               static_cast<double>(bytes) * terms.byteSeconds;
    }
};

/// @return the traffic of a rank, from its calls on the rails in the order of its program
RankTraffic
Measure(const JobRanks& ranks, uint32_t rank, const PairGraph& graph)
{
    RankTraffic traffic;
    std::optional<uint32_t> last; // group
    for (const auto& operation : ranks.GetProgram(rank)->GetOperations())
    {
        if (operation.place != RankOperation::SCALE_OUT)
        {
            continue;
        }
        const uint32_t id = ranks.GetLayout().GetGroup(rank, operation.role).id;
        const bool isPair = graph.Has(id);
        traffic.changes += isPair && last && *last != id && graph.Has(*last) ? 1 : 0;
        traffic.bytes += isPair && operation.kind == CollectiveKind::SEND ? operation.bytes : 0;
        last = id;
    }
    return traffic;
}

} // namespace

std::map<uint32_t, ProcessGroup>
PipelineLinks::Find(const JobRanks& ranks, const JobGroups& groups, const CircuitTerms& terms)
{
    const RankLayout& layout = ranks.GetLayout();
    PairGraph graph;
    for (const auto& [id, use] : groups.GetUses())
    {
        const bool hasMessagesOnly =
            std::all_of(use.kinds.begin(), use.kinds.end(), [](CollectiveKind kind) {
                return kind == CollectiveKind::SEND || kind == CollectiveKind::RECV;
            });
        const ProcessGroup& group = layout.GetGroups()[id];
        const bool leavesDomain = layout.GetReach(group) != RankLayout::SCALE_UP;
        if (hasMessagesOnly && group.GetSize() == 2 && leavesDomain)
        {
            graph.Add(group);
        }
    }
    std::map<uint32_t, ProcessGroup> links;
    std::map<uint32_t, bool> preferences; // of ranks, by class
    std::set<uint32_t> seen;              // groups
    for (const uint32_t start : graph.GetStarts())
    {
        const auto pipeline = graph.Walk(start);
        if (pipeline.empty() || seen.count(pipeline.front().id) > 0)
        {
            continue;
        }
        bool isPreferred = false;
        for (const ProcessGroup& link : pipeline)
        {
            seen.insert(link.id);
            const uint32_t rank = link.ranks[1];
            const auto [known, isNew] = preferences.emplace(ranks.GetClass(rank), false);
            if (isNew)
            {
                known->second = Measure(ranks, rank, graph).PrefersLinks(terms);
            }
            isPreferred = isPreferred || known->second;
        }
        for (const ProcessGroup& link : pipeline)
        {
            if (isPreferred)
            {
                links.emplace(link.id, link);
            }
        }
    }
    return links;
}

} // namespace ns3
