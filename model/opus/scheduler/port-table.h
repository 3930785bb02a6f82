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

/// What is up, in the book of a CircuitScheduler: ports and their circuits, and which groups use
/// them.
class PortTable
{
  public:
    /**
     * @param id a port
     * @return what is known of it; it stays where it is
     */
    SchedulerPort* GetPort(const OcsPortId& id);

    /**
     * @brief Give a group circuits.
     * @param group a group without circuits
     * @param plan its circuits
     */
    void SetCircuits(SchedulerGroup& group, const CircuitPlan& plan);
    /**
     * @brief Take a group's circuits from it.
     * @param group the group
     * @return what they were
     */
    std::vector<SchedulerCircuit> TakeCircuits(SchedulerGroup& group);

    /**
     * @param circuit a circuit, whether it is there or not
     * @return the groups that need it
     */
    const std::vector<SchedulerGroup*>& GetUsers(const SchedulerCircuit& circuit) const;

    /**
     * @param group a group
     * @return circuits that the group lacks, and those that are on their ports
     */
    static SchedulerChange FindChange(const SchedulerGroup& group);

    /// @return true if ports of a group are being switched
    static bool IsBusy(const SchedulerGroup& group);

    /**
     * @param ocs a switch
     * @return its ports that are known, in order
     */
    std::vector<SchedulerPort*> GetPorts(uint32_t ocs);

    /**
     * @param ocs a switch
     * @return the circuits that are up or being made there, as is believed
     */
    CircuitSet GetCircuits(uint32_t ocs) const;

    /// All circuits of a switch are gone.
    void Darken(uint32_t ocs);

    /// @return an empty string, or what is wrong (for tests)
    std::string CheckInvariants() const;

  private:
    std::map<OcsPortId, SchedulerPort> m_ports;
    std::map<SchedulerCircuit, std::vector<SchedulerGroup*>> m_users; //!< looked up, never walked
};

/**
 * @brief What lies between the ports of switches on which not every matching can be up, in the book
 * of a CircuitScheduler: as it will be when all commands have been carried out.
 */
class FabricTable
{
  public:
    /// Room for what a group needs.
    struct Room
    {
        bool exists{false};   //!< as soon as all that is dropped is gone
        bool isLeased{false}; //!< ranks hold some of what is dropped
    };

    /**
     * @brief What lies between the ports of a switch. Before there are circuits on it.
     * @param ocs the switch
     * @param fabric of the book alone, and idle; it may be replaced by copies of itself
     */
    void Set(uint32_t ocs, Ptr<CircuitFabric> fabric);

    /**
     * @param circuits circuits
     * @return the switches among theirs that have a fabric
     */
    std::set<uint32_t> FindSwitches(const std::vector<SchedulerCircuit>& circuits) const;

    /**
     * @brief Find room for circuits on a switch, at the cost of as few others as possible.
     *
     * Circuits that nobody holds go at once; if that is not enough, and the group is urgent, others
     * go too. Circuits that are being switched, or that a group needs which stands before this one
     * in line, stay.
     * @param ports what is up
     * @param group a group in line, for which the room is
     * @param ocs a switch that has a fabric
     * @param change what the group needs; receives what has to go, perhaps to be made anew
     * @return whether there is room
     */
    Room FindRoom(PortTable& ports,
                  const SchedulerGroup& group,
                  uint32_t ocs,
                  SchedulerChange& change) const;

    /**
     * @param ocs a switch
     * @param make circuits
     * @return true if they can be made there beside all others; so if it has no fabric
     */
    bool Fits(uint32_t ocs, const std::vector<SchedulerCircuit>& make) const;

    /**
     * @brief Enter a command. Nothing changes if it does not fit, as at the switch.
     * @param ocs the switch
     * @param change what it changes there
     * @return what was there before; null if the switch has no fabric
     */
    Ptr<CircuitFabric> Change(uint32_t ocs, const SchedulerChange& change);
    /**
     * @brief Go back to what was there before a command.
     * @param ocs the switch
     * @param before from Change, not null
     */
    void Restore(uint32_t ocs, Ptr<CircuitFabric> before);
    /// All circuits of a switch are gone.
    void Clear(uint32_t ocs);

    /**
     * @param ports what is up
     * @param busy switches that have commands under way
     * @return an empty string, or what is wrong (for tests)
     */
    std::string CheckInvariants(const PortTable& ports, const std::set<uint32_t>& busy) const;

  private:
    std::map<uint32_t, Ptr<CircuitFabric>> m_fabrics; //!< by switch
};

/// What is being switched, in the book of a CircuitScheduler: commands that no switch has reported
/// on.
class CommandTable
{
  public:
    /// A command to one switch.
    struct Command
    {
        SchedulerGroup* group{nullptr}; //!< for which it is
        uint32_t ocs{0};                //!< the switch
        SchedulerChange change;         //!< what it changes
        Ptr<CircuitFabric> before;      //!< what it changes there; null if any matching can be up
    };

    /**
     * @brief Change circuits: ports that are made are busy until the switch reports.
     * @param group the group for which they are changed
     * @param change on one switch or several
     * @param fabrics receive the change
     * @return a command to each of the switches
     */
    std::vector<SchedulerActions::Switch> Start(SchedulerGroup& group,
                                                const SchedulerChange& change,
                                                FabricTable& fabrics);

    /**
     * @brief A command is not under way any more: its ports are not busy.
     * @param number number of the command
     * @return the command; nothing if there is none of that number
     */
    std::optional<Command> Take(uint64_t number);

    /**
     * @brief A command has not been carried out: things are as before it, and those after it are
     * entered anew, as the switch carries them out.
     * @param number number of the command
     * @param command what has been taken
     * @param fabrics receive what is there
     */
    void Undo(uint64_t number, const Command& command, FabricTable& fabrics);

    /**
     * @param ocs a switch
     * @return numbers of the commands under way there
     */
    std::vector<uint64_t> Find(uint32_t ocs) const;

    /**
     * @param group a group
     * @return the switches with commands under way for it
     */
    std::vector<uint32_t> FindSwitches(const SchedulerGroup& group) const;

    /// @return the switches with commands under way
    std::set<uint32_t> GetSwitches() const;

  private:
    std::map<uint64_t, Command> m_commands; //!< by number, which is their order
    uint64_t m_last{0};                     //!< number of the last command
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_TABLE_H
