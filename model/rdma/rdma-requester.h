// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_REQUESTER_H
#define PHOTONIC_RAILS_RDMA_REQUESTER_H

#include "rdma-congestion-control.h"
#include "rdma-retransmission-timer.h"
#include "rdma-send-queue.h"
#include "roce-header.h"

#include "ns3/callback.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * @brief The sending side of a queue pair: it cuts messages into packets with consecutive PSNs and
 * keeps them until they are acknowledged, repeats what is missing, and can pause.
 *
 * With go-back-N it repeats all packets from the missing one on, with selective repeat those that
 * an RdmaScoreboard takes for lost. With a congestion control an RdmaPacer says how many packets
 * may be in flight and when the next one may leave. One packet that asks for an acknowledgement may
 * always leave when none is awaited, whatever the window has become meanwhile.
 *
 * It is told which packets have arrived and does not care how the peer says so. PSNs are 64 bits
 * inside and 24 bits on the wire.
 */
class RdmaRequester : private RdmaRetransmissionTimer::Client
{
  public:
    /// What a requester works for.
    class Client
    {
      public:
        virtual ~Client() = default;
        /// Take what arrives at this instant.
        virtual void TakeArrivals() = 0;
        /// There may be something to send, see HasDataToSend.
        virtual void DataReady() = 0;
        /**
         * @brief A message is finished.
         * @param message the message
         * @param delivered true if all of it has been acknowledged, false if it has failed
         */
        virtual void Completed(const RdmaSendQueue::Message& message, bool delivered) = 0;
        /**
         * @brief Packets are going to be repeated.
         * @param from PSN of the packet that would have been next
         * @param to PSN of the packet that is sent next
         * @param timeout true after a time-out
         */
        virtual void WentBack(uint64_t from, uint64_t to, bool timeout) = 0;
    };

    /// What has been sent; a retransmitted packet counts in both of the first two.
    struct Statistics
    {
        uint64_t dataPacketsSent{0};
        uint64_t retransmissions{0};
        uint64_t timeouts{0};
        uint64_t bytesPosted{0};
        uint64_t bytesFailed{0}; //!< of messages that were reported as failed
    };

    /**
     * @param client what it works for
     * @param statistics where it counts
     */
    RdmaRequester(Client& client, Statistics& statistics);
    ~RdmaRequester() override;
    RdmaRequester(const RdmaRequester&) = delete;
    RdmaRequester& operator=(const RdmaRequester&) = delete;

    /// @param bytes payload of a full packet; it cannot change once something has been posted
    void SetMtu(uint32_t bytes);

    /// @return payload bytes of a full packet
    uint32_t GetMtu() const
    {
        return m_queue.GetMtu();
    }

    /// @param bytes unacknowledged at most; one packet is always allowed
    void SetWindow(uint32_t bytes);

    /// @return unacknowledged bytes at most
    uint32_t GetWindow() const
    {
        return m_windowBytes;
    }

    /// @param packets every how many an acknowledgement is asked for
    void SetAckInterval(uint32_t packets);

    /// @return every how many packets an acknowledgement is asked for
    uint32_t GetAckInterval() const
    {
        return m_ackInterval;
    }

    /// @param timeouts so many in a row without progress are survived
    void SetRetryLimit(uint32_t timeouts)
    {
        m_retryLimit = timeouts;
    }

    /// @return time-outs in a row without progress that are survived
    uint32_t GetRetryLimit() const
    {
        return m_retryLimit;
    }

    /// @param selective repeat single packets; it cannot change once something has been posted
    void SetSelectiveRepeat(bool selective);
    /// @param packets see RdmaScoreboard::SetReorderTolerance
    void SetReorderTolerance(uint32_t packets);

    /// @return the packets that may overtake one that is not lost
    uint32_t GetReorderTolerance() const
    {
        return m_reorderTolerance;
    }

