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

/// Smallest piece of a pipeline, byte: below it, headers cost more than pipelining saves.
constexpr uint64_t LEAST_CHUNK = 32 << 10;

/// The neighbours of a rank in a tree.
struct TreePlace
{
    std::vector<uint32_t> above; //!< one, or none for the root
    std::vector<uint32_t> below; //!< at most two, and one in a chain
};

/**
 * The trees of a call, in terms of ranks.
 *
 * An AllReduce across domains of several ranks has two trees for each rank of a domain, as the
 * channels of NCCL: a tree spans domains, and in each a chain leads from its rank there through the
 * others. All other calls have two trees that span all ranks.
 */
class RankTrees
{
  public:
    RankTrees(CollectiveKind kind, const GroupShape& shape, uint32_t root)
        : goesUp(kind != CollectiveKind::BROADCAST),
          goesDown(kind != CollectiveKind::REDUCE),
          m_perDomain(HasChains(kind, shape) ? shape.perDomain : 1),
          m_size(shape.size / m_perDomain),
          m_rooted(kind != CollectiveKind::ALL_REDUCE),
          m_first(m_rooted ? root : m_size - 1),
          m_tree(m_rooted ? m_size - 1 : m_size)
    {
    }

    const bool goesUp;   //!< data goes towards the root
    const bool goesDown; //!< data goes away from the root

    /// @return true if ranks of a domain are in chains
    static bool HasChains(CollectiveKind kind, const GroupShape& shape)
    {
        return kind == CollectiveKind::ALL_REDUCE && shape.size % shape.perDomain == 0 &&
               shape.GetDomains() > 1;
    }

    /// @return the number of trees
    uint32_t CountTrees() const
    {
        return TREES * m_perDomain;
    }

