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
 * @brief Measures the utilisation of ports by tier: bytes on the wire over rate times time.
 *
 * The bytes include data and acknowledgements with headers, check sequence, preamble and gap. They
 * come from the counters of the ports, without work per packet.
 */
class LinkUtilisation
{
  public:
    /// The utilisation of the ports of a tier in an interval.
    struct Tier
    {
        std::string name;
        uint32_t ports{0};
        uint64_t bytes{0}; //!< bytes sent, with preambles and gaps
        double mean{0};    //!< share of the time for which a port was busy, over all ports
        double max{0};     //!< share of the busiest port
    };

    /**
     * @param tier name of a group of similar ports, such as "leaf up"
     * @param port a port of the group
     */
    void Add(const std::string& tier, Ptr<EthernetPortNetDevice> port);

    /// Begin the interval.
    void Start();

    /**
     * @brief End the interval.
     * @return the tiers, in the order of their first ports; all shares are 0 for an empty interval
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

/// Measurements of the NICs, links and switches of a fabric during some traffic.
struct FabricMeasurement
{
    LatencySummary packetLatency;             //!< latencies of data packets, NIC to NIC
    LatencySummary writeTimes;                //!< times of RDMA Writes, post to acknowledgement
    std::vector<LinkUtilisation::Tier> tiers; //!< utilisation of links
    std::vector<uint32_t> switches;           //!< electrical switches between domains, by tier
    uint64_t dataPackets{0};                  //!< data packets sent by NICs, with retransmissions
    uint64_t retransmissions{0};              //!< retransmitted data packets
    uint64_t timeouts{0};                     //!< expiries of retransmission timers
    uint64_t bytesPosted{0};                  //!< payload bytes posted
    uint64_t bytesDelivered{0};               //!< payload bytes delivered
    uint64_t marks{0};                        //!< frames that switches marked (ECN)
    uint64_t pauses{0};                       //!< times that switches paused a link partner (PFC)
    uint64_t drops{0};                        //!< frames that switches dropped
    uint64_t maxQueueBytes{0};                //!< longest queue of a switch between domains
    uint64_t scaleUpMaxQueueBytes{0};         //!< longest queue of a switch of a scale-up domain
    uint64_t lostAtOcs{0};                    //!< frames that lost light
    uint64_t events{0};                       //!< simulator events
    uint64_t bursts{0};                       //!< runs of packets without events of their own
    uint64_t burstPackets{0};                 //!< data packets in them
};

/// The results of one traffic on one fabric.
struct FabricRun
{
    std::string fabric; //!< name of the fabric
    std::string remark; //!< that the fabric has come down to single switches; or empty
    std::string
        reason; //!< reason why the fabric cannot carry the traffic, without other results; or empty
    bool failed{false};            //!< the run has found the reason; not in texts
    LatencySummary messageTimes;   //!< times of messages or calls; see FabricReport::messages
    Time completion;               //!< completion of the traffic
    FabricMeasurement measurement; //!< further results
    double setupCpuSeconds{0};     //!< CPU time for building the cluster
    double cpuSeconds{0};          //!< CPU time of the traffic
    uint64_t peakRssBytes{0};      //!< peak memory of the process of this run

    /// @return a text from which FromText makes equal results
    std::string ToText() const;
    /// @param text from ToText @return the results; no value for other texts
    static std::optional<FabricRun> FromText(const std::string& text);
};

/**
 * @brief The same traffic on several fabrics, side by side.
 *
 * The JSON is documented in doc/comparison-json.md.
 */
struct FabricReport : JsonReport<FabricReport>
{
    std::string traffic;              //!< kind of the traffic
    std::string description;          //!< description of the traffic, in one line
    std::vector<std::string> remarks; //!< limits of the numbers
    std::string messages;             //!< meaning of messageTimes
    std::string completion;           //!< meaning of completion
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<FabricRun> runs;                               //!< by fabric
    std::string interrupted; //!< signal that has stopped the program; or empty

    /**
     * @brief Find fabrics that have come down to single switches.
     * @return a line that names these fabrics, or an empty string
     */
    std::string GetSameFabrics() const;

    /// @return an empty string, or the invariant of a run that does not hold
    std::string CheckInvariants() const;
    /// @param os receives a text table, a column for each fabric
    void WriteTable(std::ostream& os) const;
    /// @return the keys and values of the JSON object
    static const ReportTable<FabricReport>& GetTable();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_REPORT_H
