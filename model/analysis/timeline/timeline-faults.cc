// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-faults.h"

#include "ns3/simulator.h"

namespace ns3
{

TimelineFaults::TimelineFaults(TimelineSheet& sheet)
    : m_sheet(sheet)
{
}

TraceEventWriter::Thread
TimelineFaults::GetThread()
{
    if (!m_thread)
    {
        TraceEventWriter& writer = m_sheet.GetWriter();
        m_thread = writer.AddThread(writer.AddProcess("faults"), "consequences");
    }
    return *m_thread;
}

void
TimelineFaults::Began(const std::string& kind, const std::string& target)
{
    m_broken.emplace(Component{kind, target}, Simulator::Now());
}

void
TimelineFaults::Ended(const std::string& kind, const std::string& target)
{
    const auto found = m_broken.find({kind, target});
    if (found != m_broken.end())
    {
        Write(found->first, found->second, Simulator::Now());
        m_broken.erase(found);
    }
}

void
TimelineFaults::Served(const std::string& kind, const std::string& target, const std::string& what)
{
    const Time now = Simulator::Now();
    if (m_sheet.Admit(1, now, now))
    {
        TraceArguments arguments;
        arguments.Add("consequence", what);
        m_sheet.GetWriter().Instant(GetThread(), kind + " " + target, "fault", now, arguments);
    }
}

void
TimelineFaults::Finish()
{
    for (const auto& [component, begin] : m_broken)
    {
        Write(component, begin, Max(begin, m_sheet.GetEnd()));
    }
    m_broken.clear();
}

void
TimelineFaults::Write(const Component& component, const Time& begin, const Time& end)
{
    if (m_sheet.Admit(2, begin, end))
    {
        m_sheet.GetWriter().AsyncSlice(GetThread().process,
                                       component.first + " " + component.second,
                                       "fault",
                                       begin,
                                       end,
                                       {});
    }
}

} // namespace ns3
