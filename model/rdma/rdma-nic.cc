// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-nic.h"

#include "fast-path-region-discovery.h"
#include "ip-frame.h"
#include "path-migration.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/object-vector.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/watched-trace-source.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");
NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

/**
 * The NICs of a node, in the order in which they process the arrivals of one instant. A message
 * that arrives from the scale-up network may be answered on the rail.
 */
class RdmaNic::NodeNics
{
  public:
    /// @param node a node, or null @return the NICs of the node, or none yet
    static std::shared_ptr<NodeNics> Get(const Ptr<Node>& node)
    {
        for (uint32_t i = 0; node && i < node->GetNDevices(); ++i)
        {
            const auto port = DynamicCast<EthernetPortNetDevice>(node->GetDevice(i));
            const auto* nic = port ? dynamic_cast<RdmaNic*>(port->GetMacClient()) : nullptr;
            if (nic && nic->m_nodeNics)
            {
                return nic->m_nodeNics;
            }
        }
        return std::make_shared<NodeNics>();
    }

    /// Process the arrivals of this instant at all ports of all NICs.
    void TakeArrivals()
    {
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            for (std::size_t port = 0; i < all.size() && port < all[i]->m_ports.size(); ++port)
            {
                RdmaNicPort& one = all[i]->m_ports[port];
                m_taking = PeekPointer(one.device);
                one.fastPath.DeliverEnded();
                one.device->DeliverDue();
                one.fastPath.DeliverDue();
            }
        }
        m_taking = nullptr;
    }

    /// @return true if TakeArrivals has begun, and not come to a port
    bool IsYetToTake(const EthernetPortNetDevice& device) const
    {
        bool isLater = false;
        for (const RdmaNic* const nic : all)
        {
            for (const RdmaNicPort& port : nic->m_ports)
            {
                if (PeekPointer(port.device) == &device)
                {
                    return isLater;
                }
                isLater |= PeekPointer(port.device) == m_taking;
            }
        }
        return false;
    }

    std::vector<RdmaNic*> all; //!< in order of their first ports

  private:
    const EthernetPortNetDevice* m_taking{
        nullptr}; //!< the port whose arrivals are being processed, or null
};

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
                "Whether every packet has its own events (Packet), or fast paths compute "
                "packets without events where possible (Burst). The results are the same.",
                EnumValue(BURST),
                MakeEnumAccessorCompat<Fidelity>(&RdmaNic::SetFidelity, &RdmaNic::GetFidelity),
                MakeEnumChecker(BURST, "Burst", PACKET, "Packet"))
            .AddAttribute("RetryPackets",
                          "With bursts, data packets of a port before the port tries to replace "
                          "packets in flight by a fast path. The number doubles after each "
                          "attempt. Must be set before ports are added.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaNic::m_retryPackets),
                          MakeUintegerChecker<uint32_t>(1, 1000000))
            .AddAttribute(
                "QueuePairs",
                "The queue pairs, in order of creation.",
                ObjectVectorValue(),
                MakeObjectVectorAccessor(&RdmaNic::GetQueuePair, &RdmaNic::GetNQueuePairs),
                MakeObjectVectorChecker<RdmaQueuePair>())
            .AddTraceSource("WriteCompleted",
                            "An RDMA Write is finished: bytes, time since the post, whether it was "
                            "delivered, number of the queue pair.",
                            MakeWatchedTraceSourceAccessor(&RdmaNic::m_writeCompleted),
                            "ns3::RdmaNic::WriteCompletedTracedCallback");
    return tid;
}

RdmaNic::RdmaNic()
    : m_queuePairFactory("ns3::RdmaQueuePair"),
      m_migration(std::make_unique<QueuePairMigration>())
{
}

RdmaNic::~RdmaNic() = default;

void
RdmaNic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& port : m_ports)
    {
        port.device->SetMacClient(nullptr);
        if (port.fastPath.Get())
        {
            port.fastPath.Get()->Abandon();
        }
        port.scheduler.Stop();
    }
    for (auto& slot : m_queuePairs)
    {
        slot.queuePair->Dispose();
    }
    if (m_nodeNics)
    {
        auto& nics = m_nodeNics->all;
        nics.erase(std::remove(nics.begin(), nics.end(), this), nics.end());
    }
    m_ports.clear();
    m_queuePairs.clear();
    Object::DoDispose();
}

