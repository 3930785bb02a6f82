// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_SHEET_H
#define PHOTONIC_RAILS_TIMELINE_SHEET_H

#include "trace-event-writer.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <set>

namespace ns3
{

/// What of a run goes into a timeline.
struct TimelineScope
{
    std::set<uint32_t> ranks;   //!< whose streams, ports and messages
    Time from;                  //!< what ends before is left out
    Time to{Time::Max()};       //!< what begins later is left out
    Time bin{MilliSeconds(10)}; //!< in which utilisation is measured; zero: it is not
    uint64_t events{1'000'000}; //!< bound to the number of trace events
};

/// What those who listen to a run write to: the events within a scope.
class TimelineSheet
{
  public:
    /**
     * @param os where the JSON goes
     * @param scope what is written
     */
    TimelineSheet(std::ostream& os, const TimelineScope& scope);

    /**
     * @brief Ask whether something may be written; if so, it has to be.
     * @param events how many trace events that takes
     * @param begin when it began
     * @param end when it ended, not after now
     * @return false if it is out of the scope or beyond the bound
     */
    bool Admit(uint64_t events, const Time& begin, const Time& end);

    /**
     * @brief The same for a value of a counter, which is no news of the run.
     * @param at from when on it holds
     */
    bool AdmitValue(const Time& at);

    /// @return where to write what has been admitted
    TraceEventWriter& GetWriter();
    /// @return where it has been written
    const TraceEventWriter& GetWriter() const;
    /// @return what is written
    const TimelineScope& GetScope() const;
    /// @return the last moment of which anything has been heard, within the scope or not
    const Time& GetEnd() const;

  private:
    /// @return true if a time is within the scope
    bool IsWithin(const Time& begin, const Time& end) const;

    TraceEventWriter m_writer;
    TimelineScope m_scope;
    Time m_end;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_SHEET_H
