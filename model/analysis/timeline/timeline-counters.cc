// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-counters.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Computations of a job are shorter.
constexpr int64_t LONGEST_SILENCE_SECONDS = 1000;

} // namespace

TimelineCounters::TimelineCounters(TimelineSheet& sheet)
    : m_sheet(sheet)
{
}

void
TimelineCounters::Observe(uint32_t process,
                          const std::string& name,
                          Ptr<EthernetPortNetDevice> port)
{
    m_ports.push_back({process, name, port, 0});
}

void
TimelineCounters::Start(std::function<bool()> isRunning, std::function<uint64_t()> countOthers)
{
    const TimelineScope& scope = m_sheet.GetScope();
    if (scope.bin.IsZero() || m_ports.empty())
    {
        return;
    }
    m_isRunning = std::move(isRunning);
    m_countOthers = std::move(countOthers);
    Simulator::Schedule(scope.from, &TimelineCounters::Look, this);
}

void
TimelineCounters::Look()
{
    ++m_events;
    const Time now = Simulator::Now();
    const TimelineScope& scope = m_sheet.GetScope();
    const uint64_t others = Simulator::GetEventCount() - m_events - m_countOthers();
    if (others != m_others)
    {
        m_others = others;
        m_heardOf = now;
    }
    if (m_isMeasuring)
    {
        Measure();
    }
    else
    {
        for (auto& port : m_ports)
        {
            port.bytes = port.device->GetBytesSent();
        }
    }
    const bool goesOn = m_isRunning() && !Simulator::IsFinished() && now < scope.to &&
                        now - m_heardOf < Seconds(LONGEST_SILENCE_SECONDS);
    if (!goesOn)
    {
        Stop();
        return;
    }
    m_isMeasuring = true;
    m_begin = now;
    Simulator::Schedule(scope.bin, &TimelineCounters::Look, this);
}

void
TimelineCounters::Measure()
{
    const double seconds = (Simulator::Now() - m_begin).ToDouble(Time::S);
    for (auto& port : m_ports)
    {
        const uint64_t bytes = port.device->GetBytesSent();
        const double room =
            seconds * static_cast<double>(port.device->GetDataRate().GetBitRate()) / 8;
        const double sent = static_cast<double>(bytes - port.bytes) + port.excess;
        port.bytes = bytes;
        port.excess = std::max(0.0, sent - room);
        Write(port, m_begin, std::min(1.0, sent / room));
    }
}

void
TimelineCounters::Write(Port& port, const Time& at, double value)
{
    const bool isNew = value != port.written;
    port.written = value;
    if (isNew && m_sheet.AdmitValue(at))
    {
        m_sheet.GetWriter().Counter(port.process, port.name, "utilisation", at, value);
    }
}

void
TimelineCounters::Stop()
{
    m_isMeasuring = false;
    for (auto& port : m_ports)
    {
        Write(port, Simulator::Now(), 0);
    }
}

void
TimelineCounters::Finish()
{
    if (m_isMeasuring && Simulator::Now() > m_begin)
    {
        Measure();
        Stop();
    }
    m_ports.clear();
}

uint64_t
TimelineCounters::GetEvents() const
{
    return m_events;
}

} // namespace ns3
