// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-region-discovery.h"

#include "rdma-nic.h"

#include "ns3/node.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// @return true if a queue pair has packets outstanding, or a frame to send
bool
IsBusyEnd(RdmaQueuePair& queuePair)
{
    return queuePair.GetQueued().data || queuePair.GetQueued().ack || queuePair.IsBusy();
}

/// @return true if a queue pair is the only one with anything to send at its port, and nothing is
/// in flight to it
bool
IsAlone(const RdmaNicPort& port, RdmaQueuePair& queuePair)
{
    const std::size_t own = queuePair.GetQueued().data ? 1 : 0;
    return !port.fastPath.Get() && port.scheduler.GetData().size() <= own &&
           port.scheduler.GetAcks().empty() && queuePair.IsUndisturbed() &&
           port.device->IsUndisturbed() && !port.device->HasPackets();
}

} // namespace

FastPathRegionDiscovery::FastPathRegionDiscovery(const RdmaNicPort& port)
    : m_process(port.device->GetNode()->GetSystemId()),
      m_rate(port.device->GetDataRate())
{
}

bool
FastPathRegionDiscovery::Start(RdmaNic& nic, RdmaNicPort& port)
{
    port.fastPath.BackOff();
    FastPathRegionDiscovery discovery(port);
    const bool hasBegun =
        discovery.AddPort(nic, port) && discovery.Complete() && discovery.Begin(port);
    if (!hasBegun)
    {
        // An attempt of another port of the region would fail, too.
        for (const Place& place : discovery.m_places)
        {
            if (place.port != &port)
            {
                place.port->fastPath.BackOff();
            }
        }
    }
    return hasBegun;
}

bool
FastPathRegionDiscovery::StartAlone(RdmaNic& nic, RdmaNicPort& port, RdmaQueuePair& queuePair)
{
    if (!IsAlone(port, queuePair))
    {
        return false;
    }
    FastPathRegionDiscovery discovery(port);
    const Route route = discovery.FindRoute(*port.device, queuePair);
    RdmaQueuePair* const peer = FindPeer(queuePair, route.far);
    if (!peer || route.hops.size() > 1)
    {
        return false; // other NICs may use the links between switches
    }
    auto& peerNic = dynamic_cast<RdmaNic&>(*route.far->GetMacClient());
    return IsAlone(peerNic.GetPortOf(*peer), *peer) && discovery.AddPort(nic, port) &&
           discovery.AddPair(0, queuePair, route, peerNic, *peer) && discovery.Begin(port);
}

bool
FastPathRegionDiscovery::Complete()
{
    std::size_t done = 0;
    while (done < m_places.size())
    {
        for (; done < m_places.size(); ++done)
        {
            if (!AddQueuePairs(done))
            {
                return false;
            }
        }
        if (m_isJoined && !AddSharers())
        {
            return false;
        }
    }
    return true;
}

bool
FastPathRegionDiscovery::AddPort(RdmaNic& nic, RdmaNicPort& port)
{
    if (!nic.UsesBursts() || m_places.size() == MAX_PORTS)
    {
        return false;
    }
    port.fastPath.Interrupt(); // frames of the other ports would end its fast path
    EthernetPortNetDevice& device = *port.device;
    const LightPath& path = device.GetPath();
    if (port.scheduler.HasWaiting() || port.fastPath.HasEnded() || !path.receiver ||
        !device.IsPlain() || device.HasPackets() || device.GetNode()->GetSystemId() != m_process ||
        device.GetDataRate() != m_rate)
    {
        return false;
    }
    m_delay = std::max(m_delay, path.delay);
    m_places.push_back({&nic, &port});
    FastPathRegion::PortEntry entry;
    entry.nic = &nic;
    entry.port = &device;
    entry.path = path;
    m_plan.ports.push_back(entry);
    return true;
}

