// SPDX-License-Identifier: GPL-2.0-only

#include "trace-graph.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <functional>
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

} // namespace

bool
operator==(const TraceNode& a, const TraceNode& b)
{
    return TieNode(a) == TieNode(b);
}

std::vector<uint64_t>
ListSizes(const AllToAllSizes& sizes)
{
    std::vector<uint64_t> list;
    for (uint32_t from = 0; from < sizes.GetRanks(); ++from)
    {
        for (uint32_t to = 0; to < sizes.GetRanks(); ++to)
        {
            list.push_back(sizes.GetBytes(from, to));
        }
    }
    return list;
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
        if (place == other.sizes.end() || ListSizes(*own) != ListSizes(*place->second))
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

std::vector<uint32_t>
TraceGraph::CountDependencies() const
{
    std::vector<uint32_t> counts(nodes.size());
    std::transform(offsets.begin() + 1,
                   offsets.end(),
                   offsets.begin(),
                   counts.begin(),
                   std::minus<>());
    return counts;
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
