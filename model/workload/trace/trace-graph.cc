// SPDX-License-Identifier: GPL-2.0-only

#include "trace-graph.h"

#include <boost/container_hash/hash.hpp>
#include <tuple>

namespace ns3
{

namespace
{

/// @return all that two nodes have in common if they are alike
auto
TieNode(const TraceNode& node)
{
    return std::tie(node.id,
                    node.bytes,
                    node.picoseconds,
                    node.flops,
                    node.label,
                    node.role,
                    node.tag,
                    node.root,
                    node.kind,
                    node.collective,
                    node.dimension,
                    node.stream);
}

/// @return true if two lists of sizes are alike
bool
AreAlike(const AllToAllSizes& a, const AllToAllSizes& b)
{
    for (uint32_t from = 0; from < a.GetRanks(); ++from)
    {
        for (uint32_t to = 0; to < a.GetRanks(); ++to)
        {
            if (a.GetRanks() != b.GetRanks() || a.GetBytes(from, to) != b.GetBytes(from, to))
            {
                return false;
            }
        }
    }
    return true;
}

} // namespace

bool
operator==(const TraceNode& a, const TraceNode& b)
{
    return TieNode(a) == TieNode(b);
}

bool
TraceGraph::IsLike(const TraceGraph& other) const
{
    if (nodes != other.nodes || offsets != other.offsets || dependencies != other.dependencies ||
        texts != other.texts || roles != other.roles || sizes.size() != other.sizes.size())
    {
        return false;
    }
    for (const auto& [node, own] : sizes)
    {
        const auto place = other.sizes.find(node);
        if (place == other.sizes.end() || !AreAlike(*own, *place->second))
        {
            return false;
        }
    }
    return true;
}

std::size_t
TraceGraph::GetHash() const
{
    std::size_t hash = boost::hash_range(dependencies.begin(), dependencies.end());
    for (const TraceNode& node : nodes)
    {
        boost::hash_combine(hash, node.id);
        boost::hash_combine(hash, node.bytes);
        boost::hash_combine(hash, node.picoseconds);
    }
    return hash;
}

void
TraceGraph::FindSuccessors(std::vector<uint32_t>& first, std::vector<uint32_t>& successors) const
{
    first.assign(nodes.size() + 1, 0);
    for (const uint32_t dependency : dependencies)
    {
        ++first[dependency + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i)
    {
        first[i] += first[i - 1];
    }
    successors.resize(dependencies.size());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (uint32_t index = 0; index < nodes.size(); ++index)
    {
        for (uint32_t i = offsets[index]; i < offsets[index + 1]; ++i)
        {
            successors[next[dependencies[i]]++] = index;
        }
    }
}

} // namespace ns3
