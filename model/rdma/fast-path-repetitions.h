// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_REPETITIONS_H
#define PHOTONIC_RAILS_FAST_PATH_REPETITIONS_H

#include "fast-path-region-state.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @brief Finds periods that repeat in a FastPathRegionState, and computes all repetitions that fit
 * at once.
 *
 * If the region returns to an earlier state (all times relative to now, all PSNs relative to the
 * next PSN), the same period follows again. Brent's cycle detection finds such a period: a state is
 * compared with one checkpoint, which moves when the comparisons since reach a power of two.
 */
class FastPathRepetitions
{
  public:
    using State = FastPathRegionState::State;

    /// @param region the region, which must outlive this object
    explicit FastPathRepetitions(const FastPathRegionState& region)
        : m_region(region)
    {
    }

    /**
     * @brief Add a round trip to those of the present period.
     * @param qp the queue pair that has measured it
     * @param time the round-trip time
     */
    void AddRoundTrip(uint32_t qp, int64_t time)
    {
        m_checkpoint.roundTrips.push_back({qp, time});
    }

    /**
     * @brief Advance a state by whole periods, if it equals the checkpoint.
     *
     * Call after each event at which a queue pair has requested an acknowledgement.
     * @param state the state
     * @param asker the queue pair with the lowest number that has requested an acknowledgement
     * @param until the state stays before this time
     */
    void Skip(State& state, uint32_t asker, int64_t until);

  private:
    using Frame = FastPathRegionState::Frame;
    using LinkState = FastPathRegionState::LinkState;
    using QueuePairState = FastPathRegionState::QueuePairState;
    template <typename T, std::size_t PER_PORT = 1>
    using Small = FastPathRegionState::Small<T, PER_PORT>;
    using Form = boost::container::small_vector<int64_t, 128>;

    /// A round trip that a queue pair has measured.
    struct RoundTrip
    {
        uint32_t qp;
        int64_t time;
    };

    /// A state in normalised form, the progress at that time, and the round trips since.
    struct Checkpoint
    {
        Form form; //!< times relative to now, PSNs relative to the next PSN
        int64_t now{0};
        Small<LinkState, 2> links;
        Small<QueuePairState> qps;
        Small<uint64_t> entered;                                 //!< by output
        boost::container::small_vector<RoundTrip, 8> roundTrips; //!< measured since
    };

    /// The repetitions to compute.
    struct Repeats
    {
        uint64_t count;          //!< number of periods
        int64_t later;           //!< duration of all periods
        Small<uint64_t> further; //!< packets sent in all periods, by queue pair
    };

    /// @return true if states may be compared: the queue pair has enough equal packets left, and no
    /// queue pair with a lower number has data to send
    bool IsAnchor(const State& state, uint32_t qp) const;
    /// Compute the normalised form of a state.
    void Normalise(const State& state, Form& form) const;
    /// Add the constants and the progress of a queue pair to the normalised form.
    void NormaliseQueuePair(const State& state, uint32_t qp, Form& form) const;
    /// Make a state the checkpoint.
    void Keep(const State& state, Form& form);
    /// @return how often the period since the checkpoint can be repeated
    int64_t CountRepetitions(const State& state, int64_t until) const;
    /// Advance a state by all repetitions that fit.
    void Repeat(State& state, int64_t until) const;
    /// Advance frames in a queue or in flight.
    template <typename Frames>
    void RepeatFrames(Frames& frames, const Repeats& repeats) const;
    /// Advance links and the outputs of switches.
    void RepeatLinks(State& state, const Repeats& repeats) const;
    /// Advance a queue pair.
    void RepeatQueuePair(QueuePairState& qp, uint32_t number, const Repeats& repeats) const;
    /// Update the timer of a queue pair with the round trips of the period, `count` times.
    void Measure(RdmaTimerState& timer, uint32_t qp, uint64_t count) const;

    /// @return the queue pair whose PSNs a frame has
    uint32_t GetSender(const Frame& frame) const
    {
        return frame.ack ? m_region.GetQueuePair(frame.qp).peer : frame.qp;
    }

    const FastPathRegionState& m_region;
    Checkpoint m_checkpoint;
    Form m_form;         //!< of the state that is compared; a member to keep its memory
    uint64_t m_steps{0}; //!< comparisons since the checkpoint
    uint64_t m_power{0}; //!< comparisons until the checkpoint moves; 0: there is no checkpoint
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_REPETITIONS_H
