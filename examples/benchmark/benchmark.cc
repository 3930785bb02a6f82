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

/// @return what stands between separators, without what is empty
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

Benchmark::Benchmark()
    : m_detail("detail", "", {"both", "burst", "packet"}),
      m_repeat(CountFlag::Optional("repeat", 1)),
      m_delay("delay", "500ns", 1e-3, "a time from 0s to 1ms such as 500ns"),
      m_messageTime("messageTime", "10us", 1, "a time from 0s to 1s such as 10us")
{
}

void
Benchmark::AddFlags(CommandLine& cmd)
{
    m_benches.AddTo(cmd,
                    "what is measured: all, or some of " +
                        FlagParser::List(BenchmarkCases::GetNames()) + ", separated by commas");
    m_detail.AddTo(cmd, "of NICs: " + m_detail.GetChoices() + "; if not given, as it suits");
    m_repeat.AddTo(cmd, "how often; if not given, hops and scheduler 3, contended 5, others 1");
    m_hosts.AddTo(cmd, "hops: hosts on the ring, 2 to 288");
    m_bytes.AddTo(cmd, "hops: bytes of each message");
    m_rate.AddTo(cmd, "hops: line rate of a port");
    m_delay.AddTo(cmd, "hops: propagation delay of a link");
    m_sizes.AddTo(cmd, "detail: bytes of collectives, separated by commas");
    m_minGpus.AddTo(cmd, "scale: GPUs of the smallest job; each has twice those of the one before");
    m_maxGpus.AddTo(cmd, "scale: GPUs of the largest job at most");
    m_treeHosts.AddTo(cmd, "contended: hosts on the fat-tree");
    m_load.AddTo(cmd, "contended: of the rate of a NIC, above 0 to 1");
    m_messageBytes.AddTo(cmd, "contended: bytes of a message");
    m_messages.AddTo(cmd, "contended: messages of a host");
    m_job.AddTo(cmd, "flags of photonic-rails-training for all jobs, separated by blanks");
    m_maxRanks.AddTo(cmd, "control: ranks of all groups at most");
    m_messageTime.AddTo(cmd, "control: time that a controller takes for a message");
    m_processes.AddTo(cmd, "mpi: processes");
    m_mpirun.AddTo(cmd, "mpi: command that starts them");
    m_json.AddTo(cmd, "write all to this file");
}

std::string
Benchmark::Check()
{
    for (auto* count : {&m_repeat,
                        &m_hosts,
                        &m_minGpus,
                        &m_maxGpus,
                        &m_treeHosts,
                        &m_messages,
                        &m_maxRanks,
                        &m_processes})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    const auto rate = FlagParser::ParseRate(m_rate.GetText());
    const std::string rateError =
        rate ? "" : RefuseFlag("rate", m_rate.GetText(), FlagParser::RATE_FORM);
    for (const auto& error : {m_detail.Check(),
                              m_bytes.Check(),
                              rateError,
                              m_delay.Check(),
                              m_load.Check(),
                              m_messageTime.Check(),
                              m_messageBytes.Check()})
    {
        if (!error.empty())
        {
            return error;
        }
    }
    m_made.ring = RingBenchmark{m_hosts.Get(), m_bytes.Get(), *rate, m_delay.Get()};
    if (auto error = CheckLists(); !error.empty())
    {
        return error;
    }
    m_made.detail = m_detail.GetText();
    m_made.minGpus = m_minGpus.Get();
    m_made.maxGpus = m_maxGpus.Get();
    m_made.load = {m_treeHosts.Get(), m_load.Get(), m_messageBytes.Get(), m_messages.Get()};
    m_made.job = SplitWords(m_job.GetText(), ' ');
    m_made.maxRanks = m_maxRanks.Get();
    m_made.messageTime = m_messageTime.Get();
    m_made.processes = m_processes.Get();
    m_made.mpirun = m_mpirun.GetText();
    return CheckWritable(m_json);
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
        return RefuseFlag("bench",
                          m_benches.GetText(),
                          "all, or some of " + FlagParser::List(all) + ", each once");
    }
    m_made.sizes.clear();
    for (const auto& size : SplitWords(m_sizes.GetText(), ','))
    {
        m_made.sizes.push_back(FlagParser::ParseBytes(size).value_or(0));
        if (m_made.sizes.back() < 1024)
        {
            return RefuseFlag("sizes", m_sizes.GetText(), "sizes of at least 1K such as 64K,1M");
        }
    }
    return "";
}

std::vector<std::pair<std::string, std::string>>
Benchmark::GetList() const
{
    std::vector<std::pair<std::string, std::string>> list;
    for (const Flag* flag : std::vector<const Flag*>{&m_benches,
                                                     &m_detail,
                                                     &m_repeat,
                                                     &m_hosts,
                                                     &m_bytes,
                                                     &m_rate,
                                                     &m_delay,
                                                     &m_sizes,
                                                     &m_minGpus,
                                                     &m_maxGpus,
                                                     &m_treeHosts,
                                                     &m_load,
                                                     &m_messageBytes,
                                                     &m_messages,
                                                     &m_job,
                                                     &m_maxRanks,
                                                     &m_messageTime,
                                                     &m_processes,
                                                     &m_mpirun})
    {
        list.emplace_back(flag->GetName(), flag->GetText());
    }
    return list;
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
        repeat = m_repeat.IsGiven() ? m_repeat.Get() : repeat;
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
