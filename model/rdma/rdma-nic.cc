// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-nic.h"

#include "fast-path-star.h"
#include "path-migration.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/enum.h"
#include "ns3/node.h"
#include "ns3/object-vector.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/watched-trace-source.h"

#include <algorithm>
#include <array>
#include <cmath>

// How RdmaNic begins and ends fast paths in bursts.

// How RdmaNic goes over from packets to a FastPathStar.

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RdmaNic>()
            .AddAttribute(
                "Fidelity",
                "Whether every packet takes events of its own (Packet), "
                "or only where something comes between (Burst).",
                EnumValue(BURST),
                MakeEnumAccessorCompat<Fidelity>(&RdmaNic::SetFidelity, &RdmaNic::GetFidelity),
                MakeEnumChecker(BURST, "Burst", PACKET, "Packet"))
            .AddAttribute("RetryPackets",
                          "With bursts, so many packets go one by one from a port before it is "
                          "looked whether all that is under way can be computed ahead; more if "
                          "that has been in vain. To be set before there are ports.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaNic::m_retryPackets),
                          MakeUintegerChecker<uint32_t>(1, 1000000))
            .AddAttribute(
                "QueuePairs",
                "The queue pairs, in the order in which they were made.",
                ObjectVectorValue(),
                MakeObjectVectorAccessor(&RdmaNic::GetQueuePair, &RdmaNic::GetNQueuePairs),
                MakeObjectVectorChecker<RdmaQueuePair>())
            .AddTraceSource("WriteCompleted",
                            "An RDMA Write is finished: bytes, time since it was "
                            "posted, whether it was delivered, number of the queue pair.",
                            MakeWatchedTraceSourceAccessor(&RdmaNic::m_writeCompleted),
                            "ns3::RdmaNic::WriteCompletedTracedCallback");
    return tid;
}

RdmaNic::RdmaNic()
    : m_queuePairFactory("ns3::RdmaQueuePair")
{
}

RdmaNic::~RdmaNic() = default;

void
RdmaNic::DoDispose()
{
    for (auto& port : m_ports)
    {
        port.device->SetMacClient(nullptr);
        if (port.fastPath)
        {
            port.fastPath->Abandon();
        }
        if (port.wake)
        {
            port.wake->Disarm();
        }
    }
    for (auto& slot : m_queuePairs)
    {
        slot.queuePair->Dispose();
    }
    m_ports.clear();
    m_queuePairs.clear();
    Object::DoDispose();
}

uint32_t
RdmaNic::AddPort(Ptr<EthernetPortNetDevice> device, Ipv4Address address)
{
    m_ports.emplace_back();
    m_ports.back().device = device;
    m_ports.back().address = address;
    m_ports.back().retryPackets = m_ports.back().attempt = m_retryPackets;
    auto addresses = m_addresses ? *m_addresses : RdmaPorts();
    addresses.emplace_back(device->GetMacAddress(), address);
    m_addresses = std::make_shared<const RdmaPorts>(std::move(addresses));
    device->SetMacClient(this);
    return static_cast<uint32_t>(m_ports.size() - 1);
}

uint32_t
RdmaNic::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

Ptr<EthernetPortNetDevice>
RdmaNic::GetPort(uint32_t port) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size(), "the NIC has no port " << port);
    return m_ports[port].device;
}

Ptr<RdmaQueuePair>
RdmaNic::CreateQueuePair(uint32_t port)
{
    NS_ABORT_MSG_IF(port >= m_ports.size(), "the NIC has no port " << port);
    auto queuePair = m_queuePairFactory.Create<RdmaQueuePair>();
    const uint32_t number = GetNextQueuePair();
    queuePair->Bind(
        this,
        m_ports[port].device,
        RdmaEndpoint{m_ports[port].device->GetMacAddress(), m_ports[port].address, number});
    m_queuePairs.push_back(Slot{queuePair, port, port, Mac48Address()});
    return queuePair;
}

uint32_t
RdmaNic::GetNQueuePairs() const
{
    return static_cast<uint32_t>(m_queuePairs.size());
}

uint32_t
RdmaNic::GetNextQueuePair() const
{
    return FIRST_QUEUE_PAIR + GetNQueuePairs();
}

