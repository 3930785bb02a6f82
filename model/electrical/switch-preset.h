// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_PRESET_H
#define PHOTONIC_RAILS_SWITCH_PRESET_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Properties of a generation of switch chips, named by the rate of the ports.
 *
 * The memory is the commonly quoted value for a chip with 64 ports of this rate, not from a data
 * sheet. The marking thresholds are those of the DCQCN runs of HPCC (Li et al., SIGCOMM 2019),
 * 100 kB and 400 kB for each 25 Gbit/s and Pmax of 0.2: at any rate, marking begins at a queue of
 * 32 us. The hop latency is the value presented for the first Tomahawk. The factors of the dynamic
 * thresholds are choices of this module.
 */
struct SwitchPreset
{
    std::string name;        //!< "100G" and so on
    std::string chip;        //!< the chip that the preset is modelled on
    DataRate portRate;       //!< rate of each port
    uint32_t ports{0};       //!< ports of one chip
    uint64_t bufferBytes{0}; //!< packet memory of one chip
    uint64_t kmin{0};        //!< bytes
    uint64_t kmax{0};        //!< bytes
    double pmax{0};          //!< at Kmax
    double alpha{0};         //!< dynamic threshold of lossless priorities at an input
    double lossyAlpha{0};    //!< dynamic threshold of lossy priorities at an output
    Time hopLatency;         //!< latency of the pipeline

    /// @return all presets, by rate
    static const std::vector<SwitchPreset>& GetAll();

    /**
     * @param rate line rate of the ports
     * @return the slowest preset with at least this rate, or else the fastest preset; Kmin and Kmax
     * are scaled to the rate
     */
    static SwitchPreset Find(DataRate rate);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_PRESET_H
