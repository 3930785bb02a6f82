// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_SEND_QUEUE_H
#define PHOTONIC_RAILS_RDMA_SEND_QUEUE_H

#include "roce-header.h"

#include "ns3/fifo.h"
#include "ns3/nstime.h"

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
    void SetReorderTolerance(uint32_t packets)
    {
        m_tolerance = packets;
    }

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
    std::size_t GetRanges() const
    {
        return m_arrived.size();
    }

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

/**
 * @brief The unfinished messages of a requester, segmented into packets with consecutive PSNs.
 *
 * The packets of a message are parts of one RDMA Write. With selective repeat, each packet is a
 * separate Write with its own address, because packets may be accepted in any order.
 */
class RdmaSendQueue
{
  public:
    /// An unfinished message.
    struct Message
    {
        uint64_t bytes{0};
        uint64_t firstPsn{0};
        uint64_t packets{0};
        uint32_t immediate{0};
        Time postedAt;       //!< when the message was posted
        bool signaled{true}; //!< the poster requires a completion report
    };

    /// @param bytes payload of a full packet; aborts if a message has been posted
    void SetMtu(uint32_t bytes);

    /// @return payload bytes of a full packet
    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    /// @param separate true to make every packet a separate Write; aborts if a message has been
    /// posted
    void SetSeparateWrites(bool separate);

    /// @param psn PSN of the first packet; call before the first Post
    void Start(uint64_t psn)
    {
        m_firstPsn = m_endPsn = psn;
    }

    /// Remove all messages.
    void Clear();

    /**
     * @brief Append a message.
     * @param bytes size of the message; a message of 0 bytes takes one packet
     * @param immediate immediate value of the message
     * @param now the time
     * @param signaled see Message
     */
    void Post(uint64_t bytes, uint32_t immediate, Time now = Time(), bool signaled = true);

    /// Bytes of a message at most: 1 PiB, so that sums over messages stay below 2^64 bits.
    static constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 50;

    /// Make the last message signaled.
    /// @return false if there is no message
    bool Signal();

    /// @return one past the last PSN
    uint64_t GetEndPsn() const
    {
        return m_endPsn;
    }

    /// @return true if there are no messages
    bool IsEmpty() const
    {
        return m_messages.empty();
    }

    /**
     * @param psn a PSN
     * @return true if there is a message and all packets of the oldest message are below the PSN
     */
    bool EndsBefore(uint64_t psn) const
    {
        return !m_messages.empty() &&
               m_messages.front().firstPsn + m_messages.front().packets <= psn;
    }

    /// Remove the oldest message.
    /// @return that message
    Message Pop();

    /// @return the number of messages
    std::size_t GetNMessages() const
    {
        return m_messages.size();
    }

    /**
     * @param index index of a message, 0 for the oldest
     * @return the message
     */
    const Message& GetMessage(std::size_t index) const
    {
        return m_messages[index];
    }

    /**
     * @param message one of the messages
     * @param index index of a packet in the message
     * @return bytes of the frame of that packet, without FCS
     */
    uint32_t GetFrameBytes(const Message& message, uint64_t index) const;

    /**
     * @brief Write the headers of a packet, except the destination and the acknowledgement request.
     * @param header receives BTH, RETH and immediate
     * @param psn PSN of a packet of one of the messages
     */
    void FillHeader(RoceHeader& header, uint64_t psn);

  private:
    /// @return the opcode of a packet of a message
    RoceHeader::Opcode GetOpcode(bool first, bool last) const;
    /// @return payload bytes of a packet of a message
    uint32_t GetPayload(const Message& message, uint64_t index) const;
    /// @return the message that a packet belongs to
    const Message& Find(uint64_t psn);

    Fifo<Message> m_messages; //!< in order of PSN
    std::size_t m_found{0};   //!< index of the last message found
    uint32_t m_mtu{4096};
    bool m_separate{false};
    uint64_t m_firstPsn{0};
    uint64_t m_endPsn{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_SEND_QUEUE_H
