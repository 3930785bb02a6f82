// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_END_OF_RUN_H
#define PHOTONIC_RAILS_END_OF_RUN_H

#include <cstdint>

namespace ns3
{

/**
 * @brief Functions that Simulator::Destroy calls while the nodes of the simulation still exist.
 *
 * ns-3 runs destroy events in the order in which they were scheduled, and schedules the destruction
 * of all nodes when the first node is created. A function that reads nodes must therefore be
 * scheduled before the first node is created.
 */
class EndOfRun
{
  public:
    using Function = void (*)();

    /**
     * @brief Schedule the calls of the functions at the end of this simulation.
     *
     * RailClusterHelper calls Open before it creates the nodes of a cluster. A program that creates
     * nodes of its own earlier must call Open first. A second call does nothing.
     */
    static void Open();

    /// @param function called once, at the end of this simulation
    static void Add(Function function);

    /// @param function a function from Add that is no longer called
    static void Remove(Function function);

    /**
     * @brief Count the events that are still pending.
     *
     * Simulator::Run returns when no event is pending and after Simulator::Stop, and no function of
     * ns-3 distinguishes the two. Counting does not change the events.
     * @return pending events that have not been cancelled
     */
    static uint64_t CountEvents();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_END_OF_RUN_H
