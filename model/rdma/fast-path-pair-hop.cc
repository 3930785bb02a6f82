// SPDX-License-Identifier: GPL-2.0-only

// FastPathPair with a switch between the two ends.

#include "fast-path-pair.h"
#include "rdma-nic.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>

namespace ns3
{

void
FastPathPair::BeginHop(uint32_t end)
{
    const PairEnd& party = m_ends[end].party;
    Line::End& line = m_line.At(end);
    line.delay = party.way.onward.delay.GetTimeStep();
    line.hop = true;
    line.cutThrough = party.way.cutThrough;
    line.hopLatency = party.way.latency.GetTimeStep();
    line.toHop = party.path.delay.GetTimeStep();
    if (line.cutThrough)
    {
        constexpr uint32_t bytes = RoceHeader::MAX_BYTES; // any size gives the same difference
        const Time header = party.port->GetFrameTime(bytes) - party.port->GetRestOfFrame(bytes);
        line.toHop += header.GetTimeStep();
    }
    line.outsideBytes = EthernetPortNetDevice::FRAME_OVERHEAD_BYTES;
    m_state.ends[end].hopFree = m_state.now;
}

bool
FastPathPair::IsPassing(const EthernetPortNetDevice& output) const
{
    const uint32_t end = m_ends[0].party.way.output == &output ? 0 : 1;
    const Line::State present = GetPresent();
    const Line::Flights& flights = present.ends[end].flights;
    return std::any_of(flights.begin(), flights.end(), [&](const Line::Flight& flight) {
        const int64_t passes = m_line.GetPassage(end, flight, 0).passes;
        // A transmission that ends at this time still counts.
        return passes < present.now && present.now <= passes + flight.GetFrames() * flight.spacing;
    });
}

void
FastPathPair::SettleHop(const Line::State& state, uint32_t end)
{
    End& one = m_ends[end];
    const Line::Totals& totals = state.ends[end].totals;
    uint64_t frames = totals.packets + totals.acks;
    uint64_t bytes = totals.wireBytes;
    for (const auto& flight : state.ends[end].flights)
    {
        for (uint32_t i = 0; i < flight.GetFrames(); ++i)
        {
            const Line::Passage passage = m_line.GetPassage(end, flight, i);
            frames -= passage.enters >= state.now ? 1 : 0;
            bytes -= passage.passes >= state.now ? flight.bytes : 0;
        }
    }
    m_hop->CountBurst(frames - one.settledFrames, m_line.GetDepth(state, end));
    one.party.way.output->CountBytesSent(bytes - one.settledPassed);
    one.settledFrames = frames;
    one.settledPassed = bytes;
}

void
FastPathPair::LaunchByHop(uint32_t end, std::vector<UnderWay> frames)
{
    const PairEnd& party = m_ends[end].party;
    EthernetPortNetDevice& output = *party.way.output;
    const int64_t now = Now();
    for (const auto& [passage, time, frame] : frames)
    {
        if (passage.passes < now)
        {
            output.Launch(frame, party.way.onward, TimeStep(passage.arrives));
            if (passage.passes + time >= now)
            {
                output.Occupy(frame, TimeStep(passage.passes + time - now));
            }
        }
    }
    for (const auto& [passage, time, frame] : frames)
    {
        if (passage.passes >= now && passage.enters < now)
        {
            m_hop->Hold(*party.path.receiver, output, frame, TimeStep(passage.ready));
        }
    }
    // An acknowledgement may overtake earlier frames in the switch, so restore the sending order.
    std::sort(frames.begin(), frames.end(), [](const UnderWay& x, const UnderWay& y) {
        return x.passage.leaves < y.passage.leaves;
    });
    for (const auto& [passage, time, frame] : frames)
    {
        if (passage.enters >= now)
        {
            const int64_t at = passage.leaves + time + party.path.delay.GetTimeStep();
            m_hop->Expect(*party.port, party.path, frame, TimeStep(at), passage.enters == now);
        }
    }
}

} // namespace ns3
