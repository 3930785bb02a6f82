// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-profile.h"

#include <algorithm>

namespace ns3
{

bool
TrafficProfile::Equal(const CollectiveCall& x, const CollectiveCall& y)
{
    return x.kind == y.kind && x.groupId == y.groupId && x.bytes == y.bytes &&
           (!x.IsPointToPoint() || x.peer == y.peer);
}

void
TrafficProfile::SetDetection(bool detect)
{
    m_detect = detect;
}

void
TrafficProfile::Record(const CollectiveCall& call, Time gap)
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
        Detect({call, gap});
    }
    else
    {
        m_calls.push_back({call, gap});
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
        m_iteration.clear();
        m_lost = false;
    }
    if (m_calls.size() >= (m_iteration.empty() ? m_historyLimit : MAX_LEARNED))
    {
        if (!m_iteration.empty())
        {
            return; // it has repeated itself long enough
        }
        Forget();
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
        m_iteration.assign(m_calls.end() - period, m_calls.end());
        StartIteration();
    }
}

void
TrafficProfile::Forget()
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
        return; // an iteration without calls teaches nothing
    }
    // Also when all went as expected: the order may have changed.
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

const TrafficProfile::Entry&
TrafficProfile::GetNext() const
{
    return m_iteration[m_cursor == m_iteration.size() ? 0 : m_cursor];
}

std::vector<ProfiledCall>
TrafficProfile::GetIteration() const
{
    return {m_iteration.begin(), m_iteration.end()};
}

std::size_t
TrafficProfile::GetPeriod() const
{
    return m_iteration.size();
}

} // namespace ns3
