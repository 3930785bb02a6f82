// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-nic.h"

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

} // namespace ns3
