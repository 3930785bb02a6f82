// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SUMMARY_H
#define PHOTONIC_RAILS_RUN_SUMMARY_H

#include "ocs-port-log.h"
#include "training-recorder.h"

#include "ns3/nstime.h"
#include "ns3/report-value.h"
#include "ns3/step-interval.h"
#include "ns3/time-sum.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The times of a recovery, after which a job continues on other GPUs; see RecoveryProtocol.
struct RunRecovery
{
    /// A rank that has moved to another GPU.
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

    std::vector<uint32_t> gpus; //!< lost GPUs, in the order of detection
    std::vector<Move> moves;    //!< moved ranks, in order
    Time lost;                  //!< when the first GPU broke
    Time detected;              //!< when the coordinator learned of the loss
    Time stopped;               //!< when all GPUs had left their groups, in the last attempt
    Time replaced;              //!< when the circuits had been planned
    Time ready;                 //!< when all communicators had been built
    Time resumed;               //!< when the last rank continued
    uint32_t attempts{0};       //!< generations; more than one if further GPUs broke
    uint32_t iteration{0};      //!< first iteration after the recovery
    Time lostWork;              //!< from the begin of this iteration until the GPU broke
    uint32_t sparesLeft{0};     //!< spares without a rank after the recovery

    /// @return the steps in order, from the loss until the last rank continues
    std::vector<Step> GetSteps() const;
    /// @return the lost GPUs as text, such as 5, 7
    std::string GetGpusText() const;
    /**
     * @param most most moves in the list
     * @return the moves as text, such as rank 5 from GPU 5 to 17
     */
    std::string GetMovesText(std::size_t most) const;
};

/// Counters of the controllers of one process, or of all, in a run.
struct ControlShare
{
    uint64_t requests{0};        //!< for groups
    uint64_t grants{0};          //!< of groups
    uint64_t cacheHits{0};       //!< grants that needed no switching
    uint64_t commands{0};        //!< to switches
    uint64_t plans{0};           //!< lists of ranks for which circuits were planned
    uint64_t planHits{0};        //!< lists that had been planned before
    uint64_t messages{0};        //!< served by controllers
    uint64_t longestQueue{0};    //!< largest number of messages that a controller had at once
    TimeSum queued;              //!< waiting times of messages for the controller, sum
    TimeSum waitedRanks;         //!< waiting times of groups for the last of their ranks, sum
    TimeSum waitedPorts;         //!< waiting times of groups for all their ports, sum
    TimeSum waitedLight;         //!< waiting times of groups for light, sum
    uint64_t retransmissions{0}; //!< retransmitted frames with messages, of all nodes
    uint64_t crashes{0};         //!< of controllers
    uint64_t takeovers{0};       //!< by standbys
    TimeSum down;                //!< time without a controller until its log had been read, sum

    /// @param other counters of other controllers
    void Add(const ControlShare& other);
    /// @param rails number of rails for which one was simulated
    void CountForRails(uint32_t rails);

    /// @return the keys of the summary
    static const ReportTable<ControlShare>& GetTable();
    /// Write lines of text.
    void WriteTable(std::ostream& os) const;
};

/// Counters of NICs.
struct RunTraffic
{
    uint64_t packetsSent{0};     //!< data packets, retransmissions included
    uint64_t retransmissions{0}; //!< data packets sent again
    uint64_t bytesPosted{0};     //!< by collectives to RDMA
    uint64_t bytesDelivered{0};  //!< by RDMA in order
    uint64_t bursts{0};          //!< runs of packets without events of their own
    uint64_t burstPackets{0};    //!< data packets in them
    uint64_t bytesFailed{0};     //!< posted, and abandoned before they were acknowledged

    /// @param other counters of other NICs
    void Add(const RunTraffic& other);
    /// @param rails number of rails for which one was simulated
    void CountForRails(uint32_t rails);
};

/// Counters of one process of a run, or of all.
struct RunCounts
{
    RunTraffic rails;             //!< of the NICs on the fabric between domains
    RunTraffic scaleUp;           //!< of the NICs on scale-up networks; zero without packets there
    RunTraffic hosts;             //!< of the NICs on hosts; zero without a host network
    uint64_t packetsLostAtOcs{0}; //!< frames that lost light at circuit switches
    uint64_t packetsLostAtSwitches{0}; //!< frames lost at electrical switches and their links
    uint64_t bytesForwarded{0};        //!< bytes that GPUs have passed on for others
    ControlShare control;              //!< of the controllers, if there are any
    uint64_t events{0};                //!< simulator events
    double setupCpuSeconds{0};         //!< CPU time until the simulator ran
    double cpuSeconds{0};              //!< CPU time while it ran
    uint64_t peakRssBytes{0};          //!< peak memory, the sum over processes
    /// Lines with the reasons why ranks have not ended; empty if all ranks have ended.
    std::vector<std::string> stall;

    /// @param other counters of another process
    void Add(const RunCounts& other);
};

/**
 * @brief The results of one process of a run: of its own ranks, NICs and switches.
 *
 * A RunSummary is made of the shares of all processes of a distributed run, or of the single share
 * of any other run.
 */
struct RunShare : RunCounts
{
    IterationLog log; //!< of its ranks and switches
    LightLog light;   //!< at its switches

    /// @return a text from which FromText makes an equal share
    std::string ToText() const;
    /// @param text of ToText @return the share; aborts if the text is not one of a share
    static RunShare FromText(const std::string& text);
};

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
struct RunSummary : RunCounts, JsonReport<RunSummary>
{
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
        derived;                               //!< values of flags that were not given
    uint32_t worldSize{0};                     //!< ranks
    bool domainsByFormula{false};              //!< groups inside domains took the time of a formula
    uint32_t railsPerRun{1};                   //!< rails for which one was run
    uint32_t iterationsAsked{0};               //!< iterations that the job should have
    uint64_t tokens{0};                        //!< tokens of all replicas in a step
    double modelFlops{0};                      //!< of all ranks in a step, without recomputation
    double peakFlops{1};                       //!< of a GPU, dense bf16, per second
    std::string mfuRemark;                     //!< see MakeMfuRemark; or empty
    StepInterval interval;                     //!< of the last step
    Time start;                                //!< of the first iteration
    std::vector<TrainingIteration> iterations; //!< iterations that ended, in order
    RailWindows windows;                       //!< on the first rail
    std::vector<RailWindows> windowsOfRails;   //!< of rails whose windows were kept
    CollectiveVolumes collectives;             //!< of rank 0
    std::vector<std::vector<ScaleOutPhase>> phases; //!< per stage

    bool mayLoseLight{false};     //!< the circuit policy ends circuits under traffic
    LightLog::Sum light;          //!< at the circuit switches, in the iterations that ended
    bool hasControlPlane{false};  //!< controllers lend the circuits
    uint32_t unmeasured{0};       //!< first iterations whose waits for switching are not known
    std::vector<RunFault> faults; //!< in the order of their times
    std::vector<RunRecovery> recoveries; //!< that were completed, in order
    std::string failure;                 //!< reason why the job has failed or not ended; or empty
    std::string interrupted;             //!< signal that has stopped the run; or empty
    std::string unwritten;               //!< file that could not be written, and why; or empty
    double wallSeconds{0};               //!< real time of the run
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

    /// @return the keys and values of the JSON object
    static const ReportTable<RunSummary>& GetTable();

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
