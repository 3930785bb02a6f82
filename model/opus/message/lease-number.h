// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_NUMBER_H
#define PHOTONIC_RAILS_LEASE_NUMBER_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @brief Numbers under which the controller leases circuits, unique within a job.
 *
 * The circuits of the collectives of a group have the id of the group, which has 32 bits. The
 * circuits of a message between two ranks of a larger group have a number made of both ranks, since
 * no other rank of the group requests them:
 *
 * - A *link* is the part of a ring between a rank and the next one: the ports of the rank towards
 *   the next rank, and those of the other rank towards the previous one. The links of a pipeline
 *   are up side by side.
 * - A *pair* has all ports of both ranks.
 */
class LeaseNumber
{
  public:
    /**
     * @param from a rank
     * @param to the next rank of a ring
     * @return the number of the link
     */
    static constexpr uint64_t OfLink(uint32_t from, uint32_t to)
    {
        return TWO_RANKS | ON_RING | uint64_t{from} << RANK_BITS | to;
    }

    /**
     * @param a a rank
     * @param b another rank
     * @return the number of the pair, in either order
     */
    static constexpr uint64_t OfPair(uint32_t a, uint32_t b)
    {
        return TWO_RANKS | uint64_t{std::min(a, b)} << RANK_BITS | std::max(a, b);
    }

    /**
     * @param number a number
     * @return true for a link
     */
    static constexpr bool IsLink(uint64_t number)
    {
        return (number & (TWO_RANKS | ON_RING)) == (TWO_RANKS | ON_RING);
    }

    /**
     * @param x a number
     * @param y another number
     * @return true if both are links that do not share a port, as long as no port is broken
     */
    static constexpr bool AreSideBySide(uint64_t x, uint64_t y)
    {
        return IsLink(x) && IsLink(y) && (x & TO) != (y & TO) && (x & ~TO) != (y & ~TO);
    }

  private:
    static constexpr uint32_t RANK_BITS = 31;                         //!< of each of two ranks
    static constexpr uint64_t TO = (uint64_t{1} << RANK_BITS) - 1;    //!< the second rank
    static constexpr uint64_t TWO_RANKS = uint64_t{1} << 63;          //!< set in links and pairs
    static constexpr uint64_t ON_RING = uint64_t{1} << 2 * RANK_BITS; //!< set in links
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_NUMBER_H
