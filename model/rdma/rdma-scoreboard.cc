// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-scoreboard.h"

#include "ns3/assert.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
RdmaScoreboard::SetReorderTolerance(uint32_t packets)
{
    m_tolerance = packets;
}

void
RdmaScoreboard::Reset(uint64_t psn)
{
    m_arrived.clear();
    m_unacked = m_next = m_lostEnd = m_probeEnd = psn;
}

std::size_t
RdmaScoreboard::GetRanges() const
{
    return m_arrived.size();
}

uint64_t
RdmaScoreboard::PopRepeat()
{
    NS_ASSERT(HasRepeat());
    const uint64_t psn = m_next++;
    SkipArrived();
    return psn;
}

void
RdmaScoreboard::SkipArrived()
{
    const auto after = m_arrived.upper_bound(m_next);
    if (after != m_arrived.begin())
    {
        m_next = std::max(m_next, std::prev(after)->second);
    }
}

void
RdmaScoreboard::Advance(uint64_t psn)
{
    if (psn <= m_unacked)
    {
        return;
    }
    m_unacked = psn;
    while (!m_arrived.empty() && m_arrived.begin()->first <= psn)
    {
        const uint64_t end = m_arrived.begin()->second;
        m_arrived.erase(m_arrived.begin());
        if (end > psn) // the report of this range has overtaken an earlier acknowledgement
        {
            m_arrived.emplace(psn, end);
            break;
        }
    }
    m_next = std::max(m_next, psn);
    SkipArrived();
    if (m_probeEnd > psn)
    {
        AllLost(m_probeEnd);
    }
}

void
RdmaScoreboard::Arrived(uint64_t psn)
{
    auto after = m_arrived.upper_bound(psn);
    uint64_t first = psn;
    uint64_t end = psn + 1;
    if (after != m_arrived.begin())
    {
        const auto before = std::prev(after);
        if (before->second > psn)
        {
            return; // known already
        }
        if (before->second == psn)
        {
            first = before->first;
            m_arrived.erase(before);
        }
    }
    if (after != m_arrived.end() && after->first == end)
    {
        end = after->second;
        m_arrived.erase(after);
    }
    m_arrived.emplace(first, end);
    if (psn >= m_tolerance)
    {
        m_lostEnd = std::max(m_lostEnd, psn - m_tolerance);
    }
    SkipArrived();
}

void
RdmaScoreboard::AllLost(uint64_t end)
{
    m_probeEnd = 0;
    m_next = m_unacked;
    m_lostEnd = std::max(m_lostEnd, end);
    SkipArrived();
}

void
RdmaScoreboard::Probe(uint64_t end)
{
    m_probeEnd = end;
    m_next = m_unacked;
    m_lostEnd = m_unacked + 1;
}

} // namespace ns3
