// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_LOG_H
#define PHOTONIC_RAILS_FAULT_LOG_H

#include "fault-plan.h"

#include "ns3/run-summary.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The faults of a run and their consequences, and the components that are broken.
class FaultLog
{
  public:
    /**
     * @brief Record a fault that begins now.
     * @param fault the fault
     * @return number of the record; nothing if the component is broken already
     */
    std::optional<std::size_t> Begin(const Fault& fault);

    /// Record the repair of a component. @param fault the fault @param record from Begin
    void End(const Fault& fault, std::size_t record);

    /**
     * @brief Add a reaction, which happens now, to the last record of a component.
     * @param fault a fault of the component; nothing is added if it has no record
     * @param consequence the reaction
     */
    void Note(const Fault& fault, const std::string& consequence);

    /// Add a reaction to the records of all broken components. @param consequence the reaction
    void NoteAll(const std::string& consequence);

    /// @return true if a component is broken
    bool HasBroken() const
    {
        return !m_broken.empty();
    }

    /// @return true if a GPU is lost
    bool HasLostGpu() const;

    /// @return "; broken: " and the components that are broken; empty if there are none
    std::string DescribeBroken() const;

    /// @return the records, in order
    const std::vector<RunFault>& GetRecords() const
    {
        return m_records;
    }

    /// @return a time in seconds, with microseconds
    static std::string MomentToText(const Time& time);

  private:
    /// Add a reaction, which happens now.
    static void Add(RunFault& record, const std::string& consequence);

    std::map<std::pair<FaultKind, std::string>, std::size_t> m_broken; //!< indices of their records
    std::vector<RunFault> m_records;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_LOG_H
