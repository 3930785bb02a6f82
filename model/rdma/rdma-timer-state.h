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
    int64_t expectedRoundTrip{0}; //!< before the first measurement, the time-out is at least 4
                                  //!< times this
    int64_t least{0};             //!< lower bound, before back-off
    int64_t most{0};              //!< upper bound, after back-off
};

/**
 * @brief The state of a retransmission timer: the smoothed round trip and its variation (RFC 6298),
 * the packet being measured, and the deadline. Times are in time steps.
 *
 * A value type. Its functions take the present time as an argument, so that the fast path can
 * compute ahead on a copy.
 */
struct RdmaTimerState
{
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    int64_t smoothed{0};     //!< round trip; 0 before the first measurement
    int64_t variation{0};    //!< smoothed deviation from `smoothed`
    int64_t shortest{0};     //!< shortest round trip
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
        const int64_t timeout = std::max(estimate, bounds.least);
        const uint32_t shift = std::min<uint32_t>(backoff, 20);
        return std::min(timeout * (int64_t{1} << shift), bounds.most);
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

    /// Start or restart the timer with the full time-out.
    void Restart(int64_t now, const RdmaTimeoutBounds& bounds, uint32_t backoff)
    {
        running = true;
        startedAt = now;
        deadline = now + GetTimeout(bounds, backoff);
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_TIMER_STATE_H
