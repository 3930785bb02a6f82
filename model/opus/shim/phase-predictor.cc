// SPDX-License-Identifier: GPL-2.0-only

#include "phase-predictor.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PhasePredictor");

bool
TrafficProfile::Equal(const CollectiveCall& x, const CollectiveCall& y)
{
    return x.kind == y.kind && x.groupId == y.groupId && x.bytes == y.bytes &&
           (!x.IsPointToPoint() || x.peer == y.peer);
}

void
TrafficProfile::Record(const CollectiveCall& call, Time gap, uint64_t issued)
{
    if (!m_iteration.empty())
    {
        // A complete iteration still takes what was left out, unless the next one begins.
        if (m_detect && m_cursor == m_iteration.size() &&
            (Equal(call, m_iteration.front().call) || !Match(call)))
        {
            StartIteration();
        }
        if (!(m_detect && m_cursor == m_iteration.size()))
        {
            m_lost = !Match(call);
        }
    }
    if (m_detect)
    {
        Detect({call, gap, issued});
    }
    else
    {
        m_calls.push_back({call, gap, issued});
    }
}

bool
TrafficProfile::Match(const CollectiveCall& call)
{
    const std::size_t end = std::min(m_iteration.size(), m_cursor + LOOK_AHEAD);
    for (std::size_t i = 0; i < end; ++i)
    {
        Entry& entry = m_iteration[i];
        if (!entry.made && Equal(entry.call, call))
        {
            entry.made = true;
            m_cursor = std::max(m_cursor, i + 1);
            while (m_cursor < m_iteration.size() && m_iteration[m_cursor].made)
            {
                ++m_cursor;
            }
            return true;
        }
    }
    return false;
}

void
TrafficProfile::Detect(const ProfiledCall& made)
{
    const CollectiveCall& call = made.call;
    if (m_lost)
    {
        NS_LOG_LOGIC(ToString(call.kind) << " on group " << call.groupId << " was not expected");
        m_iteration.clear();
        m_lost = false;
    }
    if (m_calls.size() >= (m_iteration.empty() ? m_historyLimit : MAX_LEARNED))
    {
        if (!m_iteration.empty())
        {
            return; // the sequence has repeated itself long enough
        }
        Reset();
    }
    // The prefix function of the sequence, one call at a time.
    std::size_t border = m_border.empty() ? 0 : m_border.back();
    while (border > 0 && !Equal(m_calls[border].call, call))
    {
        border = m_border[border - 1];
    }
    if (!m_calls.empty() && Equal(m_calls[border].call, call))
    {
        ++border;
    }
    m_calls.push_back(made);
    m_border.push_back(border);
    // A sequence that stays with one group gives nothing to predict: wait for a longer one.
    const std::size_t period = m_calls.size() - border;
    const bool found = m_iteration.empty() && border == period;
    if (found && std::any_of(m_calls.begin(), m_calls.end(), [this](const ProfiledCall& x) {
            return x.call.groupId != m_calls.front().call.groupId;
        }))
    {
        // The later one of the two: there was nothing before the very first call.
        NS_LOG_INFO("iterations of " << period << " calls have been detected");
        m_iteration.assign(m_calls.end() - period, m_calls.end());
        StartIteration();
    }
}

void
TrafficProfile::Reset()
{
    m_calls.clear();
    m_border.clear();
    m_historyLimit = std::min(2 * m_historyLimit, MAX_LEARNED);
}

void
TrafficProfile::StartIteration()
{
    for (Entry& entry : m_iteration)
    {
        entry.made = false;
    }
    m_cursor = 0;
    m_lost = false;
}

void
TrafficProfile::EndIteration()
{
    if (m_detect || m_calls.empty())
    {
        return; // an iteration without calls is not learned
    }
    // Learn every iteration, because the order of calls may have changed.
    std::stable_sort(m_calls.begin(), m_calls.end(), [](const auto& x, const auto& y) {
        return x.issued < y.issued;
    });
    NS_LOG_LOGIC("an iteration of " << m_calls.size() << " calls has been learned");
    m_iteration.assign(m_calls.begin(), m_calls.end());
    m_calls.clear();
    StartIteration();
}

std::optional<CollectiveCall>
TrafficProfile::PredictNext() const
{
    if (m_iteration.empty() || m_lost)
    {
        return std::nullopt;
    }
    return GetNext().call;
}

Time
TrafficProfile::PredictGap() const
{
    return m_iteration.empty() ? Time() : GetNext().gap;
}

namespace
{

/// A speculative request must hide at least this fraction (1 / LEAST_GAIN) of the time of a grant
/// with switching. A request that hides less can do harm: circuits that change early are not
/// available for messages that were about to use them.
constexpr int64_t LEAST_GAIN = 60;

/// Circuits are released for other ranks if the rank needs them again no earlier than after this
/// number of grants with switching.
constexpr int64_t BACK_AND_FORTH = 2;

} // namespace

void
PhasePredictor::Begin(const CollectiveCall& call, uint64_t issued, Time now, bool detects)
{
    m_profile.SetDetection(detects);
    m_profile.Record(call, m_underWay > 0 ? Time() : now - m_lastEnd, issued);
    ++m_underWay;
}

void
PhasePredictor::End(Time now)
{
    m_lastEnd = now;
    --m_underWay;
    m_phaseMayEnd = true;
}

std::optional<CollectiveCall>
PhasePredictor::TakePrefetch(bool isFree, Time fastest)
{
    if (!m_phaseMayEnd)
    {
        return std::nullopt;
    }
    m_phaseMayEnd = false;
    const auto next = isFree ? m_profile.PredictNext() : std::nullopt;
    return next && m_profile.PredictGap() * LEAST_GAIN >= fastest ? next : std::nullopt;
}

std::optional<uint64_t>
PhasePredictor::TakeMisprediction(uint64_t group, const CollectiveCall& call)
{
    // A Recv needs no lease, so a speculative request for another group may stay pending.
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
    NS_LOG_LOGIC("group " << expected << " was predicted, and group " << group << " is needed");
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
    if (call->kind == CollectiveKind::RECV)
    {
        return Next{*call, false, Time()};
    }
    const Time left = m_lastEnd + m_profile.PredictGap() - now;
    const Time spare = Max(left - BACK_AND_FORTH * fastest, Time());
    return Next{*call, spare.IsZero(), spare};
}

void
PhasePredictor::Reset()
{
    NS_LOG_FUNCTION(this);
    m_profile = TrafficProfile();
    m_expected.reset();
    m_speculative.clear();
    m_phaseMayEnd = false;
}

} // namespace ns3
