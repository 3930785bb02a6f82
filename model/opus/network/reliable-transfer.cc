// SPDX-License-Identifier: GPL-2.0-only

#include "reliable-transfer.h"

#include "ns3/assert.h"
#include "ns3/kept-rule.h"

#include <algorithm>

namespace ns3
{

void
ReliableSender::SetTimeouts(Time initial, Time least, Time most)
{
    m_initial = initial;
    m_least = least;
    m_most = most;
    Estimate();
}

void
ReliableSender::Append(const uint8_t* bytes, std::size_t size)
{
    m_bytes.insert(m_bytes.end(), bytes, bytes + size);
}

bool
ReliableSender::HasUnsent() const
{
    return m_next < GetEnd();
}

ReliableSender::Segment
ReliableSender::Send(std::size_t most, Time now)
{
    NS_ASSERT_MSG(HasUnsent(), "nothing to send");
    if (m_next == m_acknowledged)
    {
        m_since = now;
    }
    Segment segment;
    segment.begin = m_next;
    const auto size = std::min<uint64_t>(most, GetEnd() - m_next);
    const auto first = m_bytes.begin() + static_cast<std::ptrdiff_t>(m_next - m_acknowledged);
    segment.bytes.assign(first, first + static_cast<std::ptrdiff_t>(size));
    const bool isRepeat = m_next < m_sent;
    m_repeated += isRepeat ? 1 : 0;
    m_next += size;
    m_sent = std::max(m_sent, m_next);
    if (!isRepeat && !m_timed)
    {
        m_timed = m_next;
        m_timedSince = now;
    }
    return segment;
}

void
ReliableSender::Acknowledge(uint64_t position, Time now)
{
    if (position <= m_acknowledged || position > GetEnd())
    {
        return;
    }
    m_bytes.erase(m_bytes.begin(),
                  m_bytes.begin() + static_cast<std::ptrdiff_t>(position - m_acknowledged));
    m_acknowledged = position;
    m_next = std::max(m_next, position);
    m_sent = std::max(m_sent, position);
    m_since = now;
    if (!m_timed || position < *m_timed)
    {
        return;
    }
    const Time sample = now - m_timedSince;
    m_timed.reset();
    if (m_smoothed)
    {
        const Time error = Abs(*m_smoothed - sample);
        m_variation += (error - m_variation) / 4;
        *m_smoothed += (sample - *m_smoothed) / 8;
    }
    else
    {
        m_smoothed = sample;
        m_variation = sample / 2;
    }
    Estimate();
}

void
ReliableSender::Estimate()
{
    const Time wanted = m_smoothed ? *m_smoothed + 4 * m_variation : m_initial;
    m_timeout = Min(Max(wanted, m_least), m_most);
}

void
ReliableSender::Rewind()
{
    m_next = m_acknowledged;
    m_timed.reset();
    Estimate();
}

void
ReliableSender::TimeOut()
{
    m_next = m_acknowledged;
    m_timed.reset();
    m_timeout = Min(2 * m_timeout, m_most);
}

std::optional<Time>
ReliableSender::GetDeadline() const
{
    return m_next > m_acknowledged ? std::optional<Time>(m_since + m_timeout) : std::nullopt;
}

Time
ReliableSender::GetTimeout() const
{
    return m_timeout;
}

uint64_t
ReliableSender::GetAcknowledged() const
{
    return m_acknowledged;
}

uint64_t
ReliableSender::GetEnd() const
{
    return m_acknowledged + m_bytes.size();
}

uint64_t
ReliableSender::GetRepeated() const
{
    return m_repeated;
}

void
ReliableReceiver::Receive(uint64_t begin, const uint8_t* bytes, std::size_t size)
{
    if (begin > m_received)
    {
        std::vector<uint8_t>& early = m_early[begin];
        if (early.size() < size)
        {
            early.assign(bytes, bytes + size);
        }
        return;
    }
    if (begin + size <= m_received && IsRuleKept("twice"))
    {
        ++m_duplicates;
        return;
    }
    const std::size_t had = IsRuleKept("twice") ? m_received - begin : 0;
    m_reader.Append(bytes + had, size - had);
    m_received = begin + size;
    while (!m_early.empty() && m_early.begin()->first <= m_received)
    {
        const auto& [first, piece] = *m_early.begin();
        if (first + piece.size() > m_received)
        {
            const std::size_t known = m_received - first;
            m_reader.Append(piece.data() + known, piece.size() - known);
            m_received = first + piece.size();
        }
        m_early.erase(m_early.begin());
    }
}

bool
ReliableReceiver::Next(OpusMessage& message, StreamSpan& span)
{
    while (m_reader.Next(message))
    {
        span = StreamSpan{m_read, m_received - m_reader.GetPending()};
        m_read = span.end;
        const auto known = m_known.find(span.begin);
        if (known == m_known.end())
        {
            m_handed[span.begin] = span.end;
            return true;
        }
        Advance();
    }
    return false;
}

void
ReliableReceiver::Confirm(const StreamSpan& span)
{
    m_handed.erase(span.begin);
    Advance();
}

void
ReliableReceiver::Advance()
{
    m_confirmed = m_handed.empty() ? m_read : m_handed.begin()->first;
    m_known.erase(m_known.begin(), m_known.lower_bound(m_confirmed));
}

void
ReliableReceiver::Restore(const StreamSpan& span)
{
    m_known[span.begin] = span.end;
    for (auto next = m_known.find(m_read); next != m_known.end(); next = m_known.find(m_read))
    {
        m_read = next->second;
        m_known.erase(next);
    }
    m_received = m_read;
    m_confirmed = m_read;
}

uint64_t
ReliableReceiver::GetConfirmed() const
{
    return m_confirmed;
}

uint64_t
ReliableReceiver::GetDuplicates() const
{
    return m_duplicates;
}

uint64_t
ReliableReceiver::GetMalformed() const
{
    return m_reader.GetMalformed();
}

} // namespace ns3
