// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"
#include "double-binary-tree.h"

#include "ns3/abort.h"

#include <algorithm>
#include <array>
#include <boost/integer/integer_log2.hpp>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

constexpr uint32_t TREES = DoubleBinaryTree::TREES;

/// A rank receives from at most two children and two parents.
constexpr uint32_t MAX_CHUNKS = CollectiveSchedule::MAX_RECEIVES / 4;

/// The neighbours of a rank in a tree.
struct TreePlace
{
    std::vector<uint32_t> above; //!< one, or none for the root
    std::vector<uint32_t> below; //!< at most two
};

/// The trees of a call, in terms of ranks.
class RankTrees
{
  public:
    RankTrees(CollectiveKind kind, uint32_t size, uint32_t root)
        : goesUp(kind != CollectiveKind::BROADCAST),
          goesDown(kind != CollectiveKind::REDUCE),
          m_size(size),
          m_rooted(kind != CollectiveKind::ALL_REDUCE),
          m_first(m_rooted ? root : size - 1),
          m_tree(m_rooted ? size - 1 : size)
    {
    }

    const bool goesUp;   //!< data goes towards the root
    const bool goesDown; //!< data goes away from the root

    TreePlace GetPlace(uint32_t tree, uint32_t rank) const
    {
        if (m_rooted && rank == m_first)
        {
            return {{}, {ToRank(m_tree.GetRoot(tree))}};
        }
        const uint32_t node = ToNode(rank);
        TreePlace place;
        const uint32_t parent = m_tree.GetParent(tree, node);
        if (parent != 0)
        {
            place.above.push_back(ToRank(parent));
        }
        else if (m_rooted)
        {
            place.above.push_back(m_first);
        }
        for (const uint32_t child : m_tree.GetChildren(tree, node))
        {
            place.below.push_back(ToRank(child));
        }
        return place;
    }

    /**
     * Receives are numbered by tree; within it first those from the children, then those from the
     * parent; of each peer by chunk.
     *
     * @param tree a tree
     * @param rank the receiver
     * @param from the sender
     * @param chunks number of chunks in each tree
     * @return transfer id of the first chunk
     */
    uint32_t GetFirstReceive(uint32_t tree, uint32_t rank, uint32_t from, uint32_t chunks) const
    {
        uint32_t peers = 0;
        for (uint32_t t = 0; t <= tree; ++t)
        {
            const auto place = GetPlace(t, rank);
            for (const auto* side :
                 {goesUp ? &place.below : nullptr, goesDown ? &place.above : nullptr})
            {
                const uint32_t count = side ? static_cast<uint32_t>(side->size()) : 0;
                for (uint32_t i = 0; i < count && t == tree; ++i)
                {
                    if ((*side)[i] == from)
                    {
                        return (peers + i) * chunks;
                    }
                }
                peers += count;
            }
        }
        NS_ABORT_MSG("rank " << rank << " hears nothing from rank " << from);
    }

  private:
    /// Nodes are the ranks after m_first, beginning with 1.
    uint32_t ToNode(uint32_t rank) const
    {
        const uint32_t node = (rank + m_size - m_first) % m_size;
        return node == 0 ? m_size : node;
    }

    uint32_t ToRank(uint32_t node) const
    {
        return (m_first + node) % m_size;
    }

    uint32_t m_size;
    bool m_rooted;    //!< one rank stands above the trees
    uint32_t m_first; //!< the rank before node 1
    DoubleBinaryTree m_tree;
};

/// The part of one rank in one tree.
struct TreePart
{
    TreePlace place;
    uint32_t firstFromBelow; //!< transfer id of the first receive from a child
    uint32_t firstFromAbove; //!< transfer id of the first receive from the parent
    ByteRange half;          //!< of the tensor
};

/// Add all receives, and say where they begin.
std::array<TreePart, TREES>
AddReceives(CollectiveSchedule& schedule,
            const RankTrees& trees,
            const RankContext& part,
            uint32_t chunks)
{
    std::array<TreePart, TREES> parts;
    for (uint32_t tree = 0; tree < TREES; ++tree)
    {
        TreePart& mine = parts[tree];
        mine.place = trees.GetPlace(tree, part.index);
        mine.half = SplitEvenly({0, part.call.bytes}, TREES, tree);
        const auto add = [&](const std::vector<uint32_t>& peers, Action action) {
            const auto first = static_cast<uint32_t>(schedule.GetReceives().size());
            for (const uint32_t peer : peers)
            {
                for (uint32_t chunk = 0; chunk < chunks; ++chunk)
                {
                    const auto data = SplitEvenly(mine.half, chunks, chunk);
                    schedule.AddReceive({data, peer, CONNECTOR_DIRECT, action});
                }
            }
            return first;
        };
        if (trees.goesUp)
        {
            mine.firstFromBelow = add(mine.place.below, Action::REDUCE);
        }
        if (trees.goesDown)
        {
            mine.firstFromAbove = add(mine.place.above, Action::COPY);
        }
    }
    return parts;
}

/// @return the receives of a chunk from all children
std::vector<uint16_t>
GetFromBelow(const TreePart& mine, uint32_t chunks, uint32_t chunk)
{
    std::vector<uint16_t> ids;
    for (uint32_t child = 0; child < mine.place.below.size(); ++child)
    {
        ids.push_back(static_cast<uint16_t>(mine.firstFromBelow + child * chunks + chunk));
    }
    return ids;
}

