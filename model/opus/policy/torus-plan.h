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
 * As TPU v4 has one of three dimensions whose wrap-around links lead through optical circuit
 * switches (Jouppi et al., "TPU v4: An Optically Reconfigurable Supercomputer for Machine Learning
 * with Hardware Support for Embeddings", ISCA 2023); here all links do. Each dimension has a ring
 * through every line of ranks, so a rank has two ports for each, six in all. A dimension of two
 * ranks is a pair, with both ports; one of a single rank is nothing.
 *
 * **Ports.** With P ports and d dimensions of two ranks or more, each has 2 floor(P / 2d) ports;
 * the rest is dark. If P < 2d, the first floor(P / 2) of them have two each and the others have no
 * circuits (C2 of the Photonic Rails paper: few ports limit the number of dimensions). A single
 * port joins the first dimension of two ranks, if there is one. Ports are divided as
 * CircuitPlanner::SplitPorts does.
 *
 * **Coordinates.** Members are listed with the first dimension running fastest.
 */
class TorusPlan
{
  public:
    /// A rank next to another.
    struct Neighbour
    {
        uint32_t member{0};    //!< its place in the group
        uint32_t dimension{0}; //!< in which it is next
        bool isNext{true};     //!< true if its coordinate is one more (or 0 after the last)
    };

    /// A plan, or why there is none.
    struct Result
    {
        CircuitPlan plan;                               //!< the circuits
        std::vector<bool> hasCircuits;                  //!< by dimension
        std::vector<std::vector<Neighbour>> neighbours; //!< by member: to whom it has circuits
        std::string error;                              //!< empty if there is a plan
    };

    /**
     * @param members the ranks, in the order of coordinates
     * @param sizes of each dimension, at least 1
     * @return the circuits
     */
    static Result Plan(const std::vector<CircuitPlanner::Member>& members,
                       const std::vector<uint32_t>& sizes);

    /**
     * @param member place in the group
     * @param sizes of each dimension
     * @return its coordinates
     */
    static std::vector<uint32_t> GetCoordinates(uint32_t member,
                                                const std::vector<uint32_t>& sizes);

    /**
     * @param ports ports of a rank
     * @param sizes of each dimension
     * @return the ports of each dimension, as places among those of a rank
     */
    static std::vector<std::vector<uint32_t>> DividePorts(uint32_t ports,
                                                          const std::vector<uint32_t>& sizes);

  private:
    /// The rings through all lines of one dimension.
    static void AddDimension(const std::vector<CircuitPlanner::Member>& members,
                             uint32_t dimension,
                             uint32_t size,
                             uint32_t stride,
                             const std::vector<uint32_t>& ports,
                             Result& result);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TORUS_PLAN_H
