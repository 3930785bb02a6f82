// SPDX-License-Identifier: GPL-2.0-only

// The switch of a FastPathPairState: passage of frames and queue depths.

#include "fast-path-pair-state.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
FastPathPairState::Enter(State& state, uint32_t end, Flight& flight) const
{
    const End& line = m_ends[end];
    EndState& one = state.ends[end];
    int64_t passes = state.now;
    if (line.hop)
    {
        const int64_t enters = state.now + line.toHop + (line.cutThrough ? 0 : flight.spacing);
        passes = std::max(enters + line.hopLatency, one.hopFree);
        flight.wait = passes - enters - line.hopLatency;
        one.hopFree = passes + flight.GetFrames() * flight.spacing; // the others follow
    }
    flight.at = passes + flight.spacing + line.delay;
}

void
FastPathPairState::EnterAck(State& state, uint32_t end, Flight flight) const
{
    EndState& one = state.ends[end];
    Enter(state, end, flight);
    auto place = one.flights.end();
    if (flight.wait > 0)
    {
        // Data that the switch has not begun to send when the acknowledgement is ready follows it.
        const int64_t ready = GetPassage(end, flight, 0).ready;
        while (place != one.flights.begin())
        {
            const Flight& before = *(place - 1);
            if (before.count == 0 || GetPassage(end, before, 0).passes < ready)
            {
                break;
            }
            // Packets of a run wait for less than the transmission time of an acknowledgement, so
            // only single packets can be overtaken.
            NS_ASSERT(before.count == 1);
            --place;
            flight.at -= before.spacing;
            flight.wait -= before.spacing;
        }
        for (auto behind = place; behind != one.flights.end(); ++behind)
        {
            behind->at += flight.spacing;
            behind->wait += flight.spacing;
        }
    }
    one.flights.insert(place, flight);
}

FastPathPairState::Passage
FastPathPairState::GetPassage(uint32_t end, const Flight& flight, uint32_t index) const
{
    const End& line = m_ends[end];
    Passage passage;
    passage.arrives = flight.at + index * flight.spacing;
    passage.passes = passage.arrives - line.delay - flight.spacing;
    passage.ready = passage.passes - flight.wait;
    passage.enters = passage.ready - line.hopLatency;
    passage.leaves =
        passage.enters - line.toHop - (line.hop && !line.cutThrough ? flight.spacing : 0);
    return passage;
}

// --- queue depths -------------------------------------------------------------------------------

void
FastPathPairState::Pass(EndState& one, uint32_t end, const Flight& flight, int64_t before) const
{
    const Passage first = GetPassage(end, flight, 0);
    const uint32_t outside = m_ends[end].outsideBytes;
    const int64_t stay = first.passes - first.enters; // time of each frame in the switch
    // The queue reaches its maximum no later than when its first frame leaves.
    const int64_t last = std::min<int64_t>(flight.GetFrames() - 1, stay / flight.spacing);
    for (int64_t index = 0; index <= last; ++index)
    {
        const int64_t enters = first.enters + index * flight.spacing;
        if (enters >= before)
        {
            break;
        }
        uint64_t depth = (index + 1) * uint64_t{flight.bytes - outside};
        for (const auto& other : one.passed)
        {
            const int64_t ahead = GetPassage(end, other, other.GetFrames() - 1).passes - enters;
            if (ahead >= 0 && (other.count == 0) == (flight.count == 0))
            {
                const int64_t frames =
                    std::min<int64_t>(ahead / other.spacing + 1, other.GetFrames());
                depth += static_cast<uint64_t>(frames) * (other.bytes - outside);
            }
        }
        one.depth = std::max(one.depth, depth);
    }
    one.passed.push_back(flight);
}

void
FastPathPairState::ForgetPassed(State& state, uint32_t end) const
{
    EndState& one = state.ends[end];
    for (const bool ack : {false, true})
    {
        const auto isSame = [ack](const Flight& flight) { return (flight.count == 0) == ack; };
        const auto next = std::find_if(one.flights.begin(), one.flights.end(), isSame);
        const int64_t oldest =
            next == one.flights.end() ? state.now : GetPassage(end, *next, 0).enters;
        const auto isOver = [&](const Flight& flight) {
            return isSame(flight) &&
                   GetPassage(end, flight, flight.GetFrames() - 1).passes < oldest;
        };
        one.passed.erase(std::remove_if(one.passed.begin(), one.passed.end(), isOver),
                         one.passed.end());
    }
}

uint64_t
FastPathPairState::GetDepth(const State& state, uint32_t end) const
{
    EndState one = state.ends[end];
    for (const auto& flight : state.ends[end].flights)
    {
        Pass(one, end, flight, state.now);
    }
    return one.depth;
}

} // namespace ns3
