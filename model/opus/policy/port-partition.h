// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_PARTITION_H
#define PHOTONIC_RAILS_PORT_PARTITION_H

#include "static-circuits.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Bytes that one dimension of a job's mesh sends along rails.
struct DimensionDemand
{
    std::string name; //!< name of the dimension
    /// bytes between two GPUs in an iteration, sum of both directions; the lower GPU comes first
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> pairs;
};

/**
 * @brief NIC ports divided between the dimensions of a job for the whole run: circuits without
 * reconfiguration.
 *
 * Each dimension gets as many ports of a GPU as the largest number of neighbours in the dimension
 * (one for a pair, two for a ring or the inside of a pipeline). All dimensions get this number
 * several times if the ports suffice: with four ports, two dimensions of pairs have two ports each.
 * A dimension therefore has only a part of the NIC's bandwidth, even while no other dimension sends
 * (constraint C3 in section 2 of the Photonic Rails paper, arXiv 2507.08119), and the ports limit
 * the number of dimensions (C2).
 *
 * A dimension gets no ports if all its pairs already have circuits, or if it moves few bytes; other
 * GPUs then forward its messages.
 */
class PortPartition
{
  public:
    /// A dimension that moves fewer bytes between any two GPUs in an iteration gets no ports. The
    /// scalars of an optimizer step are less than 1 MB (section 3 of the same paper).
    static constexpr uint64_t LITTLE = 1000000;

    /// Ports of a dimension.
    struct Share
    {
        std::string name;  //!< name of the dimension
        uint32_t first{0}; //!< first of its ports
        uint32_t ports{0}; //!< number of ports, may be 0
    };

    /// Circuits, or an error.
    struct Result
    {
        StaticCircuits circuits{0, 0};
        std::vector<Share> shares; //!< by dimension, heaviest first
        std::string error; //!< if the ports do not suffice: the dimensions and the ports they need
    };

    /**
     * @param demands demands of the job's dimensions
     * @param gpus number of GPUs
     * @param ports NIC ports of each GPU
     * @return the circuits
     */
    static Result Plan(std::vector<DimensionDemand> demands, uint32_t gpus, uint32_t ports);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_PARTITION_H
