// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_RESPONDER_H
#define PHOTONIC_RAILS_RDMA_RESPONDER_H

#include "roce-header.h"

#include "ns3/fifo.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief The progress of the receiving side of a queue pair, in the order of the packets.
 *
 * A value type, like RdmaSenderState.
 */
struct RdmaReceiverState
{
    uint64_t expected{0}; //!< PSN of the next packet
    uint32_t messages{0}; //!< messages completed
};

/**
 * @brief The receiving side of a queue pair: receives data packets, assembles messages and decides
 * when an acknowledgement is due.
 *
 * With go-back-N, the responder drops packets beyond a gap and sends one NAK for the first of them.
 * With selective repeat, the responder keeps packets beyond a gap and sends a NAK with the PSN of
 * each. It stores only the place of such a packet in its message, because each packet carries its
 * own address for the payload. In both modes messages complete in order and exactly once. A
 * duplicate that requests an acknowledgement is acknowledged again, because the previous
 * acknowledgement may have been lost.
 *
 * PSNs are 64 bits inside and 24 bits on the wire.
 */
class RdmaResponder
{
  public:
    /// The owner of a responder.
    class Client
    {
      public:
        virtual ~Client() = default;
        /// Called when an acknowledgement becomes due. The client must call FillAck as long as
        /// IsAckDue holds, or ForgetAck.
        virtual void AckDue() = 0;
        /**
         * @brief Called when a message has arrived in full.
         * @param immediate the immediate value of the message
         * @param bytes the size of the message
         */
        virtual void Arrived(uint32_t immediate, uint64_t bytes) = 0;
    };

    /// Counters of received packets and of acknowledgements.
    struct Statistics
    {
        uint64_t acksSent{0};
        uint64_t naksSent{0};
        uint64_t duplicatesReceived{0};
        uint64_t outOfOrderReceived{0};
        uint64_t bytesDelivered{0}; //!< payload bytes accepted in order
    };

    /**
     * @param client the owner
     * @param statistics the counters to update
     */
    RdmaResponder(Client& client, Statistics& statistics);
    ~RdmaResponder();
    RdmaResponder(const RdmaResponder&) = delete;
    RdmaResponder& operator=(const RdmaResponder&) = delete;

    /// @param selective true to keep packets beyond a gap; call before the first packet arrives
    void SetSelectiveRepeat(bool selective)
    {
        m_selective = selective;
    }

    /// @return true if packets beyond a gap are kept
    bool IsSelectiveRepeat() const
    {
        return m_selective;
    }

    /// @param psn PSN of the first packet that the peer sends
    void Start(uint64_t psn)
    {
        m_state.expected = psn;
    }

    /**
     * @brief Process a data packet.
     * @param header the headers of the packet
     */
    void Receive(const RoceHeader& header);

    /**
     * @brief Note a data packet that will be received later. Call for packets in the order of their
     * arrival.
     * @param psn the PSN on the wire
     * @return true if Receive will not find a gap before the packet, provided that all packets
     * noted before are received
     */
    bool Foresee(uint32_t psn);

    /// @return true if an acknowledgement is due
    bool IsAckDue() const
    {
        return m_ackDue;
    }

    /**
     * @brief Write the acknowledgement that is due. With selective repeat, another acknowledgement
     * may be due afterwards.
     * @param header receives the BTH and the AETH, without the destination
     */
    void FillAck(RoceHeader& header);

    /// Discard the acknowledgement that is due because there is no path to the peer. The peer
    /// retransmits unacknowledged packets.
    void ForgetAck();

    // --- for the fast path ---

    /// @return true if there is no gap in the packets received
    bool IsOrderly() const
    {
        return !m_nakSent && !m_nakDue && m_held.empty() && m_naksDue.empty();
    }

    /// @return true if there is no gap and no acknowledgement is due
    bool IsUndisturbed() const
    {
        return !m_ackDue && IsOrderly();
    }

    /// @return the progress
    const RdmaReceiverState& GetState() const
    {
        return m_state;
    }

    /**
     * @brief Write an acknowledgement that the fast path has sent.
     * @param header receives the BTH and the AETH
     * @param psn one past the last PSN received
     * @param messages number of messages received
     */
    static void FillSent(RoceHeader& header, uint64_t psn, uint32_t messages);
    /**
     * @brief Continue with packets from the progress of a fast path.
     * @param state the progress
     * @param bytes bytes received of the message of the next PSN
     */
    void SetState(const RdmaReceiverState& state, uint64_t bytes);
    /// Mark an acknowledgement as due that the fast path has not sent.
    void SetAckDue();

  private:
    /// A packet beyond a gap.
    struct Held
    {
        uint32_t bytes{0};
        uint32_t immediate{0};
        bool last{false}; //!< last packet of its message
    };

    /// No PSN, nor one before a PSN.
    static constexpr uint64_t NO_PACKET = UINT64_MAX - 1;

    /// Make an ACK or a NAK due.
    void RequestAck(bool nak);
    /// Process a packet beyond a gap.
    void ReceiveBeyondGap(uint64_t psn, const Held& packet);
    /// Process the next packet in order.
    void Accept(const Held& packet);

    Client& m_client;
    Statistics& m_statistics;
    RdmaReceiverState m_state;
    uint64_t m_firstForeseen{0};        //!< first of the last consecutive packets of Foresee
    uint64_t m_lastForeseen{NO_PACKET}; //!< last of these packets
    uint64_t m_receivedBytes{0};        //!< bytes received of the present message
    bool m_selective{false};
    bool m_nakSent{false}; //!< a NAK has been sent for the gap at the next PSN
    bool m_nakDue{false};  //!< the acknowledgement that is due is a NAK
    bool m_ackDue{false};
    std::map<uint64_t, Held> m_held; //!< selective repeat: packets beyond a gap, by PSN
    Fifo<uint64_t> m_naksDue;        //!< selective repeat: PSNs to report in NAKs
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RESPONDER_H
