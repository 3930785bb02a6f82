// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_REPORT_H
#define PHOTONIC_RAILS_FABRIC_REPORT_H

#include "latency-histogram.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief How busy ports are, tier by tier: bytes on the wire over rate times time.
 *
 * Everything counts that keeps a port busy: data and acknowledgements with headers, check sequence,
 * preamble and gap. Nothing is done per packet; ports count what they send.
 */
class LinkUtilisation
{
  public:
    /// The ports of a tier over a time.
    struct Tier
    {
        std::string name;
        uint32_t ports{0};
        uint64_t bytes{0}; //!< that they have sent, with all that goes around frames
        double mean{0};    //!< share of the time for which a port was busy, over all ports
        double max{0};     //!< that of the busiest port
    };

    /**
     * @param tier name of a group of ports that are alike, such as "leaf up"
     * @param port one of them
     */
    void Add(const std::string& tier, Ptr<EthernetPortNetDevice> port);

    /// Measure from now on.
    void Start();

    /**
     * @brief Measure until now.
     * @return the tiers, in the order in which they were named first; all shares are 0 if no time
     * has passed
     */
    std::vector<Tier> Measure() const;

  private:
    struct Port
    {
        std::size_t tier;
        Ptr<EthernetPortNetDevice> device;
        uint64_t before; //!< bytes sent before the start
    };

    std::vector<std::string> m_tiers;
    std::vector<Port> m_ports;
    Time m_start;
};

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
    std::string interrupted; //!< signal that has stopped the program; or empty

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
