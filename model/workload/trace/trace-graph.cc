// SPDX-License-Identifier: GPL-2.0-only

#include "trace-graph.h"

#include "ns3/json-reader.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_GROUP_FILE = std::size_t{64} << 20;

/// @return true if a name comes before another one: numbers by their value
bool
ComesBefore(const std::string& a, const std::string& b)
{
    const auto isNumber = [](const std::string& text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    return isNumber(a) && isNumber(b) && a.size() != b.size() ? a.size() < b.size() : a < b;
}

} // namespace

TraceGroups::TraceGroups(uint32_t worldSize, bool isReplicated)
    : m_worldSize(worldSize),
      m_isReplicated(isReplicated)
{
}

void
TraceGroups::Read(const std::string& file)
{
    m_hasFile = true;
    std::ifstream input(file, std::ios::binary);
    std::string text;
    std::vector<char> part(1 << 16);
    while (input && text.size() <= MAX_GROUP_FILE)
    {
        input.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part.data(), static_cast<std::size_t>(input.gcount()));
    }
    nlohmann::json all;
    if (auto error = JsonText::Parse(text, all, MAX_GROUP_FILE); !error.empty())
    {
        throw TraceError(file + ": " + error);
    }
    if (!all.is_object())
    {
        throw TraceError(file + ": must be an object with a list of ranks for each group");
    }
    std::vector<std::string> names;
    for (const auto& [name, ranks] : all.items())
    {
        names.push_back(name);
    }
    std::sort(names.begin(), names.end(), ComesBefore);
    for (const auto& name : names)
    {
        std::vector<uint32_t> ranks;
        for (const auto& rank : all[name])
        {
            const bool isGood = rank.is_number_unsigned() && rank.get<uint64_t>() < UINT32_MAX;
            ranks.push_back(isGood ? rank.get<uint32_t>() : UINT32_MAX);
        }
        const std::string group = file + ": group \"" + JsonText::QuoteKey(name) + "\" ";
        if (!all[name].is_array() || !AreDistinct(ranks))
        {
            throw TraceError(group + "must be a list of ranks, each once");
        }
        if (*std::max_element(ranks.begin(), ranks.end()) >= m_worldSize)
        {
            throw TraceError(group + "has ranks for which there is no trace: there are " +
                             std::to_string(m_worldSize));
        }
        m_names[name] = Add(ranks);
    }
}

bool
TraceGroups::AreDistinct(std::vector<uint32_t> ranks)
{
    std::sort(ranks.begin(), ranks.end());
    return !ranks.empty() && std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
}

uint32_t
TraceGroups::Add(const std::vector<uint32_t>& ranks)
{
    const auto [place, isNew] = m_ids.emplace(ranks, static_cast<uint32_t>(m_groups.size()));
    if (isNew)
    {
        m_groups.push_back({place->second, ranks});
    }
    return place->second;
}

uint32_t
TraceGroups::Find(const std::string& name)
{
    if (m_hasFile && !name.empty())
    {
        const auto place = m_names.find(name);
        return place == m_names.end() ? UINT32_MAX : place->second;
    }
    if (!m_isReplicated && !name.empty() && !m_only.empty() && name != m_only)
    {
        return UINT32_MAX; // two groups, of which nothing is known
    }
    m_only = name.empty() ? m_only : name;
    std::vector<uint32_t> all(m_worldSize);
    std::iota(all.begin(), all.end(), 0);
    return Add(all);
}

uint32_t
TraceGroups::FindPair(uint32_t a, uint32_t b)
{
    const auto backwards = m_ids.find({std::max(a, b), std::min(a, b)});
    return backwards != m_ids.end() ? backwards->second : Add({std::min(a, b), std::max(a, b)});
}

std::vector<ProcessGroup>
TraceGroups::Take()
{
    for (uint32_t rank = 0; rank < m_worldSize; ++rank)
    {
        Add({rank});
    }
    m_ids.clear();
    return std::move(m_groups);
}

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
