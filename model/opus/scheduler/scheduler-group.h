// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULER_GROUP_H
#define PHOTONIC_RAILS_SCHEDULER_GROUP_H

#include "ns3/circuit-fabric.h"
#include "ns3/circuit-planner.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/// A communication group of a job.
struct GroupKey
{
    uint32_t job{0}; //!< the job
    uint64_t id{0};  //!< the group, unique within the job
};

inline bool
operator==(const GroupKey& x, const GroupKey& y)
{
    return x.job == y.job && x.id == y.id;
}

inline bool
operator<(const GroupKey& x, const GroupKey& y)
{
    return std::tie(x.job, x.id) < std::tie(y.job, y.id);
}

/// Result of an input of a CircuitScheduler. Grants must be sent before recalls.
struct SchedulerActions
{
    /// Limit of a recall if no rank of the group has left: started collectives may end.
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    /// One rank's lease of a group; the number tells a rank's leases of one group apart.
    struct Lease
    {
        uint32_t rank{0};   //!< global rank
        uint32_t number{0}; //!< assigned by the rank in its request
    };

    /// Grant to ranks: the circuits of the group carry light.
    struct Grant
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< the ranks that had requested it
        bool switched{false};      //!< false if the circuits were still up (a cache hit)
    };

    /// Recall of leases.
    struct Recall
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< its holders
        uint64_t limit{NO_LIMIT};  //!< they finish collectives with an index below this one
        bool speculative{false};   //!< a hint: a rank that is about to send may keep the lease
    };

    /// A command to a switch.
    struct Switch
    {
        uint64_t command{0}; //!< number of the command, repeated in the report
        GroupKey group;      //!< the group that it is for
        uint32_t ocs{0};     //!< the switch
        CircuitSet drop;     //!< circuits that exist
        CircuitSet make;     //!< circuits to make
    };

    std::vector<Switch> switches;
    std::vector<Grant> grants;
    std::vector<Recall> recalls;
};

class SchedulerGroup;

/// A port of a switch in the tables of a CircuitScheduler.
struct SchedulerPort
{
    OcsPortId id;
    SchedulerPort* peer{nullptr};              //!< the other end of its circuit
    bool busy{false};                          //!< its circuit is being switched
    bool relighting{false};                    //!< being made again after a loss, with holders
    std::map<uint64_t, SchedulerGroup*> queue; //!< groups that wait for the port, by position
};

/// A circuit, by its ports; that of the lower number is the first.
using SchedulerCircuit = std::pair<SchedulerPort*, SchedulerPort*>;

/// Circuits to drop and to make so that a group has all its circuits.
struct SchedulerChange
{
    std::vector<SchedulerCircuit> drop; //!< circuits to drop
    std::vector<SchedulerCircuit> make; //!< circuits to make
};

/**
 * @param circuits circuits of one switch
 * @return the numbers of their ports
 */
CircuitSet ToCircuitSet(const std::vector<SchedulerCircuit>& circuits);

/**
 * @brief A group of a CircuitScheduler: the leases and requests of its ranks, and the messages that
 * follow from them.
 */
class SchedulerGroup
{
  public:
    /// State of a rank.
    enum MemberState
    {
        IDLE,
        REQUESTED,
        HOLDING,
    };

    /// A rank of the group.
    struct Member
    {
        MemberState state{IDLE};
        bool passive{false};     //!< request of a rank that only waits to receive
        bool speculative{false}; //!< request that no call needs yet
        bool isReset{false};     //!< the rank has restarted and will request it again
        uint32_t lease{0};       //!< number of its last lease
        uint64_t completed{0};   //!< collectives of the group that it has completed
    };

    /**
     * @param key the group
     * @param ranks its ranks
     */
    SchedulerGroup(const GroupKey& key, const std::vector<uint32_t>& ranks);

    /// @return the group's name
    const GroupKey& GetKey() const
    {
        return m_key;
    }

    /// @return its ranks, as they were given
    const std::vector<uint32_t>& GetRanks() const
    {
        return m_ranks;
    }

    /**
     * @param rank a rank
     * @return its entry; null if the rank is not in the group
     */
    Member* FindMember(uint32_t rank);

    /**
     * @brief Change the state of a rank.
     * @param member a rank of the group
     * @param state its new state
     * @param passive for REQUESTED: the rank only waits to receive
     * @param speculative for REQUESTED: no call needs the group yet
     */
    void SetMember(Member& member,
                   MemberState state,
                   bool passive = false,
                   bool speculative = false);

