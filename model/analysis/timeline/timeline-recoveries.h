// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RECOVERIES_H
#define PHOTONIC_RAILS_TIMELINE_RECOVERIES_H

#include "timeline-sheet.h"

#include "ns3/run-recovery.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief How a job went on after losses of GPUs, in a timeline: the work that is done again, the
 * recovery after it, and within that its steps.
 *
 * A recovery that begins before the one ahead of it has ended, because its GPU was missed later, is
 * on a thread of its own.
 */
class TimelineRecoveries
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineRecoveries(TimelineSheet& sheet);

    /// @param recoveries that were completed, in order; nothing is written if there are none
    void Write(const std::vector<RunRecovery>& recoveries);

  private:
    /// A thread whose slices do not overlap.
    struct Connector
    {
        TraceEventWriter::Thread thread;
        Time end; //!< of its last slice
    };

    /// @return a thread on which nothing is at a moment; it is taken until another
    TraceEventWriter::Thread TakeThread(const Time& begin, const Time& end);
    void Write(const RunRecovery& recovery, std::size_t index);

    TimelineSheet& m_sheet;
    std::optional<uint32_t> m_process;
    std::vector<Connector> m_connectors;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_RECOVERIES_H