FastPathRegionDiscovery::Route
FastPathRegionDiscovery::FindRoute(EthernetPortNetDevice& port,
                                   const RdmaQueuePair& queuePair) const
{
    Route route;
    LightPath path = port.GetPath();
    while (path.receiver && path.receiver->IsPlain() &&
           path.receiver->GetNode()->GetSystemId() == m_process &&
           path.receiver->GetDataRate() == m_rate)
    {
        EthernetPortNetDevice& receiver = *path.receiver;
        FastPathHop* const hop = FastPathHopOwner::Find(receiver.GetMacClient());
        if (!hop)
        {
            route.far = &receiver;
            return route;
        }
        const FastPathHop::Way way = path.epoch || route.hops.size() == MAX_HOPS
                                         ? FastPathHop::Way()
                                         : hop->FindWay(receiver, queuePair.GetFlow());
        if (!way.output || !way.output->IsPlain())
        {
            return route;
        }
        route.hops.push_back({hop, way.output, way.onward, way.latency});
        path = way.onward;
    }
    return route;
}

RdmaQueuePair*
FastPathRegionDiscovery::FindPeer(const RdmaQueuePair& queuePair, EthernetPortNetDevice* far)
{
    auto* nic = far ? dynamic_cast<RdmaNic*>(far->GetMacClient()) : nullptr;
    RdmaQueuePair* const peer = nic ? nic->FindQueuePair(queuePair.GetRemote().queuePair) : nullptr;
    return peer && peer->GetEndpoint().mac == queuePair.GetRemote().mac &&
                   PeekPointer(nic->GetPortOf(*peer).device) == far
               ? peer
               : nullptr;
}

std::vector<FastPathRegionDiscovery::Place>
FastPathRegionDiscovery::ListNicPorts(FastPathHop& first)
{
    std::vector<Place> found;
    std::vector<FastPathHop*> hops{&first};
    std::set<FastPathHop*> known{&first};
    std::vector<EthernetPortNetDevice*> devices;
    for (std::size_t i = 0; i < hops.size(); ++i)
    {
        devices.clear();
        hops[i]->ListNeighbours(devices);
        for (EthernetPortNetDevice* const device : devices)
        {
            if (auto* nic = dynamic_cast<RdmaNic*>(device->GetMacClient()))
            {
                found.push_back({nic, &nic->GetPortOf(*device)});
                continue;
            }
            FastPathHop* const hop = FastPathHopOwner::Find(device->GetMacClient());
            if (hop && known.insert(hop).second)
            {
                hops.push_back(hop);
            }
        }
    }
    return found;
}

bool
FastPathRegionDiscovery::AddQueuePairs(std::size_t place)
{
    RdmaNic& nic = *m_places[place].nic;
    const RdmaNicPort& port = *m_places[place].port;
    for (uint32_t index = 0; index < nic.GetNQueuePairs(); ++index)
    {
        RdmaQueuePair& queuePair = *nic.GetQueuePair(index);
        if (&nic.GetPortOf(queuePair) == &port && queuePair.GetRemote().queuePair != 0 &&
            !Has(queuePair) && !AddQueuePair(place, queuePair))
        {
            return false;
        }
    }
    return true;
}

bool
FastPathRegionDiscovery::AddQueuePair(std::size_t place, RdmaQueuePair& queuePair)
{
    const Route route = FindRoute(*m_places[place].port->device, queuePair);
    RdmaQueuePair* const peer = FindPeer(queuePair, route.far);
    if (!IsBusyEnd(queuePair) && !(peer && IsBusyEnd(*peer)))
    {
        return true; // FastPathRegion::Read finds frames of an unknown peer
    }
    return peer && AddPair(place,
                           queuePair,
                           route,
                           dynamic_cast<RdmaNic&>(*route.far->GetMacClient()),
                           *peer);
}