    /**
     * @brief Record how many collectives of the group a rank has completed.
     * @param member a rank of the group
     * @param completed the number; only a rank that begins anew has completed fewer than before
     */
    void SetCompleted(Member& member, uint64_t completed);

    /**
     * @param state a state
     * @return the ranks in this state, in order
     */
    std::vector<uint32_t> GetMembers(MemberState state) const;

    /// @return number of ranks that request the group
    uint32_t CountRequested() const
    {
        return m_counts.requested;
    }

    /// @return number of ranks that hold the group
    uint32_t CountHolding() const
    {
        return m_counts.holding;
    }

    /// @return true if a call of a rank waits to send
    bool IsUrgent() const
    {
        return m_counts.urgent > 0;
    }

    /**
     * @brief Check whether the group can be served: all ranks that must have requested it, and at
     * least one wants to send.
     *
     * A collective may be suspended after some of its ranks have completed it. The others can
     * complete it without a request of these ranks.
     * @return true if the group can be served
     */
    bool IsReady() const;

    /// @return true if at least one circuit is neither up nor being made
    bool LacksCircuits() const;
    /// @return true if all circuits are up and none is being switched
    bool IsUp() const;
    /**
     * @param other another group
     * @return true if the other group must wait for the holders of this group
     */
    bool IsHeldAgainst(const SchedulerGroup& other) const;

    /// Let all ranks that request the group hold it. @return the grant to send
    SchedulerActions::Grant Grant();
    /// Recall the leases, for the first time since the grant. @return the recall to send
    std::optional<SchedulerActions::Recall> BeginRecall();
    /**
     * @brief Lower the limit of a recall after a rank has left. @return the recall to send, if the
     * limit has changed
     */
    std::optional<SchedulerActions::Recall> RepeatRecall();
    /// Mark the group as requested speculatively by others. @return the hint to send to the holders
    SchedulerActions::Recall Hint();
    /// @return the recall or hint that a rank must receive again with a repeated grant, if any
    std::optional<SchedulerActions::Recall> MakeRecallFor(
        const SchedulerActions::Lease& lease) const;
    /// Mark the group as failed. @return the leases that wait for it; none if it had failed before
    SchedulerActions::Recall Fail();

    /// End a recall: no rank holds the group.
    void EndRecall()
    {
        m_recalled = false;
    }

    /// @return an empty string, or the broken invariant (for tests)
    std::string CheckInvariants() const;

    // State of a group that PortTable, RequestQueue and CommandTable maintain.
    std::vector<SchedulerCircuit> circuits; //!< all circuits of the group
    uint32_t commands{0};                   //!< commands in progress for it
    bool switched{false};                   //!< since the last grant
    bool isQueued{false};                   //!< true if it is in the RequestQueue
    bool repair{false};                     //!< ranks hold it, but not all its circuits are there
    bool isFrozen{false};                   //!< waits until its circuits have been planned anew
    uint64_t place{0};                      //!< position in the queue; lower is earlier

    /// @return true if its leases are recalled
    bool IsRecalled() const
    {
        return m_recalled;
    }

    /// @return true if its holders have received a hint
    bool IsHinted() const
    {
        return m_hinted;
    }

    /// @return true if the group can never be served
    bool HasFailed() const
    {
        return m_failed;
    }

  private:
    /// How many ranks are in a state.
    struct Counts
    {
        uint32_t requested{0}; //!< ranks that request the group
        uint32_t active{0};    //!< of these, ranks that want to send
        uint32_t urgent{0};    //!< of these, ranks with a call that waits
        uint32_t behind{0};  //!< of these, ranks that have completed fewer than m_most collectives
        uint32_t holding{0}; //!< ranks that hold the group
        uint32_t ahead{0};   //!< other ranks that have completed m_most collectives
    };

    std::vector<SchedulerActions::Lease> GetLeases(MemberState state) const;
    /// Add a rank to counts, or take it out with the sign -1.
    void Count(const Member& member, Counts& counts, int32_t sign) const;
    /// Find m_most, and count all ranks.
    void Recount();

    GroupKey m_key;
    std::vector<uint32_t> m_ranks;
    std::map<uint32_t, Member> m_members;
    Counts m_counts;
    uint64_t m_most{0}; //!< collectives that the rank that is farthest has completed
    bool m_recalled{false};
    bool m_hinted{false};
    bool m_failed{false};
    uint64_t m_recallLimit{SchedulerActions::NO_LIMIT};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULER_GROUP_H
