// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_SCOREBOARD_H
#define PHOTONIC_RAILS_RDMA_SCOREBOARD_H

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief What the sender of selective repeat knows of packets beyond a gap, and which of those
 * before it are to be repeated (IRN: Mittal et al., Revisiting Network Support for RDMA, SIGCOMM
 * 2018).
 *
 * A packet is taken for lost when one that was sent later is known to have arrived, and is
 * repeated once. If the repeat is lost too, a time-out is needed: then the oldest packet is
 * repeated, and when it has arrived, what was sent before it and is not known to have arrived is
 * taken for lost.
 */
class RdmaScoreboard
{
  public:
    /// @param packets so many later ones have to arrive before a packet is taken for lost, beside
    /// the first, where paths may reorder
    void SetReorderTolerance(uint32_t packets);

    /// @param psn nothing below it is outstanding, and nothing else is known
    void Reset(uint64_t psn);

    /// @return true if a packet is to be repeated
    bool HasRepeat() const
    {
        return m_next < m_lostEnd;
    }

    /// @return the packet to repeat now; HasRepeat() must hold
    uint64_t PopRepeat();

    /// @param psn all packets below it have arrived
    void Advance(uint64_t psn);
    /// @param psn a packet beyond a gap has arrived
    void Arrived(uint64_t psn);
    /// @param end packets below it are lost, but for those that are known to have arrived
    void AllLost(uint64_t end);
    /// @param end a time-out: repeat the oldest packet, to learn about those below it
    void Probe(uint64_t end);

    /// @return ranges of packets that are known to have arrived beyond a gap
    std::size_t GetRanges() const;

  private:
    /// Go on to the next packet that is not known to have arrived.
    void SkipArrived();

    uint32_t m_tolerance{0};
    std::map<uint64_t, uint64_t> m_arrived; //!< beyond gaps: first packet to one past the last
    uint64_t m_unacked{0};
    uint64_t m_next{0};     //!< next packet to look at
    uint64_t m_lostEnd{0};  //!< packets below it that have not arrived are lost
    uint64_t m_probeEnd{0}; //!< packets below it are judged when a probe has arrived
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_SCOREBOARD_H
