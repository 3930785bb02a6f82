// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-sheet.h"

namespace ns3
{

TimelineSheet::TimelineSheet(std::ostream& os, const TimelineScope& scope)
    : m_writer(os, scope.events),
      m_scope(scope)
{
}

bool
TimelineSheet::Admit(uint64_t events, const Time& begin, const Time& end)
{
    m_end = Max(m_end, end);
    return IsWithin(begin, end) && m_writer.Admit(events, end);
}

bool
TimelineSheet::AdmitValue(const Time& at)
{
    return IsWithin(at, at) && m_writer.Admit(1, at);
}

bool
TimelineSheet::IsWithin(const Time& begin, const Time& end) const
{
    return begin <= m_scope.to && end >= m_scope.from;
}

TraceEventWriter&
TimelineSheet::GetWriter()
{
    return m_writer;
}

const TraceEventWriter&
TimelineSheet::GetWriter() const
{
    return m_writer;
}

const TimelineScope&
TimelineSheet::GetScope() const
{
    return m_scope;
}

const Time&
TimelineSheet::GetEnd() const
{
    return m_end;
}

} // namespace ns3