bool
FastPathRegionDiscovery::AddPair(std::size_t place,
                                 RdmaQueuePair& queuePair,
                                 const Route& route,
                                 RdmaNic& peerNic,
                                 RdmaQueuePair& peer)
{
    const FastPathHop::Flow flow = queuePair.GetFlow();
    const FastPathHop::Flow back = peer.GetFlow();
    if (m_plan.qps.empty())
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
    const Route wayBack = FindRoute(*peerPort.device, peer);
    if (wayBack.far != PeekPointer(m_places[place].port->device))
    {
        return false;
    }
    const auto next = static_cast<uint32_t>(m_plan.qps.size());
    m_plan.qps.push_back({&queuePair, static_cast<uint32_t>(place), next + 1, AddOutputs(route)});
    m_plan.qps.push_back({&peer, static_cast<uint32_t>(there), next, AddOutputs(wayBack)});
    return true;
}

std::size_t
FastPathRegionDiscovery::FindOutput(const EthernetPortNetDevice& output) const
{
    const auto found = std::find_if(m_plan.outputs.begin(),
                                    m_plan.outputs.end(),
                                    [&output](const auto& one) { return one.output == &output; });
    return found - m_plan.outputs.begin();
}

FastPathRegionState::Route
FastPathRegionDiscovery::AddOutputs(const Route& route)
{
    FastPathRegionState::Route numbers;
    for (const auto& hop : route.hops)
    {
        const std::size_t number = FindOutput(*hop.output);
        if (number == m_plan.outputs.size())
        {
            m_plan.outputs.push_back(hop);
            m_delay = std::max(m_delay, hop.path.delay);
        }
        numbers.push_back(static_cast<uint32_t>(number));
    }
    m_isJoined = m_isJoined || numbers.size() > 1;
    return numbers;
}

bool
FastPathRegionDiscovery::UsesOutput(const Route& route) const
{
    return std::any_of(route.hops.begin(), route.hops.end(), [this](const auto& hop) {
        return FindOutput(*hop.output) < m_plan.outputs.size();
    });
}

bool
FastPathRegionDiscovery::Shares(RdmaNicPort& port, RdmaQueuePair& queuePair) const
{
    const Route route = FindRoute(*port.device, queuePair);
    if (UsesOutput(route))
    {
        return true;
    }
    const RdmaQueuePair* const peer = FindPeer(queuePair, route.far);
    return peer && UsesOutput(FindRoute(*route.far, *peer));
}

bool
FastPathRegionDiscovery::AddSharers()
{
    for (const auto& [nic, port] : ListNicPorts(*m_plan.outputs.front().hop))
    {
        if (Find(*port) < m_places.size())
        {
            continue;
        }
        bool shares = false;
        for (uint32_t index = 0; index < nic->GetNQueuePairs() && !shares; ++index)
        {
            RdmaQueuePair& queuePair = *nic->GetQueuePair(index);
            shares = IsBusyEnd(queuePair) && &nic->GetPortOf(queuePair) == port &&
                     queuePair.GetRemote().queuePair != 0 && Shares(*port, queuePair);
        }
        if (shares && !AddPort(*nic, *port))
        {
            return false;
        }
    }
    return true;
}

uint64_t
FastPathRegionDiscovery::GetMostBytes(const FastPathRegion::QueuePairEntry& qp) const
{
    const RdmaQueuePair& peer = *m_plan.qps[qp.peer].queuePair;
    return uint64_t{qp.queuePair->GetRequester().GetWindowPackets()} *
               qp.queuePair->GetFlow().frameBytes +
           uint64_t{peer.GetRequester().GetWindowPackets()} * qp.queuePair->GetAckSize().bytes;
}

std::vector<FastPathRegionDiscovery::SwitchUse>
FastPathRegionDiscovery::ListSwitches() const
{
    std::vector<SwitchUse> switches;
    std::map<const FastPathHop*, std::size_t> numbers;
    for (const auto& output : m_plan.outputs)
    {
        const auto [place, isNew] = numbers.emplace(output.hop, switches.size());
        if (isNew)
        {
            switches.push_back({output.hop, {}, 0});
        }
        switches[place->second].outputs.push_back(output.output);
    }
    for (const auto& qp : m_plan.qps)
    {
        for (const uint32_t output : qp.route)
        {
            switches[numbers.at(m_plan.outputs[output].hop)].most += GetMostBytes(qp);
        }
    }
    return switches;
}

