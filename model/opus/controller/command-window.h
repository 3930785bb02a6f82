// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMMAND_WINDOW_H
#define PHOTONIC_RAILS_COMMAND_WINDOW_H

#include "ns3/circuit-scheduler.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace ns3
{

/**
 * @brief The commands of a controller that no switch has reported back on.
 *
 * A pure state machine. A switch is sent a bounded number of commands at a time; what is more waits
 * in the controller, in order, so that a slow switch holds up nobody but the groups that need it.
 */
class CommandWindow
{
  public:
    /// @param window commands that a switch may have at a time; 0: any number
    void SetWindow(uint32_t window);

    /**
     * @brief Add a command.
     * @param command what to do; its number is new
     * @return true if it is to be sent now; otherwise Take will return it
     */
    bool Add(const CircuitScheduler::Switch& command);

    /**
     * @brief A switch has reported.
     * @param number of the command
     * @return the command; nothing if it was not sent
     */
    std::optional<CircuitScheduler::Switch> Take(uint64_t number);

    /**
     * @brief The next command that has waited and may be sent, after Take.
     * @param ocs the switch
     * @return the command; nothing if none waits or the window is full
     */
    std::optional<CircuitScheduler::Switch> Next(uint32_t ocs);

    /**
     * @brief A switch will report on nothing that it has been sent; what waits for it is void, too.
     * @param ocs the switch
     */
    void Forget(uint32_t ocs);

    /**
     * @param number of a command that has been sent
     * @return its switch; 0 if there is no such command
     */
    uint32_t GetSwitch(uint64_t number) const;

    /// @return commands that waited in the controller, so far
    uint64_t GetDelayed() const;
    /// @return most commands of a switch that waited in the controller at once
    uint64_t GetLongest() const;

  private:
    struct Switch
    {
        uint32_t sent{0};
        std::deque<CircuitScheduler::Switch> waiting;
    };

    uint32_t m_window{0};
    std::map<uint64_t, CircuitScheduler::Switch> m_sent; //!< by number
    std::map<uint32_t, Switch> m_switches;
    uint64_t m_delayed{0};
    uint64_t m_longest{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COMMAND_WINDOW_H