Ptr<RdmaQueuePair>
RdmaNic::GetQueuePair(uint32_t index) const
{
    return m_queuePairs.at(index).queuePair;
}

void
RdmaNic::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairFactory.Set(name, value);
    for (auto& slot : m_queuePairs)
    {
        slot.queuePair->SetAttribute(name, value);
    }
}

void
RdmaNic::SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_controlAttributes.emplace_back(name, value.Copy());
    for (auto& slot : m_queuePairs)
    {
        if (auto control = slot.queuePair->GetCongestionControl())
        {
            control->SetAttribute(name, value);
        }
    }
}

Ptr<RdmaCongestionControl>
RdmaNic::CreateCongestionControl(const std::string& type) const
{
    ObjectFactory factory(type);
    for (const auto& [name, value] : m_controlAttributes)
    {
        factory.Set(name, *value);
    }
    return factory.Create<RdmaCongestionControl>();
}

RdmaQueuePair::Statistics
RdmaNic::GetQueuePairStatistics() const
{
    RdmaQueuePair::Statistics sum;
    for (const auto& slot : m_queuePairs)
    {
        const auto& one = slot.queuePair->GetStatistics();
        sum.dataPacketsSent += one.dataPacketsSent;
        sum.retransmissions += one.retransmissions;
        sum.acksSent += one.acksSent;
        sum.naksSent += one.naksSent;
        sum.duplicatesReceived += one.duplicatesReceived;
        sum.outOfOrderReceived += one.outOfOrderReceived;
        sum.timeouts += one.timeouts;
        sum.bytesPosted += one.bytesPosted;
        sum.bytesDelivered += one.bytesDelivered;
        sum.bytesFailed += one.bytesFailed;
        sum.marksReceived += one.marksReceived;
        sum.cnpsSent += one.cnpsSent;
        sum.cnpsReceived += one.cnpsReceived;
        sum.refused += one.refused;
    }
    return sum;
}

const RdmaNic::Statistics&
RdmaNic::GetStatistics() const
{
    for (const auto& port : m_ports)
    {
        if (port.fastPath)
        {
            port.fastPath->Settle();
        }
    }
    return m_statistics;
}

void
RdmaNic::Completed(uint64_t bytes, Time elapsed, bool delivered, uint32_t queuePair)
{
    m_writeCompleted(bytes, elapsed, delivered, queuePair);
}

RdmaNic::Slot&
RdmaNic::GetSlot(const RdmaQueuePair& queuePair)
{
    return m_queuePairs[queuePair.GetEndpoint().queuePair - FIRST_QUEUE_PAIR];
}

const RdmaNic::Port&
RdmaNic::GetPortOf(const EthernetPortNetDevice& device) const
{
    std::size_t port = 0;
    while (PeekPointer(m_ports[port].device) != &device)
    {
        ++port;
    }
    return m_ports[port];
}

RdmaNic::Port&
RdmaNic::GetPortOf(const EthernetPortNetDevice& device)
{
    return const_cast<Port&>(std::as_const(*this).GetPortOf(device));
}

void
RdmaNic::Ready(RdmaQueuePair& queuePair)
{
    Slot& slot = GetSlot(queuePair);
    Port& port = m_ports[slot.port];
    if (port.fastPath && JoinsFastPath(port, queuePair))
    {
        return;
    }
    if (slot.resting)
    {
        ShortenRest(port, queuePair);
    }
    else if (!slot.queued && queuePair.HasDataToSend())
    {
        slot.queued = true;
        port.data.push_back(&queuePair);
        if (!m_linkChanging)
        {
            port.device->Kick();
        }
    }
}

void
RdmaNic::ReadyAck(RdmaQueuePair& queuePair)
{
    Slot& slot = GetSlot(queuePair);
    if (!slot.ackQueued)
    {
        Port& port = m_ports[slot.port];
        Interrupt(*port.device);
        slot.ackQueued = true;
        port.acks.push_back(&queuePair);
        port.device->Kick();
    }
}

Ptr<Packet>
RdmaNic::NextFrame(EthernetPortNetDevice& device)
{
    Port& port = GetPortOf(device);
    if (port.fastPath)
    {
        port.fastPath->Decide(port.fastPath->GetEnd(device));
        return nullptr;
    }
    if (!port.acks.empty())
    {
        if (Ptr<Packet> frame = NextAck(port))
        {
            return frame;
        }
    }
    if (!port.resting.empty())
    {
        EndRests(port);
    }
    Ptr<Packet> frame = NextData(port);
    if (!frame && !port.resting.empty())
    {
        WakeUp(port);
    }
    return frame;
}

