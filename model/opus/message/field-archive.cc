// SPDX-License-Identifier: GPL-2.0-only

#include "field-archive.h"

#include <limits>

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

void
FieldWriter::Text(const std::string& text, uint32_t max)
{
    const auto length = static_cast<uint32_t>(std::min<std::size_t>(text.size(), max));
    Number(length);
    m_size += length;
    if (m_it)
    {
        m_it->Write(reinterpret_cast<const uint8_t*>(text.data()), length);
    }
}

FieldReader::FieldReader(Buffer::Iterator it, uint32_t size)
    : m_it(it),
      m_left(size)
{
}

bool
FieldReader::Take(uint64_t bytes)
{
    m_good = m_good && bytes <= m_left;
    m_left -= m_good ? static_cast<uint32_t>(bytes) : 0;
    return m_good;
}

void
FieldReader::Boolean(bool& value)
{
    uint8_t byte = 0;
    Number(byte);
    Require(byte <= 1);
    value = m_good ? byte != 0 : value;
}

void
FieldReader::Duration(Time& duration)
{
    uint64_t picoseconds = 0;
    Number(picoseconds);
    Require(picoseconds <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
    duration = m_good ? PicoSeconds(picoseconds) : duration;
}

void
FieldReader::Text(std::string& text, uint32_t max)
{
    uint32_t length = 0;
    Number(length);
    Require(length <= max);
    if (Take(length))
    {
        text.resize(length);
        m_it.Read(reinterpret_cast<uint8_t*>(text.data()), length);
    }
}

void
FieldReader::Circuits(CircuitSet& first, CircuitSet& second, uint32_t max)
{
    uint32_t firsts = 0;
    uint32_t seconds = 0;
    Number(firsts);
    Number(seconds);
    Require(firsts <= max && seconds <= max);
    if (!m_good || !Take(8 * (uint64_t{firsts} + seconds)))
    {
        return;
    }
    first.resize(firsts);
    second.resize(seconds);
    for (CircuitSet* circuits : {&first, &second})
    {
        for (Circuit& circuit : *circuits)
        {
            circuit.a = m_it.ReadNtohU32();
            circuit.b = m_it.ReadNtohU32();
        }
    }
}

} // namespace ns3
