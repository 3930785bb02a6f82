// SPDX-License-Identifier: GPL-2.0-only

#include "roce-header.h"

#include "ns3/packet.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceHeader);

namespace
{

using network_order::Get16;
using network_order::Get24;
using network_order::Get32;
using network_order::Put16;
using network_order::Put32;

/// The internet checksum (RFC 1071) of an IPv4 header without options.
uint32_t
Ipv4Checksum(const uint8_t* header)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < RoceHeader::IPV4_BYTES; i += 2)
    {
        sum += Get16(header + i);
    }
    while (sum > 0xffff)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
}

constexpr uint32_t IP_START = RoceHeader::ETHERNET_BYTES;
constexpr uint32_t UDP_START = IP_START + RoceHeader::IPV4_BYTES;
constexpr uint32_t BTH = UDP_START + RoceHeader::UDP_BYTES;
constexpr uint32_t EXTENSION = BTH + RoceHeader::BTH_BYTES;
constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint32_t ETHERTYPE_IPV4 = 0x0800;
constexpr uint32_t BECN = 0x40000000; //!< bit in the word of the destination QP

/// @return bytes of extended headers after the BTH, indexed by opcode
constexpr std::array<uint8_t, 256>
MakeExtensionTable()
{
    std::array<uint8_t, 256> bytes{};
    bytes[RoceHeader::WRITE_FIRST] = RoceHeader::RETH_BYTES;
    bytes[RoceHeader::WRITE_LAST_WITH_IMMEDIATE] = RoceHeader::IMMEDIATE_BYTES;
    bytes[RoceHeader::WRITE_ONLY] = RoceHeader::RETH_BYTES;
    bytes[RoceHeader::WRITE_ONLY_WITH_IMMEDIATE] =
        RoceHeader::RETH_BYTES + RoceHeader::IMMEDIATE_BYTES;
    bytes[RoceHeader::ACKNOWLEDGE] = RoceHeader::AETH_BYTES;
    bytes[RoceHeader::CONGESTION_NOTIFICATION] = RoceHeader::CNP_BYTES;
    return bytes;
}

/// @return true if a RETH follows the BTH
bool
HasReth(uint8_t opcode)
{
    return opcode == RoceHeader::WRITE_FIRST || opcode == RoceHeader::WRITE_ONLY ||
           opcode == RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
}

} // namespace

TypeId
RoceHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceHeader")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RoceHeader>();
    return tid;
}

TypeId
RoceHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceHeader::Print(std::ostream& os) const
{
    os << sourceIp << " > " << destinationIp << " RoCEv2 opcode=" << +opcode
       << " qp=" << destinationQp << " psn=" << psn << " payload=" << payloadBytes;
}

uint32_t
RoceHeader::GetExtensionBytes(uint8_t opcode)
{
    static constexpr std::array<uint8_t, 256> table = MakeExtensionTable();
    return table[opcode];
}

uint32_t
RoceHeader::GetSerializedSize() const
{
    return BASE_BYTES + GetExtensionBytes(opcode);
}

void
RoceHeader::WriteTo(uint8_t* bytes) const
{
    const uint32_t extensionBytes = GetExtensionBytes(opcode);
    const uint32_t padding = GetPaddingBytes(payloadBytes);
    const uint32_t udpBytes =
        UDP_BYTES + BTH_BYTES + extensionBytes + payloadBytes + padding + ICRC_BYTES;

    destinationMac.CopyTo(bytes);
    sourceMac.CopyTo(bytes + 6);
    Put16(bytes + 12, ETHERTYPE_IPV4);

    uint8_t* ip = bytes + IP_START;
    ip[0] = 0x45;
    ip[1] = tos;
    Put16(ip + 2, IPV4_BYTES + udpBytes);
    Put16(ip + 4, identification);
    Put16(ip + 6, 0x4000); // do not fragment
    ip[8] = ttl;
    ip[9] = PROTOCOL_UDP;
    Put16(ip + 10, 0);
    Put32(ip + 12, sourceIp.Get());
    Put32(ip + 16, destinationIp.Get());
    Put16(ip + 10, Ipv4Checksum(ip));

    uint8_t* udp = bytes + UDP_START;
    Put16(udp, sourcePort);
    Put16(udp + 2, UDP_PORT);
    Put16(udp + 4, udpBytes);
    Put16(udp + 6, 0); // RoCEv2 over IPv4 sends no UDP checksum

    uint8_t* bth = bytes + BTH;
    bth[0] = opcode;
    bth[1] = static_cast<uint8_t>(padding << 4);
    Put16(bth + 2, 0xffff); // default partition
    Put32(bth + 4, (becn ? BECN : 0) | (destinationQp & 0xffffff));
    Put32(bth + 8, (ackRequest ? 0x80000000 : 0) | (psn & PSN_MASK));

    uint8_t* extension = bytes + EXTENSION;
    if (opcode == ACKNOWLEDGE)
    {
        Put32(extension, (uint32_t{syndrome} << 24) | (msn & PSN_MASK));
        return;
    }
    if (opcode == CONGESTION_NOTIFICATION)
    {
        std::fill_n(extension, CNP_BYTES, uint8_t{0});
        return;
    }
    if (HasReth(opcode))
    {
        Put32(extension, virtualAddress >> 32);
        Put32(extension + 4, static_cast<uint32_t>(virtualAddress));
        Put32(extension + 8, remoteKey);
        Put32(extension + 12, dmaLength);
        extension += RETH_BYTES;
    }
    if (opcode == WRITE_LAST_WITH_IMMEDIATE || opcode == WRITE_ONLY_WITH_IMMEDIATE)
    {
        Put32(extension, immediate);
    }
}

