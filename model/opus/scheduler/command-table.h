// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMMAND_TABLE_H
#define PHOTONIC_RAILS_COMMAND_TABLE_H

#include "port-table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_COMMAND_TABLE_H
