// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H
#define PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H

#include "roce-header.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/fifo.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <limits>

namespace ns3
{

class RdmaNic;
class TransceiverNetDevice;

/// Where a queue pair can be reached: what the two sides exchange out of band before they connect.
struct RdmaEndpoint
{
    Mac48Address mac;
    Ipv4Address ip;
    uint32_t queuePair{0}; //!< 24-bit number
    uint32_t firstPsn{0};  //!< 24-bit PSN of the first packet that it sends
};

/**
 * @brief One end of a reliable connection (RC) bound to a NIC port.
 *
 * Messages are RDMA Writes with immediate. The sender cuts them into packets of Mtu bytes with
 * consecutive PSNs and keeps at most Window bytes unacknowledged. It asks for an acknowledgement on
 * every AckInterval-th packet, at the end of what it can send, and at a pause. The receiver accepts
 * packets in order only: a gap is answered with one NAK, and the sender goes back to it. A timer
 * that adapts to the measured round-trip time (RFC 6298) and backs off covers what a NAK cannot:
 * lost tails and lost acknowledgements. It runs while a packet that asked for an acknowledgement is
 * outstanding, so a queue pair with a small share of its port may take long to get that far. After
 * RetryLimit time-outs without progress every unfinished message is reported as failed.
 *
 * A queue pair is silent while its port is dark or lit by somebody else than its peer, and its
 * timer stands still. When the way is open again it goes on from the oldest unacknowledged packet.
 *
 * PSNs are 64 bits inside and 24 bits on the wire.
 */
class RdmaQueuePair : public Object
{
  public:
    static TypeId GetTypeId();

    RdmaQueuePair();
    ~RdmaQueuePair() override;

    /// Called once per posted message: all acknowledged, or failed.
    using SentCallback = Callback<void, uint32_t /*immediate*/, bool /*delivered*/>;
    /// Called when a message has arrived in full.
    using ReceivedCallback = Callback<void, uint32_t /*immediate*/, uint64_t /*bytes*/>;

    /// Packet and byte counts; a retransmitted packet counts in both of the first two.
    struct Statistics
    {
        uint64_t dataPacketsSent{0};
        uint64_t retransmissions{0};
        uint64_t acksSent{0};
        uint64_t naksSent{0};
        uint64_t duplicatesReceived{0};
        uint64_t outOfOrderReceived{0};
        uint64_t timeouts{0};
        uint64_t bytesPosted{0};
        uint64_t bytesDelivered{0}; //!< payload accepted in order by this end as a receiver
        uint64_t bytesFailed{0};    //!< of messages that were reported as failed
    };

    /**
     * @param nic the NIC that serves this queue pair
     * @param port the port it uses
     * @param local how the peer reaches this end
     */
    void Bind(RdmaNic* nic, Ptr<TransceiverNetDevice> port, const RdmaEndpoint& local);

    /// @param remote the peer
    void Connect(const RdmaEndpoint& remote);

    /// @return how the peer reaches this end
    const RdmaEndpoint& GetEndpoint() const;

    void SetSentCallback(SentCallback sent);
    void SetReceivedCallback(ReceivedCallback received);

    /**
     * @brief Send a message.
     * @param bytes its size; 0 is a notification without data
     * @param immediate delivered with it
     */
    void Post(uint64_t bytes, uint32_t immediate);

    /**
     * @brief Stop sending at the next packet boundary.
     *
     * When it is drained nothing is under way, so that the circuit can be dropped without losing
     * light; but if frames have been lost or have timed out before, needless repeats may be.
     * A second pause before the first has drained replaces it: only the second is reported.
     * @param drained called when every packet sent has been acknowledged, at once if that is so
     */
    void Pause(Callback<void> drained);
    /// Go on sending.
    void Resume();

    /// @return true if the port leads to the peer
    bool IsPathOpen() const;
    /// @return true if time-outs have used up RetryLimit
    bool HasFailed() const;
    /// @return the counts so far
    const Statistics& GetStatistics() const;

    /**
     * TracedCallback signature of a retransmission: the sender goes back.
     * @param from PSN of the packet that would have been next
     * @param to PSN of the packet that is sent next
     * @param timeout true after a time-out, false after a NAK or when light has come back
     */
    typedef void (*GoBackTracedCallback)(uint64_t from, uint64_t to, bool timeout);

    // --- for the NIC ---

    /// @return true if a data packet may be sent now
    bool HasDataToSend() const
    {
        return m_pathOpen && m_nextPsn < m_sendLimit && m_nextPsn < m_unackedPsn + m_windowPackets;
    }