void
RoceHeader::Serialize(Buffer::Iterator start) const
{
    std::array<uint8_t, MAX_BYTES> bytes;
    WriteTo(bytes.data());
    start.Write(bytes.data(), GetSerializedSize());
}

void
RoceHeader::ReadExtension(const uint8_t* extension)
{
    if (opcode == ACKNOWLEDGE)
    {
        syndrome = extension[0];
        msn = Get24(extension + 1);
        return;
    }
    if (HasReth(opcode))
    {
        virtualAddress = (uint64_t{Get32(extension)} << 32) | Get32(extension + 4);
        remoteKey = Get32(extension + 8);
        dmaLength = Get32(extension + 12);
        extension += RETH_BYTES;
    }
    if (opcode == WRITE_LAST_WITH_IMMEDIATE || opcode == WRITE_ONLY_WITH_IMMEDIATE)
    {
        immediate = Get32(extension);
    }
}

uint32_t
RoceHeader::Deserialize(Buffer::Iterator start)
{
    const uint32_t available = start.GetRemainingSize();
    std::array<uint8_t, MAX_BYTES> bytes;
    start.Read(bytes.data(), std::min(available, MAX_BYTES));
    return ReadFrom(bytes.data(), available);
}

bool
RoceHeader::Peek(const Packet& frame)
{
    std::array<uint8_t, MAX_BYTES> bytes;
    frame.CopyData(bytes.data(), MAX_BYTES);
    return ReadFrom(bytes.data(), frame.GetSize()) > 0;
}

uint32_t
RoceHeader::ReadFrom(const uint8_t* bytes, uint32_t available)
{
    if (available < BASE_BYTES + ICRC_BYTES)
    {
        return 0;
    }
    const uint8_t* ip = bytes + IP_START;
    const uint8_t* udp = bytes + UDP_START;
    const uint8_t* bth = bytes + BTH;
    opcode = bth[0];
    const uint32_t headerBytes = BASE_BYTES + GetExtensionBytes(opcode);
    const bool known = opcode == WRITE_MIDDLE || headerBytes > BASE_BYTES;
    const bool isRoce = Get16(bytes + 12) == ETHERTYPE_IPV4 && ip[0] == 0x45 &&
                        ip[9] == PROTOCOL_UDP && Get16(udp + 2) == UDP_PORT;
    const uint32_t udpBytes = Get16(udp + 4);
    const uint32_t fixedBytes = headerBytes - UDP_START + ICRC_BYTES + ((bth[1] >> 4) & 3);
    if (!known || !isRoce || udpBytes < fixedBytes || UDP_START + udpBytes > available ||
        Get16(ip + 2) != IPV4_BYTES + udpBytes)
    {
        return 0;
    }
    destinationMac.CopyFrom(bytes);
    sourceMac.CopyFrom(bytes + 6);
    tos = ip[1];
    identification = static_cast<uint16_t>(Get16(ip + 4));
    ttl = ip[8];
    sourceIp.Set(Get32(ip + 12));
    destinationIp.Set(Get32(ip + 16));
    sourcePort = static_cast<uint16_t>(Get16(udp));
    payloadBytes = udpBytes - fixedBytes;
    becn = (bth[4] & (BECN >> 24)) != 0;
    destinationQp = Get24(bth + 5);
    ackRequest = (bth[8] & 0x80) != 0;
    psn = Get24(bth + 9);
    ReadExtension(bytes + EXTENSION);
    return headerBytes;
}

uint32_t
RoceHeader::GetInvariantCrc() const
{
    std::array<uint8_t, MAX_BYTES> bytes;
    WriteTo(bytes.data());
    uint8_t* ip = bytes.data() + IP_START;
    ip[1] = 0xff;           // type of service
    ip[8] = 0xff;           // time to live
    Put16(ip + 10, 0xffff); // header checksum
    Put16(bytes.data() + UDP_START + 6, 0xffff);
    bytes[BTH + 4] = 0xff; // reserved byte, used by congestion marks

    boost::crc_32_type crc;
    const std::array<uint8_t, 8> ones = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    crc.process_bytes(ones.data(), ones.size());
    crc.process_bytes(ip, GetSerializedSize() - ETHERNET_BYTES);
    const std::array<uint8_t, 256> zeros{};
    for (uint32_t left = payloadBytes + GetPaddingBytes(payloadBytes); left > 0;)
    {
        const uint32_t block = std::min<uint32_t>(left, zeros.size());
        crc.process_bytes(zeros.data(), block);
        left -= block;
    }
    return crc.checksum();
}

} // namespace ns3
