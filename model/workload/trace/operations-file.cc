// SPDX-License-Identifier: GPL-2.0-only

#include "operations-file.h"

#include "ns3/csv-row.h"
#include "ns3/json-reader.h"
#include "ns3/output-file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* FIRST_COLUMNS = "rank,group,root,sizes,";

/// @return numbers of a list between blanks, or nothing if it is none
std::optional<std::vector<uint64_t>>
ParseList(const std::string& text, uint64_t most)
{
    std::vector<uint64_t> numbers;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        const bool isNumber =
            word.size() < 19 && std::all_of(word.begin(), word.end(), [](char digit) {
                return digit >= '0' && digit <= '9';
            });
        if (!isNumber || std::stoull(word) > most)
        {
            return std::nullopt;
        }
        numbers.push_back(std::stoull(word));
    }
    return numbers;
}

/// @return the ranks of a group, or sizes, between blanks
template <typename T>
std::string
JoinNumbers(const std::vector<T>& numbers)
{
    std::ostringstream text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
    {
        text << (i > 0 ? " " : "") << numbers[i];
    }
    return text.str();
}

/// Makes a node of a row.
class RowReader
{
  public:
    RowReader(TraceBuilder& builder, const std::map<std::string, std::string>& row)
        : m_builder(builder),
          m_row(row)
    {
    }

    /// @param messages numbers of messages to and from each peer so far
    void Read(std::map<std::pair<uint32_t, bool>, uint64_t>& messages)
    {
        const auto index = ParseList(m_row.at("index"), UINT32_MAX);
        TraceNode& node =
            m_builder.BeginNode(index && !index->empty() ? index->front() : 0, m_row.at("label"));
        Require(index && index->size() == 1, "index must be a number");
        const auto dependencies = ParseList(m_row.at("dependencies"), UINT32_MAX);
        Require(dependencies.has_value(), "dependencies must be numbers between blanks");
        m_builder.AddDependencies(*dependencies);
        const std::string& place = m_row.at("place");
        const bool isCall = place == "scale-up" || place == "scale-out";
        Require(isCall || place == "gpu" || place == "host",
                "place must be gpu, host, scale-up or scale-out");
        node.kind = place == "host" ? TraceNode::HOST : TraceNode::GPU;
        ReadTimes(node, place);
        if (isCall)
        {
            ReadCall(node, messages);
        }
        const std::string& stream = m_row.at("stream");
        if (stream == ToString(RankOperation::INSTANT))
        {
            node.kind = TraceNode::INSTANT;
        }
        else if (stream != ToString(RankOperation::GPU_QUEUE) &&
                 stream != ToString(RankOperation::HOST_QUEUE) && stream.rfind("calls ", 0) != 0)
        {
            m_builder.SetStream(stream);
        }
        m_builder.SetDimension(m_row.at("dimension"));
        m_builder.EndNode();
    }

  private:
    void Require(bool holds, const std::string& what) const
    {
        if (!holds)
        {
            m_builder.Refuse(what);
        }
    }

    void ReadTimes(TraceNode& node, const std::string& place)
    {
        const auto read = [this](const char* column, double most) {
            const std::string& text = m_row.at(column);
            char* end = nullptr;
            const double number = text.empty() ? 0 : std::strtod(text.c_str(), &end);
            Require(text.empty() || (*end == '\0' && number >= 0 && number <= most),
                    std::string(column) + " must be a number that is not negative");
            return number;
        };
        node.flops = read("flops", 1e30);
        const double seconds = read("duration_s", 1e6);
        if (place != "scale-out")
        {
            node.picoseconds = std::llround(seconds * 1e12);
        }
    }

