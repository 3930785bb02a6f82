// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_PROBE_H
#define PHOTONIC_RAILS_FABRIC_PROBE_H

#include "rail-cluster.h"

#include "ns3/fabric-report.h"
#include "ns3/latency-histogram.h"
#include "ns3/node-container.h"
#include "ns3/queue-pair-monitor.h"

#include <string>

namespace ns3
{

/// Installs a QueuePairMonitor on the NICs of nodes, and writes the counters of their queue pairs
/// as XML, as FlowMonitor does for flows.
class QueuePairMonitorHelper
{
  public:
    /// @param width of the bins of the histograms, above 0
    explicit QueuePairMonitorHelper(Time width = MicroSeconds(1));

    /**
     * @brief Watch the NICs of nodes on rails, on networks of scale-up domains, and on hosts. Nodes
     * without one are passed over.
     * @param nodes any nodes, each once
     * @return the monitor
     */
    const QueuePairMonitor& Install(const NodeContainer& nodes);
    /// @return the monitor of all nodes that there are
    const QueuePairMonitor& InstallAll();

    /// @return the monitor
    const QueuePairMonitor& GetMonitor() const
    {
        return m_monitor;
    }

    /**
     * @param fileName of the XML file, which is written before the simulator is destroyed
     * @return false if it could not be written
     */
    bool SerializeToXmlFile(const std::string& fileName) const;

  private:
    QueuePairMonitor m_monitor;
};

/**
 * @brief Measures NICs, links and switches of a cluster while it carries some traffic.
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
    /// Start a measurement; an earlier one is discarded.
    void Start();
    /// Measure until now.
    void Stop();

    /// @return the measurement between Start and Stop
    const FabricMeasurement& GetMeasurement() const
    {
        return m_result;
    }

    /// @return CPU time of the process up to Start
    double GetSetupCpuSeconds() const
    {
        return m_startedAt;
    }

    /// @return CPU time of the process from Start to Stop
    double GetCpuSeconds() const
    {
        return m_stoppedAt - m_startedAt;
    }

  private:
    /// Add the ports of a switch to the tiers of links.
    void AddSwitchPorts(const RailCluster::Switch& from);
    /// @return the present counters of NICs and switches
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
