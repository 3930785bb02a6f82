// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_SCHEDULER_H
#define PHOTONIC_RAILS_CIRCUIT_SCHEDULER_H

#include "port-table.h"
#include "request-queue.h"
#include "scheduler-group.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Who holds the light: the controller's book of leases, ports and waiting groups.
 *
 * A pure state machine: every input returns the actions that follow from it. It knows neither time
 * nor packets. What it knows stands in books of its parts: who holds a group (SchedulerGroup), what
 * is up (PortTable), who waits (RequestQueue), where light paths are left (FabricTable) and what is
 * being switched (CommandTable).
 *
 * - A group enters the line when all its ranks ask for it or still hold it, and at least one of
 *   them wants to send (a rank that only waits to receive consents, but is no reason to switch).
 * - A group is urgent if a rank waits to send: a request that is neither passive nor speculative.
 *   Urgent groups come before all others in line, and for them alone leases have to be given back.
 *   For what is asked for ahead of time, holders get a hint: they know whether they are about to
 *   send again, and if so, to take circuits from them for a call that is yet to come would cost a
 *   reconfiguration more than to wait for that call.
 * - The line is served in order. A group that cannot go yet keeps its ports from those behind it,
 *   so that service is first come, first served on every port, and a group gets all its ports or
 *   none. Each port has a line of its own, in the same order: a group is looked at when it is the
 *   first on all its ports and something has changed on one of them. So an input costs as much as
 *   the groups that share ports with it, however many others wait.
 * - A group that ranks hold may lose a circuit for good, with a port that breaks. What it gets
 *   instead (Replan) comes before all that are in line: those who hold it cannot go on without.
 * - Circuits are dropped only when another group needs their ports. Those of a group without
 *   holders go at will; from a group with holders the leases are recalled first.
 * - A command touches the group's ports and the far ends of the circuits that it drops. The group's
 *   ports are busy until the switch reports light; the far ends are dark and free at once, so that
 *   groups that exchange partners switch at the same time. (Commands to a switch keep their order.)
 * - A switch may have a CircuitFabric: not all circuits on free ports fit. The scheduler makes all
 *   changes on a copy, in the order of the commands, so that it knows what the switch will answer.
 *   What lies in the way of a group goes as what is on its ports does: circuits that nobody holds
 *   at once, and if that is not enough, as few others as possible are recalled. For the room of a
 *   group that is not urgent nobody gets a hint: wishes would take light paths from each other in
 *   turn. Circuits that are being made, or that a group needs which is before it in line, stay.
 *   While an urgent group waits for room, those behind it make no circuits on its switches: room
 *   that becomes free is its own, even if its ports are nobody else's.
 *
 * No deadlock: a group takes its ports in one step and only when all of them are free, so no group
 * holds ports while it waits for others. What the first group of the line waits for is either a
 * switch, which reports in bounded time, or a recalled lease, which its holder gives up in bounded
 * time: it finishes the calls that every rank of the group takes part in and suspends the rest. So
 * it is with room in a fabric: the first group of the line waits for commands that are under way
 * and for recalled leases, and what it needs fits when all others are gone (AddGroup asks for
 * that). Of groups that have lost circuits, which cannot finish anything, the one behind yields.
 */
class CircuitScheduler
{
  public:
    using Lease = SchedulerActions::Lease;
    using Grant = SchedulerActions::Grant;
    using Recall = SchedulerActions::Recall;
    using Switch = SchedulerActions::Switch;
    using Actions = SchedulerActions;
    static constexpr uint64_t NO_LIMIT = SchedulerActions::NO_LIMIT;

    /// How far a group has come; see GetState.
    enum class GroupState
    {
        UNKNOWN,   //!< it has not been added
        IDLE,      //!< nobody asks or holds
        REQUESTED, //!< some ranks ask, but not all that must
        QUEUED,    //!< all ask; it waits for its turn on its ports, or for those who hold them
        SWITCHING, //!< its circuits are being made
        HELD,      //!< ranks hold it
        RECALLED,  //!< and shall give it back
        FAILED,    //!< a switch has refused its circuits, so that it can never be served
    };

    /// Who asks for a group and has not been granted it.
    enum class Waiting
    {
        NONE, //!< or a group that does not exist
        SOME, //!< not all ranks that must, or none that wants to send
        ALL,  //!< so that it is in line
    };

    /**
     * @brief What lies between the ports of a switch. Before there are circuits on it.
     * @param ocs the switch
     * @param fabric of the scheduler alone, and idle; it may be replaced by copies of itself
     */
    void SetFabric(uint32_t ocs, Ptr<CircuitFabric> fabric);

    /**
     * @param key a group
     * @return true if it was added
     */
    bool HasGroup(const GroupKey& key) const;

    /**
     * @brief Add a group. Its key must be new.
     * @param key the group
     * @param ranks its ranks
     * @param plan its circuits, a matching on every switch, which fits its fabric when that is idle
     */
    void AddGroup(const GroupKey& key, const std::vector<uint32_t>& ranks, const CircuitPlan& plan);

    /**
     * @param key a group
     * @return its ranks as they were added; empty if there is no such group
     */
    const std::vector<uint32_t>& GetRanks(const GroupKey& key) const;

    /**
     * @brief A rank asks for a group, or asks again with the same number to become active.
     * @param key the group
     * @param lease the rank and the number of the lease, higher than those it had before
     * @param completed how many collectives of the group it has completed
     * @param passive true if the rank only waits to receive
     * @param speculative true if no call of the rank needs the group yet
     * @return what follows
     */
    Actions Request(const GroupKey& key,
                    const Lease& lease,
                    uint64_t completed,
                    bool passive,
                    bool speculative = false);