Ptr<Packet>
RdmaNic::NextAck(Port& port)
{
    for (std::size_t tried = port.acks.size(); tried > 0; --tried)
    {
        RdmaQueuePair* queuePair = port.acks.front();
        port.acks.pop_front();
        if (!queuePair->HasAckToSend())
        {
            GetSlot(*queuePair).ackQueued = false;
            continue;
        }
        if (port.device->IsPaused(queuePair->GetControlPriority()))
        {
            port.acks.push_back(queuePair);
            continue;
        }
        Ptr<Packet> frame = queuePair->BuildAck();
        if (queuePair->HasAckToSend())
        {
            port.acks.push_back(queuePair);
        }
        else
        {
            GetSlot(*queuePair).ackQueued = false;
        }
        return frame;
    }
    return nullptr;
}

Ptr<Packet>
RdmaNic::NextData(Port& port)
{
    std::size_t paused = 0;
    while (port.data.size() > paused)
    {
        RdmaQueuePair* queuePair = port.data.front();
        if (!queuePair->HasDataToSend())
        {
            GetSlot(*queuePair).queued = false;
            port.data.pop_front();
            continue;
        }
        if (queuePair->IsPaced() && queuePair->GetNextSendTime() > Simulator::Now())
        {
            const Time until = queuePair->Rest();
            if (until > Simulator::Now())
            {
                GetSlot(*queuePair).resting = true;
                port.data.pop_front();
                port.resting.push_back(Resting{until, queuePair});
                std::push_heap(port.resting.begin(), port.resting.end());
                continue;
            }
        }
        if (port.device->IsPaused(queuePair->GetPriority()))
        {
            port.data.pop_front();
            port.data.push_back(queuePair);
            ++paused;
            continue;
        }
        if (m_fidelity == BURST && port.data.size() == 1 && Converse(port, *queuePair))
        {
            return nullptr;
        }
        if (m_fidelity == BURST && --port.attempt == 0 && Gather(port))
        {
            return nullptr;
        }
        Ptr<Packet> frame = queuePair->BuildData();
        if (port.data.size() > 1)
        {
            port.data.pop_front();
            port.data.push_back(queuePair);
        }
        return frame;
    }
    return nullptr;
}

void
RdmaNic::ShortenRest(Port& port, RdmaQueuePair& queuePair)
{
    const Time until = queuePair.IsPaced() ? queuePair.GetNextSendTime() : Simulator::Now();
    const auto rest =
        std::find_if(port.resting.begin(), port.resting.end(), [&queuePair](const Resting& one) {
            return one.queuePair == &queuePair;
        });
    if (until < rest->until)
    {
        rest->until = until;
        std::push_heap(port.resting.begin(), rest + 1); // it can only rise
        if (!m_linkChanging)
        {
            port.device->Kick();
        }
    }
}

void
RdmaNic::EndRests(Port& port)
{
    while (!port.resting.empty() && port.resting.front().until <= Simulator::Now())
    {
        RdmaQueuePair* queuePair = port.resting.front().queuePair;
        GetSlot(*queuePair).resting = false;
        port.data.push_back(queuePair);
        std::pop_heap(port.resting.begin(), port.resting.end());
        port.resting.pop_back();
    }
}

void
RdmaNic::WakeUp(Port& port)
{
    const Time at = port.resting.front().until;
    if (port.wake && port.wake->IsPending())
    {
        if (port.wakeAt <= at)
        {
            return; // wakes up early, and looks again
        }
        port.wake->Disarm(); // cannot be moved
        port.wake = nullptr;
    }
    if (!port.wake)
    {
        port.wake =
            Create<RecurringEvent>([device = PeekPointer(port.device)] { device->Decide(); });
    }
    port.wakeAt = at;
    port.wake->Schedule(port.device->GetNode()->GetId(), at - Simulator::Now());
}

