// SPDX-License-Identifier: GPL-2.0-only

#include "trace-reader.h"

#include "chakra-format.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace ns3
{

namespace
{

constexpr int64_t PS_PER_US = 1'000'000;

/// @return the collective of a value of comm_type, or nothing if there is none
std::optional<uint64_t>
ParseCollectiveType(const ChakraValue& value)
{
    static const char* const NAMES[] = {"allreduce",
                                        "reduce",
                                        "allgather",
                                        "gather",
                                        "scatter",
                                        "broadcast",
                                        "alltoall",
                                        "reducescatter",
                                        "reducescatterblock",
                                        "barrier"};
    static_assert(std::size(NAMES) == ChakraFormat::COLLECTIVE_TYPES);
    if (value.kind == ChakraValue::NUMBER && !value.isNegative)
    {
        return value.number;
    }
    std::string name;
    for (const char character : value.text)
    {
        if (character != '_' && character != ' ')
        {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
        }
    }
    const auto found = std::find(std::begin(NAMES), std::end(NAMES), name);
    return value.kind == ChakraValue::TEXT && found != std::end(NAMES)
               ? std::optional<uint64_t>(found - std::begin(NAMES))
               : std::nullopt;
}

/// @return the kind of a collective that is simulated, or nothing
std::optional<CollectiveKind>
GetKind(uint64_t type)
{
    switch (type)
    {
    case ChakraFormat::ALL_REDUCE:
    case ChakraFormat::BARRIER:
        return CollectiveKind::ALL_REDUCE;
    case ChakraFormat::REDUCE:
        return CollectiveKind::REDUCE;
    case ChakraFormat::ALL_GATHER:
        return CollectiveKind::ALL_GATHER;
    case ChakraFormat::BROADCAST:
        return CollectiveKind::BROADCAST;
    case ChakraFormat::ALL_TO_ALL:
        return CollectiveKind::ALL_TO_ALL;
    case ChakraFormat::REDUCE_SCATTER:
    case ChakraFormat::REDUCE_SCATTER_BLOCK:
        return CollectiveKind::REDUCE_SCATTER;
    default:
        return std::nullopt;
    }
}

/// @return a text with printable characters only, for one line
std::string
ToPrintable(const std::string& text)
{
    constexpr std::size_t MOST = 60;
    std::string line;
    for (const char character : text.substr(0, MOST))
    {
        line += character >= ' ' && character <= '~' ? character : '?';
    }
    return line + (text.size() > MOST ? "..." : "");
}

} // namespace

TraceReader::TraceReader(const ComputeModel& costs, TraceGroups& groups)
    : m_costs(costs),
      m_groups(groups)
{
}

TraceGraph
TraceReader::Read(const std::string& file, uint32_t rank, TraceRank& trace)
{
    m_file = file;
    m_rank = rank;
    m_trace = &trace;
    m_waitsForControl = true;
    m_pipelineRank = 0;
    m_drafts.clear();
    m_dependencies.clear();
    m_texts.clear();
    m_textOf.clear();
    m_roles.clear();
    m_roleOf.clear();
    m_tagOf.clear();
    m_sizes.clear();
    const std::string error =
        ChakraFile::Read(file, [this](const ChakraMessage& message, uint64_t number) {
            number == 0 ? ReadMetadata(message) : ReadNode(message);
        });
    if (!error.empty())
    {
        throw TraceError(file + ": " + error);
    }
    return Finish();
}

uint32_t
TraceReader::GetPipelineRank() const
{
    return m_pipelineRank;
}

void
TraceReader::Refuse(const std::string& reason) const
{
    throw TraceError(Describe(m_file, m_draft.node.id, m_name) + reason);
}

std::string
TraceReader::Describe(const std::string& file, uint64_t id, const std::string& name)
{
    return file + ": node " + std::to_string(id) + " (" + ToPrintable(name) + "): ";
}

uint64_t
TraceReader::GetNumber(const ChakraMessage& message,
                       const char* name,
                       uint64_t initial,
                       uint64_t most) const
{
    const ChakraValue* value = message.Find(name);
    if (!value || value->kind == ChakraValue::NONE)
    {
        return initial;
    }
    uint64_t number = value->number;
    bool isGood = value->kind == ChakraValue::NUMBER && (!value->isNegative || number == 0);
    if (value->kind == ChakraValue::REAL)
    {
        isGood = value->real >= 0 && value->real < 1e18 && std::floor(value->real) == value->real;
        number = isGood ? static_cast<uint64_t>(value->real) : 0;
    }
    if (value->kind == ChakraValue::TEXT)
    {
        isGood = !value->text.empty() && value->text.size() < 19 &&
                 std::all_of(value->text.begin(), value->text.end(), [](char digit) {
                     return digit >= '0' && digit <= '9';
                 });
        number = isGood ? std::stoull(value->text) : 0;
    }
    if (!isGood || number > most)
    {
        Refuse(std::string(name) + " must be a number from 0 to " + std::to_string(most));
    }
    return number;
}

void
TraceReader::ReadMetadata(const ChakraMessage& message)
{
    // PyTorch's converter writes PyTorch's version of its own schema, "1.0.1" and later. There,
    // control dependencies are the callers of operations on the host: their order is in the data
    // dependencies, and a caller ends after what it has called.
    const ChakraValue* schema = message.Find("schema");
    m_waitsForControl = !schema || schema->text.rfind("1.", 0) != 0;
    m_draft.node.id = 0;
    m_name = "GlobalMetadata";
    m_pipelineRank = static_cast<uint32_t>(
        GetNumber(message, ChakraFormat::OWN_STAGE, 0, m_groups.GetWorldSize() - 1));
}

void
TraceReader::ReadNode(const ChakraMessage& message)
{
    m_draft = Draft();
    m_draft.node.id = message.id;
    m_name = message.name;
    if (m_drafts.size() == MAX_NODES)
    {
        Refuse("a trace has at most " + std::to_string(MAX_NODES) + " nodes");
    }
    m_draft.first = m_dependencies.size();
    m_dependencies.insert(m_dependencies.end(), message.data.begin(), message.data.end());
    if (m_waitsForControl)
    {
        m_dependencies.insert(m_dependencies.end(), message.control.begin(), message.control.end());
    }
    m_draft.end = m_dependencies.size();
    const auto [text, isNew] =
        m_textOf.emplace(message.name, static_cast<uint32_t>(m_texts.size()));
    if (isNew)
    {
        m_texts.push_back(message.name);
    }
    m_draft.node.label = text->second;
    switch (message.type)
    {
    case ChakraFormat::METADATA_NODE:
        break;
    case ChakraFormat::MEM_LOAD_NODE:
    case ChakraFormat::MEM_STORE_NODE:
        ReadComputation(message, true);
        break;
    case ChakraFormat::COMP_NODE:
        ReadComputation(message, false);
        break;
    case ChakraFormat::COMM_COLL_NODE:
        ReadCollective(message);
        break;
    case ChakraFormat::COMM_SEND_NODE:
    case ChakraFormat::COMM_RECV_NODE:
        ReadMessage(message, message.type == ChakraFormat::COMM_SEND_NODE);
        break;
    default:
        Refuse("type " + std::to_string(message.type) + " is none that is simulated: 1 to 7");
    }
    m_drafts.push_back(m_draft);
}

int64_t
TraceReader::GetPicoseconds(const OperatorCost& cost) const
{
    if (m_costs.GetSeconds(cost) * 1e12 > static_cast<double>(MAX_PICOSECONDS))
    {
        Refuse("takes longer than 1,000,000 s");
    }
    return m_costs.GetTime({cost}).GetPicoSeconds();
}

void
TraceReader::ReadComputation(const ChakraMessage& message, bool isMemory)
{
    TraceNode& node = m_draft.node;
    const bool isOnHost = GetNumber(message, "is_cpu_op", 0, UINT64_MAX) != 0;
    node.kind = isOnHost && !isMemory ? TraceNode::HOST : TraceNode::GPU;
    OperatorCost cost;
    cost.kind = isMemory ? OperatorKind::MEMORY : OperatorKind::MATMUL;
    cost.flops = static_cast<double>(GetNumber(message, "num_ops", 0, UINT64_MAX));
    cost.bytes = static_cast<double>(GetNumber(message, "tensor_size", 0, UINT64_MAX));
    node.flops = isOnHost || isMemory ? 0 : cost.flops;
    if (message.durationMicros > static_cast<uint64_t>(MAX_PICOSECONDS / PS_PER_US))
    {
        Refuse("duration_micros must be a number from 0 to " +
               std::to_string(MAX_PICOSECONDS / PS_PER_US));
    }
    if (message.durationMicros > 0)
    {
        node.picoseconds = static_cast<int64_t>(message.durationMicros) * PS_PER_US;
    }
    else
    {
        node.picoseconds = isOnHost ? 0 : GetPicoseconds(cost);
    }
    ReadOwn(message);
}

void
TraceReader::ReadCollective(const ChakraMessage& message)
{
    TraceNode& node = m_draft.node;
    const ChakraValue* type = message.Find("comm_type");
    if (!type && GetNumber(message, "is_cpu_op", 0, UINT64_MAX) != 0)
    {
        ReadComputation(message,
                        false); // the call of the host, beside the kernel that communicates
        return;
    }
    const auto number = type ? ParseCollectiveType(*type) : std::nullopt;
    if (!number || *number >= ChakraFormat::COLLECTIVE_TYPES)
    {
        Refuse("comm_type must be a collective of Chakra's schema, 0 to 9");
    }
    const auto kind = GetKind(*number);
    if (!kind)
    {
        Refuse(std::string(*number == ChakraFormat::GATHER ? "Gather" : "Scatter") +
               " is not simulated");
    }
    node.kind = TraceNode::COLLECTIVE;
    node.collective = *kind;
    node.dimension = Dimension::OTHER;
    node.bytes = *number == ChakraFormat::BARRIER ? ChakraFormat::BARRIER_BYTES
                                                  : GetNumber(message, "comm_size", 0, MAX_BYTES);
    const ChakraValue* name = message.Find("pg_name");
    const uint32_t group =
        m_groups.Find(!name                               ? ""
                      : name->kind == ChakraValue::NUMBER ? std::to_string(name->number)
                                                          : name->text);
    if (group == UINT32_MAX)
    {
        Refuse("there is no group \"" + ToPrintable(name->text) + "\"");
    }
    const ProcessGroup& members = m_groups.GetGroups()[group];
    if (members.GetIndex(m_rank) == members.GetSize())
    {
        Refuse("rank " + std::to_string(m_rank) + " is not in group \"" +
               ToPrintable(name ? name->text : "") + "\"");
    }
    if (*kind == CollectiveKind::BROADCAST || *kind == CollectiveKind::REDUCE)
    {
        const uint64_t root = GetNumber(message, "root_rank", members.ranks[0], UINT32_MAX);
        node.root = members.GetIndex(static_cast<uint32_t>(root));
        if (node.root == members.GetSize())
        {
            Refuse("root_rank must be a rank of its group");
        }
    }
    SetGroup(message, group);
    ReadOwn(message);
}

void
TraceReader::ReadMessage(const ChakraMessage& message, bool isSend)
{
    TraceNode& node = m_draft.node;
    const char* name = isSend ? "comm_dst" : "comm_src";
    if (!message.Find(name) && GetNumber(message, "is_cpu_op", 0, UINT64_MAX) != 0)
    {
        ReadComputation(message, false);
        return;
    }
    node.kind = isSend ? TraceNode::SEND : TraceNode::RECV;
    node.collective = isSend ? CollectiveKind::SEND : CollectiveKind::RECV;
    node.dimension = Dimension::OTHER;
    node.bytes = GetNumber(message, "comm_size", 0, MAX_BYTES);
    const uint64_t peer = GetNumber(message, name, UINT64_MAX, UINT32_MAX);
    if (peer >= m_groups.GetWorldSize() || peer == m_rank)
    {
        Refuse(std::string(name) + " must be another one of the " +
               std::to_string(m_groups.GetWorldSize()) + " ranks");
    }
    const uint64_t tag = GetNumber(message, "comm_tag", 0, UINT64_MAX);
    const auto [place, isNew] = m_tagOf.emplace(tag, static_cast<uint32_t>(m_trace->tags.size()));
    if (isNew)
    {
        m_trace->tags.push_back(tag);
    }
    node.tag = place->second;
    SetGroup(message, m_groups.FindPair(m_rank, static_cast<uint32_t>(peer)));
    ReadOwn(message);
}

void
TraceReader::SetGroup(const ChakraMessage& message, uint32_t group)
{
    const ChakraValue* name = message.Find(ChakraFormat::OWN_ROLE);
    const std::pair<std::string, uint32_t> role(name ? name->text : "", group);
    const auto [place, isNew] = m_roleOf.emplace(role, static_cast<uint32_t>(m_roles.size()));
    if (isNew)
    {
        m_roles.push_back(role);
    }
    m_draft.node.role = place->second;
    if (m_groups.GetGroups()[group].GetSize() < 2 || m_draft.node.bytes == 0)
    {
        m_draft.node.kind = TraceNode::INSTANT; // as NCCL ends calls without data
    }
}

void
TraceReader::ReadOwn(const ChakraMessage& message)
{
    TraceNode& node = m_draft.node;
    if (message.Find(ChakraFormat::OWN_DURATION))
    {
        node.picoseconds = static_cast<int64_t>(
            GetNumber(message, ChakraFormat::OWN_DURATION, 0, uint64_t{MAX_PICOSECONDS}));
    }
    if (const ChakraValue* stream = message.Find(ChakraFormat::OWN_STREAM))
    {
        for (uint16_t i = 0; i < RankOperation::STREAMS; ++i)
        {
            if (stream->text == ToString(static_cast<RankOperation::Stream>(i)))
            {
                node.stream = i;
            }
        }
        if (node.stream == TraceNode::NO_STREAM)
        {
            Refuse(std::string(ChakraFormat::OWN_STREAM) + " is no stream of a rank");
        }
    }
    if (const ChakraValue* dimension = message.Find(ChakraFormat::OWN_DIMENSION))
    {
        for (uint8_t i = 0; i <= static_cast<uint8_t>(Dimension::OTHER); ++i)
        {
            if (dimension->text == ToString(static_cast<Dimension>(i)))
            {
                node.dimension = static_cast<Dimension>(i);
            }
        }
    }
    const ChakraValue* sizes = message.Find(ChakraFormat::OWN_SIZES);
    if (sizes && node.kind == TraceNode::COLLECTIVE)
    {
        const uint32_t group = m_roles[node.role].second;
        const uint64_t ranks = m_groups.GetGroups()[group].GetSize();
        const bool isSmall = std::all_of(sizes->numbers.begin(),
                                         sizes->numbers.end(),
                                         [](uint64_t bytes) { return bytes <= MAX_BYTES; });
        if (sizes->numbers.size() != ranks * ranks || !isSmall ||
            node.collective != CollectiveKind::ALL_TO_ALL)
        {
            Refuse(std::string(ChakraFormat::OWN_SIZES) +
                   " must be the bytes from each rank of an AllToAll to each");
        }
        m_sizes[node.id] =
            Create<AllToAllSizes>(static_cast<uint32_t>(ranks), std::vector(sizes->numbers));
    }
}

TraceGraph
TraceReader::Finish()
{
    std::vector<uint32_t> sorted(m_drafts.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [this](uint32_t a, uint32_t b) {
        return m_drafts[a].node.id < m_drafts[b].node.id;
    });
    TraceGraph graph;
    for (const uint32_t draft : sorted)
    {
        graph.nodes.push_back(m_drafts[draft].node);
    }
    const auto refuse = [this, &graph](uint32_t index, const std::string& reason) {
        m_draft.node = graph.nodes[index];
        m_name = m_texts[m_draft.node.label];
        Refuse(reason);
    };
    int64_t sum = 0;
    for (uint32_t index = 0; index < sorted.size(); ++index)
    {
        const TraceNode& node = graph.nodes[index];
        sum += std::max<int64_t>(0, node.picoseconds);
        if (sum > MAX_PICOSECONDS)
        {
            refuse(index, "the nodes up to this one take longer than 1,000,000 s");
        }
        if (index > 0 && node.id == graph.nodes[index - 1].id)
        {
            refuse(index, "another node has the same id");
        }
    }
    graph.offsets.push_back(0);
    for (uint32_t index = 0; index < sorted.size(); ++index)
    {
        const Draft& draft = m_drafts[sorted[index]];
        const auto begin = static_cast<std::ptrdiff_t>(graph.dependencies.size());
        for (uint64_t i = draft.first; i < draft.end; ++i)
        {
            const auto place =
                std::lower_bound(graph.nodes.begin(),
                                 graph.nodes.end(),
                                 m_dependencies[i],
                                 [](const TraceNode& node, uint64_t id) { return node.id < id; });
            if (place == graph.nodes.end() || place->id != m_dependencies[i])
            {
                refuse(index,
                       "depends on node " + std::to_string(m_dependencies[i]) +
                           ", which the file does not have");
            }
            graph.dependencies.push_back(static_cast<uint32_t>(place - graph.nodes.begin()));
        }
        auto& all = graph.dependencies;
        std::sort(all.begin() + begin, all.end());
        all.erase(std::unique(all.begin() + begin, all.end()), all.end());
        graph.offsets.push_back(static_cast<uint32_t>(all.size()));
        if (const auto sizes = m_sizes.find(draft.node.id); sizes != m_sizes.end())
        {
            graph.sizes[index] = sizes->second;
        }
    }
    CheckCircles(graph);
    Renumber(graph);
    return graph;
}

void
TraceReader::CheckCircles(const TraceGraph& graph)
{
    std::vector<uint32_t> offsets;
    std::vector<uint32_t> successors;
    graph.FindSuccessors(offsets, successors);
    const auto size = static_cast<uint32_t>(graph.nodes.size());
    std::vector<uint32_t> waiting(size);
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < size; ++i)
    {
        waiting[i] = graph.offsets[i + 1] - graph.offsets[i];
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
    m_draft.node = graph.nodes[node];
    m_name = m_texts[m_draft.node.label];
    Refuse("depends on itself, in a circle");
}

void
TraceReader::Renumber(TraceGraph& graph)
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
