// SPDX-License-Identifier: GPL-2.0-only

// How queue pairs of an RdmaNic move to other ports when some are broken.

#include "port-detour.h"
#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{

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
PortDetour::Ports
GetBroken(const RdmaPorts& ports, const std::set<Mac48Address>& avoided)
{
    PortDetour::Ports broken;
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
RdmaNic::Avoid(Mac48Address port)
{
    if (m_avoided.insert(port).second)
    {
        AvoidAgain();
    }
}

void
RdmaNic::AvoidAgain()
{
    for (Slot& slot : m_queuePairs)
    {
        if (!m_avoided.empty())
        {
            FindDetour(slot);
        }
    }
}

void
RdmaNic::FindDetour(Slot& slot)
{
    RdmaQueuePair& queuePair = *slot.queuePair;
    const auto& peer = queuePair.GetPeerPorts();
    if (!peer || peer->size() != m_ports.size())
    {
        return;
    }
    const Mac48Address mac = slot.moved ? slot.peerMac : queuePair.GetRemote().mac;
    const auto link = PortDetour::Find({slot.ownPort, GetPlace(*peer, mac)},
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