    /// @param control a control that has been started, or null
    void SetCongestionControl(Ptr<RdmaCongestionControl> control);
    /// @return the congestion control, or null
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /// @return the retransmission timer, to set its bounds
    RdmaRetransmissionTimer& GetTimer()
    {
        return m_timer;
    }

    /// @copydoc GetTimer()
    const RdmaRetransmissionTimer& GetTimer() const
    {
        return m_timer;
    }

    /// @param psn of the first packet; to be called before anything is posted
    void Start(uint64_t psn);
    /// Forget all messages without a report, and stop.
    void Clear();

    /**
     * @brief Send a message. After a failure it is kept until Flush.
     * @param bytes its size; 0 is a notification without data
     * @param immediate sent with it
     * @param signaled kept with it
     */
    void Post(uint64_t bytes, uint32_t immediate, bool signaled);

    /// The last message counts as signaled; returns false if all are finished.
    bool Signal()
    {
        return m_queue.Signal();
    }

    /// Fail now: nothing is sent any more, and all unfinished messages are reported as failed.
    void Abort();
    /// Report all unfinished messages as failed, but none that is posted meanwhile.
    void Flush();

    /// @return true if time-outs have used up the retry limit
    bool HasFailed() const
    {
        return m_failed;
    }

    /**
     * @brief Stop sending at the next packet boundary.
     * @param drained called when every packet sent has been acknowledged, at once if that is so
     */
    void Pause(Callback<void> drained);
    /// Go on sending.
    void Resume();

    /// The way to the peer is closed: the timer stands still.
    void PathClosed();
    /// The way to the peer is open: go on from the oldest unacknowledged packet.
    void PathOpened();

    /// @return true if messages, window and pause let a packet be sent
    bool HasDataToSend() const
    {
        const bool fits = m_nextPsn < m_unackedPsn + m_windowPackets || !AwaitsAck();
        return (m_nextPsn < m_sendLimit && fits) || HasRepeat();
    }

    /// @return true if GetNextSendTime() has to be respected
    bool IsPaced() const
    {
        return m_pacer != nullptr;
    }

    /// @return when the congestion control lets the next packet leave; only if IsPaced()
    Time GetNextSendTime() const
    {
        return m_pacer->GetNextSendTime();
    }

    /// @return when to look again at a packet that has to wait, see RdmaPacer::Rest
    Time Rest()
    {
        return m_pacer->Rest();
    }

    /**
     * @brief Send the next packet; HasDataToSend() must hold.
     * @param header gets its BTH, RETH and immediate, but for the destination
     */
    void FillData(RoceHeader& header);

    /**
     * @param wirePsn 24 bits of a PSN that the peer refers to
     * @return the first such PSN from the oldest unacknowledged packet on
     */
    uint64_t Unwrap(uint32_t wirePsn) const;

    /**
     * @brief Packets have arrived.
     * @param psn one past the last of them; ignored if it has never been sent
     */
    void Acknowledged(uint64_t psn);
    /**
     * @brief A packet is missing, and those before it have arrived.
     * @param psn the packet; ignored if it has never been sent
     */
    void Missing(uint64_t psn);
    /**
     * @brief A packet has arrived beyond a gap: selective repeat.
     * @param psn the packet; ignored if it has never been sent
     */
    void ArrivedBeyondGap(uint64_t psn);
    /// The receiver says that packets are marked.
    void Notified();

    // --- for a burst, which computes ahead what is sent ---

    /// How far sending has come.
    struct Progress
    {
        uint64_t next{0};         //!< PSN that is sent next
        uint64_t unacked{0};      //!< oldest PSN without an acknowledgement
        uint64_t ackRequested{0}; //!< one past the last PSN that asked for an acknowledgement
        RdmaTimerState timer;
    };

    /// @return true if neither congestion control nor loss nor pause has a say in what is sent
    /// next, whatever is outstanding
    bool IsOrderly() const;

