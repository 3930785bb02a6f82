// SPDX-License-Identifier: GPL-2.0-only

#include "phase-predictor.h"

namespace ns3
{

namespace
{

/// A phase is asked for ahead of time if that hides more than one part in so many of what it takes
/// to be granted a group that has to be switched for. To ask for less may even do harm: circuits
/// that change at once, and not when they are needed, may miss messages that were about to use
/// them.
constexpr int64_t LEAST_GAIN = 60;

/// Circuits are given back for others to use meanwhile if the rank needs them no sooner than after
/// so many times that.
constexpr int64_t BACK_AND_FORTH = 2;

} // namespace

void
PhasePredictor::Begin(const CollectiveCall& call, Time now, bool detects)
{
    m_profile.SetDetection(detects);
    m_profile.Record(call, m_underWay > 0 ? Time() : now - m_lastEnd);
    ++m_underWay;
}

void
PhasePredictor::End(Time now)
{
    m_lastEnd = now;
    --m_underWay;
    m_phaseMayEnd = true;
}

void
PhasePredictor::EndIteration()
{
    m_profile.EndIteration();
    m_phaseMayEnd = true;
}

void
PhasePredictor::EndPhase()
{
    m_phaseMayEnd = true;
}

std::optional<CollectiveCall>
PhasePredictor::TakeWish(bool isFree, Time fastest)
{
    if (!m_phaseMayEnd)
    {
        return std::nullopt;
    }
    m_phaseMayEnd = false;
    const auto next = isFree ? m_profile.PredictNext() : std::nullopt;
    return next && m_profile.PredictGap() * LEAST_GAIN >= fastest ? next : std::nullopt;
}

void
PhasePredictor::Expect(uint64_t group)
{
    m_expected = group;
    m_speculative.insert(group);
}

bool
PhasePredictor::TakeExpected(uint64_t group)
{
    return m_speculative.erase(group) > 0;
}

std::optional<uint64_t>
PhasePredictor::TakeMisprediction(uint64_t group, const CollectiveCall& call)
{
    // A Recv takes no ports from anybody, so a wish for another group may stand beside it.
    if (!m_expected || (call.kind == CollectiveKind::RECV && group != *m_expected))
    {
        return std::nullopt;
    }
    const uint64_t expected = *m_expected;
    m_expected.reset();
    if (expected == group)
    {
        return std::nullopt;
    }
    m_speculative.erase(expected);
    return expected;
}

std::optional<PhasePredictor::Next>
PhasePredictor::PredictNext(Time now, Time fastest) const
{
    const auto call = m_profile.PredictNext();
    if (!call)
    {
        return std::nullopt;
    }
    const Time left = m_lastEnd + m_profile.PredictGap() - now;
    return Next{*call, call->kind != CollectiveKind::RECV && left < BACK_AND_FORTH * fastest};
}

void
PhasePredictor::Forget()
{
    m_profile = TrafficProfile();
    m_expected.reset();
    m_speculative.clear();
    m_phaseMayEnd = false;
}

void
PhasePredictor::Halt()
{
    m_underWay = 0;
}

void
PhasePredictor::Start(Time now)
{
    m_lastEnd = now;
}

const TrafficProfile&
PhasePredictor::GetProfile() const
{
    return m_profile;
}

} // namespace ns3
