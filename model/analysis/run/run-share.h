// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SHARE_H
#define PHOTONIC_RAILS_RUN_SHARE_H

#include "ocs-port-log.h"
#include "training-recorder.h"

#include "ns3/nstime.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// What the controllers of one process, or of all, have done in a run.
struct ControlShare
{
    uint64_t requests{0};         //!< for groups
    uint64_t grants{0};           //!< of groups, of which
    uint64_t cacheHits{0};        //!< needed no switching
    uint64_t commands{0};         //!< to switches
    uint64_t plans{0};            //!< lists of ranks for which circuits were planned
    uint64_t planHits{0};         //!< lists that had been planned before
    uint64_t messages{0};         //!< served by controllers
    uint64_t longestQueue{0};     //!< most messages that one had at once
    Time queued;                  //!< messages waited for the controller, in sum
    Time waitedRanks;             //!< groups waited for the last of their ranks, in sum
    Time waitedPorts;             //!< for their turn on all their ports
    Time waitedLight;             //!< and for light
    uint64_t retransmissions{0};  //!< frames with messages, of all nodes, that were sent again
    uint64_t crashes{0};          //!< of controllers
    uint64_t takeovers{0};        //!< by standbys
    Time down;                    //!< no controller, until the log had been read, in sum
    std::vector<double> upShares; //!< of each cabled port: time with light over that of the run

    /// @param other what other controllers have done
    void Add(const ControlShare& other);
    /// @param rails for which one has counted
    void CountForRails(uint32_t rails);

    /// @return the keys of the summary
    static const ReportTable<ControlShare>& GetTable();
    /// Write lines for people.
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
            share.down,
            share.upShares);
}

/// What NICs have counted.
struct RunTraffic
{
    uint64_t packetsSent{0};     //!< data packets, retransmissions included
    uint64_t retransmissions{0}; //!< data packets sent again
    uint64_t bytesPosted{0};     //!< by collectives to RDMA
    uint64_t bytesDelivered{0};  //!< by RDMA in order
    uint64_t bursts{0};          //!< runs of packets that took no events of their own
    uint64_t burstPackets{0};    //!< data packets in them
    uint64_t bytesFailed{0};     //!< posted, and given up before they were acknowledged

    /// @param other what other NICs have counted
    void Add(const RunTraffic& other);
};

/**
 * @brief What one process knows of a run: of its own ranks, NICs and switches.
 *
 * The shares of all processes of a distributed run, or the one share of any other, make its
 * RunSummary.
 */
struct RunShare
{
    IterationLog log;             //!< of its ranks and switches
    RunTraffic rails;             //!< of its NICs on the fabric between domains
    RunTraffic scaleUp;           //!< of its NICs on scale-up networks
    RunTraffic hosts;             //!< of its NICs on hosts
    uint64_t packetsLostAtOcs{0}; //!< frames that lost light at its switches
    LightLog light;               //!< at its switches
    uint64_t bytesForwarded{0};   //!< that its GPUs have passed on
    ControlShare control;         //!< of its controllers
    uint64_t events{0};           //!< simulator events
    double setupCpuSeconds{0};    //!< CPU time until the simulator ran
    double cpuSeconds{0};         //!< CPU time while it ran
    uint64_t peakRssBytes{0};     //!< peak memory of the process
    /// Why its ranks have not ended, in lines; empty if they have.
    std::vector<std::string> stall;

    /// @return a text from which FromText makes the same share, picosecond for picosecond
    std::string ToText() const;
    /// @param text of a share @return the share; the program ends if it is none
    static RunShare FromText(const std::string& text);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_SHARE_H
