// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCALE_UP_GENERATION_H
#define PHOTONIC_RAILS_SCALE_UP_GENERATION_H

#include "fabric-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A generation of the interconnect inside a scale-up domain, as a network.
 *
 * Every GPU has one port, with the sum of its links' rates per direction, to one non-blocking
 * switch per domain. That stands for the NVSwitch chips of a server or rack: a GPU has links to
 * each of them and spreads its traffic over all at a fine grain, so that they act as one.
 *
 * Bandwidths are NVIDIA's, from data sheets that give the sum of both directions. Latencies are
 * assumptions, because NVIDIA publishes none: 100 ns through a switch, and 10 ns for 2 m of
 * copper. They are those of the wire; what the software on the GPUs adds to every step of a
 * collective is not in them (GpuSpec::scaleUpLatency has it: 3.4 us in NCCL's tuning table).
 *
 * The limits of the model: packets are those of RoCEv2, with 82 bytes around up to 4096 of
 * payload, where NVLink packets have up to 256 bytes of payload and a 16-byte header; so 98 % of
 * the rate is payload, and real links reach less. The switch stores and forwards unless its
 * attributes say otherwise. Loads, stores, and reductions inside the switch (SHARP, multicast) are
 * not modelled.
 */
struct ScaleUpGeneration
{
    std::string name;               //!< by which users select it
    std::vector<std::string> gpus;  //!< GPUs that have it, by which users may select it too
    uint64_t bitRate;               //!< of a GPU, bit/s per direction
    uint64_t hopLatencyPicoseconds; //!< through the switch
    uint64_t cableDelayPicoseconds; //!< between GPU and switch
    uint32_t maxGpus;               //!< of a domain with one stage of switches

    /// @return all generations, oldest first
    static const std::vector<ScaleUpGeneration>& GetAll();
    /**
     * @param name a name, or that of a GPU
     * @return the generation, or null if there is none of that name
     */
    static const ScaleUpGeneration* Find(const std::string& name);
    /// @return all names, separated by commas, for messages to users
    static std::string GetNames();

    /**
     * @param gpusPerDomain GPUs of a domain
     * @return an empty string, or why there is no such domain
     */
    std::string Check(uint32_t gpusPerDomain) const;
    /**
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each
     * @return a switch (tier 0) per domain, with the domain's GPUs
     */
    FabricTopology Build(uint32_t domains, uint32_t gpusPerDomain) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_UP_GENERATION_H
