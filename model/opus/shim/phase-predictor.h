// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PHASE_PREDICTOR_H
#define PHOTONIC_RAILS_PHASE_PREDICTOR_H

#include "traffic-profile.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <set>

namespace ns3
{

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
    std::optional<CollectiveCall> TakeWish(bool isFree, Time fastest);
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
    void Forget();
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
