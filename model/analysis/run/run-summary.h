// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SUMMARY_H
#define PHOTONIC_RAILS_RUN_SUMMARY_H

#include "recovery-report.h"
#include "run-share.h"
#include "training-recorder.h"

#include "ns3/report-value.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Something that has broken in a run.
struct RunFault
{
    std::string kind;        //!< such as "ocs-port"
    std::string target;      //!< such as "0/3"
    Time at;                 //!< when
    Time until;              //!< when it was mended; the largest time if it was not
    std::string consequence; //!< what has been done about it, and when; empty: nobody has noticed
};

/**
 * @brief What a run of a training job has shown: the object behind --json and the table.
 *
 * The JSON is documented in doc/run-summary.md.
 */
struct RunSummary
{
    /// What NICs have counted.
    using Traffic = RunTraffic;

    /// What a process took for its part.
    struct Process
    {
        uint64_t events{0};       //!< simulator events
        double cpuSeconds{0};     //!< CPU time while the simulator ran
        uint64_t peakRssBytes{0}; //!< peak memory
    };

    std::string fabric;                                        //!< "photonic" or "electrical"
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::pair<std::string, std::string>> derived;  //!< what holds for flags not given
    uint32_t worldSize{0};                                     //!< ranks
    uint32_t railsPerRun{1};                                   //!< rails for which one was run
    uint32_t iterationsAsked{0};                               //!< how many were to be run
    uint64_t tokens{0};                                        //!< of all replicas in a step
    double modelFlops{0}; //!< of all ranks in a step, without recomputation
    double peakFlops{1};  //!< of a GPU, dense bf16, per second
    std::vector<TrainingRecorder::Iteration> iterations; //!< those that ended, in order
    RailWindows windows;                                 //!< on the first rail
    std::vector<RailWindows> windowsOfRails;             //!< of those that were kept
    CollectiveVolumes collectives;                       //!< of rank 0
    std::vector<std::vector<ScaleOutPhase>> phases;      //!< per stage

    Traffic rails;                //!< of the NICs on the fabric between domains
    Traffic scaleUp;              //!< of the NICs on scale-up networks; zero without packets there
    Traffic hosts;                //!< of the NICs on hosts; zero without a host network
    uint64_t packetsLostAtOcs{0}; //!< frames that lost light
    bool mayLoseLight{false};     //!< the policy of circuits does not wait for the end of traffic
    LightLog::Sum light;          //!< at the circuit switches, until the last iteration ended
    uint64_t bytesForwarded{0};   //!< that GPUs have passed on for others
    ControlShare control;         //!< of all controllers; zero without any
    std::vector<RunFault> faults; //!< in the order of their times
    std::vector<RunRecovery> recoveries; //!< that were completed, in order
    std::string failure;                 //!< why the job has failed or not ended; or empty
    std::vector<std::string> stall;      //!< what ranks of a job wait for that has not ended
    uint64_t events{0};                  //!< simulator events, of all processes
    double wallSeconds{0};               //!< real time of the run
    double setupCpuSeconds{0};           //!< CPU time until the simulator ran, of all processes
    double cpuSeconds{0};                //!< CPU time while it ran, of all processes
    uint64_t peakRssBytes{0};            //!< peak memory, the sum over processes
    std::vector<Process> processes;      //!< that have shared the run, or the one of any other run

    /**
     * @brief Fill in what every process knows of its own ranks and switches.
     * @param shares of all processes that have shared the run
     */
    void SetShares(const std::vector<RunShare>& shares);

    /**
     * @brief What has been counted on one rail happened on all: multiply the counts.
     * @param rails how many rails the one stands for
     */
    void CountForRails(uint32_t rails);

    /// @return tokens per second and GPU in the last iteration; 0 if none has ended
    double GetTokenRate() const;

    /// @return model FLOPs utilisation in the last iteration (arXiv 2204.02311, appendix B): FLOPs
    /// of the model, without recomputation, over those that all GPUs could do; 0 if none has ended
    double GetMfu() const;

    /// @return an empty string, or which of the invariants of a run does not hold; in several
    /// lines if the job has not ended
    std::string CheckInvariants() const;

    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @return the JSON object
    ReportValue MakeJson() const;
    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;

    /// @param os where to write a table for people
    void WriteTable(std::ostream& os) const;
};

/**
 * @brief Make one line of an error, for a table.
 * @param error of RunSummary::CheckInvariants; if it has several lines, all are written to standard
 * error
 * @return its first line
 */
std::string ToOneLine(const std::string& error);

/// @return peak resident memory of this process in bytes
uint64_t GetPeakRss();
/// @return CPU time of this process in seconds
double GetCpuTime();

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_SUMMARY_H
