// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_IMMEDIATE_H
#define PHOTONIC_RAILS_COLLECTIVE_IMMEDIATE_H

#include "ns3/assert.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The immediate value by which a receiver knows what a message belongs to.
 *
 *     bit 31          1 for Send and Recv, 0 for a collective of the whole group
 *     bits 30 to 16   sequence number of the call, modulo 2^15
 *     bits 15 to 0    transfer id: index among the receives of the call
 *
 * Calls are counted per group for collectives, and per group, peer and direction for Send and
 * Recv, so both ends count alike. A rank may run ahead of its peer by fewer than 2^14 calls; an
 * arrival outside of that window is a mismatch of calls.
 */
struct CollectiveImmediate
{
    static constexpr uint32_t SEQUENCES = 1U << 15; //!< sequence numbers are modulo this

    bool pointToPoint{false}; //!< Send or Recv
    uint16_t sequence{0};     //!< modulo SEQUENCES
    uint16_t transferId{0};   //!< index among the receives

    /**
     * @param call number of the call, not reduced
     * @return what is carried of it
     */
    static uint16_t Wrap(uint64_t call)
    {
        return static_cast<uint16_t>(call % SEQUENCES);
    }

    /// @return the 32 bits on the wire
    uint32_t Encode() const
    {
        NS_ASSERT_MSG(sequence < SEQUENCES, "sequence number " << sequence << " is not reduced");
        return (pointToPoint ? 1U << 31 : 0U) | static_cast<uint32_t>(sequence) << 16 | transferId;
    }

    /**
     * @param immediate 32 bits from the wire
     * @return what they say
     */
    static CollectiveImmediate Decode(uint32_t immediate)
    {
        return {(immediate >> 31) != 0,
                static_cast<uint16_t>((immediate >> 16) % SEQUENCES),
                static_cast<uint16_t>(immediate & 0xFFFF)};
    }

    /**
     * @param current number of the oldest call that has not ended at the receiver
     * @return how many calls later the message belongs; SEQUENCES / 2 or more if it is older
     */
    uint32_t GetCallsAhead(uint64_t current) const
    {
        return (sequence + SEQUENCES - Wrap(current)) % SEQUENCES;
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_IMMEDIATE_H
