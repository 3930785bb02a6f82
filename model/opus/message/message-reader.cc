// SPDX-License-Identifier: GPL-2.0-only

#include "message-reader.h"

namespace ns3
{

void
MessageReader::Append(const uint8_t* bytes, std::size_t size)
{
    m_bytes.erase(m_bytes.begin(), m_bytes.begin() + static_cast<std::ptrdiff_t>(m_offset));
    m_offset = 0;
    m_bytes.insert(m_bytes.end(), bytes, bytes + size);
}

bool
MessageReader::Next(OpusMessage& message)
{
    while (m_bytes.size() - m_offset >= OpusMessage::LENGTH_BYTES)
    {
        const uint8_t* bytes = m_bytes.data() + m_offset;
        const uint32_t length = uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 |
                                uint32_t{bytes[2]} << 8 | bytes[3];
        if (length > OpusMessage::MAX_LENGTH)
        {
            ++m_malformed;
            m_offset = m_bytes.size();
            return false;
        }
        const uint32_t size = OpusMessage::LENGTH_BYTES + length;
        if (m_bytes.size() - m_offset < size)
        {
            return false;
        }
        m_offset += size;
        if (message.Parse(bytes, size) == size)
        {
            return true;
        }
        ++m_malformed;
    }
    return false;
}

std::size_t
MessageReader::GetPending() const
{
    return m_bytes.size() - m_offset;
}

uint64_t
MessageReader::GetMalformed() const
{
    return m_malformed;
}

} // namespace ns3
