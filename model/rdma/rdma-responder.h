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
 * @brief The receiving side of a queue pair: it takes data packets, puts messages together and
 * decides when an acknowledgement is due.
 *
 * With go-back-N a packet beyond a gap is dropped, and the first one after a gap has one NAK sent.
 * With selective repeat it is kept, and each has a NAK sent that says which it was: nothing but
 * its place in the message is kept, as the payload goes to its own address (each packet carries
 * one). Either way messages are complete in order, and once. A repeated packet that asks for an
 * acknowledgement gets one, as the former may have been lost.
 *
 * PSNs are 64 bits inside and 24 bits on the wire.
 */
class RdmaResponder
{
  public:
    /// What a responder works for.
    class Client
    {
      public:
        virtual ~Client() = default;
        /// An acknowledgement has become due: FillAck is to be called while IsAckDue, or ForgetAck.
        virtual void AckDue() = 0;
        /**
         * @brief A message has arrived in full.
         * @param immediate what came with it
         * @param bytes its size
         */
        virtual void Arrived(uint32_t immediate, uint64_t bytes) = 0;
    };

    /// What has been received and answered.
    struct Statistics
    {
        uint64_t acksSent{0};
        uint64_t naksSent{0};
        uint64_t duplicatesReceived{0};
        uint64_t outOfOrderReceived{0};
        uint64_t bytesDelivered{0}; //!< payload accepted in order by this end as a receiver
    };

    /**
     * @param client what it works for
     * @param statistics where it counts
     */
    RdmaResponder(Client& client, Statistics& statistics);
    ~RdmaResponder();
    RdmaResponder(const RdmaResponder&) = delete;
    RdmaResponder& operator=(const RdmaResponder&) = delete;

    /// @param selective keep packets beyond a gap; to be called before anything arrives
    void SetSelectiveRepeat(bool selective);
    /// @return true if packets beyond a gap are kept
    bool IsSelectiveRepeat() const;

    /// @param psn of the first packet that the peer sends
    void Start(uint64_t psn);

    /**
     * @brief A data packet has arrived.
     * @param header its headers
     */
    void Receive(const RoceHeader& header);

    /// @return true if an acknowledgement is due
    bool IsAckDue() const
    {
        return m_ackDue;
    }

    /**
     * @brief Write the acknowledgement that is due. With selective repeat another may be due then.
     * @param header gets its BTH and AETH, but for the destination
     */
    void FillAck(RoceHeader& header);

    /// The way to the peer is closed: it will repeat what it gets no acknowledgement for.
    void ForgetAck();

    // --- for a burst, which computes ahead what arrives ---

    /// @return true if nothing has been found missing
    bool IsOrderly() const;

    /// @return true if all that has been sent has arrived and been acknowledged
    bool IsUndisturbed() const;

    /// @return PSN of the packet that is next
    uint64_t GetExpectedPsn() const
    {
        return m_expectedPsn;
    }

    /// @return messages completed
    uint32_t GetMessages() const
    {
        return m_msn;
    }

    /**
     * @brief Write an acknowledgement that a burst has sent.
     * @param header gets its BTH and AETH
     * @param psn one past the last packet that had arrived
     * @param messages that had arrived
     */
    static void FillSent(RoceHeader& header, uint64_t psn, uint32_t messages);
    /**
     * @brief Go on with packets from where a burst has come to.
     * @param psn of the packet that is next
     * @param bytes of its message that have arrived
     * @param messages completed
     */
    void SetProgress(uint64_t psn, uint64_t bytes, uint32_t messages);
    /// An acknowledgement has become due and has not been sent.
    void SetAckDue();

  private:
    /// A packet beyond a gap.
    struct Held
    {
        uint32_t bytes{0};
        uint32_t immediate{0};
        bool last{false}; //!< of its message
    };

    /// Have an acknowledgement sent.
    void RequestAck(bool nak);
    /// A packet beyond a gap has arrived.
    void ReceiveBeyondGap(uint64_t psn, const Held& packet);
    /// The next packet in order is here.
    void Accept(const Held& packet);

    Client& m_client;
    Statistics& m_statistics;
    uint64_t m_expectedPsn{0};
    uint64_t m_receivedBytes{0}; //!< of the message that is arriving
    uint32_t m_msn{0};           //!< messages completed
    bool m_selective{false};
    bool m_nakSent{false}; //!< for the gap before m_expectedPsn
    bool m_nakDue{false};  //!< what is due is a NAK
    bool m_ackDue{false};
    std::map<uint64_t, Held> m_held; //!< selective repeat: packets beyond a gap, by PSN
    Fifo<uint64_t> m_naksDue;        //!< selective repeat: packets that are to be told of
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RESPONDER_H
