// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_VERDICT_H
#define PHOTONIC_RAILS_JOB_VERDICT_H

#include "step-split.h"

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

/// The switching time up to which photonic rails cost at most a share of a step.
struct BreakEven
{
    /// Results of a search.
    enum Outcome
    {
        FOUND,   //!< a longer switching time costs more
        ANY,     //!< no switching time that was tried costs more
        NONE,    //!< every switching time that was tried costs more
        UNKNOWN, //!< a run failed
    };

    double share{0};      //!< of the step on electrical rails
    int outcome{UNKNOWN}; //!< an Outcome
    Time delay;           //!< FOUND: longest that costs at most the share; ANY: longest tried

    /// @return true if it leaves less room than another of the same share, or may do so
    bool IsWorse(const BreakEven& other) const;

    /// @return the switching time, or the outcome, for people
    std::string ToText() const;
};

/// Name the fields for an archive, see text-archive.h.
template <typename Archive>
void
VisitFields(Archive& archive, BreakEven& found)
{
    archive(found.share, found.outcome, found.delay);
}

/// A job on one network with one compute efficiency.
struct VerdictRun
{
    std::string network;          //!< name of the row
    std::string efficiency;       //!< name of the compute efficiency
    std::string reason;           //!< why there is no result; empty if there is one
    bool isRefused{false};        //!< the reason is that the network cannot carry the job
    Time step;                    //!< duration of the last iteration
    double mfu{0};                //!< 0 to 1
    std::string mfuRemark;        //!< see MakeMfuRemark; or empty
    double tokenRate{0};          //!< tokens per second and GPU
    uint64_t tokens{0};           //!< of all ranks in a step
    uint64_t gpus{0};             //!< of the job
    uint32_t reconfigurations{0}; //!< commands to switches in the last iteration
    uint64_t bytesOnRails{0};     //!< posted to NICs on the fabric between domains
    uint64_t bytesOnHosts{0};     //!< posted to NICs of hosts
    uint64_t bytesForwarded{0};   //!< that GPUs pass on for others, of all these
    StepSplit split;
    double usd{0};                    //!< price of the network, of all GPUs
    double watts{0};                  //!< power of the network
    std::string costRemark;           //!< why there is no price, or for which parts it is; or empty
    std::vector<BreakEven> breakEven; //!< by share; empty without a search
    /// Switching times that were tried, and by how much the step was longer than on electrical
    /// rails, relative to these.
    std::vector<std::pair<Time, double>> byDelay;

    /// @return true if there is a result
    bool IsThere() const
    {
        return reason.empty();
    }

    /// @return the row and its efficiency, for people
    std::string GetName() const;

    /// @return energy of the network for a million tokens, in J
    double GetEnergy() const;
};

/// Name the fields for an archive.
template <typename Archive>
void
VisitFields(Archive& archive, VerdictRun& run)
{
    archive(run.network,
            run.efficiency,
            run.reason,
            run.isRefused,
            run.step,
            run.mfu,
            run.mfuRemark,
            run.tokenRate,
            run.tokens,
            run.gpus,
            run.reconfigurations,
            run.bytesOnRails,
            run.bytesOnHosts,
            run.bytesForwarded,
            run.split,
            run.usd,
            run.watts,
            run.costRemark,
            run.breakEven,
            run.byDelay);
}

/// A compute efficiency of a verdict.
struct VerdictEfficiency
{
    std::string name;   //!< low, high or given
    double share{0};    //!< of the peak FLOP/s
    std::string source; //!< source of the share
};

/// Name the fields for an archive.
template <typename Archive>
void
VisitFields(Archive& archive, VerdictEfficiency& efficiency)
{
    archive(efficiency.name, efficiency.share, efficiency.source);
}

/**
 * @brief A comparison of photonic rails and other networks for one training job: the report of
 * photonic-rails-compare.
 *
 * The JSON is documented in doc/verdict-json.md.
 */
struct JobVerdict : JsonReport<JobVerdict>
{
    static constexpr const char* ELECTRICAL = "electrical rail";          //!< the reference
    static constexpr const char* LEAF_SPINE = "leaf-spine";               //!< a row
    static constexpr const char* FAT_TREE = "fat-tree";                   //!< a row
    static constexpr const char* ON_DEMAND = "photonic on demand";        //!< a row
    static constexpr const char* PROVISIONED = "photonic provisioned";    //!< a row
    static constexpr const char* PARTITION = "photonic static partition"; //!< a row

    std::string job;                  //!< one line
    std::string jobName;              //!< model and GPUs
    std::string circuits;             //!< technology of the switches
    Time delay;                       //!< switching time of the rows
    double tolerance{0};              //!< of break-even switching times, relative
    std::vector<std::string> remarks; //!< on the job
    std::vector<std::string> leftOut; //!< costs and effects that the numbers leave out
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<VerdictEfficiency> efficiencies;
    std::vector<VerdictRun> runs; //!< by efficiency, then network
    uint32_t simulations{0};      //!< number of simulations
    std::string interrupted;      //!< signal that has stopped the program; or empty
    double wallSeconds{0};        //!< real time

    /**
     * @param network a row
     * @param efficiency a name
     * @return the run, or null if it has no result
     */
    const VerdictRun* Find(const std::string& network, const std::string& efficiency) const;

    /// @return by how much the step is longer than on electrical rails, relative to these; no value
    /// without both results
    std::optional<double> GetCost(const VerdictRun& run) const;

    /// @param run one with a cost @return the cost as a sentence without full stop
    std::string DescribeCost(const VerdictRun& run) const;

    /// @return the answer in a few sentences, from runs with results only; or the run that has no
    /// result yet, and the results so far
    std::string MakeAnswer() const;

    /// @return an empty string, or the reason why there is no verdict
    std::string CheckInvariants() const;

    /// @return the keys and values of the JSON object
    static const ReportTable<JobVerdict>& GetTable();
    /// @param os receives text tables
    void WriteTable(std::ostream& os) const;
};

/// Name the fields that are set before the runs, for an archive.
template <typename Archive>
void
VisitFields(Archive& archive, JobVerdict& verdict)
{
    archive(verdict.job,
            verdict.jobName,
            verdict.circuits,
            verdict.delay,
            verdict.remarks,
            verdict.leftOut,
            verdict.settings,
            verdict.efficiencies);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_VERDICT_H
