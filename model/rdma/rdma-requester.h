// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_REQUESTER_H
#define PHOTONIC_RAILS_RDMA_REQUESTER_H

#include "rdma-congestion-control.h"
#include "rdma-retransmission-timer.h"
#include "rdma-send-queue.h"
#include "roce-header.h"

#include "ns3/callback.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * @brief The progress of the sending side of a queue pair, and the rules for the next packet.
 *
 * A value type: RdmaRequester sends packets from it, and a fast path computes ahead on a copy.
 */
struct RdmaSenderState
{
    uint64_t next{0};         //!< PSN of the next packet to send
    uint64_t unacked{0};      //!< oldest PSN without an acknowledgement
    uint64_t limit{0};        //!< first PSN that may not be sent: end of messages, or of a pause
    uint64_t ackRequested{0}; //!< one past the last PSN sent with an acknowledgement request
    RdmaTimerState timer;

    /// @return true if a packet with an acknowledgement request is unacknowledged
    bool AwaitsAck() const
    {
        return ackRequested > unacked;
    }

    /**
     * @param window most unacknowledged packets
     * @return true if the next packet may be sent
     */
    bool HasData(uint32_t window) const
    {
        return next < limit && (next < unacked + window || !AwaitsAck());
    }

    /**
     * @brief An acknowledgement is requested by every so many packets, by the last packet before
     * the limit, and by the one that fills the window.
     * @param psn a PSN below the limit
     * @param window most unacknowledged packets
     * @param ackEvery packets from one request to the next
     * @return number of packets from this PSN on before the one that requests an acknowledgement
     */
    uint64_t CountBeforeRequest(uint64_t psn, uint32_t window, uint32_t ackEvery) const
    {
        const uint64_t edge = std::max(unacked + window, psn + 1);
        return std::min({ackEvery - 1 - psn % ackEvery, limit - 1 - psn, edge - 1 - psn});
    }

    /// Account for a packet that requests an acknowledgement. @return true if the timer must start
    bool Ask(uint64_t psn)
    {
        const bool first = !AwaitsAck();
        ackRequested = std::max(ackRequested, psn + 1);
        return first;
    }
};

/**
 * @brief The sending side of a queue pair: cuts messages into packets with consecutive PSNs, keeps
 * messages until they are acknowledged, retransmits missing packets, and can pause.
 *
 * With go-back-N the requester retransmits all packets from the missing one on, with selective
 * repeat the packets that an RdmaScoreboard considers lost. With a congestion control, an RdmaPacer
 * limits the packets in flight and determines the earliest time of the next packet. If no
 * acknowledgement is outstanding, one packet with an acknowledgement request may always be sent,
 * even if the window has shrunk meanwhile.
 *
 * The client reports which packets have arrived, in any format of acknowledgements. PSNs have 64
 * bits in the requester and 24 bits on the wire.
 */
class RdmaRequester : private RdmaRetransmissionTimer::Client
{
  public:
    /// Interface of the owner of a requester.
    class Client
    {
      public:
        virtual ~Client() = default;
        /// Process the frames that arrive at this simulated time.
        virtual void TakeArrivals() = 0;
        /// Data may be ready to send, see HasDataToSend.
        virtual void DataReady() = 0;
        /**
         * @brief A message is finished.
         * @param message the message
         * @param delivered true if the message has been acknowledged in full, false if it has
         * failed
         */
        virtual void Completed(const RdmaSendQueue::Message& message, bool delivered) = 0;
        /**
         * @brief The requester returns to an earlier packet.
         * @param from PSN of the packet that would have been sent next
         * @param to PSN of the packet that is sent next
         * @param timeout true after a timeout
         */
        virtual void WentBack(uint64_t from, uint64_t to, bool timeout) = 0;
    };

    /// Counters. A retransmitted packet counts in dataPacketsSent and in retransmissions.
    struct Statistics
    {
        uint64_t dataPacketsSent{0};
        uint64_t retransmissions{0};
        uint64_t timeouts{0};
        uint64_t bytesPosted{0};
        uint64_t bytesFailed{0}; //!< bytes of messages that were reported as failed
    };

