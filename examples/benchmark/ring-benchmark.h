// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RING_BENCHMARK_H
#define PHOTONIC_RAILS_RING_BENCHMARK_H

#include "benchmark-row.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief How fast data moves: a ring of hosts, each sending one message to the next.
 *
 * On circuits, and through an electrical rail (lossless: PFC and ECN are on) without and with
 * DCQCN; beside them ns-3's PointToPointNetDevice moves as many packets, without any headers.
 */
struct RingBenchmark
{
    uint32_t hosts{16};
    uint64_t bytes{64 << 20}; //!< of each message
    DataRate rate{"400Gbps"};
    Time linkDelay{NanoSeconds(500)};
    uint32_t mtu{4096};

    /// @return the names of the measurements
    static std::vector<std::string> GetNames();

    /**
     * @brief Measure in a simulation of its own.
     * @param row has a name of GetNames(); gets the results
     */
    void Measure(BenchmarkRow& row) const;

  private:
    /// Measure RDMA NICs.
    void MeasureRails(BenchmarkRow& row) const;
    /// Measure PointToPointNetDevices.
    void MeasurePointToPoint(BenchmarkRow& row) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RING_BENCHMARK_H
