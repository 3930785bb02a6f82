// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-helper.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

RdmaHelper::RingPorts
RdmaHelper::GetRingPorts(uint32_t ports)
{
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    RingPorts ring;
    for (uint32_t i = 0; i < half; ++i)
    {
        ring.next.push_back(i);
        ring.previous.push_back(ports - half + i);
    }
    return ring;
}

RdmaHelper::ConnectionPair
RdmaHelper::Connect(Ptr<RdmaNic> a,
                    const std::vector<uint32_t>& portsOfA,
                    Ptr<RdmaNic> b,
                    const std::vector<uint32_t>& portsOfB)
{
    NS_ABORT_MSG_IF(portsOfA.size() != portsOfB.size() || portsOfA.empty(),
                    "a connection joins as many ports of one NIC as of the other");
    ConnectionPair ends{CreateObject<RdmaConnection>(), CreateObject<RdmaConnection>()};
    for (std::size_t i = 0; i < portsOfA.size(); ++i)
    {
        auto atA = a->CreateQueuePair(portsOfA[i]);
        auto atB = b->CreateQueuePair(portsOfB[i]);
        atA->Connect(atB->GetEndpoint());
        atB->Connect(atA->GetEndpoint());
        atA->SetPeerPorts(b->GetPorts());
        atB->SetPeerPorts(a->GetPorts());
        ends.first->AddQueuePair(atA);
        ends.second->AddQueuePair(atB);
    }
    return ends;
}

} // namespace ns3
