// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_END_OF_RUN_H
#define PHOTONIC_RAILS_END_OF_RUN_H

#include <cstdint>

namespace ns3
{

/**
 * @brief Functions that look at a simulation in Simulator::Destroy, while its nodes are still
 * there.
 *
 * ns-3 runs destroy events in the order in which they were scheduled, and schedules the end of all
 * nodes when the first one is created. So a plain Simulator::ScheduleDestroy comes too late for
 * whoever wants to look at nodes.
 */
class EndOfRun
{
  public:
    using Function = void (*)();

    /**
     * @brief Have functions called at the end of this simulation.
     *
     * RailClusterHelper does it before it creates the nodes of a cluster. A program that creates
     * nodes of its own before that does it itself, first. A second call does nothing.
     */
    static void Open();

    /// @param function is called at the end of this simulation, once
    static void Add(Function function);

    /// @param function is not called any more
    static void Remove(Function function);

    /**
     * @brief Count the events that are still to happen.
     *
     * Simulator::Run returns when nothing is left to happen and after Simulator::Stop, and no
     * function of ns-3 tells which it was. The count takes a look at all events; it changes none.
     * @return events in the queue that have not been cancelled
     */
    static uint64_t CountEvents();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_END_OF_RUN_H
