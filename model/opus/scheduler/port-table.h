// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_TABLE_H
#define PHOTONIC_RAILS_PORT_TABLE_H

#include "scheduler-group.h"

#include "ns3/circuit-fabric.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The waiting groups of a CircuitScheduler, in the order in which they are served.
 *
 * Each port has its own queue, in the same order. Take returns a group when the group is first on
 * all its ports and one of them has changed. Groups that ranks hold and that lack circuits precede
 * all others; urgent groups precede groups that are requested speculatively.
 */
class RequestQueue
{
  public:
    /**
     * @brief Enqueue a group, remove it, or change its position, after requests or releases of its
     * ranks.
     * @param group the group
     */
    void Update(SchedulerGroup& group);

    /**
     * @brief Let a group with holders precede all others while it lacks circuits.
     * @param group the group
     */
    void UpdateRepair(SchedulerGroup& group);

    /**
     * @brief Replace the circuits of a group, which keeps its position.
     * @param group the group
     * @param change replaces the circuits
     */
    template <typename F>
    void Exchange(SchedulerGroup& group, const F& change)
    {
        const bool wasQueued = group.isQueued;
        if (wasQueued)
        {
            Leave(group);
        }
        change();
        if (wasQueued)
        {
            Enter(group, group.place);
        }
    }

    /// Examine the groups of a port whose state has changed.
    void MarkChanged(const SchedulerPort& port);
    /// Examine the groups of the ports of circuits whose state has changed.
    void MarkChanged(const std::vector<SchedulerCircuit>& circuits);
    /// Examine the groups that wait for light paths of a switch.
    void MarkRoomChanged(uint32_t ocs);
    /// Examine the groups that wait for light paths of the switches of circuits.
    void MarkRoomChanged(const std::vector<SchedulerCircuit>& circuits);

    /**
     * @param ocs a switch
     * @param group a queued group
     * @return true if light paths of the switch are reserved for an earlier group
     */
    bool IsRoomReserved(uint32_t ocs, const SchedulerGroup& group) const;

    /// Let a queued group wait for light paths of a switch.
    void WaitForRoom(uint32_t ocs, SchedulerGroup& group)
    {
        m_room[ocs][group.place] = &group;
    }

    /// End the wait of a queued group for light paths of a switch.
    void EndWaitForRoom(uint32_t ocs, const SchedulerGroup& group);

    /// @return the next group to examine, which is first on all its ports; null if there is none
    SchedulerGroup* Take();

    /**
     * @param group a queued group
     * @return true if the group precedes groups that are requested speculatively
     */
    static bool IsUrgent(const SchedulerGroup& group);

    /// @return an empty string, or the broken invariant (for tests)
    std::string CheckInvariants() const;

  private:
    /**
     * @brief Added to the position of a group that is not urgent, which therefore follows all
     * urgent groups.
     */
    static constexpr uint64_t NOT_URGENT = uint64_t{1} << 62;
    /// Positions below this value are for groups with holders that lack circuits.
    static constexpr uint64_t URGENT = uint64_t{1} << 61;

    void Enter(SchedulerGroup& group, uint64_t place);
    void Leave(SchedulerGroup& group);
    static bool IsFirst(const SchedulerGroup& group);

    using Places = std::map<uint64_t, SchedulerGroup*>;

    Places m_changed;                  //!< queued groups to examine
    std::map<uint32_t, Places> m_room; //!< groups that wait for light paths, by switch
    uint64_t m_lastPlace{URGENT};
    uint64_t m_lastRepair{0}; //!< place of one
};

/// The ports of a CircuitScheduler, their circuits, and the groups that use them.
class PortTable
{
  public:
    /**
     * @param id a port
     * @return its entry, which is created if missing and never moves
     */
    SchedulerPort* GetPort(const OcsPortId& id);

    /**
     * @brief Give circuits to a group.
     * @param group a group without circuits
     * @param plan its circuits
     */
    void SetCircuits(SchedulerGroup& group, const CircuitPlan& plan);
    /**
     * @brief Remove the circuits of a group.
     * @param group the group
     * @return the removed circuits
     */
    std::vector<SchedulerCircuit> TakeCircuits(SchedulerGroup& group);

    /**
     * @param circuit a circuit, up or not
     * @return the groups that need the circuit
     */
    const std::vector<SchedulerGroup*>& GetUsers(const SchedulerCircuit& circuit) const;

    /**
     * @param group a group
     * @return circuits that the group lacks, and circuits that occupy their ports
     */
    static SchedulerChange FindChange(const SchedulerGroup& group);

    /// @return true if ports of a group are being switched
    static bool IsBusy(const SchedulerGroup& group);

    /**
     * @param ocs a switch
     * @return its known ports, in order
     */
    std::vector<SchedulerPort*> GetPorts(uint32_t ocs);

    /**
     * @param ocs a switch
     * @return its circuits that are up or being made, according to the reports of the switch
     */
    CircuitSet GetCircuits(uint32_t ocs) const;

    /// Remove all circuits of a switch.
    void Darken(uint32_t ocs);

