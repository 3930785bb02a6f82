// SPDX-License-Identifier: GPL-2.0-only

#include "pfc-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

Mac48Address
PfcHeader::GetGroupAddress()
{
    return Mac48Address("01:80:c2:00:00:01");
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << sourceMac << " PFC";
    for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if ((enabled >> priority) & 1)
        {
            os << ' ' << priority << '=' << quanta[priority];
        }
    }
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return FRAME_BYTES;
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    std::array<uint8_t, 6> address;
    GetGroupAddress().CopyTo(address.data());
    start.Write(address.data(), address.size());
    sourceMac.CopyTo(address.data());
    start.Write(address.data(), address.size());
    start.WriteHtonU16(ETHERTYPE);
    start.WriteHtonU16(OPCODE);
    start.WriteHtonU16(enabled);
    for (const uint16_t time : quanta)
    {
        start.WriteHtonU16(time);
    }
    constexpr uint32_t written = 6 + 6 + 2 + 2 + 2 + 2 * PRIORITIES;
    start.WriteU8(0, FRAME_BYTES - written);
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < FRAME_BYTES)
    {
        return 0;
    }
    std::array<uint8_t, 6> address;
    start.Read(address.data(), address.size());
    Mac48Address destination;
    destination.CopyFrom(address.data());
    start.Read(address.data(), address.size());
    sourceMac.CopyFrom(address.data());
    if (start.ReadNtohU16() != ETHERTYPE || start.ReadNtohU16() != OPCODE ||
        destination != GetGroupAddress())
    {
        return 0;
    }
    enabled = static_cast<uint8_t>(start.ReadNtohU16());
    for (uint16_t& time : quanta)
    {
        time = start.ReadNtohU16();
    }
    return FRAME_BYTES;
}

} // namespace ns3
