// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROGRESS_METER_H
#define PHOTONIC_RAILS_PROGRESS_METER_H

#include "ns3/nstime.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @brief A line that is rewritten while a simulation runs: simulated time, what the program has to
 * say, and packets per second of real time.
 *
 * It looks at the clock at intervals of simulated time that adapt to the speed of the run. How
 * often that is depends on the machine, so its events are counted apart; nothing else depends on
 * it.
 */
class ProgressMeter
{
  public:
    /**
     * @param os where the line goes
     * @param rewrite true on a terminal: rewrite one line twice a second; otherwise a new line is
     * added every ten seconds
     * @param packets tells how many packets have been sent so far
     * @param status tells what else to print, such as the iteration
     * @param running false ends the meter, so that the simulation can end
     */
    ProgressMeter(std::ostream& os,
                  bool rewrite,
                  std::function<uint64_t()> packets,
                  std::function<std::string()> status,
                  std::function<bool()> running);

    /// Start to look. Before Simulator::Run.
    void Start();

    /// Erase the line.
    void Clear();

    /// @return simulator events that the meter itself has caused
    uint64_t GetEvents() const
    {
        return m_events;
    }

  private:
    using Clock = std::chrono::steady_clock;

    void Look();

    std::ostream& m_os;
    bool m_rewrite;
    std::function<uint64_t()> m_packets;
    std::function<std::string()> m_status;
    std::function<bool()> m_running;
    Time m_interval;
    Clock::time_point m_printedAt;
    uint64_t m_printedPackets{0};
    uint64_t m_events{0};
    bool m_hasLine{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROGRESS_METER_H