    /**
     * @brief A rank gives its lease up, or takes back what it asked for.
     * @param key the group
     * @param lease the rank and the number of the lease
     * @param completed how many collectives of the group it has completed
     * @return what follows
     */
    Actions Release(const GroupKey& key, const Lease& lease, uint64_t completed);

    /**
     * @brief A switch reports that a command's circuits carry light.
     * @param command number of the command
     * @return what follows
     */
    Actions ReportLight(uint64_t command);

    /**
     * @brief A switch refused a command: nothing changed there, and the group can never be served.
     *
     * What other switches have made for the group, or are making, is granted to nobody; it stays
     * until another group needs the ports. If the switch has a fabric, later commands to it are
     * planned again on what is there without this one, as the switch carries them out.
     * @param command number of the command
     * @param failed receives the leases that wait for the group in vain; none if a switch has
     * refused before
     * @return what follows
     */
    Actions ReportRefusal(uint64_t command, Recall& failed);

    /**
     * @brief A switch has lost all its circuits; from now on it, or another in its place, is dark.
     *
     * Commands that it has not reported on are void. Circuits of groups with holders are made
     * again: their ranks keep their leases and wait for light.
     * @param ocs the switch
     * @return what follows
     */
    Actions ReportLoss(uint32_t ocs);

    /**
     * @brief A group is to have other circuits, as ports of those that it had are broken.
     *
     * It keeps its place in the line. If ranks hold it, they keep their leases, and what it lacks
     * is made before anybody else is served: from others who hold ports of it these are recalled.
     * @param key a group
     * @param plan its circuits, a matching on every switch
     * @return what follows
     */
    Actions Replan(const GroupKey& key, const CircuitPlan& plan);

    /**
     * @brief A rank has forgotten its leases, and asks again for those that its calls need.
     *
     * Others are given back in its name. What it held stays lent until it asks with a new number,
     * and is granted at once then.
     * @param job the job
     * @param rank the rank
     * @param needed groups that it is going to ask for
     * @return what follows
     */
    Actions Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed);

    /**
     * @param job a job
     * @return its groups that some rank holds or asks for, in order
     */
    std::vector<GroupKey> GetGroupsInUse(uint32_t job) const;

    /**
     * @param job a job
     * @param rank a rank
     * @return the groups of the rank, in order
     */
    std::vector<GroupKey> GetGroups(uint32_t job, uint32_t rank) const;

    /**
     * @param key a group
     * @param ocs a switch
     * @return true if it has circuits there
     */
    bool HasCircuits(const GroupKey& key, uint32_t ocs) const;

    /**
     * @param key a group
     * @return how far it has come
     */
    GroupState GetState(const GroupKey& key) const;

    /**
     * @param key a group
     * @return who asks for it
     */
    Waiting GetWaiting(const GroupKey& key) const;

    /// Who keeps a group waiting, and for whom.
    struct WaitStatus
    {
        std::vector<uint32_t> absent;     //!< ranks that neither ask nor hold
        std::vector<uint32_t> requesting; //!< ranks that ask
        std::vector<uint32_t> holding;    //!< ranks that hold
        std::vector<GroupKey> blocking;   //!< groups before it on its ports, or with holders there
        std::vector<uint32_t> switching;  //!< switches that have not reported on a command for it
        std::vector<OcsPortId> ports;     //!< of `inTheWay`, those that it needs too
    };

    /**
     * @param key a group
     * @return its standing, for reports: slow; empty if there is no such group
     */
    WaitStatus GetWaitStatus(const GroupKey& key) const;

    /// @return inputs that were ignored because they did not fit the state of the lease
    uint64_t GetIgnored() const;

    /**
     * @param ocs a switch
     * @return the circuits that are up or being made there, as the scheduler believes
     */
    CircuitSet GetCircuits(uint32_t ocs) const;

    /**
     * @param key a group
     * @return true if all its circuits are up and not being switched
     */
    bool IsUp(const GroupKey& key) const;

    /// @return an empty string, or which internal invariant is broken (for tests; slow)
    std::string CheckInvariants() const;

  private:
    SchedulerGroup* Find(const GroupKey& key) const;
    /// A rank neither holds a group nor asks for it any more.
    void Withdraw(SchedulerGroup& group, SchedulerGroup::Member& member, Actions& actions);
    /// A rank asks again for what it has forgotten. @return true if it holds it
    static bool Reassign(SchedulerGroup& group,
                         SchedulerGroup::Member& member,
                         const Lease& lease,
                         Actions& actions);
    /// Serve all who can be served now.
    void Serve(Actions& actions);
    void TryServe(SchedulerGroup& group, Actions& actions);
    /**
     * @brief Find room for circuits of a group on all switches; if there is none, it waits.
     * @param group a group in line
     * @param change receives circuits that have to go for it, perhaps to be made anew
     * @return true if there is room as soon as these are gone
     */
    bool FindRoom(SchedulerGroup& group, SchedulerChange& change);
    /// @return true if a circuit that a group needs gone has holders; they get a recall if the
    /// group is urgent, else a hint
    bool RecallUsers(const SchedulerGroup& group,
                     const std::vector<SchedulerCircuit>& drop,
                     Actions& actions);
    void StartSwitch(SchedulerGroup& group, const SchedulerChange& change, Actions& actions);
    /// Make circuits of a group again that a switch has lost.
    void Relight(SchedulerGroup& group, uint32_t ocs, Actions& actions);

    std::map<GroupKey, std::unique_ptr<SchedulerGroup>> m_groups;
    PortTable m_ports;
    RequestQueue m_queue;
    FabricTable m_fabrics;
    CommandTable m_commands;
    uint64_t m_ignored{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_SCHEDULER_H
