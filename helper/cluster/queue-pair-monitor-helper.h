// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_QUEUE_PAIR_MONITOR_HELPER_H
#define PHOTONIC_RAILS_QUEUE_PAIR_MONITOR_HELPER_H

#include "ns3/node-container.h"
#include "ns3/queue-pair-monitor.h"

#include <string>

namespace ns3
{

/// Watches the NICs of nodes, and writes what their queue pairs have done as XML: the FlowMonitor
/// of queue pairs. See QueuePairMonitor.
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
    const QueuePairMonitor& GetMonitor() const;

    /**
     * @param fileName where to write the XML, before the simulator is destroyed
     * @return false if it could not be written
     */
    bool SerializeToXmlFile(const std::string& fileName) const;

  private:
    QueuePairMonitor m_monitor;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_QUEUE_PAIR_MONITOR_HELPER_H
