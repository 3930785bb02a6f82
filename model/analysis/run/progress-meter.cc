// SPDX-License-Identifier: GPL-2.0-only

#include "progress-meter.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// After this time the meter prints ways to make the run shorter.
constexpr std::chrono::seconds LONG_WAIT(4);

/// @return seconds of real time between two moments
double
GetSecondsFrom(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

} // namespace

ProgressMeter::ProgressMeter(std::ostream& os,
                             bool rewrite,
                             std::string remark,
                             const std::string& name)
    : m_os(os),
      m_rewrite(rewrite && name.empty()),
      m_remark(std::move(remark)),
      m_prefix(name.empty() ? name : name + ": ")
{
}

ProgressMeter::~ProgressMeter()
{
    Stop();
}

std::string
ProgressMeter::DescribeWait(double seconds)
{
    std::ostringstream text;
    const bool isShort = seconds < 100;
    const bool isLong = seconds >= 6000;
    text << std::fixed << std::setprecision(isLong ? 1 : 0)
         << (isShort ? seconds : seconds / (isLong ? 3600 : 60))
         << (isShort  ? " s"
             : isLong ? " h"
                      : " min");
    return text.str();
}

void
ProgressMeter::Start()
{
    m_begin = Clock::now();
    m_thread = std::thread(&ProgressMeter::KeepTime, this);
}

void
ProgressMeter::Watch(Source source)
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_source = std::move(source);
    m_runBegin = Clock::now();
    m_lookedAt = m_runBegin;
    m_isRunning = true;
}

void
ProgressMeter::Stop()
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_isOver = true;
    }
    m_ended.notify_all();
    if (m_thread.joinable())
    {
        m_thread.join();
    }
    if (m_hasLine)
    {
        m_os << "\r\033[K" << std::flush;
        m_hasLine = false;
    }
}

void
ProgressMeter::KeepTime()
{
    const Clock::duration often = std::chrono::milliseconds(500);
    const Clock::duration seldom = std::chrono::seconds(10);
    Clock::time_point next = m_begin + (m_rewrite ? often : LONG_WAIT);
    std::unique_lock<std::mutex> lock(m_mutex);
    while (!m_ended.wait_until(lock, next, [this] { return m_isOver; }))
    {
        if (m_isRunning)
        {
            Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                           TimeStep(0),
                                           &ProgressMeter::Look,
                                           this);
        }
        else
        {
            Print("setting up for " + DescribeWait(GetSecondsFrom(m_begin, Clock::now())));
        }
        next = Clock::now() + (m_rewrite ? often : seldom);
    }
}

void
ProgressMeter::Look()
{
    ++m_events;
    const auto now = Clock::now();
    const uint64_t packets = m_source.packets();
    const double share = m_source.share();
    std::ostringstream line;
    line << std::fixed << std::setprecision(3) << "simulated " << Simulator::Now().GetSeconds()
         << " s, " << m_source.status() << ", " << std::setprecision(1) << 100 * share
         << " % of all operations";
    if (share > 0)
    {
        const double left = GetSecondsFrom(m_runBegin, now) * (1 - share) / share;
        line << ", " << DescribeWait(left) << " left at this pace";
    }
    const uint64_t events = Simulator::GetEventCount();
    line << ", ";
    if (packets > m_packets)
    {
        line << std::setprecision(packets - m_packets < 1000000 ? 4 : 2)
             << static_cast<double>(packets - m_packets) / GetSecondsFrom(m_lookedAt, now) / 1e6
             << " M packets/s";
    }
    else
    {
        const std::string waits = m_source.waits();
        line << "no packets counted since the last line, which are counted when their bursts end; "
             << events - m_simulatorEvents << " events" << (waits.empty() ? "" : "; most wait: ")
             << waits;
    }
    Print(line.str());
    m_lookedAt = now;
    m_packets = packets;
    m_simulatorEvents = events;
}

void
ProgressMeter::Print(const std::string& line)
{
    const std::string begin = (m_rewrite ? "\r\033[K" : "") + m_prefix;
    // Each line is written at once: other processes may write to the same terminal.
    if (!m_remark.empty() && Clock::now() - m_begin >= LONG_WAIT)
    {
        m_os << begin + "remark: " + m_remark + "\n" << std::flush;
        m_remark.clear();
    }
    m_os << begin + line + (m_rewrite ? "" : "\n") << std::flush;
    m_hasLine = m_rewrite;
}

} // namespace ns3