    /// @return the next data packet; HasDataToSend() must hold
    Ptr<Packet> BuildData();
    /// @return the acknowledgement that is due
    Ptr<Packet> BuildAck();
    /// The way to the peer is closed: it will repeat what it gets no acknowledgement for.
    void ForgetAck();
    /**
     * @brief A packet for this queue pair has arrived.
     * @param header its headers
     */
    void Receive(const RoceHeader& header);
    /// The port has become dark or lit, or leads elsewhere.
    void LinkChanged();

  protected:
    void DoDispose() override;
    void NotifyConstructionCompleted() override;

  private:
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    /// A message on its way.
    struct Message
    {
        uint64_t bytes{0};
        uint64_t firstPsn{0};
        uint64_t packets{0};
        uint32_t immediate{0};
    };

    void SetMtu(uint32_t bytes);
    uint32_t GetMtu() const;
    void SetWindow(uint32_t bytes);
    uint32_t GetWindow() const;
    /// @return true if a packet that asks for an acknowledgement is outstanding
    bool AwaitsAck() const;

    /// Fill in the headers of one packet of a message.
    void FillHeader(const Message& message, uint64_t psn);
    /// @return true if the peer shall acknowledge this packet
    bool NeedsAck(uint64_t psn) const;
    /// Make a packet from m_header.
    Ptr<Packet> BuildFrame();
    /// Data has arrived.
    void ReceiveData(const RoceHeader& header);
    /// An ACK or NAK has arrived.
    void ReceiveAck(const RoceHeader& header);
    /// All packets below `psn` have been acknowledged.
    void Acknowledged(uint64_t psn);
    /// Send again from the oldest unacknowledged packet.
    void GoBack(bool timeout);
    /// Have the NIC send an acknowledgement.
    void RequestAck(bool nak);
    /// Give the peer a full time-out, from now on, for the acknowledgement that is awaited.
    void RestartTimer();
    /// Have the timer event run at the deadline.
    void ScheduleTimer();
    void TimerDue();
    /// A round trip has been measured (RFC 6298).
    void Measured(Time roundTrip);
    Time GetTimeout() const;
    /// Report all unfinished messages as failed.
    void Fail();
    /// Recompute up to where packets may be sent.
    void UpdateSendLimit();
    /// Tell who waits for a pause that nothing is outstanding.
    void CheckDrained();

    // configuration
    uint32_t m_mtu{4096};
    uint32_t m_windowBytes{1};
    uint32_t m_windowPackets{1};
    uint32_t m_ackInterval;
    Time m_initialTimeout;
    Time m_minTimeout;
    Time m_maxTimeout;
    uint32_t m_retryLimit;
    uint32_t m_firstPsn;
    bool m_invariantCrc;

    RdmaNic* m_nic{nullptr};
    Ptr<TransceiverNetDevice> m_port;
    RdmaEndpoint m_local;
    RdmaEndpoint m_remote;
    RoceHeader m_header; //!< constant fields filled in once
    SentCallback m_sent;
    ReceivedCallback m_received;
    Statistics m_statistics;

    // sending
    Fifo<Message> m_messages;        //!< unfinished, in order of PSN
    std::size_t m_sendingMessage{0}; //!< index of the message that m_nextPsn belongs to
    uint64_t m_nextPsn{0};
    uint64_t m_unackedPsn{0};
    uint64_t m_endPsn{0};          //!< one past the last posted packet
    uint64_t m_pausePsn{NO_LIMIT}; //!< where a pause stops
    uint64_t m_sendLimit{0};       //!< smaller of the two
    uint64_t m_highestPsn{0};      //!< one past the highest PSN ever sent
    uint64_t m_ackRequested{0};    //!< one past the last packet that asked for an ACK
    bool m_pathOpen{false};
    bool m_failed{false};
    Callback<void> m_drained;

    // retransmission timer
    Time m_smoothedRtt; //!< 0 before the first measurement
    Time m_rttVariation;
    uint64_t m_timedPsn{NO_LIMIT}; //!< packet whose round trip is being measured
    Time m_timedAt;
    Time m_deadline;
    EventId m_timer;
    Time m_timerAt;        //!< when m_timer is due; it may be due before the deadline
    uint32_t m_backoff{0}; //!< time-outs since the last measured round trip (Karn)
    uint32_t m_retries{0}; //!< time-outs since the last progress

    // receiving
    uint64_t m_expectedPsn{0};
    uint64_t m_receivedBytes{0}; //!< of the message that is arriving
    uint32_t m_msn{0};           //!< messages completed
    bool m_nakSent{false};
    bool m_nakDue{false};
    bool m_ackDue{false};

    TracedCallback<uint64_t, uint64_t, bool> m_goBackTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H
