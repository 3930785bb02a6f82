// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_REPORT_H
#define PHOTONIC_RAILS_RECOVERY_REPORT_H

#include "ns3/nstime.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A job has begun anew with other GPUs, see RecoveryProtocol: when the steps were done.
struct RunRecovery
{
    /// A rank that is on another GPU than before.
    struct Move
    {
        uint32_t rank{0};
        uint32_t from{0}; //!< GPU
        uint32_t to{0};   //!< GPU
    };

    /// A part of the recovery. Each begins when the one before ends.
    struct Step
    {
        const char* name; //!< as in doc/recovery-json.md: detect, stop, plan, build, go
        Time begin;
        Time end;
    };

    std::vector<uint32_t> gpus; //!< that were lost, in the order in which they were missed
    std::vector<Move> moves;    //!< by rank
    Time lost;                  //!< when the first of them broke
    Time detected;              //!< the coordinator has heard of it
    Time stopped;               //!< all GPUs have left their groups, for the last time
    Time replaced;              //!< circuits are planned
    Time ready;                 //!< communicators are there
    Time resumed;               //!< the last rank goes on
    uint32_t attempts{0};       //!< generations that it took; more than one if GPUs broke meanwhile
    uint32_t iteration{0};      //!< with which the job went on
    Time lostWork;              //!< from the begin of that iteration until the GPU broke
    uint32_t sparesLeft{0};     //!< spares that no rank is on, afterwards

    /// @return its parts in order, from the loss until the last rank goes on
    std::vector<Step> GetSteps() const;
    /// @return the lost GPUs for people: 5, 7
    std::string GetGpusText() const;
    /**
     * @param most how many moves are told one by one
     * @return where ranks went, for people: rank 5 from GPU 5 to 17
     */
    std::string GetMovesText(std::size_t most) const;
};

/// What became of a job that lost GPUs, with spares of one kind.
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
    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;
    /// @param os where to write a table for people
    void WriteTable(std::ostream& os) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_REPORT_H
