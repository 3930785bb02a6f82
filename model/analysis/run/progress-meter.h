// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROGRESS_METER_H
#define PHOTONIC_RAILS_PROGRESS_METER_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace ns3
{

/**
 * @brief Lines about a run while it lasts: simulated time, the share that is done, the time left,
 * and packets per second of real time.
 *
 * A thread keeps the time, however slow the simulation is, and schedules an event at the current
 * simulated time, which prints. How many events there are depends on the machine, so they are
 * counted apart; nothing else depends on them. ns-3's default simulator takes events from other
 * threads, its distributed ones do not.
 */
class ProgressMeter
{
  public:
    /// What a simulation tells of itself.
    struct Source
    {
        std::function<uint64_t()> packets;   //!< how many have been sent so far
        std::function<std::string()> status; //!< what else to print, such as the iteration
        std::function<double()> share;       //!< what share of all operations has ended, 0 to 1
    };

    /**
     * @param os where the lines go
     * @param rewrite true on a terminal: rewrite one line twice a second; otherwise a new line is
     * added after four seconds, and then every ten
     * @param remark what is said once to those who wait for four seconds; or an empty string
     */
    ProgressMeter(std::ostream& os, bool rewrite, std::string remark);
    ~ProgressMeter();

    ProgressMeter(const ProgressMeter&) = delete;
    ProgressMeter& operator=(const ProgressMeter&) = delete;

    /// Start to print, at first that the simulation is set up.
    void Start();

    /// @param source of what is printed from now on; the simulator is about to run
    void Watch(Source source);

    /// Print nothing more, and erase the line. Before Simulator::Destroy.
    void Stop();

    /// @return simulator events that the meter itself has caused
    uint64_t GetEvents() const
    {
        return m_events;
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// Keep the time, until Stop. On the thread.
    void KeepTime();
    /// Print what the simulation tells of itself. An event.
    void Look();
    /// Print a line.
    void Print(const std::string& line);

    std::ostream& m_os;
    bool m_rewrite;
    std::string m_remark;
    Source m_source;
    Clock::time_point m_begin;       //!< of Start
    Clock::time_point m_runBegin;    //!< of Watch
    Clock::time_point m_lookedAt;    //!< last time of Look, or Watch
    uint64_t m_packets{0};           //!< at m_lookedAt
    uint64_t m_events{0};            //!< calls of Look
    bool m_hasLine{false};           //!< a line is to be erased
    bool m_isRunning{false};         //!< Watch has been called; guarded by m_mutex, as m_isOver
    bool m_isOver{false};            //!< Stop has been called
    std::mutex m_mutex;              //!< of what both threads use before the simulation runs
    std::condition_variable m_ended; //!< m_isOver has changed
    std::thread m_thread;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROGRESS_METER_H
