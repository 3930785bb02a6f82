// SPDX-License-Identifier: GPL-2.0-only

#include "trace-builder.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

TraceBuilder::TraceBuilder(TraceGroups& groups)
    : m_groups(groups)
{
}

void
TraceBuilder::Begin(const std::string& file, uint32_t rank, TraceRank& trace, bool isProgram)
{
    m_file = file;
    m_rank = rank;
    m_trace = &trace;
    m_isProgram = isProgram;
    m_draft = Draft();
    m_name.clear();
    m_drafts.clear();
    m_dependencies.clear();
    m_texts.clear();
    m_textBytes = 0;
    m_textOf.clear();
    m_roles.clear();
    m_roleOf.clear();
    m_tagOf.clear();
    m_sizes.clear();
}

std::string
TraceBuilder::Describe(const std::string& file, uint64_t id, const std::string& name)
{
    constexpr std::size_t MOST = 60;
    std::string line = file + ": node " + std::to_string(id) + " (";
    for (const char character : name.substr(0, MOST))
    {
        line += character >= ' ' && character <= '~' ? character : '?';
    }
    return line + (name.size() > MOST ? "...): " : "): ");
}

void
TraceBuilder::Refuse(const std::string& reason) const
{
    throw TraceError(Describe(m_file, m_draft.node.id, m_name) + reason);
}

void
TraceBuilder::Refuse(const TraceNode& node, const std::string& reason)
{
    m_draft.node = node;
    m_name = m_texts[node.label];
    Refuse(reason);
}

TraceNode&
TraceBuilder::BeginNode(uint64_t id, const std::string& name)
{
    m_draft = Draft();
    m_draft.node.id = id;
    m_draft.first = m_dependencies.size();
    m_name = name;
    if (m_drafts.size() == MAX_NODES)
    {
        Refuse("a trace has at most " + std::to_string(MAX_NODES) + " nodes");
    }
    const auto [text, isNew] = m_textOf.emplace(name, static_cast<uint32_t>(m_texts.size()));
    if (isNew)
    {
        m_texts.push_back(name);
        m_textBytes += name.size();
    }
    if (m_textBytes > MAX_TEXT_BYTES)
    {
        Refuse("the names of a trace have at most " + std::to_string(MAX_TEXT_BYTES) + " bytes");
    }
    m_draft.node.label = text->second;
    return m_draft.node;
}

void
TraceBuilder::AddDependencies(const std::vector<uint64_t>& ids)
{
    if (ids.size() > MAX_DEPENDENCIES - m_dependencies.size())
    {
        Refuse("a trace has at most " + std::to_string(MAX_DEPENDENCIES) + " dependencies");
    }
    m_dependencies.insert(m_dependencies.end(), ids.begin(), ids.end());
}

void
TraceBuilder::SetGroup(const std::string& name, uint32_t group)
{
    const std::pair<std::string, uint32_t> role(name, group);
    const auto [place, isNew] = m_roleOf.emplace(role, static_cast<uint32_t>(m_roles.size()));
    if (isNew)
    {
        m_roles.push_back(role);
    }
    m_draft.node.role = place->second;
    // A rank that has no bytes for an AllToAll still takes part: others may have some.
    const bool isEmpty =
        m_draft.node.bytes == 0 && m_draft.node.collective != CollectiveKind::ALL_TO_ALL;
    if (m_groups.GetGroups()[group].GetSize() < 2 || isEmpty)
    {
        m_draft.node.kind = TraceNode::INSTANT; // as NCCL ends calls without data
    }
}

void
TraceBuilder::SetTag(uint64_t tag)
{
    const auto [place, isNew] = m_tagOf.emplace(tag, static_cast<uint32_t>(m_trace->tags.size()));
    if (isNew)
    {
        m_trace->tags.push_back(tag);
    }
    m_draft.node.tag = place->second;
}

