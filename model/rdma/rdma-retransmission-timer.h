// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H
#define PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace ns3
{

/// Bounds of a retransmission time-out, in steps of simulated time.
struct RdmaTimeoutBounds
{
    int64_t initial{0};           //!< least time-out before a round trip has been measured
    int64_t expectedRoundTrip{0}; //!< the time-out is at least twice this, and before the first
                                  //!< measurement at least 4 times
    int64_t least{0};             //!< lower bound, before back-off
    int64_t most{0};              //!< back-off does not lengthen the time-out beyond this
};

/// The smoothed round trip and its variation (RFC 6298), in time steps. A value type.
struct RdmaRoundTripEstimate
{
    int64_t smoothed{0};  //!< round trip; 0 before the first measurement
    int64_t variation{0}; //!< smoothed deviation from `smoothed`
    int64_t shortest{0};  //!< shortest round trip

    /// Update the estimate.
    /// @param roundTrip a measured round trip
    void Measured(int64_t roundTrip)
    {
        if (smoothed == 0)
        {
            smoothed = roundTrip;
            variation = roundTrip / 2;
            shortest = roundTrip;
            return;
        }
        const int64_t error = roundTrip - smoothed;
        variation += (std::abs(error) - variation) / 4;
        smoothed += error / 8;
        shortest = std::min(shortest, roundTrip);
    }

    /// @return true if the estimates are equal
    bool operator==(const RdmaRoundTripEstimate& other) const
    {
        return smoothed == other.smoothed && variation == other.variation &&
               shortest == other.shortest;
    }
};

/**
 * @brief The state of a retransmission timer: the round-trip estimate, the packet being measured,
 * and the deadline. Times are in time steps.
 *
 * A value type. Its functions take the present time as an argument, so that the fast path can
 * compute ahead on a copy.
 */
struct RdmaTimerState : RdmaRoundTripEstimate
{
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    uint64_t timedPsn{NONE}; //!< PSN of the packet being measured
    int64_t timedAt{0};      //!< when the packet being measured was sent
    int64_t startedAt{0};    //!< when the timer was last restarted
    int64_t deadline{0};     //!< when the timer expires, if running
    bool running{false};     //!< an acknowledgement is awaited

    /**
     * @param bounds bounds of the time-out
     * @param backoff number of doublings, at most 20 count
     * @return the time-out
     */
    int64_t GetTimeout(const RdmaTimeoutBounds& bounds, uint32_t backoff) const
    {
        const int64_t estimate = smoothed == 0
                                     ? std::max(bounds.initial, 4 * bounds.expectedRoundTrip)
                                     : smoothed + 4 * variation;
        const int64_t timeout = std::max({estimate, 2 * bounds.expectedRoundTrip, bounds.least});
        const uint32_t shift = std::min<uint32_t>(backoff, 20);
        return std::max(timeout, std::min(timeout * (int64_t{1} << shift), bounds.most));
    }

    /// Begin the measurement of a packet that is sent for the first time and requests an
    /// acknowledgement, unless another packet is being measured.
    void Sent(uint64_t psn, int64_t now)
    {
        if (timedPsn == NONE)
        {
            timedPsn = psn;
            timedAt = now;
        }
    }

    /**
     * @brief Account for the acknowledgement of all packets below a PSN.
     * @return true if the packet being measured is among them; the caller must then call Measured
     */
    bool Acknowledged(uint64_t psn)
    {
        const bool measured = timedPsn < psn;
        timedPsn = measured ? NONE : timedPsn;
        return measured;
    }

    /// Start or restart the timer with the full time-out.
    void Restart(int64_t now, const RdmaTimeoutBounds& bounds, uint32_t backoff)
    {
        running = true;
        startedAt = now;
        deadline = now + GetTimeout(bounds, backoff);
    }
};

/**
 * @brief The retransmission timer of a requester and its round-trip estimate.
 *
 * The time-out is the smoothed round-trip time plus four times its variation (RFC 6298), at least
 * twice the expected round trip, within bounds: round trips that were alike for long have no
 * variation, and the next queue would be taken for a loss. Each expiry doubles the time-out until a
 * round trip has been measured again. The timer measures one packet at a time, and never a
 * retransmitted packet (Karn's algorithm). Under repeated losses a valid measurement may take long,
 * so back-off also ends when a retransmission is acknowledged within half the shortest round trip
 * to four times the smoothed round trip (before the first measurement: one to four times the
 * expected round trip). Outside that interval the acknowledgement may belong to the first copy, and
 * the time-out may have been too short.
 *
 * While there is no path to the peer the timer is suspended: it does not run and cannot be started.
 */
class RdmaRetransmissionTimer
{
  public:
    /// The owner of a timer.
    class Client
    {
      public:
        virtual ~Client() = default;

        /// Process the acknowledgements that arrive at this simulated time, before a time-out.
        virtual void TakeArrivals()
        {
        }

        /// Called when the timer expires. The timer has stopped and the time-out has been doubled.
        virtual void TimedOut() = 0;
    };

    /**
     * @param client the owner
     * @param state the estimate and the deadline, which outlive the timer
     */
    RdmaRetransmissionTimer(Client& client, RdmaTimerState& state);
    ~RdmaRetransmissionTimer();
    RdmaRetransmissionTimer(const RdmaRetransmissionTimer&) = delete;
    RdmaRetransmissionTimer& operator=(const RdmaRetransmissionTimer&) = delete;

    /// @param timeout the time-out before a round trip has been measured
    void SetInitialTimeout(Time timeout)
    {
        m_initialTimeout = timeout;
    }

    /// @return the time-out before a round trip has been measured
    Time GetInitialTimeout() const
    {
        return m_initialTimeout;
    }

    /// @param time estimate of the first round trip; the initial time-out is at least four times
    /// that
    void SetExpectedRoundTrip(Time time)
    {
        m_expectedRoundTrip = time;
    }

    /// @param timeout lower bound, before back-off
    void SetMinTimeout(Time timeout)
    {
        m_minTimeout = timeout;
    }

    /// @return the lower bound
    Time GetMinTimeout() const
    {
        return m_minTimeout;
    }

    /// @param timeout bound of back-off, which never shortens the time-out
    void SetMaxTimeout(Time timeout)
    {
        m_maxTimeout = timeout;
    }

    /// @return the bound of back-off
    Time GetMaxTimeout() const
    {
        return m_maxTimeout;
    }

    /// @return the present time-out
    Time GetTimeout() const;

    // --- round trips ---

    /// @param psn PSN of a packet that is sent for the first time and requests an acknowledgement
    void Sent(uint64_t psn);
    /// @param psn all packets below this PSN have been acknowledged
    void Acknowledged(uint64_t psn);
    /// Discard the measurement in progress because packets will be retransmitted.
    void ForgetMeasurement();

    // --- timer ---

    /// Start or restart the timer with the full time-out, unless suspended.
    void Restart();
    /// Stop the timer because no acknowledgement is awaited.
    void Stop();
    /// Stop the timer until Unsuspend, because there is no path to the peer. A new timer is
    /// suspended.
    void Suspend();
    /// Allow the timer to start again, without back-off, because there is a path to the peer.
    void Unsuspend();

    // --- for the fast path, which computes on a copy of the state while it is active ---

    /// @return the bounds of the time-out
    RdmaTimeoutBounds GetBounds() const;

    /// @return true if expiries have lengthened the time-out
    bool IsBackedOff() const
    {
        return m_backoff > 0;
    }

    /// Continue from a state that has been assigned at the end of the fast path.
    void Continue();

  private:
    /// @return true if the present acknowledgement must be that of a retransmission
    bool IsRepeatPlausible() const;
    /// Ensure that m_event is due no later than the deadline.
    void Await();
    /// Schedule m_event for the deadline.
    void Schedule();
    /// Called when m_event is due.
    void Due();

    Client& m_client;
    RdmaTimerState& m_state;
    Time m_initialTimeout;
    Time m_expectedRoundTrip;
    Time m_minTimeout;
    Time m_maxTimeout;

    uint32_t m_backoff{0}; //!< expiries since back-off last ended

    bool m_suspended{true};
    EventId m_event; //!< may be pending while the timer does not run, for reuse
    Time m_eventAt;  //!< when m_event is due, possibly before the deadline
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H
