// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-probe.h"

#include "ns3/channel.h"
#include "ns3/node.h"
#include "ns3/output-file.h"
#include "ns3/run-summary.h"
#include "ns3/secondary-nic.h"
#include "ns3/simulator.h"

#include <algorithm>

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

bool
QueuePairMonitorHelper::SerializeToXmlFile(const std::string& fileName) const
{
    const auto write = [this](std::ostream& os) { m_monitor.WriteXml(os); };
    return OutputFile::Write(fileName, write).empty();
}

namespace
{

/// @return the node at the other end of a port's fiber, or null
Ptr<Node>
GetFarNode(Ptr<NetDevice> port)
{
    auto fiber = port->GetChannel();
    for (std::size_t i = 0; fiber && i < fiber->GetNDevices(); ++i)
    {
        if (fiber->GetDevice(i) != port)
        {
            return fiber->GetDevice(i)->GetNode();
        }
    }
    return nullptr;
}

/// Add the counters of a NIC.
void
CountNic(Ptr<RdmaNic> nic, FabricMeasurement& sum)
{
    if (nic)
    {
        const auto statistics = nic->GetQueuePairStatistics();
        sum.dataPackets += statistics.dataPacketsSent;
        sum.retransmissions += statistics.retransmissions;
        sum.timeouts += statistics.timeouts;
        sum.bytesPosted += statistics.bytesPosted;
        sum.bytesDelivered += statistics.bytesDelivered;
        sum.bursts += nic->GetStatistics().bursts;
        sum.burstPackets += nic->GetStatistics().burstPackets;
    }
}

/// An RDMA Write is finished.
void
RecordWrite(LatencyHistogram* times, uint64_t /* bytes */, Time elapsed, bool delivered, uint32_t)
{
    if (delivered)
    {
        times->Add(elapsed);
    }
}

} // namespace

FabricProbe::FabricProbe(bool latency)
    : m_latency(latency)
{
}

void
FabricProbe::Observe(const RailCluster& cluster)
{
    m_cluster = cluster;
    const NetDeviceContainer nicPorts = cluster.GetNicPorts();
    for (uint32_t i = 0; i < nicPorts.GetN(); ++i)
    {
        auto port = DynamicCast<EthernetPortNetDevice>(nicPorts.Get(i));
        m_links.Add("NIC up", port);
        if (m_latency)
        {
            m_latencies.Observe(port);
        }
    }
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        cluster.GetNic(gpu)->TraceConnectWithoutContext("WriteCompleted",
                                                        MakeBoundCallback(&RecordWrite, &m_writes));
    }
    for (const auto& one : cluster.GetSwitches())
    {
        AddSwitchPorts(one);
    }
}

void
FabricProbe::AddSwitchPorts(const RailCluster::Switch& from)
{
    const auto& switches = m_cluster.GetSwitches();
    for (uint32_t i = 0; i < from.node->GetNDevices(); ++i)
    {
        auto port = DynamicCast<EthernetPortNetDevice>(from.node->GetDevice(i));
        if (!port)
        {
            continue;
        }
        const Ptr<Node> far = GetFarNode(port);
        const auto to = std::find_if(switches.begin(), switches.end(), [&far](const auto& other) {
            return other.node == far;
        });
        const bool up = to != switches.end() && to->tier > from.tier;
        m_links.Add(from.tier == 0 ? "scale-up switch down"
                                   : "tier " + std::to_string(from.tier) + (up ? " up" : " down"),
                    port);
    }
}

FabricMeasurement
FabricProbe::Count() const
{
    FabricMeasurement sum;
    sum.events = Simulator::GetEventCount();
    for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
    {
        CountNic(m_cluster.GetNic(gpu), sum);
        CountNic(m_cluster.GetScaleUpNic(gpu), sum);
    }
    for (const auto& one : m_cluster.GetSwitches())
    {
        const auto statistics = one.device->GetStatistics();
        sum.marks += statistics.marked;
        sum.pauses += statistics.pausesSent;
        for (const uint64_t dropped : statistics.dropped)
        {
            sum.drops += dropped;
        }
        auto& longest = one.tier == 0 ? sum.scaleUpMaxQueueBytes : sum.maxQueueBytes;
        longest = std::max(longest, statistics.maxDepth);
        if (one.tier > 0)
        {
            sum.switches.resize(std::max<std::size_t>(sum.switches.size(), one.tier));
            ++sum.switches[one.tier - 1];
        }
    }
    for (uint32_t rail = 0; m_cluster.IsPhotonic() && rail < m_cluster.GetGpusPerDomain(); ++rail)
    {
        sum.lostAtOcs += m_cluster.GetOcs(rail)->GetFramesLost();
    }
    return sum;
}

void
FabricProbe::Start()
{
    m_before = Count();
    m_latencies.Clear();
    m_writes = LatencyHistogram();
    m_links.Start();
    m_startedAt = GetCpuTime();
}

void
FabricProbe::Stop()
{
    m_stoppedAt = GetCpuTime();
    m_result = Count();
    m_result.dataPackets -= m_before.dataPackets;
    m_result.retransmissions -= m_before.retransmissions;
    m_result.timeouts -= m_before.timeouts;
    m_result.bytesPosted -= m_before.bytesPosted;
    m_result.bytesDelivered -= m_before.bytesDelivered;
    m_result.marks -= m_before.marks;
    m_result.pauses -= m_before.pauses;
    m_result.drops -= m_before.drops;
    m_result.lostAtOcs -= m_before.lostAtOcs;
    m_result.events -= m_before.events;
    m_result.bursts -= m_before.bursts;
    m_result.burstPackets -= m_before.burstPackets;
    m_result.writeTimes = m_writes.GetSummary();
    m_result.packetLatency = m_latencies.GetLatencies().GetSummary();
    m_result.tiers = m_links.Measure();
}

} // namespace ns3