void
TraceBuilder::SetSizes(const std::vector<uint64_t>& sizes)
{
    const TraceNode& node = m_draft.node;
    if (node.kind != TraceNode::COLLECTIVE)
    {
        return;
    }
    const uint64_t ranks = m_groups.GetGroups()[m_roles[node.role].second].GetSize();
    const bool isSmall =
        std::all_of(sizes.begin(), sizes.end(), [](uint64_t bytes) { return bytes <= MAX_BYTES; });
    if (sizes.size() != ranks * ranks || !isSmall || node.collective != CollectiveKind::ALL_TO_ALL)
    {
        Refuse("sizes must be the bytes from each rank of an AllToAll to each");
    }
    m_sizes[node.id] = Create<AllToAllSizes>(static_cast<uint32_t>(ranks), sizes);
}

void
TraceBuilder::SetStream(const std::string& name)
{
    for (uint16_t i = 0; i < RankOperation::STREAMS; ++i)
    {
        if (name == ToString(static_cast<RankOperation::Stream>(i)))
        {
            m_draft.node.stream = i;
            return;
        }
    }
    Refuse("there is no stream of this name");
}

void
TraceBuilder::SetDimension(const std::string& name)
{
    for (uint8_t i = 0; i <= static_cast<uint8_t>(Dimension::OTHER); ++i)
    {
        if (name == ToString(static_cast<Dimension>(i)))
        {
            m_draft.node.dimension = static_cast<Dimension>(i);
        }
    }
}

void
TraceBuilder::EndNode()
{
    m_draft.end = m_dependencies.size();
    m_drafts.push_back(m_draft);
}

TraceGraph
TraceBuilder::Finish()
{
    std::vector<uint32_t> sorted(m_drafts.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [this](uint32_t a, uint32_t b) {
        return m_drafts[a].node.id < m_drafts[b].node.id;
    });
    TraceGraph graph;
    AddNodes(graph, sorted);
    AddDependencies(graph, sorted);
    CheckCircles(graph);
    Renumber(graph);
    return graph;
}

void
TraceBuilder::AddNodes(TraceGraph& graph, const std::vector<uint32_t>& sorted)
{
    int64_t sum = 0;
    for (const uint32_t draft : sorted)
    {
        const TraceNode& node = m_drafts[draft].node;
        sum += std::max<int64_t>(0, node.picoseconds);
        if (sum > MAX_PICOSECONDS)
        {
            Refuse(node, "the nodes up to this one take longer than 1,000,000 s");
        }
        if (!graph.nodes.empty() && node.id == graph.nodes.back().id)
        {
            Refuse(node, "another node has the same id");
        }
        if (const auto sizes = m_sizes.find(node.id); sizes != m_sizes.end())
        {
            graph.sizes[static_cast<uint32_t>(graph.nodes.size())] = sizes->second;
        }
        graph.nodes.push_back(node);
    }
}

void
TraceBuilder::AddDependencies(TraceGraph& graph, const std::vector<uint32_t>& sorted)
{
    auto& all = graph.dependencies;
    std::map<uint16_t, uint32_t> onStream;
    std::map<std::pair<uint32_t, TraceNode::Kind>, uint32_t> ofGroup;
    graph.offsets.push_back(0);
    for (uint32_t index = 0; index < sorted.size(); ++index)
    {
        const Draft& draft = m_drafts[sorted[index]];
        const auto begin = static_cast<std::ptrdiff_t>(all.size());
        const uint16_t stream = draft.node.stream;
        if (m_isProgram && stream != TraceNode::NO_STREAM)
        {
            if (const auto before = onStream.find(stream); before != onStream.end())
            {
                all.push_back(before->second);
            }
            onStream[stream] = index;
        }
        if (m_isProgram && draft.node.IsCall())
        {
            const std::pair calls(m_roles[draft.node.role].second, draft.node.kind);
            const auto before = ofGroup.find(calls);
            if (before != ofGroup.end() &&
                (stream == TraceNode::NO_STREAM || graph.nodes[before->second].stream != stream))
            {
                all.push_back(before->second);
            }
            ofGroup[calls] = index;
        }
        for (uint64_t i = draft.first; i < draft.end; ++i)
        {
            const auto place =
                std::lower_bound(graph.nodes.begin(),
                                 graph.nodes.end(),
                                 m_dependencies[i],
                                 [](const TraceNode& node, uint64_t id) { return node.id < id; });
            if (place == graph.nodes.end() || place->id != m_dependencies[i])
            {
                Refuse(graph.nodes[index],
                       "depends on node " + std::to_string(m_dependencies[i]) +
                           ", which the file does not have");
            }
            all.push_back(static_cast<uint32_t>(place - graph.nodes.begin()));
        }
        std::sort(all.begin() + begin, all.end());
        all.erase(std::unique(all.begin() + begin, all.end()), all.end());
        graph.offsets.push_back(static_cast<uint32_t>(all.size()));
    }
}