    void ReadCall(TraceNode& node, std::map<std::pair<uint32_t, bool>, uint64_t>& messages)
    {
        TraceGroups& groups = m_builder.GetGroups();
        const uint32_t rank = m_builder.GetRank();
        const auto members = ParseList(m_row.at("group"), groups.GetWorldSize() - 1);
        const auto bytes = ParseWholeNumber(m_row.at("bytes"), TraceBuilder::MAX_BYTES);
        Require(bytes.has_value(),
                "bytes must be a whole number from 0 to " +
                    std::to_string(TraceBuilder::MAX_BYTES));
        node.bytes = *bytes;
        const std::vector<uint32_t> ranks =
            members ? std::vector<uint32_t>(members->begin(), members->end())
                    : std::vector<uint32_t>();
        Require(std::count(ranks.begin(), ranks.end(), rank) == 1 &&
                    TraceGroups::AreDistinct(ranks),
                "group must be ranks of the file between blanks, each once, with this one");
        node.collective = FindKind();
        const bool isSend = node.collective == CollectiveKind::SEND;
        if (isSend || node.collective == CollectiveKind::RECV)
        {
            Require(ranks.size() == 2, "messages are between two ranks");
            node.kind = isSend ? TraceNode::SEND : TraceNode::RECV;
            const uint32_t peer = ranks[0] == rank ? ranks[1] : ranks[0];
            m_builder.SetTag(messages[{peer, isSend}]++);
        }
        else
        {
            node.kind = TraceNode::COLLECTIVE;
            const auto root = ParseList(m_row.at("root"), ranks.size() - 1);
            Require(root && root->size() < 2, "root must be an index in the group");
            node.root = root->empty() ? 0 : static_cast<uint32_t>(root->front());
        }
        m_builder.SetGroup(m_row.at("role"), groups.Add(ranks));
        if (const std::string& sizes = m_row.at("sizes"); !sizes.empty())
        {
            m_builder.SetSizes(
                ParseList(sizes, TraceBuilder::MAX_BYTES).value_or(std::vector<uint64_t>()));
        }
    }

    CollectiveKind FindKind() const
    {
        for (uint8_t i = 0; i <= static_cast<uint8_t>(CollectiveKind::RECV); ++i)
        {
            if (m_row.at("kind") == ToString(static_cast<CollectiveKind>(i)))
            {
                return static_cast<CollectiveKind>(i);
            }
        }
        m_builder.Refuse("there is no such kind of collective");
    }

    TraceBuilder& m_builder;
    const std::map<std::string, std::string>& m_row;
};

} // namespace

bool
OperationsFile::IsName(const std::string& name)
{
    return HasEnding(name, ".csv");
}

std::string
OperationsFile::QuoteColumns(const std::vector<std::string>& columns)
{
    constexpr std::size_t MOST = 100;
    std::string text;
    for (const std::string& column : columns)
    {
        text += (text.empty() ? "" : ",") + column;
    }
    return '"' + JsonText::QuoteKey(text.substr(0, MOST)) + (text.size() > MOST ? "...\"" : "\"");
}

std::string
OperationsFile::Describe(const std::string& file, uint32_t rank)
{
    return file + ": rank " + std::to_string(rank);
}

void
OperationsFile::Write(const JobRanks& ranks, std::ostream& out)
{
    const RankLayout& layout = ranks.GetLayout();
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        const RankProgram& program = *ranks.GetProgram(rank);
        std::stringstream rows;
        RankProgramCsv::Write(program, layout, rank, rows);
        std::vector<std::string> fields;
        CsvPlace place;
        ReadCsvRow(rows, fields, place);
        if (rank == 0)
        {
            out << FIRST_COLUMNS;
            std::copy(fields.begin(),
                      fields.end() - 1,
                      std::ostream_iterator<std::string>(out, ","));
            out << fields.back() << '\n';
        }
        for (const RankOperation& operation : program.GetOperations())
        {
            ReadCsvRow(rows, fields, place);
            out << rank << ',';
            if (operation.IsCall())
            {
                const ProcessGroup& group = layout.GetGroup(rank, operation.role);
                const bool hasRoot = operation.kind == CollectiveKind::BROADCAST ||
                                     operation.kind == CollectiveKind::REDUCE;
                out << JoinNumbers(group.ranks) << ','
                    << (hasRoot ? std::to_string(operation.root) : "") << ',';
                out << JoinNumbers(operation.sizes ? ListSizes(*operation.sizes)
                                                   : std::vector<uint64_t>());
            }
            else
            {
                out << ",,";
            }
            for (const std::string& field : fields)
            {
                out << ',' << RankProgramCsv::Quote(field);
            }
            out << '\n';
        }
    }
}

