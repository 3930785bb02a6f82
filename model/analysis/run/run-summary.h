// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SUMMARY_H
#define PHOTONIC_RAILS_RUN_SUMMARY_H

#include "run-recovery.h"
#include "run-share.h"
#include "training-recorder.h"

#include "ns3/report-value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A fault in a run.
struct RunFault
{
    std::string kind;        //!< such as "ocs-port"
    std::string target;      //!< such as "0/3"
    Time at;                 //!< time of the fault
    Time until;              //!< time of the repair; the largest time if there was none
    std::string consequence; //!< reaction to the fault, and its time; empty: not detected
};

/**
 * @brief The results of a run of a training job, from which --json and the text table are made.
 *
 * The JSON is documented in doc/run-summary.md.
 */
struct RunSummary
{
    /// Counters of NICs.
    using Traffic = RunTraffic;

    /// Cost of a process.
    struct Process
    {
        uint64_t events{0};       //!< simulator events
        double cpuSeconds{0};     //!< CPU time while the simulator ran
        uint64_t peakRssBytes{0}; //!< peak memory
    };

    std::string fabric;                                        //!< "photonic" or "electrical"
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::pair<std::string, std::string>>
        derived;                  //!< values of flags that were not given
    uint32_t worldSize{0};        //!< ranks
    bool domainsByFormula{false}; //!< groups inside domains took the time of a formula
    uint32_t railsPerRun{1};      //!< rails for which one was run
    uint32_t iterationsAsked{0};  //!< iterations that the job should have
    uint64_t tokens{0};           //!< tokens of all replicas in a step
    double modelFlops{0};         //!< of all ranks in a step, without recomputation
    double peakFlops{1};          //!< of a GPU, dense bf16, per second
    std::vector<TrainingRecorder::Iteration> iterations; //!< iterations that ended, in order
    RailWindows windows;                                 //!< on the first rail
    std::vector<RailWindows> windowsOfRails;             //!< of rails whose windows were kept
    CollectiveVolumes collectives;                       //!< of rank 0
    std::vector<std::vector<ScaleOutPhase>> phases;      //!< per stage

    Traffic rails;                //!< of the NICs on the fabric between domains
    Traffic scaleUp;              //!< of the NICs on scale-up networks; zero without packets there
    Traffic hosts;                //!< of the NICs on hosts; zero without a host network
    uint64_t packetsLostAtOcs{0}; //!< frames that lost light
    uint64_t packetsLostAtSwitches{0}; //!< frames lost at electrical switches and their links
    bool mayLoseLight{false};          //!< the circuit policy ends circuits under traffic
    LightLog::Sum light;               //!< at the circuit switches, until the last iteration ended
    uint64_t bytesForwarded{0};        //!< bytes that GPUs have forwarded for others
    bool hasControlPlane{false};       //!< controllers lend the circuits
    ControlShare control;              //!< of all controllers, if there is a control plane
    uint32_t unmeasured{0};            //!< first iterations whose waits for switching are not known
    std::vector<RunFault> faults;      //!< in the order of their times
    std::vector<RunRecovery> recoveries; //!< that were completed, in order
    std::string failure;                 //!< reason why the job has failed or not ended; or empty
    std::string interrupted;             //!< signal that has stopped the run; or empty
    std::string unwritten;               //!< file that could not be written, and why; or empty
    std::vector<std::string> stall;      //!< reasons why ranks wait, if the job has not ended
    uint64_t events{0};                  //!< simulator events, of all processes
    double wallSeconds{0};               //!< real time of the run
    double setupCpuSeconds{0};           //!< CPU time until the simulator ran, of all processes
    double cpuSeconds{0};                //!< CPU time while it ran, of all processes
    uint64_t peakRssBytes{0};            //!< peak memory, the sum over processes
    std::vector<Process> processes;      //!< processes of a distributed run, or the single one

    /**
     * @brief Set the results from the shares of all processes.
     * @param shares of all processes of the run
     */
    void SetShares(const std::vector<RunShare>& shares);

    /// @param error why a file could not be written, or an empty string; the first one is kept
    void AddUnwritten(const std::string& error)
    {
        unwritten = unwritten.empty() ? error : unwritten;
    }

    /**
     * @brief Multiply the counts of one simulated rail.
     * @param rails number of rails that the simulated one stands for
     */
    void CountForRails(uint32_t rails);

    /// @return true if one rail was run with an equal share of the NICs of hosts, on which the GPUs
    /// of all rails would have taken turns
    bool SharesHostNics() const
    {
        return railsPerRun > 1 && hosts.packetsSent > 0;
    }

    /// @return tokens per second and GPU in the last iteration; 0 if none has ended
    double GetTokenRate() const;

    /// @return model FLOPs utilisation in the last iteration (arXiv 2204.02311, appendix B): FLOPs
    /// of the model, without recomputation, over those that all GPUs could do; 0 if none has ended
    double GetMfu() const;

    /**
     * @param iteration one of the iterations
     * @return the exposed reconfiguration; no value if circuits moved in the iteration, or later,
     * without leases, because only shims measure for how long calls wait for switching
     */
    std::optional<Time> GetExposed(const TrainingIteration& iteration) const;

    /// @return an empty string, or the invariant of a run that does not hold; in several lines if
    /// the job has not ended
    std::string CheckInvariants() const;

    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @return the JSON object
    ReportValue MakeJson() const;
    /// @param os receives the JSON object
    void WriteJson(std::ostream& os) const;

    /// @param os receives a text table
    void WriteTable(std::ostream& os) const;
};

/**
 * @brief Reduce an error to one line, for a table.
 * @param error of RunSummary::CheckInvariants; an error of several lines is written to standard
 * error
 * @return the first line of the error
 */
std::string ToOneLine(const std::string& error);

/// @return peak resident memory of this process in bytes
uint64_t GetPeakRss();
/// @return CPU time of this process in seconds
double GetCpuTime();

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_SUMMARY_H