void
RdmaNic::Receive(EthernetPortNetDevice& device, Ptr<Packet> frame)
{
    RoceHeader header;
    if (frame->PeekHeader(header) == 0)
    {
        ++m_statistics.malformed;
        return;
    }
    const uint32_t number = header.destinationQp - FIRST_QUEUE_PAIR;
    if (number >= m_queuePairs.size())
    {
        ++m_statistics.misdelivered;
        return;
    }
    const Slot& slot = m_queuePairs[number];
    RdmaQueuePair& queuePair = *slot.queuePair;
    const RdmaEndpoint& local = queuePair.GetEndpoint();
    if (PeekPointer(m_ports[slot.port].device) != &device || header.destinationMac != local.mac ||
        header.destinationIp != local.ip)
    {
        ++m_statistics.misdelivered;
        return;
    }
    queuePair.Receive(header);
}

void
RdmaNic::LinkChanged(EthernetPortNetDevice& device)
{
    // First all of them, then send: one that has not been told yet would send to the old peer.
    m_linkChanging = true;
    for (auto& slot : m_queuePairs)
    {
        if (PeekPointer(m_ports[slot.port].device) == &device)
        {
            slot.queuePair->LinkChanged();
        }
    }
    m_linkChanging = false;
    device.Kick();
}

namespace
{

/// @return the place of a port among those of a NIC; their number if it is none of them
uint32_t
GetPlace(const RdmaPorts& ports, const Mac48Address& mac)
{
    const auto port = std::find_if(ports.begin(), ports.end(), [&mac](const auto& one) {
        return one.first == mac;
    });
    return static_cast<uint32_t>(port - ports.begin());
}

/// @return the ports of a NIC that are avoided
PathMigration::Ports
GetBroken(const RdmaPorts& ports, const std::set<Mac48Address>& avoided)
{
    PathMigration::Ports broken;
    for (uint32_t i = 0; i < ports.size(); ++i)
    {
        if (avoided.count(ports[i].first) > 0)
        {
            broken.insert(i);
        }
    }
    return broken;
}

} // namespace

void
RdmaNic::MarkPortFailed(Mac48Address port)
{
    if (m_avoided.insert(port).second)
    {
        MigrateNewQueuePairs();
    }
}

void
RdmaNic::MigrateNewQueuePairs()
{
    for (Slot& slot : m_queuePairs)
    {
        if (!m_avoided.empty())
        {
            FindMigration(slot);
        }
    }
}

void
RdmaNic::FindMigration(Slot& slot)
{
    RdmaQueuePair& queuePair = *slot.queuePair;
    const auto& peer = queuePair.GetPeerPorts();
    if (!peer || peer->size() != m_ports.size())
    {
        return;
    }
    const Mac48Address mac = slot.moved ? slot.peerMac : queuePair.GetRemote().mac;
    const auto link = PathMigration::Find({slot.ownPort, GetPlace(*peer, mac)},
                                          GetNPorts(),
                                          GetBroken(*m_addresses, m_avoided),
                                          GetBroken(*peer, m_avoided));
    if (!link ||
        (link->first == slot.port && (*peer)[link->second].first == queuePair.GetRemote().mac))
    {
        return;
    }
    LeavePort(slot);
    slot.peerMac = mac;
    slot.moved = true;
    slot.port = link->first;
    queuePair.Move(m_ports[slot.port].device, (*m_addresses)[slot.port], (*peer)[link->second]);
}

void
RdmaNic::LeavePort(Slot& slot)
{
    Port& port = m_ports[slot.port];
    Interrupt(*port.device);
    const RdmaQueuePair* const queuePair = PeekPointer(slot.queuePair);
    for (Fifo<RdmaQueuePair*>* queue : {&port.data, &port.acks})
    {
        for (std::size_t left = queue->size(); left > 0; --left)
        {
            RdmaQueuePair* const one = queue->front();
            queue->pop_front();
            if (one != queuePair)
            {
                queue->push_back(one);
            }
        }
    }
    port.resting.erase(
        std::remove_if(port.resting.begin(),
                       port.resting.end(),
                       [queuePair](const Resting& one) { return one.queuePair == queuePair; }),
        port.resting.end());
    std::make_heap(port.resting.begin(), port.resting.end());
    slot.queued = false;
    slot.resting = false;
    slot.ackQueued = false;
}

void
RdmaNic::SetFidelity(Fidelity fidelity)
{
    m_fidelity = fidelity;
    TurnToPackets();
}

