// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_SCHEDULER_H
#define PHOTONIC_RAILS_CIRCUIT_SCHEDULER_H

#include "port-table.h"
#include "scheduler-group.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The controller's state of the lease protocol: leases, ports and waiting groups.
 *
 * A pure state machine without time and packets: every input returns the actions that follow from
 * it. SchedulerGroup has the leases of a group, PortTable the circuits that are up, RequestQueue
 * the waiting groups, FabricTable the free light paths, and CommandTable the commands in progress.
 *
 * - A group enters the queue when all its ranks request or hold it and at least one of them wants
 *   to send. A rank that only waits to receive (passive) consents to the circuits, but causes no
 *   switching. A rank that has completed a collective which others have to resume consents, too.
 * - A group is urgent if at least one request for it is neither passive nor speculative. Urgent
 *   groups precede all others in the queue, and only urgent groups cause recalls. For a speculative
 *   request the holders receive a hint instead, because only a holder knows whether its next call
 *   sends on the group: if so, releasing the circuits would cost one more reconfiguration.
 * - The queue is served in order. A group that cannot be granted yet keeps its ports from later
 *   groups, so that every port is served first come, first served. A group takes all its ports or
 *   none. Each port has its own queue in the same order; a group is examined when it is first on
 *   all its ports and the state of one of them has changed. The cost of an input therefore depends
 *   on the groups that share ports with the group, and not on the number of waiting groups.
 * - A group with holders can lose a circuit when a port fails. Its new circuits (Replan) precede
 *   all groups in the queue, because its holders cannot continue without these circuits.
 * - Circuits are dropped only when another group needs their ports: at once if the group that uses
 *   the circuits has no holders, otherwise after the leases are recalled.
 * - A command covers the ports of the group and the far ends of the circuits that it drops. The
 *   ports of the group are busy until the switch reports light. The far ends are dark and free at
 *   once, so that groups that exchange partners switch at the same time; a switch executes commands
 *   in order.
 * - On a switch with a CircuitFabric, circuits on free ports may not fit. The scheduler applies
 *   every change to a copy of the fabric, in the order of the commands, and therefore knows the
 *   answer of the switch. Circuits that block a group are dropped as circuits on its ports are:
 *   those without holders at once, and if that is not enough, as few others as possible are
 *   recalled. A group that is not urgent causes no hints for light paths, because speculative
 *   requests would take light paths from each other in turn. Circuits that are being made, or that
 *   an earlier group in the queue needs, stay. While an urgent group waits for light paths, later
 *   groups make no circuits on its switches, even on ports that only they use.
 *
 * The protocol has no deadlock. A group takes its ports in one step, and only when all are free, so
 * no group holds ports while it waits for others. The first group in the queue waits either for a
 * switch, which reports in bounded time, or for a recalled lease, which its holder releases in
 * bounded time: the holder finishes the calls that every rank of the group takes part in, and
 * suspends the others. The same holds for light paths: the first group waits for commands in
 * progress and for recalled leases, and its circuits fit an otherwise idle fabric (AddGroup
 * requires this). Of two groups that have lost circuits, and therefore cannot finish a call, the
 * later one yields.
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

    /// State of a group, see GetState.
    enum class GroupState
    {
        UNKNOWN,   //!< the group has not been added
        IDLE,      //!< no rank requests or holds it
        REQUESTED, //!< some ranks request it, but not all that must
        QUEUED,    //!< all ranks request it; it waits for its position, or for holders of its ports
        SWITCHING, //!< its circuits are being made
        HELD,      //!< ranks hold it
        RECALLED,  //!< ranks hold it and have been asked to release it
        FAILED,    //!< a switch has refused its circuits; it can never be served
    };

    /// Which ranks have requested a group that is not granted to them yet.
    enum class Waiting
    {
        NONE, //!< none, or an unknown group
        SOME, //!< not all ranks that must, or no rank that wants to send
        ALL,  //!< all: the group is queued
    };

    /**
     * @brief Set the fabric between the ports of a switch. Call before the first circuit is made.
     * @param ocs the switch
     * @param fabric an idle fabric for the scheduler alone, which may replace it by copies
     */
    void SetFabric(uint32_t ocs, Ptr<CircuitFabric> fabric)
    {
        m_fabrics.Set(ocs, fabric);
    }

    /**
     * @param key a group
     * @return true if the group has been added
     */
    bool HasGroup(const GroupKey& key) const
    {
        return Find(key) != nullptr;
    }

    /**
     * @brief Add a group with a new key.
     * @param key the group
     * @param ranks its ranks
     * @param plan its circuits: a matching on every switch, which fits the fabric of the switch
     * when idle
     */
    void AddGroup(const GroupKey& key, const std::vector<uint32_t>& ranks, const CircuitPlan& plan);

    /**
     * @param key a group
     * @return its ranks in the order of AddGroup; empty for an unknown group
     */
    const std::vector<uint32_t>& GetRanks(const GroupKey& key) const;

    /**
     * @brief Handle a request of a rank, or a repeated request with the same number that is no
     * longer passive or speculative. A request with a higher number ends the earlier lease of the
     * rank, whose release may arrive later.
     * @param key the group
     * @param lease the rank and the number of the lease, higher than the numbers of its earlier
     * leases of the group
     * @param completed number of collectives of the group that the rank has completed
     * @param passive true if the rank only waits to receive
     * @param speculative true if no call of the rank needs the group yet
     * @return actions to carry out
     */
    Actions Request(const GroupKey& key,
                    const Lease& lease,
                    uint64_t completed,
                    bool passive,
                    bool speculative = false);

    /**
     * @brief Record circuits that a switch without a fabric has, before the first input of a
     * scheduler that begins anew.
     * @param ocs a switch
     * @param circuits a matching, at rest
     */
    void Learn(uint32_t ocs, const CircuitSet& circuits)
    {
        m_ports.Light(ocs, circuits);
    }

    /**
     * @brief Record a lease that a rank holds, as the rank has reported to a scheduler that begins
     * anew. Call ServeHeld after the last one.
     * @param key the group
     * @param lease the rank and the number of the lease
     * @param completed number of collectives of the group that the rank has completed
     */
    void Hold(const GroupKey& key, const Lease& lease, uint64_t completed);

    /// Make circuits that held groups lack. @return actions to carry out
    Actions ServeHeld();

    /**
     * @brief Handle the release of a lease, or the withdrawal of a request.
     * @param key the group
     * @param lease the rank and the number of the lease
     * @param completed number of collectives of the group that the rank has completed
     * @return actions to carry out
     */
    Actions Release(const GroupKey& key, const Lease& lease, uint64_t completed);

    /**
     * @brief Handle the report of a switch that the circuits of a command carry light.
     * @param command number of the command
     * @return actions to carry out
     */
    Actions ReportLight(uint64_t command);

    /**
     * @brief Handle the refusal of a command: the switch has changed nothing, and the group can
     * never be served.
     *
     * Circuits that other switches have made for the group are granted to no rank and stay until
     * another group needs their ports. If the switch has a fabric, later commands to the switch are
     * planned again without the refused one, as the switch executes them.
     * @param command number of the command
     * @param failed receives the leases that wait for the group; none if the group has failed
     * before
     * @return actions to carry out
     */
    Actions ReportRefusal(uint64_t command, Recall& failed);

    /**
     * @brief Handle the loss of all circuits of a switch: the switch, or its replacement, is dark.
     *
     * Commands that the switch has not reported are void. Circuits of groups with holders are made
     * again; the holders keep their leases and wait for light.
     * @param ocs the switch
     * @return actions to carry out
     */
    Actions ReportLoss(uint32_t ocs);

    /**
     * @brief Replace the circuits of a group after ports have failed.
     *
     * The group keeps its position in the queue. If ranks hold the group, they keep their leases,
     * and the missing circuits are made before any other group is served; leases of other groups on
     * these ports are recalled.
     * @param key a group
     * @param plan its new circuits, a matching on every switch
     * @return actions to carry out
     */
    Actions Replan(const GroupKey& key, const CircuitPlan& plan);

    /**
     * @brief Prepare groups for Replan without a loss: recall their leases, and grant them to no
     * rank until Unfreeze. Groups that are frozen already stay so.
     * @param keys the groups
     * @return actions to carry out
     */
    Actions Freeze(const std::vector<GroupKey>& keys);
    /**
     * @brief Serve frozen groups again.
     * @param keys the groups
     * @return actions to carry out
     */
    Actions Unfreeze(const std::vector<GroupKey>& keys);
    /**
     * @param key a group
     * @return true if no rank holds it and no circuit is being made for it
     */
    bool IsFree(const GroupKey& key) const;

    /**
     * @brief Handle the restart of a rank that has lost its record of leases.
     *
     * Leases of groups that the rank does not need are released on its behalf. The others stay with
     * the rank until it requests them with a new number; that request is granted at once.
     * @param job the job
     * @param rank the rank
     * @param needed groups that the rank is going to request
     * @return actions to carry out
     */
    Actions Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed);

    /**
     * @brief Handle a new start of a job: its ranks count their collectives from 0.
     * @param job the job, of which no rank holds or requests a group
     */
    void RestartCount(uint32_t job);

    /**
     * @param job a job
     * @param rank a rank, or nothing
     * @return those of GetGroups that at least one rank holds or requests, in order
     */
    std::vector<GroupKey> GetGroupsInUse(uint32_t job, std::optional<uint32_t> rank = {}) const;

    /**
     * @param job a job
     * @param rank a rank, or nothing
     * @return the groups of the rank, or all groups of the job, in order
     */
    std::vector<GroupKey> GetGroups(uint32_t job, std::optional<uint32_t> rank = {}) const;

    /**
     * @param key a group
     * @param ocs a switch
     * @return true if the group has circuits on the switch
     */
    bool HasCircuits(const GroupKey& key, uint32_t ocs) const;

    /**
     * @param key a group
     * @return its state
     */
    GroupState GetState(const GroupKey& key) const;

    /**
     * @param key a group
     * @return which ranks wait for a grant
     */
    Waiting GetWaiting(const GroupKey& key) const;

    /// Ranks, groups and switches for which a group waits.
    struct WaitStatus
    {
        std::vector<uint32_t> absent;     //!< ranks that neither request nor hold
        std::vector<uint32_t> requesting; //!< ranks that request
        std::vector<uint32_t> holding;    //!< ranks that hold
        std::vector<GroupKey> blocking;   //!< groups ahead on its ports, or with holders there
        std::vector<uint32_t> switching;  //!< switches with an unreported command for it
        std::vector<OcsPortId> ports;     //!< ports that both `blocking` and the group need
    };

    /**
     * @param key a group
     * @return the ranks, groups and switches for which it waits; empty for an unknown group. Slow,
     * for reports
     */
    WaitStatus GetWaitStatus(const GroupKey& key) const;

    /// @return number of inputs that were ignored because they did not match the state of the lease
    uint64_t GetIgnored() const
    {
        return m_ignored;
    }

    /**
     * @param ocs a switch
     * @return its circuits that are up or being made, according to the reports of the switch
     */
    CircuitSet GetCircuits(uint32_t ocs) const
    {
        return m_ports.GetCircuits(ocs);
    }

    /**
     * @param key a group
     * @return true if all its circuits are up and none is being switched
     */
    bool IsUp(const GroupKey& key) const;

    /// @return an empty string, or the broken invariant (for tests; slow)
    std::string CheckInvariants() const;

  private:
    SchedulerGroup* Find(const GroupKey& key) const;
    /// Set a rank that holds or requests a group to idle.
    void Withdraw(SchedulerGroup& group, SchedulerGroup::Member& member, Actions& actions);
    /**
     * @brief Renew a lease or request that the rank has lost in a restart. @return true if the rank
     * holds the group
     */
    static bool Reassign(SchedulerGroup& group,
                         SchedulerGroup::Member& member,
                         const Lease& lease,
                         Actions& actions);
    /// Serve all groups that can be served now.
    void Serve(Actions& actions);
    void TryServe(SchedulerGroup& group, Actions& actions);
    /**
     * @brief Find light paths for the circuits of a group on all switches; without light paths the
     * group waits for them.
     * @param group a queued group
     * @param change receives circuits that must be dropped for the group, possibly to be made again
     * @return true if light paths exist once these circuits are dropped
     */
    bool FindRoom(SchedulerGroup& group, SchedulerChange& change);
    /**
     * @return true if a circuit that must be dropped has holders. An urgent group recalls their
     * leases; another group sends them a hint
     */
    bool RecallUsers(const SchedulerGroup& group,
                     const std::vector<SchedulerCircuit>& drop,
                     Actions& actions);
    void StartSwitch(SchedulerGroup& group, const SchedulerChange& change, Actions& actions);
    /// Make the circuits of a group again that a switch has lost.
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
