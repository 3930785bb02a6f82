// SPDX-License-Identifier: GPL-2.0-only

#include "chakra-format.h"
#include "trace-graph.h"

#include "ns3/job-ranks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#ifdef PHOTONIC_RAILS_PROTOBUF
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#endif

namespace ns3
{

namespace
{

#ifdef PHOTONIC_RAILS_PROTOBUF

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

/// Write a field that has a length.
void
WriteBytes(CodedOutputStream& out, int field, const std::string& bytes)
{
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
    out.WriteVarint32(static_cast<uint32_t>(bytes.size()));
    out.WriteString(bytes);
}

/// Write a field that is a number.
void
WriteNumber(CodedOutputStream& out, int field, uint64_t number)
{
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT));
    out.WriteVarint64(number);
}

/// @return bytes that a function writes
template <typename F>
std::string
Encode(F&& write)
{
    std::string bytes;
    {
        google::protobuf::io::StringOutputStream stream(&bytes);
        CodedOutputStream out(&stream);
        write(out);
    }
    return bytes;
}

/// @return numbers as a packed field has them
std::string
Pack(const std::vector<uint64_t>& numbers)
{
    return Encode([&numbers](CodedOutputStream& out) {
        for (const uint64_t number : numbers)
        {
            out.WriteVarint64(number);
        }
    });
}

/// @return an attribute: a text, a list of uint64, or an int64 (comm_src, ...: int32, bool)
std::string
EncodeAttribute(const ChakraAttribute& attribute)
{
    return Encode([&attribute](CodedOutputStream& out) {
        WriteBytes(out, ChakraFormat::ATTRIBUTE_NAME, attribute.name);
        const ChakraValue& value = attribute.value;
        const auto isOne = [&attribute](std::initializer_list<const char*> names) {
            return std::any_of(names.begin(), names.end(), [&attribute](const char* name) {
                return attribute.name == name;
            });
        };
        if (value.kind == ChakraValue::TEXT)
        {
            WriteBytes(out, ChakraFormat::STRING_VALUE, value.text);
        }
        else if (!value.numbers.empty())
        {
            WriteBytes(out, ChakraFormat::UINT64_VALUE + 1, Encode([&value](auto& list) {
                           WriteBytes(list, 1, Pack(value.numbers));
                       }));
        }
        else
        {
            // The types that Chakra's feeder reads.
            const int field = isOne({"is_cpu_op"})     ? int{ChakraFormat::BOOL_VALUE}
                              : isOne({"tensor_size"}) ? int{ChakraFormat::UINT64_VALUE}
                              : isOne({"comm_src", "comm_dst", "comm_tag"})
                                  ? int{ChakraFormat::INT32_VALUE}
                                  : int{ChakraFormat::INT64_VALUE};
            WriteNumber(out, field, value.number);
        }
    });
}

/// @return a message
std::string
EncodeMessage(const ChakraMessage& message, bool isMetadata)
{
    return Encode([&message, isMetadata](CodedOutputStream& out) {
        if (isMetadata)
        {
            WriteBytes(out, ChakraFormat::VERSION, "0.0.4");
        }
        else
        {
            WriteNumber(out, ChakraFormat::ID, message.id);
            WriteBytes(out, ChakraFormat::NAME, message.name);
            WriteNumber(out, ChakraFormat::TYPE, message.type);
            WriteBytes(out, ChakraFormat::CONTROL_DEPENDENCIES, Pack(message.control));
            WriteBytes(out, ChakraFormat::DATA_DEPENDENCIES, Pack(message.data));
            WriteNumber(out, ChakraFormat::DURATION_MICROS, message.durationMicros);
        }
        const int field = isMetadata ? int{ChakraFormat::METADATA_ATTRIBUTE} //
                                     : int{ChakraFormat::ATTRIBUTE};
        for (std::size_t i = 0; i < message.attributeCount; ++i)
        {
            WriteBytes(out, field, EncodeAttribute(message.attributes[i]));
        }
    });
}

/**
 * @brief Write messages into a file.
 * @param file name of the file
 * @param next sets the next message and returns true, or returns false at the end; the first
 * message is GlobalMetadata
 * @return false if the file cannot be written
 */
