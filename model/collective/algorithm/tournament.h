// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TOURNAMENT_H
#define PHOTONIC_RAILS_TOURNAMENT_H

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @brief Rounds in which the players of a group form pairs: every two of them meet in one round.
 *
 * In a group of a power of two a player meets in round r the player whose index differs in the bits
 * of r + 1. In other groups players i and j meet in round i + j modulo n - 1, where n is even, and
 * player n - 1 takes the place of the player that would meet itself (the circle method). In a group
 * of an odd number nobody is player n - 1, and the player that would meet it rests.
 */
class Tournament
{
  public:
    /// @param size number of players, at least 1
    explicit Tournament(uint32_t size)
        : m_size(size),
          m_places(size + size % 2)
    {
    }

    /// @param size a number @return true for a power of two
    static bool IsPowerOfTwo(uint32_t size)
    {
        return (size & (size - 1)) == 0;
    }

    /// @return number of rounds
    uint32_t GetRounds() const
    {
        return m_size == 1 ? 0 : m_places - 1;
    }

    /**
     * @param player index of a player
     * @param round number of a round
     * @return the player that it meets, or nothing if it rests
     */
    std::optional<uint32_t> FindPeer(uint32_t player, uint32_t round) const
    {
        const uint32_t peer = GetPeer(player, round);
        return peer < m_size ? std::optional<uint32_t>(peer) : std::nullopt;
    }

  private:
    /// @return the player, or m_places - 1 in a group of an odd number
    uint32_t GetPeer(uint32_t player, uint32_t round) const
    {
        if (IsPowerOfTwo(m_size))
        {
            return player ^ (round + 1);
        }
        const uint32_t last = m_places - 1;
        if (player == last)
        {
            return static_cast<uint32_t>(uint64_t{round} * (m_places / 2) % last);
        }
        const uint32_t peer = (round + last - player) % last;
        return peer == player ? last : peer;
    }

    uint32_t m_size;
    uint32_t m_places; //!< players, and one that is nobody if their number is odd
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TOURNAMENT_H
