// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BENCHMARK_H
#define PHOTONIC_RAILS_BENCHMARK_H

#include "benchmark-cases.h"
#include "benchmark-report.h"

#include "ns3/flag.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Measurements of the simulator's speed and memory, each in a process of its own.
 *
 * What is compared is measured in turn, and where it is repeated, in turn in both directions, so
 * that a machine that becomes slower is unfair to nobody.
 */
class Benchmark
{
  public:
    Benchmark();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);
    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /**
     * @brief Measure all that is asked for.
     * @param program this program's file; the one that MPI starts stands beside it
     * @param table where a row goes when it has been measured
     * @return what was measured
     */
    BenchmarkReport Run(const std::string& program, std::ostream& table) const;

    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const;

  private:
    /// @return an error if a list has something wrong in it
    std::string CheckLists();
    /// @return flags and values
    std::vector<std::pair<std::string, std::string>> GetList() const;
    /// @return what a process of its own has measured
    static BenchmarkRow MeasureInChild(const BenchmarkCase& one);

    Flag m_benches{"bench", "hops,detail,contended"}; // the others take longer
    ChoiceFlag m_detail;
    CountFlag m_repeat;
    CountFlag m_hosts{"hosts", 16, 2, 288};
    BytesFlag m_bytes{"bytes", "64M", 1};
    Flag m_rate{"rate", "400Gbps"};
    TimeFlag m_delay;
    Flag m_sizes{"sizes", "64K,1M,16M"};
    CountFlag m_minGpus{"minGpus", 16, 16, 1U << 16};
    CountFlag m_maxGpus{"maxGpus", 2048, 16, 1U << 16};
    CountFlag m_treeHosts{"treeHosts", 128, 2, 1U << 16};
    NumberFlag m_load{"load", "0.8", 0.01, 1};
    BytesFlag m_messageBytes{"messageBytes", "1M", 1};
    CountFlag m_messages{"messages", 16, 1};
    Flag m_job{"job", ""};
    CountFlag m_maxRanks{"maxRanks", 4096, 16, 1U << 16};
    TimeFlag m_messageTime;
    CountFlag m_processes{"processes", 2, 1, 1024};
    Flag m_mpirun{"mpirun", "mpirun"};
    Flag m_json{"json", ""};

    // what Check has made of them
    std::vector<std::string> m_chosen; //!< benchmarks
    BenchmarkSettings m_made;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BENCHMARK_H
