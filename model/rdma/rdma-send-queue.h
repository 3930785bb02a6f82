// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_SEND_QUEUE_H
#define PHOTONIC_RAILS_RDMA_SEND_QUEUE_H

#include "roce-header.h"

#include "ns3/fifo.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <set>

namespace ns3
{

/**
 * @brief The scoreboard of a selective repeat sender: records which packets beyond a gap have
 * arrived, and selects the packets to retransmit (IRN: Mittal et al., Revisiting Network Support
 * for RDMA, SIGCOMM 2018).
 *
 * A packet counts as lost when a packet that was transmitted later is known to have arrived. That
 * holds for retransmissions too, as in RACK (RFC 8985): IRN leaves a lost retransmission to the
 * timer, and an incast, which loses many of them, then takes longer than with go-back-N.
 *
 * If nothing is transmitted after a lost packet, recovery needs a time-out. The sender then
 * retransmits the oldest packet as a probe (Probe). When the probe has been acknowledged, all
 * packets sent before the time-out that are not known to have arrived count as lost.
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

    /// @param end packets below this PSN have been transmitted, in order of their PSNs
    void Sent(uint64_t end);

    /// @return true if a packet must be retransmitted
    bool HasRepeat() const
    {
        return !m_lost.empty();
    }

    /// @return the PSN to retransmit now; HasRepeat() must hold
    uint64_t PopRepeat();

    /// @param psn all packets below this PSN have arrived
    void Advance(uint64_t psn);
    /// @param psn PSN of a packet beyond a gap that has arrived; ignored if it was never sent
    void Arrived(uint64_t psn);
    /// @param end all packets below this PSN that are not known to have arrived are lost
    void AllLost(uint64_t end);
    /// Retransmit the oldest packet after a time-out.
    /// @param end when that packet has arrived, AllLost(end) applies
    void Probe(uint64_t end);

  private:
    /// A packet on its way.
    struct Transmission
    {
        uint64_t psn{0};
        uint64_t number{0};
    };

    // States of a packet, in place of the number of its transmission.
    static constexpr uint64_t LOST = 0;
    static constexpr uint64_t ARRIVED = 1;

    /// @return the state of an outstanding packet, or the number of its last transmission
    uint64_t& State(uint64_t psn)
    {
        return m_states[psn - m_unacked];
    }

    /// Record the next transmission.
    void Transmit(uint64_t psn);
    /// @param psn an outstanding packet, which must be retransmitted unless it has arrived
    void Lose(uint64_t psn);
    /// @return true if the oldest transmission does not matter any more
    bool IsFrontObsolete();

    uint32_t m_tolerance{0};
    uint64_t m_unacked{0};         //!< the oldest outstanding PSN
    uint64_t m_number{ARRIVED};    //!< of the last transmission
    uint64_t m_probeEnd{0};        //!< argument of AllLost when the probe has arrived; 0: no probe
    Fifo<uint64_t> m_states;       //!< of the outstanding packets from m_unacked on
    Fifo<Transmission> m_inFlight; //!< in order of their numbers
    std::set<uint64_t> m_lost;     //!< PSNs to retransmit
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