    TreePlace GetPlace(uint32_t tree, uint32_t rank) const
    {
        const uint32_t head = tree / TREES;
        const uint32_t local = rank % m_perDomain;
        const uint32_t link = (local + m_perDomain - head) % m_perDomain;
        const auto getInDomain = [&](uint32_t other) {
            return rank - local + (head + other) % m_perDomain;
        };
        TreePlace place;
        if (link == 0)
        {
            place = GetNodePlace(tree % TREES, rank / m_perDomain);
            for (auto* side : {&place.above, &place.below})
            {
                for (uint32_t& node : *side)
                {
                    node = node * m_perDomain + head;
                }
            }
        }
        else
        {
            place.above.push_back(getInDomain(link - 1));
        }
        if (link + 1 < m_perDomain)
        {
            place.below.push_back(getInDomain(link + 1));
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
    /// @return the neighbours of a node, which is a rank or a domain
    TreePlace GetNodePlace(uint32_t tree, uint32_t index) const
    {
        if (m_rooted && index == m_first)
        {
            return {{}, {ToIndex(m_tree.GetRoot(tree))}};
        }
        const uint32_t node = ToNode(index);
        TreePlace place;
        const uint32_t parent = m_tree.GetParent(tree, node);
        if (parent != 0)
        {
            place.above.push_back(ToIndex(parent));
        }
        else if (m_rooted)
        {
            place.above.push_back(m_first);
        }
        for (const uint32_t child : m_tree.GetChildren(tree, node))
        {
            place.below.push_back(ToIndex(child));
        }
        return place;
    }

    /// Nodes are those after m_first, beginning with 1.
    uint32_t ToNode(uint32_t index) const
    {
        const uint32_t node = (index + m_size - m_first) % m_size;
        return node == 0 ? m_size : node;
    }

    uint32_t ToIndex(uint32_t node) const
    {
        return (m_first + node) % m_size;
    }

    uint32_t m_perDomain; //!< ranks of a chain
    uint32_t m_size;      //!< nodes
    bool m_rooted;        //!< one rank stands above the trees
    uint32_t m_first;     //!< the node before node 1
    DoubleBinaryTree m_tree;
};

/// The part of one rank in one tree.
struct TreePart
{
    TreePlace place;
    uint32_t firstFromBelow; //!< transfer id of the first receive from a child
    uint32_t firstFromAbove; //!< transfer id of the first receive from the parent
    ByteRange share;         //!< of the tensor
};

/// Add all receives. @return the rank's place in each tree and the indices of its receives
std::vector<TreePart>
AddReceives(CollectiveSchedule& schedule,
            const RankTrees& trees,
            const RankContext& part,
            uint32_t chunks)
{
    std::vector<TreePart> parts(trees.CountTrees());
    for (uint32_t tree = 0; tree < parts.size(); ++tree)
    {
        TreePart& mine = parts[tree];
        mine.place = trees.GetPlace(tree, part.index);
        mine.share = SplitEvenly({0, part.call.bytes}, parts.size(), tree);
        const auto add = [&](const std::vector<uint32_t>& peers, Action action) {
            const auto first = static_cast<uint32_t>(schedule.GetReceives().size());
            for (const uint32_t peer : peers)
            {
                for (uint32_t chunk = 0; chunk < chunks; ++chunk)
                {
                    const auto data = SplitEvenly(mine.share, chunks, chunk);
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

/// @return the levels of the trees, from leaves to roots
uint32_t
GetTreeLevels(CollectiveKind kind, uint32_t nodes)
{
    return kind == CollectiveKind::ALL_REDUCE ? DoubleBinaryTree(nodes).GetDepth()
                                              : 1 + boost::integer_log2(nodes - 1);
}

/**
 * @return number of chunks into which each tree divides its share of the data: so many that filling
 * the pipeline takes a quarter of the time, of at least LEAST_CHUNK and at most chunkBytes each
 */
uint32_t
GetTreeChunks(const RankContext& part)
{
    const auto kind = part.call.kind;
    const uint32_t chain = RankTrees::HasChains(kind, part.shape) ? part.shape.perDomain : 1;
    const uint64_t trees = TREES * chain;
    // A rank has at most two children and a parent in each tree, and in one of each pair of trees
    // that are its own a further child.
    const uint64_t most = CollectiveSchedule::MAX_RECEIVES / (4 * trees);
    const auto share = SplitEvenly({0, part.call.bytes}, trees, 0);
    const uint64_t hops = GetTreeLevels(kind, part.shape.size / chain) + chain - 1;
    const uint64_t quarter = share.bytes / (4 * hops);
    return GetPipelineChunks(share.bytes,
                             std::min(std::max(quarter, LEAST_CHUNK), part.chunkBytes),
                             static_cast<uint32_t>(most));
}

/// @return the schedule of a rank
CollectiveSchedule
MakeTreeSchedule(const RankContext& part)
{
    CollectiveSchedule schedule;
    if (part.shape.size == 1)
    {
        return schedule;
    }
    const RankTrees trees(part.call.kind, part.shape, part.root);
    const uint32_t chunks = GetTreeChunks(part);
    const auto parts = AddReceives(schedule, trees, part, chunks);

    // The first receive from this rank at each peer, by tree: the parent, then the children.
    std::vector<std::vector<uint32_t>> firstAtPeer(parts.size());
    for (uint32_t tree = 0; tree < parts.size(); ++tree)
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
        for (uint32_t tree = 0; tree < parts.size(); ++tree)
        {
            const TreePart& mine = parts[tree];
            const auto data = SplitEvenly(mine.share, chunks, chunk);
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

/// @return the number of chunks that the busiest node sends for each pair of chunks, one of each
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
 * Each of two trees carries half of the tensor, in chunks that follow each other without waiting:
 * towards the root a chunk goes on when it has come from all children, away from it when it has
 * come from the parent. All messages use connectors DIRECT; ranges refer to the tensor.
 *
 * - AllReduce: the trees span all ranks. Up to the root of each with reductions, and down again.
 *   Across domains of L ranks there are 2 L trees of domains with chains inside, each with its part
 *   of the tensor, so that two trees use the NIC of each rank.
 * - Broadcast, Reduce: the trees span all ranks but the root of the call, which stands above both
 *   (as in the article by Sanders et al.), so that it sends or receives every byte once. The
 *   ranks are numbered from the root on.
 *
 * There are as many chunks at most that transfer ids suffice, 2^13 of each of two trees; larger
 * tensors have larger chunks.
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
            const RankTrees trees(kind, shape, root);
            for (uint32_t tree = 0; tree < trees.CountTrees(); ++tree)
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
        const auto kind = part.call.kind;
        const double chain = RankTrees::HasChains(kind, part.shape) ? part.shape.perDomain : 1;
        const uint32_t nodes = part.shape.size / static_cast<uint32_t>(chain);
        const double chunks = GetTreeChunks(part);
        const double levels = GetTreeLevels(kind, nodes);
        const double tensor = part.GetTensor();
        CollectiveCost cost;
        cost.treeBytes = tensor;
        cost.rounds = levels;
        cost.bytes = (levels + chunks - 1) * tensor / chunks;
        if (kind == CollectiveKind::ALL_REDUCE)
        {
            const auto busiest =
                static_cast<double>(CountMostSends(DoubleBinaryTree(nodes), nodes));
            const double children = nodes > 2 ? 2 : 1;
            cost.rounds = 2 * levels;
            cost.bytes =
                (2 * levels * children + busiest * (chunks - 1)) * tensor / (2 * chain * chunks);
        }
        if (chain > 1)
        {
            cost.domainRounds = 2 * (chain - 1);
            cost.domainBytes = 2 * (chain - 1) / chain * tensor * (1 + 1 / chunks);
            cost.overlap = 1;
        }
        return cost;
    }
};

NS_OBJECT_ENSURE_REGISTERED(TreeAlgorithm);

} // namespace

} // namespace ns3
