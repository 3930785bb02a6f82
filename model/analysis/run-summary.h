// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SUMMARY_H
#define PHOTONIC_RAILS_RUN_SUMMARY_H

#include "training-recorder.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief What a run of a training job has shown: the object behind --json and the table.
 *
 * The JSON is documented in doc/run-summary.md.
 */
struct RunSummary
{
    /// What NICs have counted.
    struct Traffic
    {
        uint64_t packetsSent{0};     //!< data packets, retransmissions included
        uint64_t retransmissions{0}; //!< data packets sent again
        uint64_t bytesPosted{0};     //!< by collectives to RDMA
        uint64_t bytesDelivered{0};  //!< by RDMA in order
        uint64_t bursts{0};          //!< runs of packets that took no events of their own
        uint64_t burstPackets{0};    //!< data packets in them
    };

    std::string fabric;                                        //!< "photonic" or "electrical"
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::pair<std::string, std::string>> derived;  //!< what holds for flags not given
    uint32_t worldSize{0};                                     //!< ranks
    uint32_t railsPerRun{1};                                   //!< rails for which one was run
    uint32_t iterationsAsked{0};                               //!< how many were to be run
    std::vector<TrainingRecorder::Iteration> iterations;       //!< those that ended, in order
    std::vector<std::vector<PhaseWindow>> windows;             //!< per stage
    CollectiveVolumes collectives;                             //!< of rank 0
    std::vector<std::vector<ScaleOutPhase>> phases;            //!< per stage

    Traffic rails;                //!< of the NICs on the fabric between domains
    Traffic scaleUp;              //!< of the NICs on scale-up networks; zero without packets there
    uint64_t packetsLostAtOcs{0}; //!< frames that lost light
    uint64_t events{0};           //!< simulator events
    double wallSeconds{0};        //!< real time of the run
    double setupCpuSeconds{0};    //!< CPU time of the process until the simulator ran
    double cpuSeconds{0};         //!< CPU time of the process while it ran
    uint64_t peakRssBytes{0};     //!< peak memory of the process

    /**
     * @brief What has been counted on one rail happened on all: multiply the counts.
     * @param rails how many rails the one stands for
     */
    void CountForRails(uint32_t rails);

    /// @return an empty string, or which of the invariants of a run does not hold
    std::string CheckInvariants() const;

    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;

    /// @param os where to write a table for people
    void WriteTable(std::ostream& os) const;
};

/// @return peak resident memory of this process in bytes
uint64_t GetPeakRss();
/// @return CPU time of this process in seconds
double GetCpuTime();

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_SUMMARY_H
