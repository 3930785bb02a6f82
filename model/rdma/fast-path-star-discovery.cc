// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-star-discovery.h"

#include "rdma-nic.h"

#include "ns3/node.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

FastPathStarDiscovery::FastPathStarDiscovery(const RdmaNicPort& port)
    : m_client(port.device->GetPath().receiver ? port.device->GetPath().receiver->GetMacClient()
                                               : nullptr),
      m_hop(FastPathHopOwner::Find(m_client)),
      m_process(port.device->GetNode()->GetSystemId()),
      m_rate(port.device->GetDataRate())
{
}

bool
FastPathStarDiscovery::Start(RdmaNic& nic, RdmaNicPort& port)
{
    port.fastPath.BackOff();
    FastPathStarDiscovery discovery(port);
    if (!discovery.m_hop || !discovery.AddPort(nic, port))
    {
        return false;
    }
    for (std::size_t place = 0; place < discovery.m_places.size(); ++place)
    {
        if (!discovery.AddQueuePairs(place))
        {
            return false;
        }
    }
    discovery.Sort();
    return discovery.ReserveBuffer() && discovery.Begin(port);
}

bool
FastPathStarDiscovery::AddPort(RdmaNic& nic, RdmaNicPort& port)
{
    if (!nic.UsesBursts() || m_places.size() == MAX_PORTS)
    {
        return false;
    }
    port.fastPath.Interrupt(); // frames of the other ports would end its fast path
    EthernetPortNetDevice& device = *port.device;
    const LightPath& path = device.GetPath();
    if (port.scheduler.HasWaiting() || port.fastPath.HasEnded() || !path.receiver || path.epoch ||
        !device.IsPlain() || !path.receiver->IsPlain() ||
        path.receiver->GetMacClient() != m_client || device.GetNode()->GetSystemId() != m_process ||
        path.receiver->GetNode()->GetSystemId() != m_process || device.GetDataRate() != m_rate ||
        path.receiver->GetDataRate() != m_rate)
    {
        return false;
    }
    const LightPath& onward = path.receiver->GetPath();
    if (onward.receiver != &device || onward.epoch)
    {
        return false;
    }
    m_delay = std::max(m_delay, path.delay);
    FastPathStar::PortEntry entry;
    entry.nic = &nic;
    entry.port = &device;
    entry.path = path;
    entry.onward = onward;
    m_places.push_back({&nic, &port, entry});
    return true;
}

bool
FastPathStarDiscovery::AddQueuePairs(std::size_t place)
{
    RdmaNic& nic = *m_places[place].nic;
    const RdmaNicPort& port = *m_places[place].port;
    const auto isBusy = [](RdmaQueuePair& one) {
        return one.GetQueued().data || one.GetQueued().ack || one.IsBusy();
    };
    for (uint32_t index = 0; index < nic.GetNQueuePairs(); ++index)
    {
        RdmaQueuePair& queuePair = *nic.GetQueuePair(index);
        const RdmaEndpoint& remote = queuePair.GetRemote();
        if (&nic.GetPortOf(queuePair) != &port || remote.queuePair == 0 || Has(queuePair))
        {
            continue;
        }
        EthernetPortNetDevice& input = *m_places[place].entry.path.receiver;
        const FastPathHop::Way way = m_hop->FindWayAmid(input, queuePair.GetFlow());
        EthernetPortNetDevice* const far = way.onward.receiver;
        auto* peerNic = far ? dynamic_cast<RdmaNic*>(far->GetMacClient()) : nullptr;
        RdmaQueuePair* peer = peerNic ? peerNic->FindQueuePair(remote.queuePair) : nullptr;
        if (peer && peer->GetEndpoint().mac != remote.mac)
        {
            peer = nullptr;
        }
        if (!isBusy(queuePair) && !(peer && isBusy(*peer)))
        {
            continue; // FastPathStar::Read finds frames of an unknown peer
        }
        if (!peer || PeekPointer(peerNic->GetPortOf(*peer).device) != far ||
            !AddPair(place, queuePair, *peerNic, *peer))
        {
            return false;
        }
        m_places[place].entry.way = way;
    }
    return true;
}

