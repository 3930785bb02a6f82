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

/// Circuits that are up together, and the states of the cells that make them.
struct PipMatching
{
    CircuitSet circuits; //!< each with its lower port first
    PipStates states;    //!< of all cells
};

/**
 * @brief Matchings of the ports of a mesh that cover all pairs of ports, each once, with the states
 * of all cells: what a switch of programmable photonics steps through to let everyone talk with
 * everyone.
 */
struct PipPlan
{
    uint32_t rows{0};                   //!< of hexagons
    uint32_t columns{0};                //!< of hexagons
    std::vector<uint32_t> places;       //!< for each port its free end
    std::vector<PipMatching> matchings; //!< in order of their lowest circuits
    uint32_t lowerBound{0};             //!< there is no plan with fewer matchings
    std::string error;                  //!< why there is no plan; then there are no matchings

    /// @return true if no plan has fewer matchings
    bool IsSmallest() const;

    /// Put the matchings in order of their lowest circuits.
    void Sort();

    /**
     * @brief Follow the light of every port in every matching.
     * @return an empty string, or the first thing that is not as a plan has to be
     */
    std::string Check() const;

    /**
     * @brief Write it as text: lines of words.
     * @param os the stream
     */
    void Write(std::ostream& os) const;

    /**
     * @brief Read what Write has written. Nothing of it is believed: call Check.
     * @param is the stream
     * @return the plan; where it is none, its error names the line
     */
    static PipPlan Read(std::istream& is);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PLAN_H
