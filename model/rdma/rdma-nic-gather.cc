// SPDX-License-Identifier: GPL-2.0-only

// How RdmaNic goes over from packets to a FastPathStar.

#include "fast-path-star.h"
#include "rdma-nic.h"

#include "ns3/node.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{

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