bool
FastPathStarDiscovery::AddPair(std::size_t place,
                               RdmaQueuePair& queuePair,
                               RdmaNic& peerNic,
                               RdmaQueuePair& peer)
{
    const FastPathHop::Flow flow = queuePair.GetFlow();
    const FastPathHop::Flow back = peer.GetFlow();
    if (m_queuePairs.empty())
    {
        m_flow.dataPriority = flow.dataPriority;
        m_flow.controlPriority = flow.controlPriority;
    }
    m_flow.frameBytes = std::max({m_flow.frameBytes, flow.frameBytes, back.frameBytes});
    const auto hasPriorities = [this](const FastPathHop::Flow& one) {
        return one.dataPriority == m_flow.dataPriority &&
               one.controlPriority == m_flow.controlPriority;
    };
    const bool mutual = peer.GetRemote().mac == queuePair.GetEndpoint().mac &&
                        peer.GetRemote().queuePair == queuePair.GetEndpoint().queuePair;
    if (!mutual || !queuePair.IsOrderly() || !peer.IsOrderly() || !hasPriorities(flow) ||
        !hasPriorities(back))
    {
        return false;
    }
    RdmaNicPort& peerPort = peerNic.GetPortOf(peer);
    const std::size_t there = Find(peerPort);
    if (there == m_places.size() && !AddPort(peerNic, peerPort))
    {
        return false;
    }
    FastPathStar::PortEntry& entry = m_places[there].entry;
    entry.way = m_hop->FindWayAmid(*entry.path.receiver, back);
    if (entry.way.onward.receiver != m_places[place].entry.port)
    {
        return false;
    }
    const auto next = static_cast<uint32_t>(m_queuePairs.size());
    m_queuePairs.push_back({&queuePair, static_cast<uint32_t>(place), next + 1});
    m_queuePairs.push_back({&peer, static_cast<uint32_t>(there), next});
    return true;
}

bool
FastPathStarDiscovery::ReserveBuffer()
{
    std::vector<EthernetPortNetDevice*> outputs;
    for (const auto& place : m_places)
    {
        outputs.push_back(place.entry.path.receiver);
    }
    // Frames for a port in the pipeline of the switch and on the fibre, and some in its queue.
    const Time latency = m_places.front().entry.way.latency + m_delay;
    const double pipeline = static_cast<double>(m_rate.GetBitRate()) / 8 * latency.GetSeconds();
    for (const uint32_t queued : {64, 32, 16, 8})
    {
        const uint64_t bytes =
            static_cast<uint64_t>(std::ceil(pipeline)) + queued * m_flow.frameBytes;
        if (m_hop->Spare(outputs, bytes + m_flow.frameBytes))
        {
            for (auto& place : m_places)
            {
                place.entry.most = bytes;
            }
            return true;
        }
    }
    return false;
}

std::size_t
FastPathStarDiscovery::Find(const RdmaNicPort& port) const
{
    const auto place = std::find_if(m_places.begin(), m_places.end(), [&port](const Place& one) {
        return one.port == &port;
    });
    return place - m_places.begin();
}

bool
FastPathStarDiscovery::Has(const RdmaQueuePair& queuePair) const
{
    return std::any_of(m_queuePairs.begin(), m_queuePairs.end(), [&queuePair](const auto& one) {
        return one.queuePair == &queuePair;
    });
}

void
FastPathStarDiscovery::Sort()
{
    const std::vector<Place> found = m_places;
    std::sort(m_places.begin(), m_places.end(), [](const Place& a, const Place& b) {
        return a.entry.path.receiver->GetIfIndex() < b.entry.path.receiver->GetIfIndex();
    });
    for (auto& queuePair : m_queuePairs)
    {
        queuePair.end = static_cast<uint32_t>(Find(*found[queuePair.end].port));
    }
}

bool
FastPathStarDiscovery::Begin(const RdmaNicPort& first)
{
    std::vector<FastPathStar::PortEntry> entries;
    for (auto& place : m_places)
    {
        const RdmaPortScheduler& scheduler = place.port->scheduler;
        for (std::size_t i = 0; i < scheduler.GetAcks().size(); ++i)
        {
            place.entry.acks.push_back(scheduler.GetAcks()[i]);
        }
        for (std::size_t i = 0; i < scheduler.GetData().size(); ++i)
        {
            place.entry.data.push_back(scheduler.GetData()[i]);
        }
        entries.push_back(std::move(place.entry));
    }
    const auto fastPath = Create<FastPathStar>(std::move(entries), m_queuePairs, *m_hop);
    if (!fastPath->Read())
    {
        return false;
    }
    for (const auto& place : m_places)
    {
        place.port->scheduler.Clear();
        place.port->fastPath.Begin(fastPath, place.nic->GetBurstPackets());
    }
    fastPath->Begin();
    fastPath->Decide(fastPath->GetEnd(*first.device));
    return true;
}

} // namespace ns3
