// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_PROBE_H
#define PHOTONIC_RAILS_FABRIC_PROBE_H

#include "rail-cluster.h"

#include "ns3/fabric-report.h"
#include "ns3/packet-latency-recorder.h"

namespace ns3
{

/**
 * @brief Measures what NICs, links and switches of a cluster show while it carries some traffic.
 *
 * Latency is that of packets between the NICs on the fabric, and the times of RDMA Writes are those
 * of these NICs; NICs inside scale-up domains count for links, packets and bytes only.
 */
class FabricProbe
{
  public:
    /// @param latency whether the latency of packets is measured, which takes CPU time
    explicit FabricProbe(bool latency = true);

    /// @param cluster a cluster that has just been built; the probe must outlive its simulation
    void Observe(const RailCluster& cluster);
    /// Measure from now on: what came before is forgotten.
    void Start();
    /// Measure until now.
    void Stop();

    /// @return what was seen between Start and Stop
    const FabricMeasurement& GetMeasurement() const;
    /// @return CPU time of the process up to Start
    double GetSetupCpuSeconds() const;
    /// @return CPU time of the process from Start to Stop
    double GetCpuSeconds() const;

  private:
    /// Add the ports of a switch to the tiers of links.
    void AddSwitchPorts(const RailCluster::Switch& from);
    /// @return what NICs and switches have counted up to now
    FabricMeasurement Count() const;

    bool m_latency;
    RailCluster m_cluster;
    PacketLatencyRecorder m_latencies;
    LatencyHistogram m_writes;
    LinkUtilisation m_links;
    FabricMeasurement m_before; //!< counts at Start
    FabricMeasurement m_result;
    double m_startedAt{0}; //!< CPU time
    double m_stoppedAt{0}; //!< CPU time
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_PROBE_H