    /**
     * @param client the owner, which outlives the requester
     * @param statistics counters to update
     */
    RdmaRequester(Client& client, Statistics& statistics);
    ~RdmaRequester() override;
    RdmaRequester(const RdmaRequester&) = delete;
    RdmaRequester& operator=(const RdmaRequester&) = delete;

    /// @param bytes payload of a full packet; cannot change after the first Post
    void SetMtu(uint32_t bytes);

    /// @return payload bytes of a full packet
    uint32_t GetMtu() const
    {
        return m_queue.GetMtu();
    }

    /// @param bytes maximum of unacknowledged bytes; one packet is always allowed
    void SetWindow(uint32_t bytes);

    /// @return maximum of unacknowledged bytes
    uint32_t GetWindow() const
    {
        return m_windowBytes;
    }

    /// @param packets packets from one acknowledgement request to the next
    void SetAckInterval(uint32_t packets);

    /// @return packets from one acknowledgement request to the next
    uint32_t GetAckInterval() const
    {
        return m_ackInterval;
    }

    /// @param timeouts consecutive timeouts without progress after which the requester fails
    void SetRetryLimit(uint32_t timeouts)
    {
        m_retryLimit = timeouts;
    }

    /// @return the limit from SetRetryLimit
    uint32_t GetRetryLimit() const
    {
        return m_retryLimit;
    }

    /// @param selective true for selective repeat; cannot change after the first Post
    void SetSelectiveRepeat(bool selective);
    /// @param packets see RdmaScoreboard::SetReorderTolerance
    void SetReorderTolerance(uint32_t packets);

    /// @return the packets from SetReorderTolerance
    uint32_t GetReorderTolerance() const
    {
        return m_reorderTolerance;
    }

    /// @param control a congestion control that has been started, or null
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

    /// @param psn PSN of the first packet; must be called before the first Post
    void Start(uint64_t psn);
    /// Discard all messages without a report, and stop.
    void Clear();

    /**
     * @brief Send a message. After a failure the message is kept until Flush.
     * @param bytes size of the message; 0 is a notification without data
     * @param immediate immediate value, sent with the message
     * @param signaled stored with the message for the client
     */
    void Post(uint64_t bytes, uint32_t immediate, bool signaled);

    /// Make the last message signaled. @return false if all messages are finished
    bool Signal()
    {
        return m_queue.Signal();
    }

    /// Fail now: send nothing more, and report all unfinished messages as failed.
    void Abort();
    /// Report all unfinished messages as failed, except messages that are posted meanwhile.
    void Flush();

    /// @return true after RetryLimit timeouts without progress and after Abort
    bool HasFailed() const
    {
        return m_failed;
    }

    /**
     * @brief Stop sending at the next packet boundary.
     * @param drained called when all packets that were sent have been acknowledged, immediately if
     * they have been already
     */
    void Pause(Callback<void> drained);
    /// End a pause.
    void Resume();

    /// Stop the timer, because the path to the peer is closed.
    void PathClosed()
    {
        m_timer.Suspend();
    }

    /// Resume from the oldest unacknowledged packet, because the path to the peer is open.
    void PathOpened();

    /// @return true if messages, window and pause allow a packet
    bool HasDataToSend() const
    {
        return m_state.HasData(m_windowPackets) || HasRepeat();
    }

    /// @return true if a congestion control determines GetNextSendTime()
    bool IsPaced() const
    {
        return m_pacer != nullptr;
    }

    /// @return earliest time to send the next packet; requires IsPaced()
    Time GetNextSendTime() const
    {
        return m_pacer->GetNextSendTime();
    }

    /// @return time to check again for the next packet, see RdmaPacer::Rest; requires IsPaced()
    Time Rest()
    {
        return m_pacer->Rest();
    }

    /**
     * @brief Send the next packet; HasDataToSend() must hold.
     * @param header receives BTH, RETH and immediate of the packet, except the destination
     */
    void FillData(RoceHeader& header);

    /**
     * @param wirePsn lower 24 bits of a PSN
     * @return the first PSN with these bits from the oldest unacknowledged packet on
     */
    uint64_t Unwrap(uint32_t wirePsn) const;

