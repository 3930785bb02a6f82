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
 * @brief Prints the progress of a run: simulated time, finished share, remaining time, and packets
 * per second of real time. If there were no packets since the last line, the line has the events
 * instead, and the waits of the ranks.
 *
 * A thread schedules an event at the current simulated time at fixed intervals of real time; the
 * event prints. The number of these events depends on the machine, so GetEvents counts them apart;
 * no result depends on them. Only ns-3's default simulator accepts events from other threads.
 */
class ProgressMeter
{
  public:
    /// Functions that describe the state of a simulation.
    struct Source
    {
        std::function<uint64_t()> packets;   //!< number of packets sent so far
        std::function<std::string()> status; //!< further text, such as the iteration
        std::function<double()> share;       //!< finished share of all operations, 0 to 1
        std::function<std::string()> waits;  //!< what most ranks wait for; or empty
    };

    /**
     * @param os receives the lines
     * @param rewrite true on a terminal: rewrite one line twice a second; otherwise a new line is
     * added after four seconds, and then every ten
     * @param remark printed once after four seconds, unless empty
     * @param name of the run, in front of each line; if there is one, other runs may print lines
     * between, so that no line is rewritten
     */
    ProgressMeter(std::ostream& os, bool rewrite, std::string remark, const std::string& name = "");
    ~ProgressMeter();

    ProgressMeter(const ProgressMeter&) = delete;
    ProgressMeter& operator=(const ProgressMeter&) = delete;

    /// Begin to print; until Watch is called, the line says that the simulation is set up.
    void Start();

    /// Describe a simulation that is about to run. @param source functions that describe its state
    void Watch(Source source);

    /// Stop printing and erase the line. Call before Simulator::Destroy.
    void Stop();

    /// @return number of simulator events that the meter has scheduled
    uint64_t GetEvents() const
    {
        return m_events;
    }

    /// @param seconds of real time @return the time for people, such as 45 s, 12 min or 3.4 h
    static std::string DescribeWait(double seconds);

  private:
    using Clock = std::chrono::steady_clock;

    /// Schedule events until Stop; runs on the thread.
    void KeepTime();
    /// Print the state of the simulation; runs as an event.
    void Look();
    /// Print a line.
    void Print(const std::string& line);

    std::ostream& m_os;
    bool m_rewrite;
    std::string m_remark;
    std::string m_prefix; //!< of each line
    Source m_source;
    Clock::time_point m_begin;       //!< of Start
    Clock::time_point m_runBegin;    //!< of Watch
    Clock::time_point m_lookedAt;    //!< last time of Look, or Watch
    uint64_t m_packets{0};           //!< at m_lookedAt
    uint64_t m_simulatorEvents{0};   //!< at m_lookedAt
    uint64_t m_events{0};            //!< calls of Look
    bool m_hasLine{false};           //!< the terminal shows a line that has to be erased
    bool m_isRunning{false};         //!< Watch has been called
    bool m_isOver{false};            //!< Stop has been called
    std::mutex m_mutex;              //!< guards m_isRunning and m_isOver
    std::condition_variable m_ended; //!< notified when m_isOver changes
    std::thread m_thread;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROGRESS_METER_H
