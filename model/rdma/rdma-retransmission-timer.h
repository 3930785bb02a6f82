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
 * @brief The retransmission timer of a requester and the round-trip estimate that sets it.
 *
 * The time-out is the smoothed round-trip time plus four times its variation (RFC 6298), within
 * bounds. It doubles with every time-out until a round trip has been measured again. One packet is
 * measured at a time, and never one that has been repeated (Karn). Where packets are lost again and
 * again none may be clean for long, so back-off also ends when a repeat is acknowledged in half the
 * shortest round trip to four times the smoothed one (or the expected one, before the first). In
 * any other time it may be the first copy that has been late, and the time-out too short.
 *
 * While the way to the peer is closed the timer is suspended: it stands still and cannot be
 * started.
 */
class RdmaRetransmissionTimer
{
  public:
    /// Whose timer it is.
    class Client
    {
      public:
        virtual ~Client() = default;

        /// Take acknowledgements that arrive at this instant: they come before a time-out.
        virtual void TakeArrivals()
        {
        }

        /// The time is up; the timer has stopped and the time-out has been doubled.
        virtual void TimedOut() = 0;
    };

    /// @param client whose timer it is
    explicit RdmaRetransmissionTimer(Client& client);
    ~RdmaRetransmissionTimer();
    RdmaRetransmissionTimer(const RdmaRetransmissionTimer&) = delete;
    RdmaRetransmissionTimer& operator=(const RdmaRetransmissionTimer&) = delete;

    /// @param timeout used before a round trip has been measured
    void SetInitialTimeout(Time timeout);
    /// @return the time-out before a round trip has been measured
    Time GetInitialTimeout() const;
    /// @param time estimate of the first round trip: four of them are the least initial time-out
    void SetExpectedRoundTrip(Time time);
    /// @param timeout lower bound, before back-off
    void SetMinTimeout(Time timeout);
    /// @return the lower bound
    Time GetMinTimeout() const;
    /// @param timeout upper bound, after back-off
    void SetMaxTimeout(Time timeout);
    /// @return the upper bound
    Time GetMaxTimeout() const;
    /// @return the time-out as it stands
    Time GetTimeout() const;

    // --- round trips ---

    /// @param psn a packet that is sent for the first time and asks for an acknowledgement
    void Sent(uint64_t psn);
    /// @param psn all packets below it have been acknowledged
    void Acknowledged(uint64_t psn);
    /// Packets are going to be repeated: the one that is being measured has no clean round trip.
    void ForgetMeasurement();

    // --- timer ---

    /// Give the peer a full time-out from now on, unless suspended.
    void Restart();
    /// Nothing is awaited any more.
    void Stop();
    /// The way to the peer is closed: stop, and do not start. A new timer is suspended.
    void Suspend();
    /// The way to the peer is open: allow to start again, without back-off.
    void Unsuspend();

    // --- for a burst, which keeps the state while it lasts ---

    /// @return the state as it is now
    const RdmaTimerState& GetState() const
    {
        return m_state;
    }

    /// @return the bounds of the time-out
    RdmaTimeoutBounds GetBounds() const;

    /// @return true if time-outs have lengthened the time-out
    bool IsBackedOff() const
    {
        return m_backoff > 0;
    }

    /// @param state how a burst has left it
    void SetState(const RdmaTimerState& state);

  private:
    /// @return true if what has just been acknowledged must be what was repeated
    bool IsRepeatPlausible() const;
    /// Have an event that runs no later than the deadline.
    void Await();
    /// Have the event run at the deadline.
    void Schedule();
    /// The event runs.
    void Due();

    Client& m_client;
    Time m_initialTimeout;
    Time m_expectedRoundTrip;
    Time m_minTimeout;
    Time m_maxTimeout;

    RdmaTimerState m_state;
    uint32_t m_backoff{0}; //!< time-outs since back-off last ended

    bool m_suspended{true};
    EventId m_event; //!< may be pending while the timer does not run, to be used again
    Time m_eventAt;  //!< when m_event is due; it may be due before the deadline
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RETRANSMISSION_TIMER_H
