// SPDX-License-Identifier: GPL-2.0-only

#include "queue-pair-monitor-helper.h"

#include "ns3/node.h"
#include "ns3/secondary-nic.h"

#include <fstream>

namespace ns3
{

QueuePairMonitorHelper::QueuePairMonitorHelper(Time width)
    : m_monitor(width)
{
}

const QueuePairMonitor&
QueuePairMonitorHelper::Install(const NodeContainer& nodes)
{
    for (auto one = nodes.Begin(); one != nodes.End(); ++one)
    {
        const Ptr<Node> node = *one;
        if (auto nic = node->GetObject<RdmaNic>())
        {
            m_monitor.Observe(nic, node->GetId(), "rails");
        }
        if (auto scaleUp = node->GetObject<ScaleUpNic>())
        {
            m_monitor.Observe(scaleUp->GetNic(), node->GetId(), "scale-up");
        }
        if (auto host = node->GetObject<HostNic>())
        {
            m_monitor.Observe(host->GetNic(), node->GetId(), "hosts");
        }
    }
    return m_monitor;
}

const QueuePairMonitor&
QueuePairMonitorHelper::InstallAll()
{
    return Install(NodeContainer::GetGlobal());
}

const QueuePairMonitor&
QueuePairMonitorHelper::GetMonitor() const
{
    return m_monitor;
}

bool
QueuePairMonitorHelper::SerializeToXmlFile(const std::string& fileName) const
{
    std::ofstream file(fileName);
    m_monitor.WriteXml(file);
    return file.flush().good();
}

} // namespace ns3