uint32_t
RdmaNic::AddPort(Ptr<EthernetPortNetDevice> device, Ipv4Address address)
{
    NS_LOG_FUNCTION(this << device << address);
    m_ports.push_back(
        {device, address, RdmaPortScheduler(*device), FastPathPort(*device, m_retryPackets)});
    if (m_ports.size() == 1)
    {
        m_nodeNics = NodeNics::Get(device->GetNode());
        m_nodeNics->all.push_back(this);
    }
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
    NS_LOG_FUNCTION(this << port);
    NS_ABORT_MSG_IF(port >= m_ports.size(), "the NIC has no port " << port);
    auto queuePair = m_queuePairFactory.Create<RdmaQueuePair>();
    const uint32_t number = GetNextQueuePair();
    queuePair->Bind(
        this,
        m_ports[port].device,
        RdmaEndpoint{m_ports[port].device->GetMacAddress(), m_ports[port].address, number});
    m_queuePairs.push_back({queuePair, port});
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

bool
RdmaNic::AcceptsAnyOrder() const
{
    StringValue recovery;
    m_queuePairFactory.Create<RdmaQueuePair>()->GetAttribute("LossRecovery", recovery);
    return recovery.Get() == "SelectiveRepeat";
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
        port.device->DeliverOverdue();
        if (port.fastPath.Get())
        {
            port.fastPath.Get()->Settle();
        }
    }
    return m_statistics;
}

const RdmaNicPort&
RdmaNic::GetPortOf(const EthernetPortNetDevice& device) const
{
    std::size_t port = 0;
    while (PeekPointer(m_ports[port].device) != &device)
    {
        ++port;
    }
    return m_ports[port];
}

RdmaNicPort&
RdmaNic::GetPortOf(const EthernetPortNetDevice& device)
{
    return const_cast<RdmaNicPort&>(std::as_const(*this).GetPortOf(device));
}

RdmaQueuePair*
RdmaNic::FindQueuePair(uint32_t number)
{
    const uint32_t index = number - FIRST_QUEUE_PAIR;
    return index < m_queuePairs.size() ? PeekPointer(m_queuePairs[index].queuePair) : nullptr;
}

void
RdmaNic::Ready(RdmaQueuePair& queuePair)
{
    RdmaNicPort& port = GetPortOf(queuePair);
    if (!port.fastPath.Take(queuePair) && port.scheduler.AddData(queuePair) && !m_linkChanging)
    {
        port.device->Kick();
    }
}

void
RdmaNic::ReadyAck(RdmaQueuePair& queuePair)
{
    if (!queuePair.GetQueued().ack)
    {
        RdmaNicPort& port = GetPortOf(queuePair);
        port.fastPath.Interrupt();
        port.scheduler.AddAck(queuePair);
        port.device->Kick();
    }
}

Ptr<Packet>
RdmaNic::NextFrame(EthernetPortNetDevice& device)
{
    RdmaNicPort& port = GetPortOf(device);
    if (const auto& fastPath = port.fastPath.Get())
    {
        fastPath->Decide(device);
        return nullptr;
    }
    if (device.HasPackets())
    {
        return port.scheduler.NextBesidePackets();
    }
    if (Ptr<Packet> frame = port.scheduler.NextAck())
    {
        return frame;
    }
    RdmaQueuePair* const queuePair = port.scheduler.FindSender();
    // No fast path covers queue pairs with congestion control.
    const bool mayBurst = queuePair && m_fidelity == BURST && !queuePair->IsPaced();
    if (!queuePair || (mayBurst && StartFastPath(port, *queuePair)))
    {
        return nullptr;
    }
    return port.scheduler.NextData();
}

bool
RdmaNic::StartFastPath(RdmaNicPort& port, RdmaQueuePair& queuePair)
{
    if (port.scheduler.GetData().size() == 1 &&
        FastPathRegionDiscovery::StartAlone(*this, port, queuePair))
    {
        return true;
    }
    const bool started =
        port.fastPath.IsAttemptDue() && FastPathRegionDiscovery::Start(*this, port);
    m_statistics.regions += started ? 1 : 0;
    return started;
}

RdmaQueuePair*
RdmaNic::FindReceiver(const EthernetPortNetDevice& device, const RoceHeader& header)
{
    const uint32_t number = header.destinationQp - FIRST_QUEUE_PAIR;
    if (number >= m_queuePairs.size())
    {
        return nullptr;
    }
    const Slot& slot = m_queuePairs[number];
    const RdmaEndpoint& local = slot.queuePair->GetEndpoint();
    const bool isOwn = PeekPointer(m_ports[slot.port].device) == &device &&
                       header.destinationMac == local.mac && header.destinationIp == local.ip;
    return isOwn ? PeekPointer(slot.queuePair) : nullptr;
}