void
RdmaNic::TraceWanted()
{
    TurnToPackets();
}

void
RdmaNic::TurnToPackets()
{
    for (auto& port : m_ports)
    {
        Interrupt(*port.device);
    }
}

RdmaNic::Fidelity
RdmaNic::GetFidelity() const
{
    return m_fidelity;
}

RdmaNic::Port*
RdmaNic::FindListener(const RdmaEndpoint& local, const RdmaEndpoint& remote)
{
    const uint32_t number = local.queuePair - FIRST_QUEUE_PAIR;
    if (m_fidelity != BURST || number >= m_queuePairs.size())
    {
        return nullptr;
    }
    const Slot& slot = m_queuePairs[number];
    Port& port = m_ports[slot.port];
    const RdmaEndpoint& peer = slot.queuePair->GetRemote();
    const bool others = port.data.size() > (slot.queued && !slot.resting ? 1 : 0);
    const bool fits = port.device->GetMacAddress() == local.mac && peer.mac == remote.mac &&
                      peer.queuePair == remote.queuePair && slot.queuePair->IsUndisturbed() &&
                      port.device->IsUndisturbed();
    return fits && !others && port.acks.empty() && port.resting.empty() && !port.fastPath ? &port
                                                                                          : nullptr;
}

FastPathHop::Way
RdmaNic::FindWay(FastPathHop& hop, EthernetPortNetDevice& port, const RdmaQueuePair& queuePair)
{
    const LightPath& path = port.GetPath();
    if (path.epoch || path.receiver->GetDataRate() != port.GetDataRate())
    {
        return {};
    }
    return hop.FindWay(*path.receiver, queuePair.GetFlow());
}

bool
RdmaNic::Converse(Port& port, RdmaQueuePair& queuePair)
{
    using Way = FastPathHop::Way;
    const RdmaEndpoint& local = queuePair.GetEndpoint();
    const RdmaEndpoint& remote = queuePair.GetRemote();
    if (FindListener(local, remote) != &port)
    {
        return false;
    }
    const LightPath path = port.device->GetPath();
    const uint32_t process = port.device->GetNode()->GetSystemId();
    if (!path.receiver || path.receiver->GetNode()->GetSystemId() != process)
    {
        return false; // in a distributed simulation the far end may be another process's
    }
    auto* hop = dynamic_cast<FastPathHop*>(path.receiver->GetMacClient());
    const FastPathHop::Way way = hop ? FindWay(*hop, *port.device, queuePair) : Way();
    EthernetPortNetDevice* const far = hop ? way.onward.receiver : path.receiver;
    if (!far || far->IsSending() || far->GetNode()->GetSystemId() != process)
    {
        return false;
    }
    auto* peer = dynamic_cast<RdmaNic*>(far->GetMacClient());
    Port* other = peer ? peer->FindListener(remote, local) : nullptr;
    if (!other || PeekPointer(other->device) != far)
    {
        return false;
    }
    const LightPath back = other->device->GetPath();
    Slot& listener = peer->m_queuePairs[remote.queuePair - FIRST_QUEUE_PAIR];
    const auto& sends = queuePair.GetRequester();
    const auto& answers = listener.queuePair->GetRequester();
    const auto& receives = queuePair.GetResponder();
    const auto& listens = listener.queuePair->GetResponder();
    const FastPathHop::Way wayBack = hop && back.receiver == way.output
                                         ? FindWay(*hop, *other->device, *listener.queuePair)
                                         : Way();
    if ((hop ? wayBack.onward.receiver : back.receiver) != PeekPointer(port.device) ||
        wayBack.output != (hop ? path.receiver : nullptr) ||
        sends.GetProgress().next != listens.GetExpectedPsn() ||
        answers.GetProgress().next != receives.GetExpectedPsn())
    {
        return false;
    }
    // The NIC of the peer decides at this instant, too, if it has something to send.
    const bool answering = listener.queued;
    port.data.pop_front();
    GetSlot(queuePair).queued = false;
    if (answering)
    {
        other->data.pop_front();
        listener.queued = false;
    }
    using PairEnd = FastPathPair::PairEnd;
    port.fastPath = Create<FastPathPair>(
        std::array<PairEnd, 2>{PairEnd{this, &queuePair, PeekPointer(port.device), path, way},
                               PairEnd{peer,
                                       PeekPointer(listener.queuePair),
                                       PeekPointer(other->device),
                                       back,
                                       wayBack}},
        hop);
    other->fastPath = port.fastPath;
    port.computed = m_statistics.burstPackets;
    other->computed = peer->m_statistics.burstPackets;
    if (hop)
    {
        hop->Join(*path.receiver, port.fastPath);
        hop->Join(*back.receiver, port.fastPath);
    }
    if (answering)
    {
        other->fastPath->Posted(*listener.queuePair);
    }
    port.fastPath->Decide(0);
    return true;
}

