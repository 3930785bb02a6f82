// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_PLAN_H
#define PHOTONIC_RAILS_PIP_PLAN_H

#include "pip-mesh.h"

#include "ns3/circuit-fabric.h"

#include <cstdint>
#include <functional>
#include <istream>
#include <ostream>
#include <random>
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
    bool IsSmallest() const
    {
        return error.empty() && matchings.size() == lowerBound;
    }

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

/**
 * @file
 * Divisions of all pairs of ports into matchings (1-factorizations), and changes from one division
 * to another.
 */

/**
 * @brief The circle method of round-robin tournaments: one port is fixed, the others rotate.
 * @param ports number of ports; with an odd number one port is idle in each matching
 * @param stays the fixed port; not used for odd numbers
 * @return ports - 1 perfect matchings for an even number of ports, otherwise `ports` matchings
 */
std::vector<CircuitSet> MakeCircleFactorization(uint32_t ports, uint32_t stays);

/**
 * @param ports a power of two
 * @return ports - 1 perfect matchings: in the i-th, numbers of partners differ in the bits of i + 1
 */
std::vector<CircuitSet> MakeBitFactorization(uint32_t ports);

/**
 * @brief Divide the circuits of two or three matchings differently into as many matchings.
 * @param matchings two or three disjoint matchings of the same ports
 * @param ports number of ports
 * @param random random number generator
 * @return true if the matchings have changed; false if the random search found no other division
 */
bool ExchangeCircuits(const std::vector<CircuitSet*>& matchings,
                      uint32_t ports,
                      std::mt19937& random);

/// Limits of the search for a plan.
struct PipEffort
{
    uint32_t negotiation{60}; //!< maximum rounds of the router for a matching
    uint32_t exchanges{300};  //!< attempts to exchange circuits between matchings
    uint32_t seed{1};         //!< seed of the choice of exchanges
};

/// Finds states of the cells for all circuits of a matching; returns no states if it finds none.
using PipStatesFinder = std::function<PipStates(const CircuitSet& circuits)>;

/**
 * @brief Find few matchings that cover each pair of the ports of a mesh once.
 *
 * A plan for n ports has at least n - 1 matchings if n is even, and n if n is odd: a port has n - 1
 * partners, and with odd n one port is always idle. The planner first divides all pairs into this
 * number of matchings (a 1-factorization) and routes each matching. It tries several divisions:
 *
 * - the circle method of round-robin tournaments, in the order of the ports around the perimeter,
 * so that circuits of a matching are parallel chords that hardly cross; each port in turn is the
 * fixed port,
 * - for powers of two, ports whose numbers differ in the same bits.
 *
 * If some matchings cannot be routed, the planner exchanges circuits: it divides such a matching
 * and one or two others differently, and keeps the change if no fewer matchings can be routed.
 * Further matchings, each as large as possible, cover the remaining pairs.
 *
 * The result depends on the arguments only.
 *
 * @param mesh a mesh
 * @param places the free end of each port, clockwise
 * @param effort limits of the search
 * @param find called for matchings for which the router finds no light paths
 * @return a plan that satisfies PipPlan::Check, or an error that names a pair of ports without a
 * path
 */
PipPlan PlanPipMatchings(const PipMesh& mesh,
                         const std::vector<uint32_t>& places,
                         const PipEffort& effort,
                         const PipStatesFinder& find = {});

/**
 * @param ports number of ports, at least 2
 * @return minimum number of matchings that cover all pairs
 */
constexpr uint32_t
CountLeastMatchings(uint32_t ports)
{
    return ports % 2 == 0 ? ports - 1 : ports;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_PLAN_H
