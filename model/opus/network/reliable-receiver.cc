// SPDX-License-Identifier: GPL-2.0-only

#include "reliable-receiver.h"

#include "ns3/kept-rule.h"

namespace ns3
{

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
