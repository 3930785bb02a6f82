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
 * Every GPU has one port to one non-blocking switch per domain; the rate of the port is the sum
 * over the links of the GPU. The switch represents the NVSwitch chips of a server or rack: a GPU
 * has links to each chip and spreads its traffic over all of them at a fine grain.
 *
 * Rates are those that NCCL reaches (GpuSpec::scaleUpBandwidth): about four fifths of the data
 * sheets', which count the headers of NVLink packets. Latencies are assumptions, because NVIDIA
 * publishes none: 100 ns through a switch, and 10 ns for 2 m of copper. They exclude the software
 * latency of each step of a collective (CollectiveProtocol).
 *
 * Limitations: packets are those of RoCEv2 with 82 bytes of overhead for up to 4096 bytes of
 * payload, so that 98 % of the rate is payload. The switch stores and forwards unless its
 * attributes are changed. Loads, stores, and reductions inside the switch (SHARP, multicast) are
 * not modelled.
 */
struct ScaleUpGeneration
{
    std::string name;               //!< name for users
    std::vector<std::string> gpus;  //!< GPUs of this generation, which are further names for users
    uint64_t bitRate;               //!< rate of a GPU, bit/s per direction
    uint64_t hopLatencyPicoseconds; //!< latency of the switch
    uint64_t cableDelayPicoseconds; //!< delay between GPU and switch
    uint32_t maxGpus;               //!< largest domain with one stage of switches

    /// @return all generations, oldest first
    static const std::vector<ScaleUpGeneration>& GetAll();
    /**
     * @param name name of a generation or of a GPU
     * @return the generation, or null
     */
    static const ScaleUpGeneration* Find(const std::string& name);
    /// @return all names, separated by commas, for messages to users
    static std::string GetNames();

    /**
     * @param gpusPerDomain GPUs of a domain
     * @return an empty string, or the reason for which a domain cannot have this size
     */
    std::string Check(uint32_t gpusPerDomain) const;
    /**
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each domain
     * @return a switch (tier 0) per domain, with the GPUs of the domain
     */
    FabricTopology Build(uint32_t domains, uint32_t gpusPerDomain) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_UP_GENERATION_H
