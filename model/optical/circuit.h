// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_H
#define PHOTONIC_RAILS_CIRCUIT_H

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief A pair of OCS ports. With bidirectional transceivers light passes both ways and the order
 * of the ports has no meaning; with simplex ones it enters at `a` and leaves at `b`.
 */
struct Circuit
{
    uint32_t a{0}; //!< a port of the switch
    uint32_t b{0}; //!< another port of the switch
};

inline bool
operator==(const Circuit& x, const Circuit& y)
{
    return x.a == y.a && x.b == y.b;
}

inline bool
operator<(const Circuit& x, const Circuit& y)
{
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}

/**
 * @param circuit a circuit
 * @return it in words, for messages
 */
inline std::string
Describe(const Circuit& circuit)
{
    return "circuit " + std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
}

/// A set of circuits; a valid one is a matching.
using CircuitSet = std::vector<Circuit>;

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_H
