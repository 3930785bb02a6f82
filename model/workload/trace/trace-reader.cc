// SPDX-License-Identifier: GPL-2.0-only

#include "trace-reader.h"

#include "chakra-format.h"

#include "ns3/json-reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
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

} // namespace

TraceReader::TraceReader(const ComputeModel& costs, TraceGroups& groups)
    : m_costs(costs),
      m_builder(groups)
{
}

TraceGraph
TraceReader::Read(const std::string& file, uint32_t rank, TraceRank& trace)
{
    m_builder.Begin(file, rank, trace);
    const std::string error =
        ChakraInput::Read(file, [this, &trace](const ChakraMessage& message, uint64_t number) {
            number == 0 ? ReadMetadata(message, trace) : ReadNode(message);
        });
    if (!error.empty())
    {
        throw TraceError(file + ": " + error);
    }
    return m_builder.Finish();
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
        m_builder.Refuse(std::string(name) + " must be a number from 0 to " + std::to_string(most));
    }
    return number;
}

void
TraceReader::ReadMetadata(const ChakraMessage& message, TraceRank& trace)
{
    // PyTorch's converter writes PyTorch's version of its own schema, "1.0.1" and later. There,
    // control dependencies are the callers of operations on the host: their order is in the data
    // dependencies, and a caller ends after all operations that it has called.
    const ChakraValue* schema = message.Find("schema");
    m_waitsForControl = !schema || schema->text.rfind("1.", 0) != 0;
    trace.pipelineRank = static_cast<uint32_t>(
        GetNumber(message, ChakraFormat::OWN_STAGE, 0, m_builder.GetGroups().GetWorldSize() - 1));
}

void
TraceReader::ReadNode(const ChakraMessage& message)
{
    TraceNode& node = m_builder.BeginNode(message.id, message.name);
    m_builder.AddDependencies(message.data);
    if (m_waitsForControl)
    {
        m_builder.AddDependencies(message.control);
    }
    switch (message.type)
    {
    case ChakraFormat::METADATA_NODE:
        break;
    case ChakraFormat::MEM_LOAD_NODE:
    case ChakraFormat::MEM_STORE_NODE:
        ReadComputation(message, node, true);
        break;
    case ChakraFormat::COMP_NODE:
        ReadComputation(message, node, false);
        break;
    case ChakraFormat::COMM_COLL_NODE:
        IsOnHost(message, "comm_type") ? ReadComputation(message, node, false)
                                       : ReadCollective(message, node);
        break;
    case ChakraFormat::COMM_SEND_NODE:
        IsOnHost(message, "comm_dst") ? ReadComputation(message, node, false)
                                      : ReadTransfer(message, node, true);
        break;
    case ChakraFormat::COMM_RECV_NODE:
        IsOnHost(message, "comm_src") ? ReadComputation(message, node, false)
                                      : ReadTransfer(message, node, false);
        break;
    default:
        m_builder.Refuse("type " + std::to_string(message.type) +
                         " is none that is simulated: 1 to 7");
    }
    ReadOwn(message, node);
    m_builder.EndNode();
}

bool
TraceReader::IsOnHost(const ChakraMessage& message, const char* attribute) const
{
    return !message.Find(attribute) && GetNumber(message, "is_cpu_op", 0, UINT64_MAX) != 0;
}

int64_t
TraceReader::GetPicoseconds(const OperatorCost& cost) const
{
    if (m_costs.GetSeconds(cost) * 1e12 > static_cast<double>(TraceBuilder::MAX_PICOSECONDS))
    {
        m_builder.Refuse("takes longer than 1,000,000 s");
    }
    return m_costs.GetTime({cost}).GetPicoSeconds();
}

void
TraceReader::ReadComputation(const ChakraMessage& message, TraceNode& node, bool isMemory)
{
    constexpr uint64_t MAX_MICROS = TraceBuilder::MAX_PICOSECONDS / PS_PER_US;
    const bool isOnHost = !isMemory && GetNumber(message, "is_cpu_op", 0, UINT64_MAX) != 0;
    node.kind = isOnHost ? TraceNode::HOST : TraceNode::GPU;
    OperatorCost cost;
    cost.kind = isMemory ? OperatorKind::MEMORY : OperatorKind::MATMUL;
    cost.bytes = static_cast<double>(GetNumber(message, "tensor_size", 0, UINT64_MAX));
    if (!isOnHost && !isMemory)
    {
        cost.flops = static_cast<double>(GetNumber(message, "num_ops", 0, UINT64_MAX));
    }
    node.flops = cost.flops;
    if (message.durationMicros > MAX_MICROS)
    {
        m_builder.Refuse("duration_micros must be a number from 0 to " +
                         std::to_string(MAX_MICROS));
    }
    if (message.durationMicros > 0 || isOnHost)
    {
        node.picoseconds = static_cast<int64_t>(message.durationMicros) * PS_PER_US;
    }
    else if (!message.Find(ChakraFormat::OWN_DURATION))
    {
        node.picoseconds = GetPicoseconds(cost);
    }
}

