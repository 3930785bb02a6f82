// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_PARTITION_H
#define PHOTONIC_RAILS_PORT_PARTITION_H

#include "standing-circuits.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What one dimension of a job's mesh sends along rails.
struct DimensionDemand
{
    std::string name; //!< of the dimension
    /// bytes between two GPUs in an iteration, both ways together; the lower GPU comes first
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> pairs;
};

/**
 * @brief NIC ports that are divided between the dimensions of a job once and for all: what rails of
 * circuits do without reconfiguration.
 *
 * Each dimension gets as many ports of a GPU as it has neighbours there at most (one for a pair,
 * two for a ring or the inside of a pipeline), and all dimensions that as often as the ports
 * suffice: with four ports two dimensions of pairs have two each. So each dimension has only a part
 * of the bandwidth of the NIC, whichever of them is sending (constraint C3 in section 2 of the
 * Photonic Rails paper, arXiv 2507.08119), and the ports limit the number of dimensions (C2).
 *
 * A dimension gets no ports if all of its pairs have circuits already, or if it moves little: its
 * messages are passed on by other GPUs.
 */
class PortPartition
{
  public:
    /// A dimension that moves less than this between any two GPUs in an iteration gets no ports.
    /// The scalars of an optimizer step are less than 1 MB (section 3 of the same paper).
    static constexpr uint64_t LITTLE = 1000000;

    /// Ports of a dimension.
    struct Share
    {
        std::string name;  //!< of the dimension
        uint32_t first{0}; //!< of its ports
        uint32_t ports{0}; //!< how many it has; 0 for one that has none
    };

    /// Circuits, or why there are none.
    struct Result
    {
        StandingCircuits circuits{0, 0};
        std::vector<Share> shares; //!< by dimension, heaviest first
        std::string error;         //!< if ports do not suffice: which dimensions need how many
    };

    /**
     * @param demands of the job's dimensions
     * @param gpus how many there are
     * @param ports NIC ports of each
     * @return the circuits
     */
    static Result Plan(std::vector<DimensionDemand> demands, uint32_t gpus, uint32_t ports);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_PARTITION_H
