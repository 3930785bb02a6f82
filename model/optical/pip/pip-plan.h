// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_PLAN_H
#define PHOTONIC_RAILS_PIP_PLAN_H

#include "pip-mesh.h"

#include "ns3/circuit-fabric.h"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// A matching of circuits, and the states of the cells that make them.
struct PipMatching
{
    CircuitSet circuits; //!< lower port first
    PipStates states;    //!< of all cells
};

/**
 * @brief Matchings of the ports of a mesh that cover each pair of ports once, with the states of
 * all cells: the sequence that a PipSwitch steps through for all-to-all traffic.
 */
struct PipPlan
{
    uint32_t rows{0};                   //!< rows of hexagons
    uint32_t columns{0};                //!< columns of hexagons
    std::vector<uint32_t> places;       //!< the free end of each port
    std::vector<PipMatching> matchings; //!< in order of their lowest circuits
    uint32_t lowerBound{0};             //!< lower bound of the number of matchings of any plan
    std::string error;                  //!< the error; with an error there are no matchings

    /// @return true if no plan has fewer matchings
    bool IsSmallest() const;

    /// Sort the matchings by their lowest circuits.
    void Sort();

    /**
     * @brief Follow the light of every port in every matching.
     * @return an empty string, or the first violation of the properties of a plan
     */
    std::string Check() const;

    /**
     * @brief Write the plan as text: lines of words.
     * @param os the stream
     */
    void Write(std::ostream& os) const;

    /**
     * @brief Read the format of Write. The content is not verified; call Check.
     * @param is the stream
     * @return the plan; a syntax error in it names the line
     */
    static PipPlan Read(std::istream& is);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PLAN_H
