// SPDX-License-Identifier: GPL-2.0-only

// FastPathStar: returns to packets.

#include "fast-path-star.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>

namespace ns3
{

void
FastPathStar::Detach()
{
    if (!m_over)
    {
        for (const auto& end : m_parties)
        {
            m_hop.Part(*end.party.path.receiver);
        }
    }
    m_over = true;
}

void
FastPathStar::Abandon()
{
    Detach();
    for (auto& end : m_parties)
    {
        end.wake->Disarm();
    }
}

void
FastPathStar::Leave()
{
    // A frame that arrives at this time is converted into a packet unless it has been processed.
    const bool inclusive = m_state.now == Now();
    Star::State present = GetPresent();
    SettleTo(present, inclusive);
    m_state = std::move(present);
    const Ptr<FastPathStar> self(this);
    Detach();
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        // Events that have been processed but not reported are reported when the port is due.
        const bool reports = HasNews(end, m_state);
        m_parties[end].party.nic->EndFastPath(*m_parties[end].party.port, reports);
        if (reports)
        {
            WakeAt(m_parties[end], end, *m_parties[end].party.port, Now());
        }
        for (uint32_t number = 0; !reports && number < m_qps.size(); ++number)
        {
            if (m_qps[number].qp.end == end)
            {
                Finish(number); // messages without a report
            }
        }
    }
    std::vector<std::vector<Coming>> coming(m_parties.size());
    LaunchFromHop(coming);
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        const PairEnd& party = m_parties[end].party;
        auto& frames = coming[end];
        std::sort(frames.begin(), frames.end(), [](const Coming& x, const Coming& y) {
            return x.at < y.at;
        });
        for (const auto& one : frames)
        {
            m_hop.Expect(*party.port, party.path, one.frame, TimeStep(one.at), one.enters == Now());
        }
    }
    Release();
}

Ptr<Packet>
FastPathStar::Build(const Star::Frame& frame) const
{
    RdmaQueuePair& queuePair = *m_qps[frame.qp].qp.queuePair;
    return frame.ack ? queuePair.BuildAckAt(frame.psn, frame.messages)
                     : queuePair.BuildDataAt(frame.psn, frame.asks);
}

void
FastPathStar::LaunchFromHop(std::vector<std::vector<Coming>>& coming)
{
    const int64_t now = Now();
    std::vector<Ptr<Packet>> last(m_parties.size()); // last packet sent by each port
    const auto build = [&](const Star::Frame& frame) {
        const uint32_t from = m_qps[frame.qp].qp.end;
        const Star::Frame& sent = m_state.ports[from].last;
        const Ptr<Packet> packet = Build(frame);
        if (sent.qp == frame.qp && sent.ack == frame.ack && sent.psn == frame.psn)
        {
            last[from] = packet;
        }
        return packet;
    };
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        const PairEnd& party = m_parties[end].party;
        EthernetPortNetDevice& output = *party.path.receiver;
        Star::PortState& port = m_state.ports[end];
        Ptr<Packet> passing;
        for (std::size_t i = 0; i < port.arrivals.size(); ++i)
        {
            const Star::Frame& frame = port.arrivals[i];
            passing = build(frame);
            output.Launch(passing, party.onward, TimeStep(frame.at));
        }
        if (passing && port.passFree >= now)
        {
            output.Occupy(passing, TimeStep(port.passFree - now));
        }
        for (auto& queue : port.queues)
        {
            for (std::size_t i = 0; i < queue.frames.size(); ++i)
            {
                const Star::Frame& frame = queue.frames[i];
                const Ptr<Packet> one = build(frame);
                const int64_t enters = m_star.GetEntry(frame);
                const uint32_t from = m_qps[frame.qp].qp.end;
                const PairEnd& sender = m_parties[from].party;
                if (enters < now)
                {
                    m_hop.Hold(*sender.path.receiver, output, one, TimeStep(frame.at));
                    continue;
                }
                // Expect takes the arrival time of the last bit, also for a cut-through switch.
                const Star::Port& line = m_star.GetPort(from);
                const int64_t rest = line.cutThrough ? frame.time - line.toHop : -line.toHop;
                const int64_t at = enters + rest + sender.path.delay.GetTimeStep();
                coming[from].push_back({at, enters, one});
            }
        }
    }
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        const int64_t free = m_state.ports[end].free;
        if (free >= now && last[end])
        {
            m_parties[end].party.port->Occupy(last[end], TimeStep(free - now));
        }
    }
}

void
FastPathStar::Restore(uint32_t number)
{
    const SenderEntry& one = m_qps[number];
    const Star::QueuePairState& qp = m_state.qps[number];
    const uint32_t peer = one.qp.peer;
    uint64_t bytes = 0; // of the message that is arriving
    if (qp.arriving < m_star.GetEndNumber(peer))
    {
        const uint64_t first = m_star.GetMessage(peer, qp.arriving).firstPsn;
        bytes = qp.expected > first ? (qp.expected - first) * m_star.GetQueuePair(peer).mtu : 0;
    }
    one.qp.queuePair->EndBurst({qp.next, qp.unacked, qp.ackRequested, qp.timer});
    one.qp.queuePair->EndBurst(qp.expected,
                               bytes,
                               m_star.GetQueuePair(number).firstMsn +
                                   static_cast<uint32_t>(qp.arriving),
                               false);
}

void
FastPathStar::Release()
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        Restore(number);
    }
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        const PairEnd& party = m_parties[end].party;
        const Star::PortState& port = m_state.ports[end];
        for (std::size_t i = 0; i < port.acks.size(); ++i)
        {
            m_qps[port.acks[i]].qp.queuePair->OweAck();
        }
        for (std::size_t i = 0; i < port.data.size(); ++i)
        {
            party.nic->Requeue(*m_qps[port.data[i]].qp.queuePair);
        }
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const SenderEntry& one = m_qps[number];
        const End& end = m_parties[one.qp.end];
        if (!m_state.qps[number].readyDue) // otherwise DeliverDue calls Ready
        {
            end.party.nic->Ready(*one.qp.queuePair);
        }
    }
    for (auto& end : m_parties)
    {
        end.party.port->Kick();
    }
}

} // namespace ns3
