// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_REPORT_H
#define PHOTONIC_RAILS_FABRIC_REPORT_H

#include "latency-histogram.h"
#include "link-utilisation.h"

#include "ns3/report-value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What NICs, links and switches of a fabric have shown while it carried some traffic.
struct FabricMeasurement
{
    LatencySummary packetLatency;             //!< of data packets, NIC to NIC
    LatencySummary writeTimes;                //!< of RDMA Writes, post to acknowledgement
    std::vector<LinkUtilisation::Tier> tiers; //!< of links
    std::vector<uint32_t> switches;           //!< electrical ones between domains, from tier 1 on
    uint64_t dataPackets{0};                  //!< sent by NICs, packets sent again included
    uint64_t retransmissions{0};              //!< data packets sent again
    uint64_t timeouts{0};                     //!< of retransmission timers
    uint64_t bytesPosted{0};                  //!< payload
    uint64_t bytesDelivered{0};               //!< payload
    uint64_t marks{0};                        //!< frames that switches marked (ECN)
    uint64_t pauses{0};                       //!< times that switches paused a link partner (PFC)
    uint64_t drops{0};                        //!< frames that switches dropped
    uint64_t maxQueueBytes{0};                //!< longest queue of a switch between domains
    uint64_t scaleUpMaxQueueBytes{0};         //!< longest queue of a switch of a scale-up domain
    uint64_t lostAtOcs{0};                    //!< frames that lost light
    uint64_t events{0};                       //!< that the simulator ran
    uint64_t bursts{0};                       //!< runs of packets without events of their own
    uint64_t burstPackets{0};                 //!< data packets in them
};

/// One traffic on one fabric.
struct FabricRun
{
    std::string fabric;            //!< its name
    std::string reason;            //!< why it cannot carry the traffic; the rest is void then
    bool failed{false};            //!< the reason turned up in the run: not kept in texts
    LatencySummary messageTimes;   //!< of what is posted or called; see FabricReport::messages
    Time completion;               //!< of all of it
    FabricMeasurement measurement; //!< what else was seen
    double setupCpuSeconds{0};     //!< CPU time for building the cluster
    double cpuSeconds{0};          //!< CPU time for carrying the traffic
    uint64_t peakRssBytes{0};      //!< peak memory of the process, which ran nothing else

    /// @return a text from which FromText makes the same
    std::string ToText() const;
    /// @param text that ToText has made @return the same; nothing of other texts
    static std::optional<FabricRun> FromText(const std::string& text);
};

/**
 * @brief The same traffic on several fabrics, side by side.
 *
 * The JSON is documented in doc/comparison-json.md.
 */
struct FabricReport
{
    std::string traffic;                                       //!< its kind
    std::string description;                                   //!< a line
    std::vector<std::string> remarks;                          //!< what the reader has to know
    std::string messages;                                      //!< what messageTimes are of
    std::string completion;                                    //!< what completion is the time of
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<FabricRun> runs;                               //!< by fabric

    /**
     * @brief Fabrics whose tiers are built for large clusters may have one switch on each rail when
     * there are few hosts, as electrical rails have.
     * @return a line that names them, or an empty string if there are none
     */
    std::string GetSameFabrics() const;

    /// @return an empty string, or which of the invariants of a run does not hold
    std::string CheckInvariants() const;
    /// @param os where to write a table for people, a column for each fabric
    void WriteTable(std::ostream& os) const;
    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_REPORT_H
