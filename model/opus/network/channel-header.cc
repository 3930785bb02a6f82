// SPDX-License-Identifier: GPL-2.0-only

#include "channel-header.h"

namespace ns3
{

namespace
{

/// Write a number in network order. @return what follows it
template <typename T>
uint8_t*
WriteNumber(uint8_t* bytes, T number)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
        bytes[i] = static_cast<uint8_t>(number >> 8 * (sizeof(T) - 1 - i));
    }
    return bytes + sizeof(T);
}

/// Read a number in network order. @return what follows it
template <typename T>
const uint8_t*
ReadNumber(const uint8_t* bytes, T& number)
{
    number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
        number = static_cast<T>(number << 8 | bytes[i]);
    }
    return bytes + sizeof(T);
}

} // namespace

void
ChannelHeader::Write(uint8_t* bytes) const
{
    bytes[0] = VERSION;
    bytes[1] = flags;
    bytes[2] = 0;
    bytes[3] = 0;
    bytes = WriteNumber(bytes + 4, epoch);
    bytes = WriteNumber(bytes, heard);
    bytes = WriteNumber(bytes, identity);
    bytes = WriteNumber(bytes, begin);
    WriteNumber(bytes, acknowledgement);
}

bool
ChannelHeader::Read(const uint8_t* bytes, std::size_t size)
{
    if (size < SIZE || bytes[0] != VERSION)
    {
        return false;
    }
    flags = bytes[1];
    bytes = ReadNumber(bytes + 4, epoch);
    bytes = ReadNumber(bytes, heard);
    bytes = ReadNumber(bytes, identity);
    bytes = ReadNumber(bytes, begin);
    ReadNumber(bytes, acknowledgement);
    return true;
}

} // namespace ns3
