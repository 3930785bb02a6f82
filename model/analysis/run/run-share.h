// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SHARE_H
#define PHOTONIC_RAILS_RUN_SHARE_H

#include "ocs-port-log.h"
#include "training-recorder.h"

#include "ns3/nstime.h"
#include "ns3/report-value.h"
#include "ns3/time-sum.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

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
    uint64_t standbysLost{0};    //!< without which controllers went on
    uint64_t standbysJoined{0};  //!< nodes that returned as standbys
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

/// Name the fields for an archive, see text-archive.h.
template <typename Archive>
void
VisitFields(Archive& archive, ControlShare& share)
{
    archive(share.requests,
            share.grants,
            share.cacheHits,
            share.commands,
            share.plans,
            share.planHits,
            share.messages,
            share.longestQueue,
            share.queued,
            share.waitedRanks,
            share.waitedPorts,
            share.waitedLight,
            share.retransmissions,
            share.crashes,
            share.takeovers,
            share.standbysLost,
            share.standbysJoined,
            share.down);
}

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

/**
 * @brief The results of one process of a run: of its own ranks, NICs and switches.
 *
 * A RunSummary is made of the shares of all processes of a distributed run, or of the single share
 * of any other run.
 */
struct RunShare
{
    IterationLog log;                  //!< of its ranks and switches
    RunTraffic rails;                  //!< of its NICs on the fabric between domains
    RunTraffic scaleUp;                //!< of its NICs on scale-up networks
    RunTraffic hosts;                  //!< of its NICs on hosts
    uint64_t packetsLostAtOcs{0};      //!< frames that lost light at its switches
    uint64_t packetsLostAtSwitches{0}; //!< frames lost at its electrical switches and their links
    LightLog light;                    //!< at its switches
    uint64_t bytesForwarded{0};        //!< bytes that its GPUs have passed on for others
    ControlShare control;              //!< of its controllers
    uint64_t events{0};                //!< simulator events
    double setupCpuSeconds{0};         //!< CPU time until the simulator ran
    double cpuSeconds{0};              //!< CPU time while it ran
    uint64_t peakRssBytes{0};          //!< peak memory of the process
    /// Lines with the reasons why ranks have not ended; empty if all ranks have ended.
    std::vector<std::string> stall;

    /// @return a text from which FromText makes an equal share
    std::string ToText() const;
    /// @param text of ToText @return the share; aborts if the text is not one of a share
    static RunShare FromText(const std::string& text);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_SHARE_H