uint64_t
FastPathRegionDiscovery::GetMostBytesOfLink() const
{
    std::vector<uint64_t> ports(m_plan.ports.size(), 0);
    std::vector<uint64_t> outputs(m_plan.outputs.size(), 0);
    for (const auto& qp : m_plan.qps)
    {
        const uint64_t bytes = GetMostBytes(qp);
        ports[qp.end] += bytes;
        for (const uint32_t output : qp.route)
        {
            outputs[output] += bytes;
        }
    }
    outputs.insert(outputs.end(), ports.begin(), ports.end());
    return *std::max_element(outputs.begin(), outputs.end());
}

FastPathRegionDiscovery::BufferUse
FastPathRegionDiscovery::GetBufferUse() const
{
    BufferUse use;
    if (m_plan.outputs.empty())
    {
        return use;
    }
    Time latency = m_delay;
    for (const auto& output : m_plan.outputs)
    {
        latency = std::max(latency, output.latency + m_delay);
    }
    use.switches = ListSwitches();
    use.possible = GetMostBytesOfLink();
    // Frames for a port in the pipeline of the switch and on the fiber, and some in its queue.
    use.pipeline = static_cast<uint64_t>(
        std::ceil(static_cast<double>(m_rate.GetBitRate()) / 8 * latency.GetSeconds()));
    // A lone pair of queue pairs keeps no queue: all links have the same rate.
    use.mostQueued = m_plan.qps.size() == 2 ? 8 : 1024;
    return use;
}

uint64_t
FastPathRegionDiscovery::ReserveBuffer(const BufferUse& use, uint64_t longest) const
{
    // Long queues must leave room for the fast paths of all other ports.
    constexpr uint32_t MODEST = 64;
    for (const uint32_t queued : {1024, 256, 64, 32, 16, 8})
    {
        if (queued > use.mostQueued)
        {
            continue;
        }
        // A queue that would soon reach its limit is not worth a fast path.
        const uint64_t limit =
            std::min(use.possible,
                     std::max(use.pipeline + queued * m_flow.frameBytes, 2 * longest));
        const uint64_t most = limit + m_flow.frameBytes;
        const bool isSpared =
            std::all_of(use.switches.begin(), use.switches.end(), [&](const auto& one) {
                return one.hop->Spare(one.outputs,
                                      most,
                                      std::min(one.most, one.outputs.size() * most),
                                      queued > MODEST);
            });
        if (isSpared)
        {
            return limit;
        }
    }
    return 0;
}

std::size_t
FastPathRegionDiscovery::Find(const RdmaNicPort& port) const
{
    const auto place = std::find_if(m_places.begin(), m_places.end(), [&port](const Place& one) {
        return one.port == &port;
    });
    return place - m_places.begin();
}

bool
FastPathRegionDiscovery::Has(const RdmaQueuePair& queuePair) const
{
    return std::any_of(m_plan.qps.begin(), m_plan.qps.end(), [&queuePair](const auto& one) {
        return one.queuePair == &queuePair;
    });
}

bool
FastPathRegionDiscovery::Begin(const RdmaNicPort& first)
{
    const BufferUse use = GetBufferUse();
    const auto fastPath = Create<FastPathRegion>(std::move(m_plan));
    const uint64_t limit = fastPath->Read() ? ReserveBuffer(use, fastPath->GetLongest()) : 0;
    if (limit == 0)
    {
        return false;
    }
    for (uint32_t end = 0; end < m_places.size(); ++end)
    {
        RdmaNicPort& port = *m_places[end].port;
        fastPath->TakeTurns(end, port.scheduler);
        port.scheduler.Clear();
        port.fastPath.Begin(fastPath);
    }
    fastPath->Begin(limit);
    fastPath->Decide(*first.device);
    return true;
}

} // namespace ns3