void
TraceBuilder::CheckCircles(const TraceGraph& graph)
{
    std::vector<uint32_t> offsets;
    std::vector<uint32_t> successors;
    graph.FindSuccessors(offsets, successors);
    const auto size = static_cast<uint32_t>(graph.nodes.size());
    std::vector<uint32_t> waiting = graph.CountDependencies();
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < size; ++i)
    {
        if (waiting[i] == 0)
        {
            ready.push_back(i);
        }
    }
    uint32_t ended = 0;
    for (; !ready.empty(); ++ended)
    {
        const uint32_t node = ready.back();
        ready.pop_back();
        for (uint32_t i = offsets[node]; i < offsets[node + 1]; ++i)
        {
            if (--waiting[successors[i]] == 0)
            {
                ready.push_back(successors[i]);
            }
        }
    }
    if (ended == size)
    {
        return;
    }
    // Each node that has not ended waits for another one: the way back ends in the circle.
    const auto isLeft = [&waiting](uint32_t node) { return waiting[node] > 0; };
    auto node = static_cast<uint32_t>(
        std::find_if(waiting.begin(), waiting.end(), [](uint32_t left) { return left > 0; }) -
        waiting.begin());
    for (uint32_t step = 0; step <= size; ++step)
    {
        const auto begin = graph.dependencies.begin();
        node = *std::find_if(begin + graph.offsets[node], begin + graph.offsets[node + 1], isLeft);
    }
    Refuse(graph.nodes[node], "depends on itself, in a circle");
}

void
TraceBuilder::Renumber(TraceGraph& graph)
{
    constexpr uint32_t NONE = UINT32_MAX;
    std::vector<uint32_t> texts(m_texts.size(), NONE);
    std::vector<uint32_t> roles(m_roles.size(), NONE);
    std::vector<uint32_t> tags(m_trace->tags.size(), NONE);
    std::vector<uint64_t> newTags;
    for (TraceNode& node : graph.nodes)
    {
        if (texts[node.label] == NONE)
        {
            texts[node.label] = static_cast<uint32_t>(graph.texts.size());
            graph.texts.push_back(m_texts[node.label]);
        }
        node.label = texts[node.label];
        if (!node.IsCall())
        {
            node.role = 0;
            node.tag = 0;
            continue;
        }
        if (roles[node.role] == NONE)
        {
            roles[node.role] = static_cast<uint32_t>(graph.roles.size());
            graph.roles.push_back(m_roles[node.role].first);
            m_trace->groups.push_back(m_roles[node.role].second);
        }
        node.role = roles[node.role];
        if (node.kind == TraceNode::COLLECTIVE)
        {
            continue;
        }
        if (tags[node.tag] == NONE)
        {
            tags[node.tag] = static_cast<uint32_t>(newTags.size());
            newTags.push_back(m_trace->tags[node.tag]);
        }
        node.tag = tags[node.tag];
    }
    m_trace->tags = std::move(newTags);
}

} // namespace ns3