    /**
     * @brief Record circuits that a switch has.
     * @param ocs a switch without known circuits
     * @param circuits a matching
     */
    void Light(uint32_t ocs, const CircuitSet& circuits);

    /// @return an empty string, or the broken invariant (for tests)
    std::string CheckInvariants() const;

  private:
    std::map<OcsPortId, SchedulerPort> m_ports;
    std::map<SchedulerCircuit, std::vector<SchedulerGroup*>>
        m_users; //!< for look-up only, never iterated
};

/**
 * @brief The fabrics of the switches that block, for a CircuitScheduler: their state after all
 * commands in progress.
 */
class FabricTable
{
  public:
    /// Result of a search for light paths.
    struct Room
    {
        bool exists{false};   //!< true if light paths exist once the circuits are dropped
        bool isLeased{false}; //!< true if a dropped circuit has holders
    };

    /**
     * @brief Set the fabric between the ports of a switch. Call before the first circuit is made.
     * @param ocs the switch
     * @param fabric an idle fabric for the table alone, which may replace it by copies
     */
    void Set(uint32_t ocs, Ptr<CircuitFabric> fabric)
    {
        m_fabrics[ocs] = fabric;
    }

    /**
     * @param circuits circuits
     * @return the switches of these circuits that have a fabric
     */
    std::set<uint32_t> FindSwitches(const std::vector<SchedulerCircuit>& circuits) const;

    /**
     * @brief Find light paths for circuits on a switch, at the cost of as few other circuits as
     * possible.
     *
     * Circuits without holders are dropped first. If that is not enough and the group is urgent,
     * others are dropped too. Circuits that are being switched, or that an earlier group in the
     * queue needs, stay.
     * @param ports the circuits that are up
     * @param group the queued group that needs the light paths
     * @param ocs a switch with a fabric
     * @param change changes that the group needs; receives the circuits to drop, possibly to be
     * made again
     * @return the result
     */
    Room FindRoom(PortTable& ports,
                  const SchedulerGroup& group,
                  uint32_t ocs,
                  SchedulerChange& change) const;

    /**
     * @param ocs a switch
     * @param make circuits
     * @return true if the circuits fit beside all others, or the switch has no fabric
     */
    bool Fits(uint32_t ocs, const std::vector<SchedulerCircuit>& make) const;

    /**
     * @brief Apply a command. A command that does not fit changes nothing, as at the switch.
     * @param ocs the switch
     * @param change its changes on the switch
     * @return the fabric before the command; null without a fabric
     */
    Ptr<CircuitFabric> Change(uint32_t ocs, const SchedulerChange& change);

    /**
     * @brief Restore the fabric to its state before a command.
     * @param ocs the switch
     * @param before result of Change, not null
     */
    void Restore(uint32_t ocs, Ptr<CircuitFabric> before)
    {
        m_fabrics.at(ocs) = before;
    }

    /// Remove all circuits of a switch.
    void Clear(uint32_t ocs);

    /**
     * @param ports the circuits that are up
     * @param busy switches with commands in progress
     * @return an empty string, or the broken invariant (for tests)
     */
    std::string CheckInvariants(const PortTable& ports, const std::set<uint32_t>& busy) const;

  private:
    /// By switch. A fabric never changes: a change replaces it, and Undo restores it.
    std::map<uint32_t, Ptr<CircuitFabric>> m_fabrics;
};

/// The commands of a CircuitScheduler that are in progress: no switch has reported them yet.
class CommandTable
{
  public:
    /// A command to one switch.
    struct Command
    {
        SchedulerGroup* group{nullptr}; //!< group that needs the command
        uint32_t ocs{0};                //!< the switch
        SchedulerChange change;         //!< what it changes
        Ptr<CircuitFabric> before;      //!< fabric before the command; null without a fabric
    };

    /**
     * @brief Start changes; the ports of new circuits are busy until the switch reports.
     * @param group the group that needs the changes
     * @param change changes on one or more switches
     * @param fabrics receive the changes
     * @return one command for each switch
     */
    std::vector<SchedulerActions::Switch> Start(SchedulerGroup& group,
                                                const SchedulerChange& change,
                                                FabricTable& fabrics);

    /**
     * @brief Remove a command; its ports are no longer busy.
     * @param number number of the command
     * @return the command; nothing for an unknown number
     */
    std::optional<Command> Take(uint64_t number);

    /**
     * @brief Undo a command that was not executed, and apply the later commands again, as the
     * switch executes them.
     * @param number number of the command
     * @param command the removed command
     * @param fabrics restored to the state of the switch
     */
    void Undo(uint64_t number, const Command& command, FabricTable& fabrics);

    /**
     * @param ocs a switch
     * @return numbers of its commands in progress
     */
    std::vector<uint64_t> Find(uint32_t ocs) const;

    /**
     * @param group a group
     * @return the switches with commands in progress for the group
     */
    std::vector<uint32_t> FindSwitches(const SchedulerGroup& group) const;

    /// @return the switches with commands in progress
    std::set<uint32_t> GetSwitches() const;

  private:
    std::map<uint64_t, Command> m_commands; //!< by number, which is their order
    uint64_t m_last{0};                     //!< number of the last command
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_TABLE_H
