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

/// A call as a profile remembers it; its place in the profile is its order.
struct ProfiledCall
{
    CollectiveCall call; //!< group, kind, volume, peer and stream
    Time gap; //!< for which no call had been under way before it, see TrafficProfile::Record
};

/**
 * @brief What a rank's calls look like from one iteration to the next, and which comes next.
 *
 * A pure class. The first iteration is learned, in the order in which the rank makes its calls.
 * Where it ends is known in one of two ways:
 *
 * - EndIteration, which a hook of the framework calls (its optimizer step, say) once an iteration.
 *   The profile then predicts from the end of the first iteration on, and expects every
 *   iteration to be like the last one.
 * - Detection, from the sequence: when all calls so far are some sequence twice over, that is taken
 *   for the iteration. The profile then predicts from the third iteration on. Iterations made of
 *   equal micro-batches can be taken for shorter ones on the way; the first call that does not fit
 *   ends that, and the search goes on. One iteration alone cannot be told from a run of
 *   micro-batches, which is why the hook is the better way and the default.
 *
 * Calls of different streams may change places between iterations. A call that comes early is
 * therefore looked for a few places ahead, and one that comes late is still welcome; the
 * prediction is what follows the furthest call so far. A call that fits nowhere stops predictions
 * until one fits again.
 */
class TrafficProfile
{
  public:
    /// How far ahead of its place a call may come.
    static constexpr std::size_t LOOK_AHEAD = 64;
    /// Without a hook, calls after which a history that does not repeat itself is dropped; the
    /// limit doubles every time.
    static constexpr std::size_t FIRST_HISTORY = 256;
    /// The longest history in which an iteration is sought.
    static constexpr std::size_t MAX_LEARNED = 1000000;

    /// @param detect true to find the end of iterations in the sequence, without EndIteration
    void SetDetection(bool detect);

    /**
     * @brief The rank makes a call.
     * @param call the call
     * @param gap for how long no other call of the rank has been under way, zero if one is
     */
    void Record(const CollectiveCall& call, Time gap = Time());

    /// @brief The iteration has ended: no call of it is still to be made.
    void EndIteration();

    /// @return the next call, if the profile knows it
    std::optional<CollectiveCall> PredictNext() const;

    /// @return the gap before the next call when it was learned; only if PredictNext knows it
    Time PredictGap() const;

    /// @return the calls of an iteration, in order; none while it is being learned
    std::vector<ProfiledCall> GetIteration() const;

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
    const Entry& GetNext() const;
    void Detect(const ProfiledCall& made);
    void Reset();
    void StartIteration();

    bool m_detect{false};
    std::vector<Entry> m_iteration;    //!< the calls of one iteration; empty until learned
    std::size_t m_cursor{0};           //!< the place after the furthest call made
    bool m_lost{false};                //!< the last call fitted nowhere
    std::vector<ProfiledCall> m_calls; //!< as made in this iteration; all of them for detection
    std::vector<std::size_t> m_border; //!< detection: longest border of each prefix of m_calls
    std::size_t m_historyLimit{FIRST_HISTORY}; //!< detection: when to drop the history
};

/**
 * @brief Provisioning: which group a rank asks for before a call needs it, and when.
 *
 * Learns the calls of an iteration (TrafficProfile). When a phase may have ended it tells which
 * call comes next, once, if to ask ahead of time is worth it. Pure but for the times that it is
 * told, which never go back.
 */
class PhasePredictor
{
  public:
    /// The call that comes next.
    struct Next
    {
        CollectiveCall call;
        bool sendsSoon{false}; //!< so soon that its circuits are not worth giving back meanwhile
    };

    /**
     * @brief A call begins.
     * @param call the call
     * @param now the time
     * @param detects find the end of iterations in the calls; otherwise EndIteration tells
     */
    void Begin(const CollectiveCall& call, Time now, bool detects);
    /// A call has ended: so may have a phase. @param now the time
    void End(Time now);
    /// The rank has ended an iteration, and a phase.
    void EndIteration();
    /// A phase may have ended, as circuits have been given back.
    void EndPhase();

    /**
     * @brief Find what to ask for ahead of time.
     * @param isFree nothing else is under way or asked for, and the rank asks ahead of time
     * @param fastest what it takes to be granted a group that has to be switched for; 0: unknown
     * @return a call whose group is to be asked for, if a phase may have ended since the last time
     */
    std::optional<CollectiveCall> TakePrefetch(bool isFree, Time fastest);
    /// @param group which is asked for ahead of time
    void Expect(uint64_t group);
    /**
     * @param group which is granted
     * @return true if it had been asked for ahead of time
     */
    bool TakeExpected(uint64_t group);
    /**
     * @brief A call begins: see whether it is the one that is expected.
     * @param group the group that it needs
     * @param call the call
     * @return a group that has been asked for in vain, if the prediction has failed
     */
    std::optional<uint64_t> TakeMisprediction(uint64_t group, const CollectiveCall& call);

    /**
     * @param now the time
     * @param fastest see TakeWish
     * @return the next call; nothing if it is not known
     */
    std::optional<Next> PredictNext(Time now, Time fastest) const;

    /// Forget all calls and what has been asked for; calls under way are still there.
    void Reset();
    /// No call is under way any more.
    void Halt();
    /// A rank begins to make calls. @param now the time
    void Start(Time now);

    /// @return what has been learned
    const TrafficProfile& GetProfile() const;

  private:
    TrafficProfile m_profile;
    std::optional<uint64_t> m_expected; //!< group asked for ahead of time
    std::set<uint64_t> m_speculative;   //!< requests made before a call
    Time m_lastEnd;                     //!< when the last call ended
    uint32_t m_underWay{0};             //!< calls that have not ended
    bool m_phaseMayEnd{false};          //!< since the last wish
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PHASE_PREDICTOR_H