bool
RdmaNic::JoinsFastPath(Port& port, RdmaQueuePair& queuePair)
{
    if (port.fastPath->Posted(queuePair))
    {
        return true;
    }
    Interrupt(*port.device);
    return false;
}

void
RdmaNic::Interrupt(EthernetPortNetDevice& device)
{
    if (const Ptr<FastPath> fastPath = GetPortOf(device).fastPath)
    {
        fastPath->Leave();
    }
}

bool
RdmaNic::IsSendingAhead(const EthernetPortNetDevice& device) const
{
    const auto& fastPath = GetPortOf(device).fastPath;
    return fastPath && fastPath->IsSending(fastPath->GetEnd(device));
}

void
RdmaNic::Requeue(RdmaQueuePair& queuePair)
{
    Slot& slot = GetSlot(queuePair);
    slot.queued = true;
    m_ports[slot.port].data.push_back(&queuePair);
}

void
RdmaNic::EndFastPath(const EthernetPortNetDevice& device, bool reports)
{
    Port& port = GetPortOf(device);
    if (m_statistics.burstPackets - port.computed >= uint64_t{WORTHWHILE} * m_retryPackets)
    {
        port.retryPackets = m_retryPackets;
    }
    port.attempt = port.retryPackets;
    port.ended = reports ? port.fastPath : nullptr;
    port.fastPath = nullptr;
}

void
RdmaNic::TakeArrivals(EthernetPortNetDevice&)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    for (auto& port : m_ports)
    {
        if (port.ended)
        {
            const Ptr<FastPath> ended = std::move(port.ended);
            port.ended = nullptr;
            ended->DeliverDue(ended->GetEnd(*port.device));
        }
        port.device->DeliverDue();
        if (port.fastPath && port.fastPath->IsDue(*port.device, now))
        {
            const Ptr<FastPath> fastPath = port.fastPath;
            fastPath->DeliverDue(fastPath->GetEnd(*port.device));
        }
    }
}

void
RdmaNic::Settle(const EthernetPortNetDevice& device)
{
    if (const auto& fastPath = GetPortOf(device).fastPath)
    {
        fastPath->Settle();
    }
}

void
RdmaNic::Settle(const RdmaQueuePair& queuePair) const
{
    const uint32_t number = queuePair.GetEndpoint().queuePair - FIRST_QUEUE_PAIR;
    const auto& fastPath = m_ports[m_queuePairs[number].port].fastPath;
    if (fastPath && fastPath->Has(queuePair))
    {
        fastPath->Settle();
    }
}

void
RdmaNic::CountBurst(uint64_t packets, uint64_t bursts)
{
    m_statistics.burstPackets += packets;
    m_statistics.bursts += bursts;
}

struct RdmaNic::Circle
{
    static constexpr std::size_t MAX_PLACES = 32;

    /// A port.
    struct Place
    {
        RdmaNic* nic;
        Port* port;
        FastPathStar::PairEnd party;
    };

    FastPathHop* hop{nullptr};
    MacClient* client{nullptr}; //!< the same
    uint32_t process{0};
    DataRate rate;
    FastPathHop::Flow flow; //!< priorities are those of all, and none has larger frames
    Time delay;             //!< longest on the way to the switch
    std::vector<Place> places;
    std::vector<FastPathStar::QueuePairEntry> qps;

    /// @return the number of a port, or that of places
    std::size_t Find(const Port& port) const
    {
        std::size_t place = 0;
        while (place < places.size() && places[place].port != &port)
        {
            ++place;
        }
        return place;
    }

    /// @return true if a queue pair has been found
    bool Has(const RdmaQueuePair& queuePair) const
    {
        return std::any_of(qps.begin(), qps.end(), [&queuePair](const auto& qp) {
            return qp.queuePair == &queuePair;
        });
    }

