// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_TERMS_H
#define PHOTONIC_RAILS_CIRCUIT_TERMS_H

#include <cstdint>

namespace ns3
{

/**
 * @brief On which terms the network between domains lends circuits, as algorithms need it.
 *
 * The terms are set when a group is joined, from the switches and the control plane, and are the
 * same on all ranks. So an algorithm that chooses by them makes the same choice on every rank.
 */
struct CircuitTerms
{
    /// True if a group has the circuits of its ring, or a rank those to one peer at a time; false
    /// if every rank can be reached at any time.
    bool lendsPairs{false};
    bool hasRings{true};     //!< false if ranks have too few ports for a ring of several ranks
    double switchSeconds{0}; //!< from the request for circuits that are not up to the grant
    double latency{0};       //!< of a message without data, seconds
    double byteSeconds{0};   //!< seconds for each byte that a rank sends over all its ports
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_TERMS_H