/// @return number of chunks into which each tree divides its half of the data
uint32_t
GetTreeChunks(const RankContext& part)
{
    const auto half = SplitEvenly({0, part.call.bytes}, TREES, 0);
    return GetPipelineChunks(half.bytes, part.chunkBytes, MAX_CHUNKS);
}

/// @return the schedule of a rank
CollectiveSchedule
MakeTreeSchedule(const RankContext& part)
{
    const uint32_t size = part.shape.size;
    CollectiveSchedule schedule;
    if (size == 1)
    {
        return schedule;
    }
    const RankTrees trees(part.call.kind, size, part.root);
    const uint32_t chunks = GetTreeChunks(part);
    const auto parts = AddReceives(schedule, trees, part, chunks);

    // Where each peer puts what comes from this rank, by tree: the parent, then the children.
    std::array<std::vector<uint32_t>, TREES> firstAtPeer;
    for (uint32_t tree = 0; tree < TREES; ++tree)
    {
        const auto& place = parts[tree].place;
        for (const auto* side :
             {trees.goesUp ? &place.above : nullptr, trees.goesDown ? &place.below : nullptr})
        {
            for (uint32_t i = 0; side && i < side->size(); ++i)
            {
                firstAtPeer[tree].push_back(
                    trees.GetFirstReceive(tree, (*side)[i], part.index, chunks));
            }
        }
    }
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        for (uint32_t tree = 0; tree < TREES; ++tree)
        {
            const TreePart& mine = parts[tree];
            const auto data = SplitEvenly(mine.half, chunks, chunk);
            uint32_t peers = 0;
            const auto add = [&](uint32_t peer, const std::vector<uint16_t>& after) {
                const auto id = static_cast<uint16_t>(firstAtPeer[tree][peers++] + chunk);
                schedule.AddSend({data, peer, CONNECTOR_DIRECT, id}, after);
            };
            std::vector<uint16_t> complete;
            if (trees.goesUp)
            {
                complete = GetFromBelow(mine, chunks, chunk);
                for (const uint32_t parent : mine.place.above)
                {
                    add(parent, complete);
                }
            }
            if (trees.goesDown)
            {
                if (!mine.place.above.empty())
                {
                    complete = {static_cast<uint16_t>(mine.firstFromAbove + chunk)};
                }
                for (const uint32_t child : mine.place.below)
                {
                    add(child, complete);
                }
            }
        }
    }
    return schedule;
}

/// @return the number of chunks that the busiest rank sends for each pair of chunks, one of each
/// tree
std::size_t
CountMostSends(const DoubleBinaryTree& trees, uint32_t size)
{
    std::size_t busiest = 0;
    for (uint32_t node = 1; node <= size; ++node)
    {
        std::size_t sends = 0;
        for (uint32_t tree = 0; tree < TREES; ++tree)
        {
            sends += trees.GetChildren(tree, node).size();
            sends += trees.GetParent(tree, node) != 0 ? 1 : 0;
        }
        busiest = std::max(busiest, sends);
    }
    return busiest;
}

/**
 * A double binary tree.
 *
 * Each tree carries half of the tensor, in chunks that follow each other without waiting: towards
 * the root a chunk goes on when it has come from all children, away from it when it has come from
 * the parent. All messages use connectors DIRECT; ranges refer to the tensor.
 *
 * - AllReduce: the trees span all ranks. Up to the root of each with reductions, and down again.
 * - Broadcast, Reduce: the trees span all ranks but the root of the call, which stands above both
 *   (as in the article by Sanders et al.), so that it sends or receives every byte once. The
 *   ranks are numbered from the root on.
 *
 * There are at most 2^14 chunks for each tree, so that transfer ids suffice; larger tensors have
 * larger chunks.
 */
class TreeAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TreeAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<TreeAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "tree";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::BROADCAST ||
               kind == CollectiveKind::REDUCE;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind /* kind */,
                             const GroupShape& /* shape */) const override
    {
        return 0; // there are as many chunks as are allowed
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return MakeTreeSchedule(part);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind kind,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        // Any rank may be the root of a Broadcast or a Reduce.
        const uint32_t roots = kind == CollectiveKind::ALL_REDUCE ? 1 : shape.size;
        std::set<uint32_t> peers;
        for (uint32_t root = 0; root < roots; ++root)
        {
            const RankTrees trees(kind, shape.size, root);
            for (uint32_t tree = 0; tree < TREES; ++tree)
            {
                const auto place = trees.GetPlace(tree, index);
                for (const auto* side : {&place.above, &place.below})
                {
                    peers.insert(side->begin(), side->end());
                }
            }
        }
        std::vector<CollectiveConnectorId> connectors;
        for (const uint32_t peer : peers)
        {
            connectors.push_back({peer, CONNECTOR_DIRECT});
        }
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const uint32_t size = part.shape.size;
        const double chunks = GetTreeChunks(part);
        if (part.call.kind != CollectiveKind::ALL_REDUCE)
        {
            const double levels = 1.0 + boost::integer_log2(size - 1);
            return {levels, (levels + chunks - 1) * part.GetTensor() / chunks};
        }
        const DoubleBinaryTree trees(size);
        const auto busiest = static_cast<double>(CountMostSends(trees, size));
        const double levels = 2.0 * trees.GetDepth();
        const double children = size > 2 ? 2 : 1;
        return {levels,
                (levels * children + busiest * (chunks - 1)) * part.GetTensor() / 2 / chunks};
    }
};

NS_OBJECT_ENSURE_REGISTERED(TreeAlgorithm);

} // namespace

} // namespace ns3
