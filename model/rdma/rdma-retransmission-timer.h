// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H
#define PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H

#include "rdma-timer-state.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The retransmission timer of a requester and its round-trip estimate.
 *
 * The time-out is the smoothed round-trip time plus four times its variation (RFC 6298), within
 * bounds. Each expiry doubles the time-out until a round trip has been measured again. The timer
 * measures one packet at a time, and never a retransmitted packet (Karn's algorithm). Under
 * repeated losses a valid measurement may take long, so back-off also ends when a retransmission is
 * acknowledged within half the shortest round trip to four times the smoothed round trip (before
 * the first measurement: one to four times the expected round trip). Outside that interval the
 * acknowledgement may belong to the first copy, and the time-out may have been too short.
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

    /// @param client the owner
    explicit RdmaRetransmissionTimer(Client& client);
    ~RdmaRetransmissionTimer();
    RdmaRetransmissionTimer(const RdmaRetransmissionTimer&) = delete;
    RdmaRetransmissionTimer& operator=(const RdmaRetransmissionTimer&) = delete;

    /// @param timeout the time-out before a round trip has been measured
    void SetInitialTimeout(Time timeout);
    /// @return the time-out before a round trip has been measured
    Time GetInitialTimeout() const;
    /// @param time estimate of the first round trip; the initial time-out is at least four times
    /// that
    void SetExpectedRoundTrip(Time time);
    /// @param timeout lower bound, before back-off
    void SetMinTimeout(Time timeout);
    /// @return the lower bound
    Time GetMinTimeout() const;
    /// @param timeout upper bound, after back-off
    void SetMaxTimeout(Time timeout);
    /// @return the upper bound
    Time GetMaxTimeout() const;
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

    // --- for the fast path, which owns the state while it is active ---

    /// @return the present state
    const RdmaTimerState& GetState() const
    {
        return m_state;
    }

    /// @return the bounds of the time-out
    RdmaTimeoutBounds GetBounds() const;

    /// @return true if expiries have lengthened the time-out
    bool IsBackedOff() const
    {
        return m_backoff > 0;
    }

    /// @param state the state at the end of the fast path
    void SetState(const RdmaTimerState& state);

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
    Time m_initialTimeout;
    Time m_expectedRoundTrip;
    Time m_minTimeout;
    Time m_maxTimeout;

    RdmaTimerState m_state;
    uint32_t m_backoff{0}; //!< expiries since back-off last ended

    bool m_suspended{true};
    EventId m_event; //!< may be pending while the timer does not run, for reuse
    Time m_eventAt;  //!< when m_event is due, possibly before the deadline
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H
