// SPDX-License-Identifier: GPL-2.0-only

#include "progress-meter.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{

ProgressMeter::ProgressMeter(std::ostream& os,
                             bool rewrite,
                             std::function<uint64_t()> packets,
                             std::function<std::string()> status,
                             std::function<bool()> running)
    : m_os(os),
      m_rewrite(rewrite),
      m_packets(std::move(packets)),
      m_status(std::move(status)),
      m_running(std::move(running)),
      m_interval(MilliSeconds(1))
{
}

void
ProgressMeter::Start()
{
    m_printedAt = Clock::now();
    Simulator::Schedule(m_interval, &ProgressMeter::Look, this);
}

void
ProgressMeter::Look()
{
    ++m_events;
    if (!m_running() || Simulator::IsFinished()) // nothing else is left to happen
    {
        return;
    }
    const double elapsed = std::chrono::duration<double>(Clock::now() - m_printedAt).count();
    if (elapsed < 0.1)
    {
        m_interval = std::min(m_interval * 2, Seconds(1));
    }
    else if (elapsed >= (m_rewrite ? 0.5 : 10))
    {
        const uint64_t packets = m_packets();
        std::ostringstream line;
        line << std::fixed << std::setprecision(3) << "simulated " << Simulator::Now().GetSeconds()
             << " s, " << m_status() << ", " << std::setprecision(2)
             << static_cast<double>(packets - m_printedPackets) / elapsed / 1e6 << " M packets/s";
        if (m_rewrite)
        {
            m_os << "\r\033[K" << line.str() << std::flush;
            m_hasLine = true;
        }
        else
        {
            m_os << line.str() << std::endl;
        }
        m_printedAt = Clock::now();
        m_printedPackets = packets;
        if (m_rewrite && elapsed > 1)
        {
            m_interval = std::max(m_interval / 2, MicroSeconds(10));
        }
    }
    Simulator::Schedule(m_interval, &ProgressMeter::Look, this);
}

void
ProgressMeter::Clear()
{
    if (m_hasLine)
    {
        m_os << "\r\033[K" << std::flush;
    }
}

} // namespace ns3
