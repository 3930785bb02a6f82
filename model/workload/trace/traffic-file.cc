// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-file.h"

#include "operations-file.h"

#include "ns3/csv-row.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

namespace ns3
{

namespace
{

const std::vector<std::string> TRAFFIC_COLUMNS{"time_s", "source", "destination", "bytes"};

constexpr std::size_t MAX_LINE_BYTES = 4096;
constexpr uint32_t MAX_RANK = (1U << 20) - 1;
constexpr double MAX_SECONDS = 1e6;

/// @return a number that is not negative and at most `most`, or nothing
std::optional<double>
ParseNumber(const std::string& text, double most)
{
    char* end = nullptr;
    const bool begins = !text.empty() && text[0] != '-' && text[0] != '+' &&
                        text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    const double number = begins ? std::strtod(text.c_str(), &end) : -1;
    return begins && *end == '\0' && number >= 0 && number <= most ? std::make_optional(number)
                                                                   : std::nullopt;
}

} // namespace

bool
TrafficFile::IsTraffic(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::vector<std::string> columns;
    CsvPlace place;
    return ReadCsvRow(in, columns, place, MAX_LINE_BYTES) &&
           std::any_of(columns.begin(), columns.end(), [](const std::string& column) {
               const std::string name = TrimField(column);
               return name == "time_s" || name == "source" || name == "destination";
           });
}

TrafficFile::TrafficFile(const std::string& file)
    : m_file(file)
{
    std::ifstream in(file, std::ios::binary);
    std::vector<std::string> fields;
    CsvPlace place;
    ReadCsvRow(in, fields, place, MAX_LINE_BYTES);
    const std::string found = OperationsFile::QuoteColumns(fields);
    std::transform(fields.begin(), fields.end(), fields.begin(), TrimField);
    for (const std::string& column : TRAFFIC_COLUMNS)
    {
        const auto place = std::find(fields.begin(), fields.end(), column);
        if (fields.size() != TRAFFIC_COLUMNS.size() || place == fields.end())
        {
            throw TraceError(file + ": line 1 is " + found +
                             ": the columns must be time_s, source, destination and bytes");
        }
        m_places.push_back(static_cast<std::size_t>(place - fields.begin()));
    }
    while (ReadCsvRow(in, fields, place, MAX_LINE_BYTES))
    {
        std::transform(fields.begin(), fields.end(), fields.begin(), TrimField);
        Add(fields, place.line);
    }
    if (!place.error.empty() || m_messages.empty())
    {
        throw TraceError(file + ": " +
                         (place.error.empty()
                              ? "there is no message that sends bytes to another rank"
                              : place.error));
    }
    std::stable_sort(m_messages.begin(), m_messages.end(), [](const auto& a, const auto& b) {
        return a.picoseconds < b.picoseconds;
    });
}

void
TrafficFile::Add(const std::vector<std::string>& fields, uint64_t number)
{
    const auto refuse = [&](const std::string& reason) {
        throw TraceError(m_file + ": line " + std::to_string(number) + ": " + reason);
    };
    if (fields.size() != TRAFFIC_COLUMNS.size())
    {
        refuse("there must be " + std::to_string(TRAFFIC_COLUMNS.size()) + " fields");
    }
    const auto time = ParseNumber(fields[m_places[0]], MAX_SECONDS);
    const auto source = ParseWholeNumber(fields[m_places[1]], MAX_RANK);
    const auto destination = ParseWholeNumber(fields[m_places[2]], MAX_RANK);
    const auto bytes = ParseWholeNumber(fields[m_places[3]], TraceBuilder::MAX_BYTES);
    if (!time)
    {
        refuse("time_s must be a number from 0 to 1000000");
    }
    if (!source || !destination)
    {
        refuse("source and destination must be ranks from 0 to " + std::to_string(MAX_RANK));
    }
    if (!bytes)
    {
        refuse("bytes must be a whole number from 0 to " + std::to_string(TraceBuilder::MAX_BYTES));
    }
    m_last =
        std::max({m_last, static_cast<uint32_t>(*source), static_cast<uint32_t>(*destination)});
    if (*source == *destination || *bytes == 0)
    {
        ++m_empty;
        return;
    }
    if (m_messages.size() == TraceBuilder::MAX_NODES)
    {
        refuse("there may be " + std::to_string(TraceBuilder::MAX_NODES) + " messages");
    }
    m_messages.push_back({std::llround(*time * 1e12),
                          static_cast<uint32_t>(*source),
                          static_cast<uint32_t>(*destination),
                          *bytes});
}

std::string
TrafficFile::GetRemark() const
{
    return m_empty == 0 ? ""
                        : m_file + ": " + std::to_string(m_empty) +
                              " messages to the sender itself or of 0 bytes send nothing";
}

uint32_t
TrafficFile::CountRanks(uint32_t gpusPerDomain) const
{
    return (m_last / gpusPerDomain + 1) * gpusPerDomain;
}

void
TrafficFile::Read(TraceGroups& groups,
                  const std::function<void(TraceRank&&, TraceGraph&&)>& take) const
{
    std::vector<std::vector<uint32_t>> ofRank(groups.GetWorldSize()); // messages, by rank
    for (uint32_t i = 0; i < m_messages.size(); ++i)
    {
        ofRank[m_messages[i].source].push_back(i);
        ofRank[m_messages[i].destination].push_back(i);
    }
    TraceBuilder builder(groups);
    for (uint32_t rank = 0; rank < ofRank.size(); ++rank)
    {
        TraceRank trace;
        builder.Begin(m_file, rank, trace);
        uint64_t id = 0;
        std::optional<uint64_t> clock; // id of the last moment
        int64_t now = 0;
        std::map<std::pair<uint32_t, bool>, uint64_t> counts; // messages by peer and direction
        for (const uint32_t i : ofRank[rank])
        {
            const Message& message = m_messages[i];
            const bool isSend = message.source == rank;
            const uint32_t peer = isSend ? message.destination : message.source;
            if (isSend && (!clock || message.picoseconds > now))
            {
                TraceNode& moment = builder.BeginNode(id, "clock");
                moment.kind = TraceNode::HOST;
                moment.picoseconds = message.picoseconds - now;
                builder.AddDependencies(clock ? std::vector<uint64_t>{*clock}
                                              : std::vector<uint64_t>{});
                builder.EndNode();
                clock = id++;
                now = message.picoseconds;
            }
            const uint64_t count = counts[{peer, isSend}]++;
            TraceNode& node = builder.BeginNode(id++, "message " + std::to_string(i));
            node.kind = isSend ? TraceNode::SEND : TraceNode::RECV;
            node.collective = isSend ? CollectiveKind::SEND : CollectiveKind::RECV;
            node.dimension = Dimension::OTHER;
            node.bytes = message.bytes;
            if (isSend)
            {
                builder.AddDependencies({*clock});
            }
            builder.SetTag(count);
            builder.SetGroup("", groups.Add({std::min(rank, peer), std::max(rank, peer)}));
            builder.EndNode();
        }
        TraceGraph graph = builder.Finish(); // sets members of the rank
        take(std::move(trace), std::move(graph));
    }
}

} // namespace ns3