OperationsFile::OperationsFile(const std::string& file)
    : m_file(file)
{
}

void
OperationsFile::ReadRows(const std::function<void(const Row&)>& visit) const
{
    std::ifstream in(m_file, std::ios::binary);
    std::vector<std::string> columns;
    CsvPlace place;
    if (!in || !ReadCsvRow(in, columns, place))
    {
        throw TraceError(m_file + ": the file cannot be read, or is empty");
    }
    const std::string found = QuoteColumns(columns);
    std::transform(columns.begin(), columns.end(), columns.begin(), TrimField);
    Row row;
    for (const char* name : {"rank",
                             "group",
                             "root",
                             "sizes",
                             "index",
                             "stream",
                             "place",
                             "dimension",
                             "role",
                             "kind",
                             "bytes",
                             "flops",
                             "duration_s",
                             "label",
                             "dependencies"})
    {
        if (std::count(columns.begin(), columns.end(), name) != 1)
        {
            throw TraceError(m_file + ": line 1 is " + found + ": there must be one column " +
                             name + ", as --operationsRank=all writes it; a table of messages " +
                             "has time_s, source, destination and bytes");
        }
    }
    std::vector<std::string> fields;
    while (ReadCsvRow(in, fields, place))
    {
        if (fields.size() != columns.size())
        {
            throw TraceError(m_file + ": line " + std::to_string(place.line) + " has " +
                             std::to_string(fields.size()) + " fields, not " +
                             std::to_string(columns.size()));
        }
        for (std::size_t i = 0; i < columns.size(); ++i)
        {
            row[columns[i]] = columns[i] == "label" ? fields[i] : TrimField(fields[i]);
        }
        visit(row);
    }
    if (!place.error.empty())
    {
        throw TraceError(m_file + ": " + place.error);
    }
}

uint32_t
OperationsFile::CountRanks() const
{
    constexpr uint64_t MOST = 1U << 20;
    uint64_t ranks = 0;
    ReadRows([this, &ranks](const Row& row) {
        const auto rank = ParseList(row.at("rank"), MOST);
        if (!rank || rank->size() != 1 || rank->front() > ranks || rank->front() + 1 < ranks)
        {
            throw TraceError(m_file + ": rank \"" + JsonText::QuoteKey(row.at("rank")) +
                             "\" must be the rank of the row before, or the next one");
        }
        ranks = rank->front() + 1;
    });
    if (ranks == 0)
    {
        throw TraceError(m_file + ": there is no operation");
    }
    return static_cast<uint32_t>(ranks);
}

void
OperationsFile::Read(TraceGroups& groups,
                     const std::function<void(TraceRank&&, TraceGraph&&)>& take) const
{
    TraceBuilder builder(groups);
    TraceRank trace;
    std::map<std::pair<uint32_t, bool>, uint64_t> messages;
    std::string rank = "0";
    builder.Begin(Describe(m_file, 0), 0, trace, true);
    const auto finish = [&] {
        TraceGraph graph = builder.Finish(); // sets members of the rank
        take(std::move(trace), std::move(graph));
        trace = TraceRank();
        messages.clear();
    };
    ReadRows([&](const Row& row) {
        if (row.at("rank") != rank)
        {
            finish();
            rank = row.at("rank");
            const auto number = static_cast<uint32_t>(std::stoul(rank));
            builder.Begin(Describe(m_file, number), number, trace, true);
        }
        RowReader(builder, row).Read(messages);
    });
    finish();
}

} // namespace ns3
