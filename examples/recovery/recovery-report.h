// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_REPORT_H
#define PHOTONIC_RAILS_RECOVERY_REPORT_H

#include "ns3/nstime.h"
#include "ns3/report-value.h"
#include "ns3/run-summary.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The result of a job that lost GPUs, with spares of one kind.
struct RecoveryRow
{
    std::string name;           //!< of the kind of spares
    std::string fabric;         //!< as --fabric says
    double oversubscription{1}; //!< of the way to the spare
    uint32_t idleGpus{0};       //!< that are kept as spares
    Time before;                //!< an iteration without losses
    Time after;                 //!< the last iteration, when all losses were made good
    double tokens{0};           //!< of the job in an iteration
    std::vector<RunRecovery> recoveries;
    std::string failure; //!< why there is no result, or the job has failed; or empty

    /// @return mean time from the loss of a GPU until the job goes on
    Time GetRecoveryTime() const;
    /// @return work that was lost, in sum
    Time GetLostWork() const;
    /// @return tokens per second in iterations of so long
    double GetThroughput(const Time& iteration) const;

    /// @return a text from which FromText makes the same row
    std::string ToText() const;
    /// @param text of a row @return the row; nothing of other texts
    static std::optional<RecoveryRow> FromText(const std::string& text);
};

/**
 * @brief The same losses with different kinds of spares: the object behind --json and the table.
 *
 * The JSON is documented in doc/recovery-json.md.
 */
struct RecoveryReport
{
    std::string description;                                   //!< of the job, a line for people
    std::vector<std::pair<std::string, std::string>> settings; //!< flags that were given
    uint32_t losses{0};                                        //!< GPUs that broke
    std::vector<RecoveryRow> rows;                             //!< the photonic rack first

    /// @return an empty string, or which row has no result
    std::string CheckInvariants() const;
    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @param os gets the JSON object
    void WriteJson(std::ostream& os) const;
    /// @param os gets a table for people
    void WriteTable(std::ostream& os) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_REPORT_H
