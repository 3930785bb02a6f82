// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_SCOREBOARD_H
#define PHOTONIC_RAILS_RDMA_SCOREBOARD_H

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief The scoreboard of a selective repeat sender: records which packets beyond a gap have
 * arrived, and selects the packets to retransmit (IRN: Mittal et al., Revisiting Network Support
 * for RDMA, SIGCOMM 2018).
 *
 * A packet counts as lost when a later packet is known to have arrived, and is retransmitted once.
 * If the retransmission is lost as well, recovery needs a time-out. The sender then retransmits
 * the oldest packet as a probe (Probe). When the probe has been acknowledged, all packets sent
 * before the time-out that are not known to have arrived count as lost.
 */
class RdmaScoreboard
{
  public:
    /// @param packets number of later packets, in addition to the first, that must arrive before a
    /// packet counts as lost; for paths that may reorder packets
    void SetReorderTolerance(uint32_t packets);

    /// Clear the scoreboard.
    /// @param psn the first outstanding PSN
    void Reset(uint64_t psn);

    /// @return true if a packet must be retransmitted
    bool HasRepeat() const
    {
        return m_next < m_lostEnd;
    }

    /// @return the PSN to retransmit now; HasRepeat() must hold
    uint64_t PopRepeat();

    /// @param psn all packets below this PSN have arrived
    void Advance(uint64_t psn);
    /// @param psn PSN of a packet beyond a gap that has arrived
    void Arrived(uint64_t psn);
    /// @param end all packets below this PSN that are not known to have arrived are lost
    void AllLost(uint64_t end);
    /// Retransmit the oldest packet after a time-out.
    /// @param end when that packet has arrived, AllLost(end) applies
    void Probe(uint64_t end);

    /// @return number of contiguous ranges of packets known to have arrived beyond a gap
    std::size_t GetRanges() const;

  private:
    /// Advance m_next to the next packet that is not known to have arrived.
    void SkipArrived();

    uint32_t m_tolerance{0};
    std::map<uint64_t, uint64_t> m_arrived; //!< ranges beyond gaps: first PSN, one past the last
    uint64_t m_unacked{0};
    uint64_t m_next{0};     //!< next PSN to examine for retransmission
    uint64_t m_lostEnd{0};  //!< packets below this PSN that have not arrived are lost
    uint64_t m_probeEnd{0}; //!< argument of AllLost when the probe has arrived; 0 without a probe
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_SCOREBOARD_H