    /// Put the ports in the order of those of the switch.
    void Sort()
    {
        const auto number = [this](std::size_t place) {
            return places[place].party.path.receiver->GetIfIndex();
        };
        std::vector<uint32_t> order(places.size()); // the place of each place
        for (std::size_t place = 0; place < places.size(); ++place)
        {
            for (std::size_t other = 0; other < places.size(); ++other)
            {
                order[place] += number(other) < number(place) ? 1 : 0;
            }
        }
        std::vector<Place> sorted(places.size());
        for (std::size_t place = 0; place < places.size(); ++place)
        {
            sorted[order[place]] = std::move(places[place]);
        }
        places = std::move(sorted);
        for (auto& qp : qps)
        {
            qp.end = order[qp.end];
        }
    }
};

bool
RdmaNic::Admit(Circle& circle, Port& port)
{
    if (m_fidelity != BURST || circle.places.size() == Circle::MAX_PLACES)
    {
        return false;
    }
    if (const Ptr<FastPath> fastPath = port.fastPath)
    {
        fastPath->Leave(); // what comes from the others would end it
    }
    EthernetPortNetDevice& device = *port.device;
    const LightPath& path = device.GetPath();
    if (!port.resting.empty() || port.ended || !path.receiver || path.epoch || !device.IsPlain() ||
        !path.receiver->IsPlain() || path.receiver->GetMacClient() != circle.client ||
        device.GetNode()->GetSystemId() != circle.process ||
        path.receiver->GetNode()->GetSystemId() != circle.process ||
        device.GetDataRate() != circle.rate || path.receiver->GetDataRate() != circle.rate)
    {
        return false;
    }
    const LightPath& onward = path.receiver->GetPath();
    if (onward.receiver != &device || onward.epoch)
    {
        return false;
    }
    circle.delay = std::max(circle.delay, path.delay);
    FastPathStar::PairEnd party;
    party.nic = this;
    party.port = &device;
    party.path = path;
    party.onward = onward;
    circle.places.push_back({this, &port, party});
    return true;
}

bool
RdmaNic::Visit(Circle& circle, std::size_t place)
{
    RdmaNic& nic = *circle.places[place].nic;
    const Port& port = *circle.places[place].port;
    for (const Slot& slot : nic.m_queuePairs)
    {
        RdmaQueuePair& queuePair = *slot.queuePair;
        const RdmaEndpoint& remote = queuePair.GetRemote();
        if (&nic.m_ports[slot.port] != &port || remote.queuePair == 0 || circle.Has(queuePair))
        {
            continue;
        }
        const auto isBusy = [](const Slot& one) {
            return one.queued || one.ackQueued || one.queuePair->IsBusy();
        };
        const FastPathHop::Flow flow = queuePair.GetFlow();
        EthernetPortNetDevice& input = *circle.places[place].party.path.receiver;
        const FastPathHop::Way way = circle.hop->FindWayAmid(input, flow);
        EthernetPortNetDevice* const far = way.onward.receiver;
        auto* peer = far ? dynamic_cast<RdmaNic*>(far->GetMacClient()) : nullptr;
        const uint32_t number = remote.queuePair - FIRST_QUEUE_PAIR;
        const bool found = peer && number < peer->m_queuePairs.size() &&
                           peer->m_queuePairs[number].queuePair->GetEndpoint().mac == remote.mac;
        if (!found)
        {
            if (isBusy(slot))
            {
                return false;
            }
            continue; // a frame from there would be found
        }
        const Slot& listener = peer->m_queuePairs[number];
        RdmaQueuePair& other = *listener.queuePair;
        if (!isBusy(slot) && !isBusy(listener))
        {
            continue;
        }
        const bool mutual = other.GetRemote().mac == queuePair.GetEndpoint().mac &&
                            other.GetRemote().queuePair == queuePair.GetEndpoint().queuePair &&
                            PeekPointer(peer->m_ports[listener.port].device) == far;
        const FastPathHop::Flow back = other.GetFlow();
        const bool first = circle.qps.empty();
        circle.flow.dataPriority = first ? flow.dataPriority : circle.flow.dataPriority;
        circle.flow.controlPriority = first ? flow.controlPriority : circle.flow.controlPriority;
        circle.flow.frameBytes =
            std::max({circle.flow.frameBytes, flow.frameBytes, back.frameBytes});
        if (!mutual || !queuePair.IsOrderly() || !other.IsOrderly() ||
            flow.dataPriority != circle.flow.dataPriority ||
            back.dataPriority != circle.flow.dataPriority ||
            flow.controlPriority != circle.flow.controlPriority ||
            back.controlPriority != circle.flow.controlPriority)
        {
            return false;
        }
        Port& farPort = peer->m_ports[listener.port];
        const std::size_t there = circle.Find(farPort);
        if (there == circle.places.size() && !peer->Admit(circle, farPort))
        {
            return false;
        }
        const FastPathHop::Way wayBack =
            circle.hop->FindWayAmid(*circle.places[there].party.path.receiver, back);
        if (wayBack.onward.receiver != PeekPointer(port.device))
        {
            return false;
        }
        circle.places[place].party.way = way;
        circle.places[there].party.way = wayBack;
        const auto next = static_cast<uint32_t>(circle.qps.size());
        circle.qps.push_back({&queuePair, static_cast<uint32_t>(place), next + 1});
        circle.qps.push_back({&other, static_cast<uint32_t>(there), next});
    }
    return true;
}

