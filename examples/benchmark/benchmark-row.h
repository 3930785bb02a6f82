// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BENCHMARK_ROW_H
#define PHOTONIC_RAILS_BENCHMARK_ROW_H

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief The result of one measurement of the simulator's speed, in a process of its own.
 *
 * The JSON is documented in doc/benchmark-json.md.
 */
struct BenchmarkRow
{
    // the measurement
    std::string bench;      //!< which of the benchmarks it belongs to
    std::string name;       //!< traffic and fabric
    std::string fidelity;   //!< of the NICs: "burst" or "packet"; empty if they are not ours
    std::string scheduler;  //!< of the simulator's events: its TypeId
    uint32_t processes{1};  //!< that share the simulation
    uint32_t repetition{0}; //!< rows that differ in nothing else are counted from 0
    uint32_t gpus{0};       //!< GPUs or hosts
    uint64_t bytes{0};      //!< of a message or collective; 0 for jobs

    std::string reason; //!< why it could not be measured; the rest is void then

    // the simulation
    Time simulated;           //!< simulated time that the traffic took
    uint64_t events{0};       //!< that the simulator ran
    uint64_t dataPackets{0};  //!< sent by NICs
    uint64_t dataHops{0};     //!< links that they crossed; 0 if that is not counted
    uint64_t bursts{0};       //!< runs of packets that took no events of their own
    uint64_t burstPackets{0}; //!< data packets in them
    uint64_t collectives{0};  //!< between domains, messages of pipelines too; 0 if there are none
    uint64_t requests{0};     //!< for circuits, that a control plane was sent alone; else 0
    uint64_t messages{0};     //!< that its controllers served
    uint64_t longestQueue{0}; //!< most of those that one had at once

    // time and memory
    double wallSeconds{0};     //!< real time, from building to tearing down
    double setupCpuSeconds{0}; //!< CPU time until the traffic began
    double cpuSeconds{0};      //!< CPU time for the traffic
    uint64_t peakRssBytes{0};  //!< peak memory

    /// @return CPU time of it all
    double GetTotalCpuSeconds() const;
    /// @return a line for people that describes the measurement
    std::string Describe() const;
    /// @return this as a JSON object in text
    std::string ToJson() const;
    /**
     * @param json a text made by ToJson
     * @return the row, or nothing if the text is not that of a row
     */
    static std::optional<BenchmarkRow> FromJson(const std::string& json);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BENCHMARK_ROW_H