bool
WriteChakraFile(const std::string& file, const std::function<bool(ChakraMessage&)>& next)
{
    std::ofstream output(file, std::ios::binary);
    {
        google::protobuf::io::OstreamOutputStream stream(&output);
        CodedOutputStream out(&stream);
        ChakraMessage message;
        for (bool isMetadata = true; next(message); isMetadata = false)
        {
            const std::string bytes = EncodeMessage(message, isMetadata);
            out.WriteVarint32(static_cast<uint32_t>(bytes.size()));
            out.WriteString(bytes);
            message.Clear();
        }
    }
    return output.flush().good();
}

#else // without libprotobuf

bool
WriteChakraFile(const std::string& /* file */,
                const std::function<bool(ChakraMessage&)>& /* next */)
{
    return false;
}

#endif

/// @return the value of comm_type
uint64_t
GetCollectiveType(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
        return ChakraFormat::ALL_GATHER;
    case CollectiveKind::REDUCE_SCATTER:
        return ChakraFormat::REDUCE_SCATTER;
    case CollectiveKind::ALL_TO_ALL:
        return ChakraFormat::ALL_TO_ALL;
    case CollectiveKind::BROADCAST:
        return ChakraFormat::BROADCAST;
    case CollectiveKind::REDUCE:
        return ChakraFormat::REDUCE;
    default:
        return ChakraFormat::ALL_REDUCE;
    }
}

/// Writes the nodes of one rank.
class TraceEncoder
{
  public:
    TraceEncoder(const JobRanks& ranks, uint32_t rank)
        : m_layout(ranks.GetLayout()),
          m_rank(rank),
          m_operations(ranks.GetProgram(rank)->GetOperations())
    {
    }

    /// Set the next message. @return false at the end
    bool Next(ChakraMessage& message)
    {
        if (!m_hasBegun)
        {
            m_hasBegun = true;
            if (const uint32_t stage = m_layout.GetPipelineRank(m_rank); stage > 0)
            {
                AddNumber(message, ChakraFormat::OWN_STAGE, stage);
            }
            return true;
        }
        if (m_next == m_operations.size())
        {
            return false;
        }
        Encode(m_next++, message);
        return true;
    }

  private:
    static ChakraValue& Add(ChakraMessage& message, const char* name)
    {
        if (message.attributeCount == message.attributes.size())
        {
            message.attributes.emplace_back();
        }
        ChakraAttribute& attribute = message.attributes[message.attributeCount++];
        attribute.name = name;
        attribute.value = ChakraValue();
        return attribute.value;
    }

    static void AddNumber(ChakraMessage& message, const char* name, uint64_t number)
    {
        ChakraValue& value = Add(message, name);
        value.kind = ChakraValue::NUMBER;
        value.number = number;
    }

    static void AddText(ChakraMessage& message, const char* name, const std::string& text)
    {
        ChakraValue& value = Add(message, name);
        value.kind = ChakraValue::TEXT;
        value.text = text;
    }

    void Encode(uint32_t index, ChakraMessage& message)
    {
        constexpr int64_t PS_PER_US = 1'000'000;
        const RankOperation& operation = m_operations[index];
        message.id = index;
        message.name = operation.label;
        message.data.assign(operation.dependencies.begin(), operation.dependencies.end());
        if (operation.IsInOrder())
        {
            const auto [place, isFirst] = m_last.emplace(operation.stream, index);
            if (!isFirst)
            {
                message.control.push_back(place->second);
                place->second = index;
            }
        }
        if (operation.stream < RankOperation::STREAMS)
        {
            AddText(message, ChakraFormat::OWN_STREAM, ToString(operation.stream));
        }
        const auto picoseconds = static_cast<uint64_t>(operation.duration.GetPicoSeconds());
        if (operation.place != RankOperation::SCALE_OUT &&
            operation.stream != RankOperation::INSTANT)
        {
            message.durationMicros = (picoseconds + PS_PER_US / 2) / PS_PER_US;
            AddNumber(message, ChakraFormat::OWN_DURATION, picoseconds);
        }
        operation.IsCall() ? EncodeCall(operation, message) : EncodeComputation(operation, message);
    }

