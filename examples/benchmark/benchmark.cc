// SPDX-License-Identifier: GPL-2.0-only

#include "benchmark.h"

#include "ns3/child-process.h"
#include "ns3/flag-parser.h"
#include "ns3/run-summary.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

/// @return the non-empty parts of a text between separators
std::vector<std::string>
SplitWords(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
    {
        if (!part.empty())
        {
            parts.push_back(part);
        }
    }
    return parts;
}

/// How often a measurement is repeated unless a flag says so; otherwise once.
const std::map<std::string, uint32_t> REPETITIONS = {{"hops", 3},
                                                     {"contended", 5},
                                                     {"scheduler", 3}};

} // namespace

std::string
Benchmark::Check()
{
    if (auto error = CheckOptions(); !error.empty())
    {
        return error;
    }
    m_made.ring = RingBenchmark{m_hosts.Get(), m_bytes.Get(), m_rate.Get(), m_delay.Get()};
    if (auto error = CheckLists(); !error.empty())
    {
        return error;
    }
    m_made.fidelity = m_fidelity.GetText();
    m_made.minGpus = m_minGpus.Get();
    m_made.maxGpus = m_maxGpus.Get();
    m_made.load = {m_treeHosts.Get(), m_load.Get(), m_messageBytes.Get(), m_messages.Get()};
    m_made.job = SplitWords(m_job.GetText(), ' ');
    m_made.maxRanks = m_maxRanks.Get();
    m_made.messageTime = m_messageTime.Get();
    m_made.processes = m_processes.Get();
    m_made.mpirun = m_mpirun.GetText();
    return CheckFiles();
}

std::string
Benchmark::CheckLists()
{
    const auto all = BenchmarkCases::GetNames();
    m_chosen = m_benches.GetText() == "all" ? all : SplitWords(m_benches.GetText(), ',');
    for (const auto& name : m_chosen)
    {
        if (std::find(all.begin(), all.end(), name) == all.end() ||
            std::count(m_chosen.begin(), m_chosen.end(), name) > 1)
        {
            m_chosen.clear();
            break;
        }
    }
    if (m_chosen.empty())
    {
        return m_benches.Refuse("all, or some of " + FlagParser::List(all) + ", each once");
    }
    m_made.sizes.clear();
    for (const auto& size : SplitWords(m_sizes.GetText(), ','))
    {
        m_made.sizes.push_back(FlagParser::ParseBytes(size).value_or(0));
        if (m_made.sizes.back() < 1024)
        {
            return m_sizes.Refuse("sizes of at least 1K such as 64K,1M");
        }
    }
    return "";
}

BenchmarkRow
Benchmark::MeasureInChild(const BenchmarkCase& one)
{
    const auto result = RunInChild([&one] {
        const auto begin = std::chrono::steady_clock::now();
        BenchmarkRow row = one.row;
        one.measure(row);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        row.wallSeconds = row.wallSeconds > 0 ? row.wallSeconds : elapsed.count();
        row.peakRssBytes = row.peakRssBytes > 0 ? row.peakRssBytes : GetPeakRss();
        return row.ToJson();
    });
    const auto row = result ? BenchmarkRow::FromJson(*result) : std::nullopt;
    BenchmarkRow failed = one.row;
    failed.reason = "its process ended without a result";
    return row.value_or(failed);
}

BenchmarkReport
Benchmark::Run(const std::string& program, std::ostream& table) const
{
    BenchmarkSettings settings = m_made;
    settings.program = program;
    const BenchmarkCases all(settings);
    BenchmarkReport report;
    report.settings = GetList();
    BenchmarkReport::WriteHeader(table);
    for (const auto& bench : m_chosen)
    {
        const auto usual = REPETITIONS.find(bench);
        uint32_t repeat = usual == REPETITIONS.end() ? 1 : usual->second;
        repeat = m_repeat.IsSet() ? m_repeat.Get() : repeat;
        auto cases = all.Make(bench);
        for (uint32_t repetition = 0; repetition < repeat; ++repetition)
        {
            for (auto& one : cases)
            {
                one.row.repetition = repetition;
                report.rows.push_back(MeasureInChild(one));
                BenchmarkReport::WriteRow(table, report.rows.back());
            }
            std::reverse(cases.begin(), cases.end());
        }
    }
    return report;
}

const std::string&
Benchmark::GetJsonFile() const
{
    return m_json.GetText();
}

} // namespace ns3
