// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BENCHMARK_H
#define PHOTONIC_RAILS_BENCHMARK_H

#include "benchmark-cases.h"
#include "benchmark-report.h"

#include "ns3/flag-parser.h"
#include "ns3/option-group.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Measurements of the simulator's speed and memory, each in a process of its own.
 *
 * Measurements to be compared take turns; repetitions take turns in both directions, so that a
 * machine that becomes slower affects all alike.
 */
class Benchmark : public OptionGroup
{
  public:
    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /**
     * @brief Make all chosen measurements.
     * @param program this program's file; the one that MPI starts is in the same folder
     * @param table gets each row as soon as it has been measured
     * @return the measurements
     */
    BenchmarkReport Run(const std::string& program, std::ostream& table) const;

    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const;

  private:
    /// @return an error if a list has something wrong in it
    std::string CheckLists();
    /// @return a row that was measured in a process of its own
    static BenchmarkRow MeasureInChild(const BenchmarkCase& one);

    TextOption m_benches{this,
                         "bench",
                         "hops,fidelity,contended", // the others take longer
                         "what is measured: all, or some of " +
                             FlagParser::List(BenchmarkCases::GetNames()) +
                             ", separated by commas"};
    ChoiceOption m_fidelity{this,
                            "fidelity",
                            "",
                            {"both", "burst", "packet"},
                            "of NICs: {}; if not given, as it suits"};
    CountOption m_repeat{this,
                         "repeat",
                         "",
                         {1},
                         "how often; if not given, hops and scheduler 3, contended 5, others 1"};
    CountOption m_hosts{this, "hosts", 16, {2, 288}, "hops: hosts on the ring, 2 to 288"};
    BytesOption m_bytes{this, "bytes", "64M", {1}, "hops: bytes of each message"};
    RateOption m_rate{this, "rate", "400Gbps", {}, "hops: line rate of a port"};
    TimeOption m_delay{this,
                       "delay",
                       "500ns",
                       {"0s", "1ms", "500ns"},
                       "hops: propagation delay of a link"};
    TextOption m_sizes{this,
                       "sizes",
                       "64K,1M,16M",
                       "detail: bytes of collectives, separated by commas"};
    CountOption m_minGpus{
        this,
        "minGpus",
        16,
        {16, 1U << 16},
        "scale: GPUs of the smallest job; each has twice those of the one before"};
    CountOption m_maxGpus{this,
                          "maxGpus",
                          2048,
                          {16, 1U << 16},
                          "scale: GPUs of the largest job at most"};
    CountOption m_treeHosts{this,
                            "treeHosts",
                            128,
                            {2, 1U << 16},
                            "contended: hosts on the fat-tree"};
    NumberOption m_load{this,
                        "load",
                        "0.8",
                        {0.01, 1},
                        "contended: of the rate of a NIC, above 0 to 1"};
    BytesOption m_messageBytes{this, "messageBytes", "1M", {1}, "contended: bytes of a message"};
    CountOption m_messages{this, "messages", 16, {1}, "contended: messages of a host"};
    TextOption m_job{this,
                     "job",
                     "",
                     "flags of photonic-rails-training for all jobs, separated by blanks"};
    CountOption m_maxRanks{this,
                           "maxRanks",
                           4096,
                           {16, 1U << 16},
                           "control: ranks of all groups at most"};
    TimeOption m_messageTime{this,
                             "messageTime",
                             "10us",
                             {"0s", "1s", "10us"},
                             "control: time that a controller takes for a message"};
    CountOption m_processes{this, "processes", 2, {1, 1024}, "mpi: processes"};
    TextOption m_mpirun{this, "mpirun", "mpirun", "mpi: command that starts them"};
    FileOption m_json{this, "json", "write all to this file"};

    // set by Check
    std::vector<std::string> m_chosen; //!< benchmarks
    BenchmarkSettings m_made;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BENCHMARK_H