uint32_t
TraceReader::FindGroup(const ChakraMessage& message)
{
    const ChakraValue* value = message.Find("pg_name");
    std::string name = value ? value->text : "";
    if (value && value->kind == ChakraValue::NUMBER)
    {
        name = std::to_string(value->number);
    }
    TraceGroups& groups = m_builder.GetGroups();
    const uint32_t group = groups.Find(name);
    if (group == UINT32_MAX)
    {
        m_builder.Refuse("there is no group \"" + JsonText::QuoteKey(name) + "\"");
    }
    const ProcessGroup& members = groups.GetGroups()[group];
    if (members.GetIndex(m_builder.GetRank()) == members.GetSize())
    {
        m_builder.Refuse("rank " + std::to_string(m_builder.GetRank()) + " is not in group \"" +
                         JsonText::QuoteKey(name) + "\"");
    }
    return group;
}

void
TraceReader::ReadCollective(const ChakraMessage& message, TraceNode& node)
{
    const ChakraValue* type = message.Find("comm_type");
    const auto number = type ? ParseCollectiveType(*type) : std::nullopt;
    if (!number || *number >= ChakraFormat::COLLECTIVE_TYPES)
    {
        m_builder.Refuse("comm_type must be a collective of Chakra's schema, 0 to 9");
    }
    const auto kind = GetKind(*number);
    if (!kind)
    {
        m_builder.Refuse(std::string(*number == ChakraFormat::GATHER ? "Gather" : "Scatter") +
                         " is not simulated");
    }
    node.kind = TraceNode::COLLECTIVE;
    node.collective = *kind;
    node.dimension = Dimension::OTHER;
    node.bytes = *number == ChakraFormat::BARRIER
                     ? ChakraFormat::BARRIER_BYTES
                     : GetNumber(message, "comm_size", 0, TraceBuilder::MAX_BYTES);
    const uint32_t group = FindGroup(message);
    const ProcessGroup& members = m_builder.GetGroups().GetGroups()[group];
    if (*kind == CollectiveKind::BROADCAST || *kind == CollectiveKind::REDUCE)
    {
        const uint64_t root = GetNumber(message, "root_rank", members.ranks[0], UINT32_MAX);
        node.root = members.GetIndex(static_cast<uint32_t>(root));
        if (node.root == members.GetSize())
        {
            m_builder.Refuse("root_rank must be a rank of its group");
        }
    }
    const ChakraValue* role = message.Find(ChakraFormat::OWN_ROLE);
    m_builder.SetGroup(role ? role->text : "", group);
    if (const ChakraValue* sizes = message.Find(ChakraFormat::OWN_SIZES))
    {
        m_builder.SetSizes(sizes->numbers);
    }
}

void
TraceReader::ReadTransfer(const ChakraMessage& message, TraceNode& node, bool isSend)
{
    const char* name = isSend ? "comm_dst" : "comm_src";
    node.kind = isSend ? TraceNode::SEND : TraceNode::RECV;
    node.collective = isSend ? CollectiveKind::SEND : CollectiveKind::RECV;
    node.dimension = Dimension::OTHER;
    node.bytes = GetNumber(message, "comm_size", 0, TraceBuilder::MAX_BYTES);
    TraceGroups& groups = m_builder.GetGroups();
    uint64_t peer = GetNumber(message, name, UINT64_MAX, UINT32_MAX);
    if (!message.Find(name) && message.Find("pg_name"))
    {
        // PyTorch's converter does not write peers. In a group of two, the peer is the other one.
        const ProcessGroup& pair = groups.GetGroups()[FindGroup(message)];
        peer = pair.GetSize() == 2 ? pair.ranks[1 - pair.GetIndex(m_builder.GetRank())] : peer;
    }
    if (peer >= groups.GetWorldSize() || peer == m_builder.GetRank())
    {
        m_builder.Refuse(std::string(name) + " must be another one of the " +
                         std::to_string(groups.GetWorldSize()) + " ranks");
    }
    m_builder.SetTag(GetNumber(message, "comm_tag", 0, UINT64_MAX));
    const ChakraValue* role = message.Find(ChakraFormat::OWN_ROLE);
    m_builder.SetGroup(role ? role->text : "",
                       groups.FindPair(m_builder.GetRank(), static_cast<uint32_t>(peer)));
}

void
TraceReader::ReadOwn(const ChakraMessage& message, TraceNode& node)
{
    if (message.Find(ChakraFormat::OWN_DURATION))
    {
        node.picoseconds = static_cast<int64_t>(GetNumber(message,
                                                          ChakraFormat::OWN_DURATION,
                                                          0,
                                                          uint64_t{TraceBuilder::MAX_PICOSECONDS}));
    }
    if (const ChakraValue* stream = message.Find(ChakraFormat::OWN_STREAM))
    {
        m_builder.SetStream(stream->text);
    }
    if (const ChakraValue* dimension = message.Find(ChakraFormat::OWN_DIMENSION))
    {
        m_builder.SetDimension(dimension->text);
    }
}

} // namespace ns3