void
RdmaNic::Receive(EthernetPortNetDevice& device, Ptr<Packet> frame)
{
    RoceHeader header;
    if (!header.Peek(*frame))
    {
        ReceiveOther(device, frame);
        return;
    }
    if (RdmaQueuePair* const queuePair = FindReceiver(device, header))
    {
        queuePair->Receive(header);
    }
    else
    {
        ++m_statistics.misdelivered;
    }
}

void
RdmaNic::ReceiveOther(EthernetPortNetDevice& device, const Ptr<Packet>& frame)
{
    NS_LOG_FUNCTION(this << frame);
    if (IpFrame(*frame).IsForRoce())
    {
        ++m_statistics.malformed;
    }
    else
    {
        device.PassUp(frame);
    }
}

bool
RdmaNic::MayWait(EthernetPortNetDevice& device, const Packet& frame)
{
    RoceHeader header;
    RdmaQueuePair* const queuePair = header.Peek(frame) ? FindReceiver(device, header) : nullptr;
    // A fast path looks at the progress of queue pairs without congestion control.
    return queuePair && (m_fidelity == PACKET || queuePair->IsPaced()) &&
           queuePair->Foresee(header);
}

void
RdmaNic::LinkChanged(EthernetPortNetDevice& device)
{
    NS_LOG_FUNCTION(this << &device);
    // A queue pair that is not notified yet would send to the old peer: nothing is sent before all
    // queue pairs are notified.
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

void
RdmaNic::SetFailedPorts(const std::set<Mac48Address>& ports)
{
    NS_LOG_FUNCTION(this << ports.size());
    if (m_migration->SetFailedPorts(ports))
    {
        MigrateNewQueuePairs();
    }
}

void
RdmaNic::MigrateNewQueuePairs()
{
    NS_LOG_FUNCTION(this);
    for (Slot& slot : m_queuePairs)
    {
        RdmaQueuePair& queuePair = *slot.queuePair;
        if (const auto link = m_migration->FindMove(queuePair, slot.port, *m_addresses))
        {
            NS_LOG_INFO("queue pair " << queuePair.GetEndpoint().queuePair << " moves from port "
                                      << slot.port << " to port " << link->first);
            RdmaNicPort& port = m_ports[slot.port];
            port.fastPath.Interrupt();
            port.scheduler.Remove(queuePair);
            port.device->DeliverOnTime();
            slot.port = link->first;
            queuePair.Move(m_ports[slot.port].device,
                           (*m_addresses)[slot.port],
                           (*queuePair.GetPeerPorts())[link->second]);
        }
    }
}

void
RdmaNic::SetFidelity(Fidelity fidelity)
{
    m_fidelity = fidelity;
    NotifyTraceConnected();
}

void
RdmaNic::NotifyTraceConnected()
{
    for (auto& port : m_ports)
    {
        port.fastPath.Interrupt();
    }
}

void
RdmaNic::Interrupt(EthernetPortNetDevice& device)
{
    GetPortOf(device).fastPath.Interrupt();
}

bool
RdmaNic::IsSendingAhead(const EthernetPortNetDevice& device) const
{
    const auto& fastPath = GetPortOf(device).fastPath.Get();
    return fastPath && fastPath->IsSending(device);
}

void
RdmaNic::Requeue(RdmaQueuePair& queuePair)
{
    GetPortOf(queuePair).scheduler.PutLast(queuePair);
}

void
RdmaNic::EndFastPath(const EthernetPortNetDevice& device, bool reports, uint64_t packets)
{
    GetPortOf(device).fastPath.End(reports, packets);
}

void
RdmaNic::TakeArrivals(EthernetPortNetDevice&)
{
    m_nodeNics->TakeArrivals();
}

bool
RdmaNic::IsYetToTake(const EthernetPortNetDevice& port) const
{
    return m_nodeNics->IsYetToTake(port);
}

void
RdmaNic::Settle(const EthernetPortNetDevice& device)
{
    if (const auto& fastPath = GetPortOf(device).fastPath.Get())
    {
        fastPath->Settle();
    }
}

void
RdmaNic::Settle(const RdmaQueuePair& queuePair) const
{
    const RdmaNicPort& port = m_ports[GetSlot(queuePair).port];
    port.device->DeliverOverdue();
    const auto& fastPath = port.fastPath.Get();
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

} // namespace ns3
