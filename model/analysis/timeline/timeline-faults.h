// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_FAULTS_H
#define PHOTONIC_RAILS_TIMELINE_FAULTS_H

#include "timeline-sheet.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ns3
{

/// What breaks, in a timeline: a slice until it is mended, and instants for what became of it.
class TimelineFaults
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineFaults(TimelineSheet& sheet);

    /// @param kind of component @param target which one: it breaks
    void Began(const std::string& kind, const std::string& target);
    /// @param kind of component @param target which one: it is mended
    void Ended(const std::string& kind, const std::string& target);
    /// @param kind of component @param target which one @param what has been done about it
    void Served(const std::string& kind, const std::string& target, const std::string& what);

    /// The simulation has ended: write what has not, up to the end of the sheet.
    void Finish();

  private:
    using Component = std::pair<std::string, std::string>; //!< kind and target

    /// @return the thread of what is done about faults
    TraceEventWriter::Thread GetThread();
    void Write(const Component& component, const Time& begin, const Time& end);

    TimelineSheet& m_sheet;
    std::optional<TraceEventWriter::Thread> m_thread;
    std::map<Component, Time> m_broken; //!< since when
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_FAULTS_H
