// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TORUS_PLAN_H
#define PHOTONIC_RAILS_TORUS_PLAN_H

#include "ns3/circuit-planner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A torus through the ranks of a group, set up once before the job: pure functions.
 *
 * TPU v4 has a torus of three dimensions whose wrap-around links pass optical circuit switches
 * (Jouppi et al., "TPU v4: An Optically Reconfigurable Supercomputer for Machine Learning with
 * Hardware Support for Embeddings", ISCA 2023). In TorusPlan all links pass the switches. Each
 * dimension has a ring through every line of ranks, so a rank has two ports for each dimension, six
 * in total. A dimension of two ranks is a pair that uses both ports; a dimension of a single rank
 * has no circuits.
 *
 * **Ports.** With P ports and d dimensions of two ranks or more, each dimension has 2 floor(P / 2d)
 * ports; the remaining ports are dark. If P < 2d, the first floor(P / 2) dimensions have two ports
 * each and the others have no circuits (C2 of the Photonic Rails paper: few ports limit the number
 * of dimensions). A single port joins the first dimension of two ranks, if there is one. The
 * division follows CircuitPlanner::SplitPorts.
 *
 * **Coordinates.** Members are listed with the first dimension varying fastest.
 */
class TorusPlan
{
  public:
    /// A neighbour of a rank.
    struct Neighbour
    {
        uint32_t member{0};    //!< index of the neighbour in the group
        uint32_t dimension{0}; //!< dimension in which the two ranks are neighbours
        bool isNext{true}; //!< true if the neighbour's coordinate is one more (or 0 after the last)
    };

    /// A plan, or an error.
    struct Result
    {
        CircuitPlan plan;                               //!< the circuits
        std::vector<bool> hasCircuits;                  //!< by dimension
        std::vector<std::vector<Neighbour>> neighbours; //!< by member: neighbours with circuits
        std::string error;                              //!< empty if the plan exists
    };

    /**
     * @param members the ranks, in the order of coordinates
     * @param sizes size of each dimension, at least 1
     * @return the circuits
     */
    static Result Plan(const std::vector<CircuitPlanner::Member>& members,
                       const std::vector<uint32_t>& sizes);

    /**
     * @param ports ports of a rank
     * @param sizes size of each dimension
     * @return the ports of each dimension, as indices into the ports of a rank
     */
    static std::vector<std::vector<uint32_t>> DividePorts(uint32_t ports,
                                                          const std::vector<uint32_t>& sizes);

  private:
    /// Add the rings through all lines of one dimension.
    static void AddDimension(const std::vector<CircuitPlanner::Member>& members,
                             uint32_t dimension,
                             uint32_t size,
                             uint32_t stride,
                             const std::vector<uint32_t>& ports,
                             Result& result);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TORUS_PLAN_H