    /// @return true if nothing is outstanding, and neither congestion control nor loss nor pause
    /// has a say in what is sent next
    bool IsUndisturbed() const;

    /// @return the messages
    const RdmaSendQueue& GetQueue() const
    {
        return m_queue;
    }

    /// @return packets that may be outstanding
    uint32_t GetWindowPackets() const
    {
        return m_windowPackets;
    }

    /// @return how far sending has come
    Progress GetProgress() const;
    /// The oldest message has been acknowledged in full.
    void FinishMessage();
    /// Go on with packets from where a burst has come to.
    void SetProgress(const Progress& progress);

    /**
     * @brief Write the header of a packet that a burst has sent.
     * @param header gets its BTH, RETH and immediate
     * @param psn the packet
     * @param asks for an acknowledgement
     */
    void FillSent(RoceHeader& header, uint64_t psn, bool asks);

  private:
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    // inherited from RdmaRetransmissionTimer::Client
    void TakeArrivals() override;
    void TimedOut() override;

    /// @return true if the peer shall acknowledge this packet
    bool NeedsAck(uint64_t psn) const;

    /// @return true if a packet that asks for an acknowledgement is outstanding
    bool AwaitsAck() const
    {
        return m_ackRequested > m_unackedPsn;
    }

    /// @return true if the scoreboard wants a packet repeated
    bool HasRepeat() const
    {
        return m_scoreboard && m_scoreboard->HasRepeat();
    }

    /// @return true while gaps are being closed by selective repeat
    bool IsRecovering() const
    {
        return m_unackedPsn < m_recoveryEnd;
    }

    /// Repeat the next packet that the scoreboard wants repeated.
    void FillRepeat(RoceHeader& header);
    /// A packet that asks for an acknowledgement has been sent.
    void AckRequested(uint64_t psn);
    /// Take window and acknowledgement interval from the attributes and the pacer.
    void UpdateLimits();
    /// The congestion control hears of a loss, if there is one.
    void TellControl(RdmaCongestionControl::Loss loss);
    /// Packets are going to be repeated: round trips under way are not clean.
    void ForgetMeasurements();
    /// Selective repeat takes packets for lost.
    void EnterRecovery(RdmaCongestionControl::Loss loss);
    /// All packets below `psn` have been acknowledged.
    void Advance(uint64_t psn);
    /// Send again from the oldest unacknowledged packet.
    void GoBack(bool timeout);
    /// Recompute up to where packets may be sent.
    void UpdateSendLimit();
    /// Tell who waits for a pause that nothing is outstanding.
    void CheckDrained();

    Client& m_client;
    Statistics& m_statistics;
    RdmaRetransmissionTimer m_timer;

    RdmaSendQueue m_queue; //!< unfinished messages
    uint32_t m_windowBytes{1};
    uint32_t m_windowPackets{1};
    uint32_t m_ackInterval{1};
    uint32_t m_ackEvery{1}; //!< the same, or less if the pacer says so
    uint32_t m_retryLimit{1};
    uint32_t m_reorderTolerance{0};
    std::unique_ptr<RdmaScoreboard> m_scoreboard; //!< selective repeat
    std::unique_ptr<RdmaPacer> m_pacer;           //!< congestion control

    uint64_t m_nextPsn{0};
    uint64_t m_unackedPsn{0};
    uint64_t m_pausePsn{NO_LIMIT}; //!< where a pause stops
    uint64_t m_sendLimit{0};       //!< smaller of the two
    uint64_t m_highestPsn{0};      //!< one past the highest PSN ever sent
    uint64_t m_ackRequested{0};    //!< one past the last packet that asked for an ACK
    uint64_t m_recoveryEnd{0};     //!< one past what was sent when packets were taken for lost
    uint32_t m_retries{0};         //!< time-outs since the last progress
    bool m_failed{false};
    Callback<void> m_drained;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_REQUESTER_H