    static void EncodeComputation(const RankOperation& operation, ChakraMessage& message)
    {
        if (operation.stream == RankOperation::INSTANT)
        {
            message.type = ChakraFormat::METADATA_NODE;
            return;
        }
        message.type = ChakraFormat::COMP_NODE;
        AddNumber(message, "is_cpu_op", operation.place == RankOperation::HOST ? 1 : 0);
        if (operation.flops >= 1 && operation.flops < 9e18)
        {
            AddNumber(message, "num_ops", static_cast<uint64_t>(std::llround(operation.flops)));
        }
    }

    void EncodeCall(const RankOperation& operation, ChakraMessage& message)
    {
        const ProcessGroup& group = m_layout.GetGroup(m_rank, operation.role);
        AddNumber(message, "is_cpu_op", 0);
        AddNumber(message, "comm_size", operation.bytes);
        AddText(message, "pg_name", std::to_string(group.id));
        AddText(message, ChakraFormat::OWN_ROLE, m_layout.GetRoleName(operation.role));
        AddText(message, ChakraFormat::OWN_DIMENSION, ToString(operation.dimension));
        const bool isSend = operation.kind == CollectiveKind::SEND;
        if (isSend || operation.kind == CollectiveKind::RECV)
        {
            message.type = isSend ? ChakraFormat::COMM_SEND_NODE : ChakraFormat::COMM_RECV_NODE;
            const uint32_t peer = group.ranks[group.ranks[0] == m_rank ? 1 : 0];
            AddNumber(message, "comm_src", isSend ? m_rank : peer);
            AddNumber(message, "comm_dst", isSend ? peer : m_rank);
            AddNumber(message, "comm_tag", m_messages[{peer, isSend}]++);
            return;
        }
        message.type = ChakraFormat::COMM_COLL_NODE;
        AddNumber(message, "comm_type", GetCollectiveType(operation.kind));
        if (operation.kind == CollectiveKind::BROADCAST || operation.kind == CollectiveKind::REDUCE)
        {
            AddNumber(message, "root_rank", group.ranks[operation.root]);
        }
        if (operation.sizes)
        {
            Add(message, ChakraFormat::OWN_SIZES).numbers = ListSizes(*operation.sizes);
        }
    }

    const RankLayout& m_layout;
    uint32_t m_rank;
    const std::vector<RankOperation>& m_operations;
    bool m_hasBegun{false};
    uint32_t m_next{0};
    std::map<uint16_t, uint32_t> m_last;                      //!< operations, by stream
    std::map<std::pair<uint32_t, bool>, uint64_t> m_messages; //!< to and from peers so far
};

/**
 * @brief Write the files of a job.
 * @param ranks the job
 * @param prefix beginning of the names of the files
 * @param files gets the names of those that were begun
 * @return an empty string, or one line with the error
 */
std::string
WriteTraceFiles(const JobRanks& ranks, const std::string& prefix, std::vector<std::string>& files)
{
    const std::string next = prefix + "." + std::to_string(ranks.GetWorldSize()) + ".et";
    if (std::ifstream(next).good())
    {
        return next + " is there already, which a reader would take for a rank of this job";
    }
    const std::string groups = prefix + ".json";
    files.push_back(groups);
    std::ofstream names(groups);
    const char* separator = "{";
    for (const ProcessGroup& group : ranks.GetLayout().GetGroups())
    {
        names << separator << '"' << group.id << "\": " << nlohmann::json(group.ranks).dump();
        separator = ",\n ";
    }
    names << (ranks.GetLayout().GetGroups().empty() ? "{}\n" : "}\n");
    if (!names.flush())
    {
        return groups + " could not be written";
    }
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        const std::string file = prefix + "." + std::to_string(rank) + ".et";
        files.push_back(file);
        TraceEncoder encoder(ranks, rank);
        if (!WriteChakraFile(file,
                             [&encoder](ChakraMessage& message) { return encoder.Next(message); }))
        {
            return file + " could not be written";
        }
    }
    return "";
}

} // namespace

std::string
ChakraWriter::Write(const JobRanks& ranks, const std::string& prefix)
{
    std::vector<std::string> files;
    std::string error = WriteTraceFiles(ranks, prefix, files);
    for (const auto& file : error.empty() ? std::vector<std::string>() : files)
    {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(file, ignored))
        {
            std::filesystem::remove(file, ignored); // a part of a trace is none
        }
    }
    return error;
}

} // namespace ns3
