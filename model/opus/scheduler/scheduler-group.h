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

/// What follows from an input of a CircuitScheduler. Grants are to be sent before recalls.
struct SchedulerActions
{
    /// The limit of a recall when no rank of the group has left: finish what has begun.
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    /// One rank's lease of a group; the number tells a rank's leases of one group apart.
    struct Lease
    {
        uint32_t rank{0};   //!< global rank
        uint32_t number{0}; //!< as the rank numbered it when it asked
    };

    /// Tell these ranks that the group's circuits carry light.
    struct Grant
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< the ranks that had asked
        bool switched{false};      //!< false if the circuits were still up (a cache hit)
    };

    /// Ask these ranks to give their leases back.
    struct Recall
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< its holders
        uint64_t limit{NO_LIMIT};  //!< they finish collectives with an index below this one
        bool speculative{false};   //!< a hint: they need not, if they are about to send
    };

    /// Change the circuits of a switch.
    struct Switch
    {
        uint64_t command{0}; //!< number to report back with
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

/// A port of a switch in the book of a CircuitScheduler.
struct SchedulerPort
{
    OcsPortId id;
    SchedulerPort* peer{nullptr};              //!< the other end of its circuit
    bool busy{false};                          //!< its circuit is being switched
    bool relighting{false};                    //!< and was lost while ranks held it
    std::map<uint64_t, SchedulerGroup*> queue; //!< groups that wait for it, by place
};

/// A circuit, by its ports; that of the lower number is the first.
using SchedulerCircuit = std::pair<SchedulerPort*, SchedulerPort*>;

/// What a group needs to be up.
struct SchedulerChange
{
    std::vector<SchedulerCircuit> drop; //!< circuits that go
    std::vector<SchedulerCircuit> make; //!< circuits that it lacks, or needs anew
};

/**
 * @param circuits circuits of one switch
 * @return the same by the numbers of their ports
 */
CircuitSet ToCircuitSet(const std::vector<SchedulerCircuit>& circuits);

/**
 * @brief A group in the book of a CircuitScheduler: which of its ranks ask for it or hold it, and
 * what they are to be told.
 */
class SchedulerGroup
{
  public:
    /// How far a rank has come.
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
        bool passive{false};     //!< of the request: it only waits to receive
        bool speculative{false}; //!< of the request: no call needs the group yet
        bool isReset{false};     //!< by the rank, which will ask again
        uint32_t lease{0};       //!< number of its last lease
        uint64_t completed{0};   //!< collectives of the group that it has completed
    };

    /**
     * @param key the group
     * @param ranks its ranks
     */
    SchedulerGroup(const GroupKey& key, const std::vector<uint32_t>& ranks);

    /// @return the group's name
    const GroupKey& GetKey() const;
    /// @return its ranks, as they were given
    const std::vector<uint32_t>& GetRanks() const;
    /**
     * @param rank a rank
     * @return what is known of it; null if it is not of the group
     */
    Member* FindMember(uint32_t rank);

    /**
     * @brief Change what a rank does.
     * @param member one of the group
     * @param state how far it has come
     * @param passive of an ASKED: the rank only waits to receive
     * @param speculative of an ASKED: no call needs the group yet
     */
    void SetMember(Member& member,
                   MemberState state,
                   bool passive = false,
                   bool speculative = false);

    /**
     * @param state how far ranks have come
     * @return the ranks that have come so far, in order
     */
    std::vector<uint32_t> GetMembers(MemberState state) const;

    /// @return ranks that ask
    uint32_t CountRequested() const;
    /// @return ranks that hold it
    uint32_t CountHolding() const;
    /// @return true if a rank waits to send
    bool IsUrgent() const;
    /// @return true if all ranks that must have asked, and one wants to send, so that it may be
    /// served
    bool IsReady() const;

    /// @return true if a circuit of it is not there, made or being made
    bool LacksCircuits() const;
    /// @return true if all its circuits are up and not being switched
    bool IsUp() const;
    /**
     * @param other another group
     * @return true if ranks hold this one so that the other has to wait for its circuits
     */
    bool IsHeldAgainst(const SchedulerGroup& other) const;

    /// All ranks that ask hold it from now on. @return what to tell them
    SchedulerActions::Grant Grant();
    /// Its holders shall give it back, for the first time since it was granted.
    /// @return what to tell them
    std::optional<SchedulerActions::Recall> BeginRecall();
    /// A rank has left: the others cannot get further than it has.
    /// @return what to tell them, if it is more than they know
    std::optional<SchedulerActions::Recall> RepeatRecall();
    /// Let holders know that somebody asks for circuits of it ahead of time.
    SchedulerActions::Recall Hint();
    /// @return what a rank that has forgotten its lease has to be told with its grant, if anything
    std::optional<SchedulerActions::Recall> MakeRecallFor(
        const SchedulerActions::Lease& lease) const;
    /// It can never be served. @return the leases that wait in vain; none if that was known
    SchedulerActions::Recall Fail();
    /// Forget a recall: nobody holds the group any more.
    void EndRecall();

    /// @return an empty string, or what is wrong (for tests)
    std::string CheckInvariants() const;

    // What others of the scheduler keep with a group: its circuits, and where it stands.
    std::vector<SchedulerCircuit> circuits; //!< all that it needs
    uint32_t commands{0};                   //!< commands under way for it
    bool switched{false};                   //!< since the last grant
    bool isQueued{false};                   //!< see RequestQueue
    bool repair{false};                     //!< ranks hold it, but not all its circuits are there
    uint64_t place{0};                      //!< in the line: lower is earlier

    /// @return true if its holders shall give it back
    bool IsRecalled() const;
    /// @return true if holders know that somebody asks ahead of time
    bool IsHinted() const;
    /// @return true if it can never be served
    bool HasFailed() const;

  private:
    std::vector<SchedulerActions::Lease> GetLeases(MemberState state) const;

    GroupKey m_key;
    std::vector<uint32_t> m_ranks;
    std::map<uint32_t, Member> m_members;
    uint32_t m_requested{0};
    uint32_t m_active{0}; //!< of those that asked, how many want to send
    uint32_t m_urgent{0}; //!< of those, how many have a call that waits for it
    uint32_t m_holding{0};
    bool m_recalled{false};
    bool m_hinted{false};
    bool m_failed{false};
    uint64_t m_recallLimit{SchedulerActions::NO_LIMIT};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULER_GROUP_H
