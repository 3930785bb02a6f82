// SPDX-License-Identifier: GPL-2.0-only

#include "grant-times.h"

namespace ns3
{

void
GrantTimes::CallWaits(uint64_t group, Time now)
{
    m_waitSince.emplace(group, now);
}

void
GrantTimes::Request(uint64_t group, Time now)
{
    m_askedAt.emplace(group, now);
}

void
GrantTimes::Release(uint64_t group)
{
    m_askedAt.erase(group);
}

GrantTimes::Wait
GrantTimes::Grant(uint64_t group, Time duration, Time now)
{
    Wait wait;
    if (const auto since = m_waitSince.find(group); since != m_waitSince.end())
    {
        wait.waited = now - since->second;
        m_waitSince.erase(since);
    }
    wait.exposed = Min(wait.waited, duration);
    if (const auto asked = m_askedAt.find(group); asked != m_askedAt.end())
    {
        const Time taken = now - asked->second;
        if (!duration.IsZero() && (m_fastest.IsZero() || taken < m_fastest))
        {
            m_fastest = taken;
        }
        m_askedAt.erase(asked);
    }
    return wait;
}

Time
GrantTimes::GetFastest() const
{
    return m_fastest;
}

std::vector<uint64_t>
GrantTimes::TakeWaiting()
{
    std::vector<uint64_t> groups;
    for (const auto& [group, since] : m_waitSince)
    {
        groups.push_back(group);
    }
    m_waitSince.clear();
    return groups;
}

void
GrantTimes::ForgetRequests()
{
    m_askedAt.clear();
}

} // namespace ns3