    /**
     * @brief All packets before a PSN have arrived.
     * @param psn the PSN; ignored if packets before it have never been sent
     */
    void Acknowledged(uint64_t psn);
    /**
     * @brief A packet is missing, and all packets before it have arrived.
     * @param psn PSN of the missing packet; ignored if the packet has never been sent
     */
    void Missing(uint64_t psn);
    /**
     * @brief A packet behind a gap has arrived (selective repeat).
     * @param psn PSN of the packet; ignored if the packet has never been sent
     */
    void ArrivedBeyondGap(uint64_t psn);
    /// Process a congestion notification of the receiver.
    void Notified();

    // --- for fast paths ---

    /// @return true if neither congestion control nor a loss nor a pause affects the next packets
    bool IsOrderly() const;

    /// @return true if IsOrderly() and all packets are acknowledged
    bool IsUndisturbed() const
    {
        return m_state.next == m_state.unacked && !m_state.AwaitsAck() && IsOrderly();
    }

    /// @return the messages
    const RdmaSendQueue& GetQueue() const
    {
        return m_queue;
    }

    /// @return maximum of unacknowledged packets
    uint32_t GetWindowPackets() const
    {
        return m_windowPackets;
    }

    /// @return the progress
    const RdmaSenderState& GetState() const
    {
        return m_state;
    }

    /// Report the oldest message as delivered.
    void FinishMessage();
    /// Continue with packets from the progress of a fast path. The limit stays that of the posted
    /// messages.
    void SetState(const RdmaSenderState& state);

    /**
     * @brief Write the header of a packet that a fast path has sent.
     * @param header receives BTH, RETH and immediate of the packet
     * @param psn PSN of the packet
     * @param asks true if the packet requests an acknowledgement
     */
    void FillSent(RoceHeader& header, uint64_t psn, bool asks);

  private:
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    // inherited from RdmaRetransmissionTimer::Client

    void TakeArrivals() override
    {
        m_client.TakeArrivals();
    }

    void TimedOut() override;

    /// @return true if the scoreboard has a packet to retransmit
    bool HasRepeat() const
    {
        return m_scoreboard && m_scoreboard->HasRepeat();
    }

    /// @return true while selective repeat retransmits lost packets
    bool IsRecovering() const
    {
        return m_state.unacked < m_recoveryEnd;
    }

    /// Retransmit the next packet of the scoreboard.
    void FillRepeat(RoceHeader& header);
    /// A packet with an acknowledgement request is sent.
    void AckRequested(uint64_t psn);
    /// Compute window and acknowledgement interval from the attributes and the pacer.
    void UpdateLimits();
    /// Report a loss to the congestion control, if there is one.
    void NotifyControl(RdmaCongestionControl::Loss loss);
    /// Discard the round-trip measurements of packets that will be retransmitted.
    void ForgetMeasurements();
    /// Begin recovery from packets that selective repeat considers lost.
    void EnterRecovery(RdmaCongestionControl::Loss loss);
    /// Record that all packets before `psn` have been acknowledged.
    void Advance(uint64_t psn);
    /// Resume from the oldest unacknowledged packet.
    void GoBack(bool timeout);
    /// Compute the limit of PSNs that may be sent.
    void UpdateSendLimit();
    /// Invoke the callback of a pause if all packets are acknowledged.
    void CheckDrained();

    Client& m_client;
    Statistics& m_statistics;
    RdmaSenderState m_state;
    RdmaRetransmissionTimer m_timer; //!< of m_state

    RdmaSendQueue m_queue; //!< unfinished messages
    uint32_t m_windowBytes{1};
    uint32_t m_windowPackets{1};
    uint32_t m_ackInterval{1};
    uint32_t m_ackEvery{1}; //!< m_ackInterval, or less with a pacer
    uint32_t m_retryLimit{1};
    uint32_t m_reorderTolerance{0};
    std::unique_ptr<RdmaScoreboard> m_scoreboard; //!< selective repeat
    std::unique_ptr<RdmaPacer> m_pacer;           //!< congestion control

    uint64_t m_pausePsn{NO_LIMIT}; //!< first PSN that a pause holds back
    uint64_t m_highestPsn{0};      //!< one past the highest PSN ever sent
    uint64_t m_recoveryEnd{0};     //!< next PSN at the beginning of the last recovery
    uint32_t m_retries{0};         //!< timeouts since the last progress
    bool m_failed{false};
    Callback<void> m_drained;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_REQUESTER_H
