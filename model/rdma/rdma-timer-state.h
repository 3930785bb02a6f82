// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_TIMER_STATE_H
#define PHOTONIC_RAILS_RDMA_TIMER_STATE_H

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
    int64_t expectedRoundTrip{0}; //!< four of them are a bound, too, before the first measurement
    int64_t least{0};             //!< at any time
    int64_t most{0};              //!< after back-off
};

/**
 * @brief What a retransmission timer knows: the smoothed round trip and its variation (RFC 6298),
 * the packet that is being measured, and the deadline. Times are steps of simulated time.
 *
 * It is a value, and its functions are told the time, so that a burst can be computed ahead on a
 * copy.
 */
struct RdmaTimerState
{
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    int64_t smoothed{0};     //!< round trip; 0 before the first measurement
    int64_t variation{0};    //!< smoothed deviation from it
    int64_t shortest{0};     //!< shortest round trip
    uint64_t timedPsn{NONE}; //!< packet whose round trip is being measured
    int64_t timedAt{0};      //!< when it was sent
    int64_t startedAt{0};    //!< when the timer was last restarted
    int64_t deadline{0};     //!< when it runs out, if it is running
    bool running{false};     //!< an acknowledgement is awaited

    /**
     * @param bounds of the time-out
     * @param backoff doublings
     * @return the time-out
     */
    int64_t GetTimeout(const RdmaTimeoutBounds& bounds, uint32_t backoff) const
    {
        const int64_t estimate = smoothed == 0
                                     ? std::max(bounds.initial, 4 * bounds.expectedRoundTrip)
                                     : smoothed + 4 * variation;
        const int64_t timeout = std::max(estimate, bounds.least);
        const uint32_t shift = std::min<uint32_t>(backoff, 20);
        return std::min(timeout * (int64_t{1} << shift), bounds.most);
    }

    /// A packet that asks for an acknowledgement is sent for the first time.
    void Sent(uint64_t psn, int64_t now)
    {
        if (timedPsn == NONE)
        {
            timedPsn = psn;
            timedAt = now;
        }
    }

    /**
     * @brief All packets below a PSN have been acknowledged.
     * @return true if that was the one that was being measured: Measured has to be told
     */
    bool Acknowledged(uint64_t psn)
    {
        const bool measured = timedPsn < psn;
        timedPsn = measured ? NONE : timedPsn;
        return measured;
    }

    /// @param roundTrip one that has been measured
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

    /// Give the peer a full time-out from now on.
    void Restart(int64_t now, const RdmaTimeoutBounds& bounds, uint32_t backoff)
    {
        running = true;
        startedAt = now;
        deadline = now + GetTimeout(bounds, backoff);
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_TIMER_STATE_H
