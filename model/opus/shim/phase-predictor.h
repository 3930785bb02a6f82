// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PHASE_PREDICTOR_H
#define PHOTONIC_RAILS_PHASE_PREDICTOR_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

/// A call in a profile.
struct ProfiledCall
{
    CollectiveCall call; //!< group, kind, volume, peer and stream
    Time gap;            //!< see TrafficProfile::Record
    uint64_t issued{0};  //!< see TrafficProfile::Record
};

/**
 * @brief Learns the calls of a rank in an iteration, and predicts the next call.
 *
 * A pure class. It learns the first iteration. There are two ways to find the end of an iteration:
 *
 * - EndIteration, which the framework calls once for each iteration, for example in its optimizer
 *   step. The profile predicts from the end of the first iteration on, and always expects the last
 *   iteration again, in the order in which the host issued its calls.
 * - Detection in the sequence: when the calls so far are one sequence twice, this sequence is taken
 *   as the iteration, in the order in which they began. The profile predicts from the third
 *   iteration on. An iteration of equal micro-batches may be mistaken for several short
 *   iterations; the first call that does not fit ends the mistake, and detection continues. One
 *   iteration alone cannot be distinguished from a run of micro-batches. EndIteration is therefore
 *   the default.
 *
 * Calls of different streams may change places between iterations. The profile therefore accepts a
 * call up to LOOK_AHEAD places early, and any number of places late; it predicts the call after the
 * furthest call so far. After a call that fits nowhere there are no predictions until a later call
 * fits.
 */
class TrafficProfile
{
  public:
    /// Largest number of places by which a call may be early.
    static constexpr std::size_t LOOK_AHEAD = 64;
    /// Without a hook, calls after which a history that does not repeat itself is dropped; the
    /// limit doubles every time.
    static constexpr std::size_t FIRST_HISTORY = 256;
    /// The longest history in which an iteration is sought.
    static constexpr std::size_t MAX_LEARNED = 1000000;

    /// @param detect true to detect the end of iterations in the sequence, without EndIteration
    void SetDetection(bool detect)
    {
        m_detect = detect;
    }

    /**
     * @brief Record a call of the rank.
     * @param call the call
     * @param gap time before the call without another call in progress
     * @param issued place of the call among those that the host has issued; calls with equal places
     * were issued in the order of their records
     */
    void Record(const CollectiveCall& call, Time gap = Time(), uint64_t issued = 0);

    /// End an iteration: all its calls have been made.
    void EndIteration();

    /// @return the next call; nothing if it is unknown
    std::optional<CollectiveCall> PredictNext() const;

    /// @return the learned gap before the next call; valid only if PredictNext returns a call
    Time PredictGap() const;

    /// @return the calls of an iteration, in order; empty until the iteration is learned
    std::vector<ProfiledCall> GetIteration() const
    {
        return {m_iteration.begin(), m_iteration.end()};
    }

  private:
    /// A call in the course of an iteration.
    struct Entry : ProfiledCall
    {
        /// @param c the call
        Entry(const ProfiledCall& c)
            : ProfiledCall(c)
        {
        }

        bool made{false}; //!< in this iteration
    };

    static bool Equal(const CollectiveCall& x, const CollectiveCall& y);
    bool Match(const CollectiveCall& call);

    /// @return the entry that is expected next; there must be an iteration
    const Entry& GetNext() const
    {
        return m_iteration[m_cursor == m_iteration.size() ? 0 : m_cursor];
    }

    void Detect(const ProfiledCall& made);
    /// Drop the history of calls and double its limit.
    void Reset();
    void StartIteration();

    bool m_detect{false};
    std::vector<Entry> m_iteration;    //!< the calls of one iteration; empty until learned
    std::size_t m_cursor{0};           //!< the place after the furthest call made
    bool m_lost{false};                //!< the last call did not fit
    std::vector<ProfiledCall> m_calls; //!< as made in this iteration; all of them for detection
    std::vector<std::size_t> m_border; //!< detection: longest border of each prefix of m_calls
    std::size_t m_historyLimit{FIRST_HISTORY}; //!< detection: when to drop the history
};

/**
 * @brief Decides which group a rank requests speculatively, and when (provisioning).
 *
 * The predictor learns the calls of an iteration (TrafficProfile). When a phase may have ended it
 * returns the next call, once, if the predicted gap is long enough for a speculative request. The
 * class has no clock: inputs have times, which never decrease.
 */
class PhasePredictor
{
  public:
    /// The next call.
    struct Next
    {
        CollectiveCall call;
        bool sendsSoon{false}; //!< too soon to release its circuits in the meantime
        Time spare; //!< how long other ranks may have its circuits; 0 for a Recv, which needs none
    };

    /**
     * @brief Begin a call.
     * @param call the call
     * @param issued see TrafficProfile::Record
     * @param now the time
     * @param detects true to detect the end of iterations in the calls; false to rely on
     * EndIteration
     */
    void Begin(const CollectiveCall& call, uint64_t issued, Time now, bool detects);
    /// End a call, and possibly a phase. @param now the time
    void End(Time now);

    /// End an iteration and a phase.
    void EndIteration()
    {
        m_profile.EndIteration();
        m_phaseMayEnd = true;
    }

    /// Let a phase end, because leases have been released.
    void EndPhase()
    {
        m_phaseMayEnd = true;
    }

    /**
     * @brief Find a group to request speculatively.
     * @param isFree true if no call is in progress, no request is pending and provisioning is on
     * @param fastest shortest time to a grant with switching; zero if unknown
     * @return a call whose group is to be requested, if a phase may have ended since the last call
     * of this function
     */
    std::optional<CollectiveCall> TakePrefetch(bool isFree, Time fastest);

    /// @param group group that is requested speculatively
    void Expect(uint64_t group)
    {
        m_expected = group;
        m_speculative.insert(group);
    }

    /**
     * @param group granted group
     * @return true if the group had been requested speculatively
     */
    bool TakeExpected(uint64_t group)
    {
        return m_speculative.erase(group) > 0;
    }

    /**
     * @brief Compare a call that begins with the prediction.
     * @param group lease group of the call
     * @param call the call
     * @return the group of a speculative request that the call shows to be wrong
     */
    std::optional<uint64_t> TakeMisprediction(uint64_t group, const CollectiveCall& call);

    /**
     * @param now the time
     * @param fastest see TakePrefetch
     * @return the next call; nothing if it is unknown
     */
    std::optional<Next> PredictNext(Time now, Time fastest) const;

    /// Drop the profile and all speculative requests; calls in progress stay.
    void Reset();

    /// Drop the calls in progress.
    void Halt()
    {
        m_underWay = 0;
    }

    /// Begin the calls of a rank. @param now the time
    void Start(Time now)
    {
        m_lastEnd = now;
    }

    /// @return what has been learned
    const TrafficProfile& GetProfile() const
    {
        return m_profile;
    }

  private:
    TrafficProfile m_profile;
    std::optional<uint64_t> m_expected; //!< group of the last speculative request
    std::set<uint64_t> m_speculative;   //!< groups of pending speculative requests
    Time m_lastEnd;                     //!< when the last call ended
    uint32_t m_underWay{0};             //!< calls in progress
    bool m_phaseMayEnd{false};          //!< a phase may have ended since TakePrefetch
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PHASE_PREDICTOR_H
