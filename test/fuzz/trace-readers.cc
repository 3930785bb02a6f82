// SPDX-License-Identifier: GPL-2.0-only

#include "fuzz-reader.h"

#include "ns3/trace-job.h"

#include <algorithm>

namespace ns3
{
namespace fuzz
{

namespace
{

/// Read a job from files that have been written. @param prefix of the files
void
ReadJob(const std::string& prefix)
{
    TraceSource source;
    source.gpu = *GpuSpec::Find("a100");
    source.prefix = prefix;
    try
    {
        const JobRanks ranks = TraceJob::Read(source);
        for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
        {
            const RankBinding binding = ranks.Bind(rank);
            for (const RankOperation& operation : ranks.GetProgram(rank)->GetOperations())
            {
                if (operation.IsCall())
                {
                    binding.Bind(operation);
                }
            }
        }
    }
    catch (const TraceError& error)
    {
        RequireLine(error.what());
    }
}

/// Traces of two ranks and a file of groups: the lengths of the first two (2 bytes each), then the
/// three files.
void
ReadTraces(const std::string& bytes)
{
    if (bytes.size() < 4)
    {
        return;
    }
    const auto length = [&bytes](std::size_t at) {
        return static_cast<uint8_t>(bytes[at]) + 256U * static_cast<uint8_t>(bytes[at + 1]);
    };
    std::size_t begin = 4;
    const auto take = [&bytes, &begin](std::size_t size) {
        const std::string part = bytes.substr(std::min(begin, bytes.size()), size);
        begin += size;
        return part;
    };
    WriteInput("t.0.et", take(length(0)));
    WriteInput("t.1.et", take(length(2)));
    const std::string groups = WriteInput("t.json", take(std::string::npos - begin));
    ReadJob(groups.substr(0, groups.size() - std::string(".json").size()));
}

/// A table of operations, or of traffic, as its first line says.
void
ReadTable(const std::string& text)
{
    ReadJob(WriteInput("t.csv", text));
}

} // namespace

std::vector<Reader>
GetTraceReaders()
{
    return {{"traces", ReadTraces}, {"operations", ReadTable}, {"traffic", ReadTable}};
}

} // namespace fuzz
} // namespace ns3
