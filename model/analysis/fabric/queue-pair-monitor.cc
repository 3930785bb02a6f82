// SPDX-License-Identifier: GPL-2.0-only

#include "queue-pair-monitor.h"

#include "ns3/abort.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Write an attribute of an element. All values are numbers, addresses and names without marks.
template <typename Value>
void
WriteAttribute(std::ostream& os, const char* name, const Value& value)
{
    os << ' ' << name << "=\"" << value << '"';
}

void
WriteAttribute(std::ostream& os, const char* name, const Time& value)
{
    WriteAttribute(os, name, value.GetPicoSeconds());
}

} // namespace

QueuePairMonitor::QueuePairMonitor(Time width)
    : m_width(width)
{
    NS_ABORT_MSG_UNLESS(width.IsStrictlyPositive(), "bins must be wider than 0");
}

void
QueuePairMonitor::Observe(Ptr<RdmaNic> nic, uint32_t node, const std::string& network)
{
    auto log = std::make_shared<Log>();
    log->width = m_width;
    nic->TraceConnectWithoutContext("WriteCompleted",
                                    MakeBoundCallback(&QueuePairMonitor::Completed, log));
    m_entries.push_back({nic, node, network, log});
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        m_nodes[nic->GetPort(port)->GetMacAddress()] = node;
    }
}

void
QueuePairMonitor::Completed(std::shared_ptr<Log> log,
                            uint64_t bytes,
                            Time elapsed,
                            bool delivered,
                            uint32_t queuePair)
{
    Writes& writes = log->ofQueuePairs[queuePair];
    const bool isFirst = writes.delivered + writes.failed == 0;
    writes.last = Simulator::Now();
    writes.first = isFirst ? writes.last : writes.first;
    if (!delivered)
    {
        ++writes.failed;
        return;
    }
    writes.min = writes.delivered == 0 ? elapsed : std::min(writes.min, elapsed);
    writes.max = std::max(writes.max, elapsed);
    writes.sum += elapsed;
    writes.bytes += bytes;
    ++writes.delivered;
    ++writes.bins[elapsed.GetTimeStep() / log->width.GetTimeStep()];
}

int64_t
QueuePairMonitor::FindNode(Mac48Address address) const
{
    const auto found = m_nodes.find(address);
    return found == m_nodes.end() ? -1 : int64_t{found->second};
}

void
QueuePairMonitor::WriteTimes(std::ostream& os, const Writes& writes)
{
    const auto delivered = static_cast<int64_t>(writes.delivered);
    WriteAttribute(os, "writes", writes.delivered);
    WriteAttribute(os, "writesFailed", writes.failed);
    WriteAttribute(os, "writeBytes", writes.bytes);
    WriteAttribute(os, "timeFirstWrite", writes.first);
    WriteAttribute(os, "timeLastWrite", writes.last);
    WriteAttribute(os, "writeTimeSum", writes.sum);
    WriteAttribute(os, "writeTimeMean", delivered > 0 ? writes.sum / delivered : Time());
    WriteAttribute(os, "writeTimeMin", writes.min);
    WriteAttribute(os, "writeTimeMax", writes.max);
}

void
QueuePairMonitor::WriteHistogram(std::ostream& os, const Writes& writes) const
{
    os << "      <writeTimeHistogram nBins=\"" << writes.bins.size() << "\">\n";
    for (const auto& [index, count] : writes.bins)
    {
        os << "        <bin";
        WriteAttribute(os, "index", index);
        WriteAttribute(os, "start", m_width * index);
        WriteAttribute(os, "width", m_width);
        WriteAttribute(os, "count", count);
        os << "/>\n";
    }
    os << "      </writeTimeHistogram>\n";
}

void
QueuePairMonitor::WriteQueuePair(std::ostream& os,
                                 const Entry& entry,
                                 const RdmaQueuePair& pair) const
{
    const RdmaEndpoint& local = pair.GetEndpoint();
    const RdmaEndpoint& remote = pair.GetRemote();
    uint32_t port = 0;
    while (port < entry.nic->GetNPorts() && entry.nic->GetPort(port)->GetMacAddress() != local.mac)
    {
        ++port;
    }
    const auto& counts = pair.GetStatistics();
    os << "    <QueuePair";
    WriteAttribute(os, "number", local.queuePair);
    WriteAttribute(os, "port", port);
    WriteAttribute(os, "address", local.ip);
    WriteAttribute(os, "peerNode", FindNode(remote.mac));
    WriteAttribute(os, "peerNumber", remote.queuePair);
    WriteAttribute(os, "peerAddress", remote.ip);
    WriteAttribute(os, "failed", pair.HasFailed() ? "true" : "false");
    WriteAttribute(os, "dataPacketsSent", counts.dataPacketsSent);
    WriteAttribute(os, "retransmissions", counts.retransmissions);
    WriteAttribute(os, "timeouts", counts.timeouts);
    WriteAttribute(os, "bytesPosted", counts.bytesPosted);
    WriteAttribute(os, "bytesFailed", counts.bytesFailed);
    WriteAttribute(os, "bytesDelivered", counts.bytesDelivered);
    WriteAttribute(os, "acksSent", counts.acksSent);
    WriteAttribute(os, "naksSent", counts.naksSent);
    WriteAttribute(os, "duplicatesReceived", counts.duplicatesReceived);
    WriteAttribute(os, "outOfOrderReceived", counts.outOfOrderReceived);
    WriteAttribute(os, "marksReceived", counts.marksReceived);
    WriteAttribute(os, "cnpsSent", counts.cnpsSent);
    WriteAttribute(os, "cnpsReceived", counts.cnpsReceived);
    WriteAttribute(os, "refused", counts.refused);
    const auto found = entry.log->ofQueuePairs.find(local.queuePair);
    const Writes writes = found == entry.log->ofQueuePairs.end() ? Writes() : found->second;
    WriteTimes(os, writes);
    os << ">\n";
    WriteHistogram(os, writes);
    os << "    </QueuePair>\n";
}

void
QueuePairMonitor::WriteNic(std::ostream& os, const Entry& entry) const
{
    os << "  <Nic";
    WriteAttribute(os, "node", entry.node);
    WriteAttribute(os, "network", entry.network);
    WriteAttribute(os, "ports", entry.nic->GetNPorts());
    os << ">\n";
    for (uint32_t i = 0; i < entry.nic->GetNQueuePairs(); ++i)
    {
        WriteQueuePair(os, entry, *entry.nic->GetQueuePair(i));
    }
    os << "  </Nic>\n";
}

void
QueuePairMonitor::WriteXml(std::ostream& os) const
{
    os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<QueuePairMonitor>\n";
    for (const auto& entry : m_entries)
    {
        WriteNic(os, entry);
    }
    os << "</QueuePairMonitor>\n";
}

} // namespace ns3
