// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BENCHMARK_CASES_H
#define PHOTONIC_RAILS_BENCHMARK_CASES_H

#include "benchmark-traffic.h"
#include "ring-benchmark.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// Parameters of the benchmarks.
struct BenchmarkSettings
{
    std::string fidelity;         //!< "both", "burst" or "packet"; empty: as it suits
    RingBenchmark ring;           //!< of hops
    std::vector<uint64_t> sizes;  //!< bytes of the collectives of detail
    uint32_t minGpus{16};         //!< of the smallest job of scale
    uint32_t maxGpus{2048};       //!< of its largest at most
    BenchmarkTraffic::Load load;  //!< of contended
    BenchmarkTraffic::Flags job;  //!< more flags of all jobs
    uint32_t maxRanks{4096};      //!< of control
    Time messageTime;             //!< of a controller of control
    uint32_t processes{2};        //!< of mpi at most
    std::string mpirun{"mpirun"}; //!< what starts them
    std::string program;          //!< file of this program; the one to start is beside it
};

/// One measurement: its row, and the function that makes it.
struct BenchmarkCase
{
    BenchmarkRow row;
    std::function<void(BenchmarkRow&)> measure;
};

/// The measurements of each benchmark.
class BenchmarkCases
{
  public:
    /// @param settings parameters of the benchmarks
    explicit BenchmarkCases(BenchmarkSettings settings);

    /// @return the names of all benchmarks
    static std::vector<std::string> GetNames();

    /**
     * @param bench one of GetNames()
     * @return its measurements, which must not outlive this object; those to be compared are next
     * to each other
     */
    std::vector<BenchmarkCase> Make(const std::string& bench) const;

  private:
    using Flags = BenchmarkTraffic::Flags;
    using ControlLoad = BenchmarkTraffic::ControlLoad;
    using Cases = std::vector<BenchmarkCase>;

    Cases MakeHops() const;
    Cases MakeFidelity() const;
    Cases MakeScale() const;
    Cases MakeFabrics() const;
    Cases MakeContended() const;
    Cases MakeScheduler() const;
    Cases MakeMpi() const;
    Cases MakeControl() const;

    /// @return the details that are asked for, or those that the benchmark has by itself
    Flags GetFidelities(const Flags& own) const;
    /// Add a job in each detail.
    void AddJob(Cases& cases, const std::string& name, Flags flags, const Flags& fidelities) const;
    /// Add collectives of all sizes in each detail.
    void AddCollectives(Cases& cases,
                        const std::string& collective,
                        const std::string& fabric) const;
    /// Add groups whose ranks all ask for circuits at once, unless they are too many.
    void AddControl(Cases& cases,
                    const std::string& name,
                    uint32_t groups,
                    uint32_t ranks,
                    const ControlLoad& load) const;
    /// @return a permutation on a fat-tree
    BenchmarkCase MakePermutation(const std::string& fidelity) const;

    BenchmarkSettings m_settings;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BENCHMARK_CASES_H