bool
RdmaNic::Survey(Circle& circle)
{
    for (std::size_t place = 0; place < circle.places.size(); ++place)
    {
        if (!Visit(circle, place))
        {
            return false;
        }
    }
    circle.Sort();
    // What the switch may hold for a port, with all that is on its way there.
    constexpr std::array<uint32_t, 4> choices = {64, 32, 16, 8};
    const Time latency = circle.places.front().party.way.latency + circle.delay;
    const double pipeline =
        static_cast<double>(circle.rate.GetBitRate()) / 8 * latency.GetSeconds();
    std::vector<EthernetPortNetDevice*> outputs;
    for (const auto& place : circle.places)
    {
        outputs.push_back(place.party.path.receiver);
    }
    for (const uint32_t frames : choices)
    {
        const uint64_t bytes =
            static_cast<uint64_t>(std::ceil(pipeline)) + frames * circle.flow.frameBytes;
        if (!circle.hop->Spare(outputs, bytes + circle.flow.frameBytes))
        {
            continue;
        }
        for (auto& place : circle.places)
        {
            place.party.most = bytes;
        }
        return true;
    }
    return false;
}

bool
RdmaNic::Gather(Port& port)
{
    port.retryPackets =
        std::min(2 * port.retryPackets, MOST_PATIENCE * m_retryPackets); // until it has paid
    port.attempt = port.retryPackets;
    const LightPath& path = port.device->GetPath();
    Circle circle;
    circle.client = path.receiver ? path.receiver->GetMacClient() : nullptr;
    circle.hop = dynamic_cast<FastPathHop*>(circle.client);
    circle.process = port.device->GetNode()->GetSystemId();
    circle.rate = port.device->GetDataRate();
    if (!circle.hop || !Admit(circle, port) || !Survey(circle))
    {
        return false;
    }
    std::vector<FastPathStar::PairEnd> parties;
    for (auto& place : circle.places)
    {
        for (std::size_t i = 0; i < place.port->acks.size(); ++i)
        {
            place.party.acks.push_back(place.port->acks[i]);
        }
        for (std::size_t i = 0; i < place.port->data.size(); ++i)
        {
            place.party.data.push_back(place.port->data[i]);
        }
        parties.push_back(place.party);
    }
    const auto fastPathStar = Create<FastPathStar>(parties, circle.qps, *circle.hop);
    if (!fastPathStar->Read())
    {
        return false;
    }
    for (auto& place : circle.places)
    {
        Port& one = *place.port;
        one.acks.clear();
        one.data.clear();
        one.fastPath = fastPathStar;
        one.computed = place.nic->m_statistics.burstPackets;
    }
    for (const auto& qp : circle.qps)
    {
        Slot& slot = circle.places[qp.end].nic->GetSlot(*qp.queuePair);
        slot.queued = false;
        slot.ackQueued = false;
    }
    ++m_statistics.stars;
    fastPathStar->Begin();
    fastPathStar->Decide(fastPathStar->GetEnd(*port.device));
    return true;
}

} // namespace ns3
