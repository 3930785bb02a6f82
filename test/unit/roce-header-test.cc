// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The bytes of a RoCEv2 packet, against ns-3's own headers, hand-made bytes and a captured packet.
 */

#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/roce-header.h"
#include "ns3/udp-header.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr std::array<uint8_t, 7> OPCODES = {RoceHeader::WRITE_FIRST,
                                            RoceHeader::WRITE_MIDDLE,
                                            RoceHeader::WRITE_LAST_WITH_IMMEDIATE,
                                            RoceHeader::WRITE_ONLY_WITH_IMMEDIATE,
                                            RoceHeader::WRITE_ONLY,
                                            RoceHeader::CONGESTION_NOTIFICATION,
                                            RoceHeader::ACKNOWLEDGE};

/// A header with a different value in every field.
RoceHeader
MakeHeader(uint8_t opcode, uint32_t payloadBytes)
{
    RoceHeader header;
    header.destinationMac = Mac48Address("02:03:04:05:06:07");
    header.sourceMac = Mac48Address("12:13:14:15:16:17");
    header.destinationIp = Ipv4Address("10.1.2.3");
    header.sourceIp = Ipv4Address("10.4.5.6");
    header.tos = 0x6a;
    header.sourcePort = 0xc123;
    header.identification = 0x4321;
    header.ttl = 63;
    header.payloadBytes = payloadBytes;
    header.opcode = opcode;
    header.ackRequest = true;
    header.destinationQp = 0x123456;
    header.psn = 0xfedcba;
    header.virtualAddress = 0x0102030405060708;
    header.remoteKey = 0x11223344;
    header.dmaLength = 0x55667788;
    header.immediate = 0x99aabbcc;
    header.syndrome = RoceHeader::NAK_SEQUENCE_ERROR;
    header.msn = 0xabcdef;
    return header;
}

/// The packet of a header: zeros, padding and the ICRC follow.
Ptr<Packet>
MakePacket(const RoceHeader& header)
{
    const uint32_t crc = header.GetInvariantCrc();
    const std::array<uint8_t, 4> trailer = {static_cast<uint8_t>(crc),
                                            static_cast<uint8_t>(crc >> 8),
                                            static_cast<uint8_t>(crc >> 16),
                                            static_cast<uint8_t>(crc >> 24)};
    auto packet =
        Create<Packet>(header.payloadBytes + RoceHeader::GetPaddingBytes(header.payloadBytes));
    packet->AddAtEnd(Create<Packet>(trailer.data(), trailer.size()));
    packet->AddHeader(header);
    return packet;
}

Bytes
ToBytes(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

Bytes
Slice(const Bytes& bytes, std::size_t from, std::size_t count)
{
    return Bytes(bytes.begin() + from, bytes.begin() + from + count);
}

/// The ICRC of a whole frame, one bit at a time, from the text of annex A17.
uint32_t
SlowInvariantCrc(Bytes frame)
{
    frame.resize(frame.size() - 4);                 // the ICRC itself
    frame.erase(frame.begin(), frame.begin() + 14); // Ethernet is not invariant
    frame[1] = 0xff;                                // type of service
    frame[8] = 0xff;                                // time to live
    frame[10] = frame[11] = 0xff;                   // header checksum
    frame[26] = frame[27] = 0xff;                   // UDP checksum
    frame[32] = 0xff;                               // FECN, BECN and reserved bits of the BTH
    frame.insert(frame.begin(), 8, 0xff);           // in place of an InfiniBand LRH
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : frame)
    {
        for (int bit = 0; bit < 8; ++bit)
        {
            const bool carry = ((crc ^ (byte >> bit)) & 1) != 0;
            crc = (crc >> 1) ^ (carry ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/// The last four bytes of a frame as the little-endian number that they are.
uint32_t
GetTrailer(const Bytes& frame)
{
    const uint8_t* at = frame.data() + frame.size() - 4;
    return at[0] | (at[1] << 8) | (at[2] << 16) | (uint32_t{at[3]} << 24);
}

TEST(RoceHeader, EthernetIpAndUdpAreThoseOfNs3)
{
    for (const uint32_t payload : {0, 1, 4095, 4096})
    {
        const RoceHeader header = MakeHeader(RoceHeader::WRITE_ONLY_WITH_IMMEDIATE, payload);
        const Bytes bytes = ToBytes(MakePacket(header));

        auto expected = Create<Packet>(static_cast<uint32_t>(bytes.size()) - 42);
        UdpHeader udp;
        udp.SetSourcePort(header.sourcePort);
        udp.SetDestinationPort(4791);
        expected->AddHeader(udp);
        Ipv4Header ip;
        ip.EnableChecksum();
        ip.SetSource(header.sourceIp);
        ip.SetDestination(header.destinationIp);
        ip.SetTos(header.tos);
        ip.SetTtl(header.ttl);
        ip.SetIdentification(header.identification);
        ip.SetDontFragment();
        ip.SetProtocol(17);
        ip.SetPayloadSize(static_cast<uint16_t>(expected->GetSize()));
        expected->AddHeader(ip);
        EthernetHeader ethernet(false);
        ethernet.SetDestination(header.destinationMac);
        ethernet.SetSource(header.sourceMac);
        ethernet.SetLengthType(0x0800);
        expected->AddHeader(ethernet);

        EXPECT_EQ(Slice(bytes, 0, 42), Slice(ToBytes(expected), 0, 42)) << payload;
    }
}

TEST(RoceHeader, BaseAndExtendedTransportHeaders)
{
    const Bytes reth = {1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    const Bytes immediate = {0x99, 0xaa, 0xbb, 0xcc};
    Bytes rethAndImmediate = reth;
    rethAndImmediate.insert(rethAndImmediate.end(), immediate.begin(), immediate.end());
    const std::array<Bytes, 7> extensions = {reth,
                                             Bytes{},
                                             immediate,
                                             rethAndImmediate,
                                             reth,
                                             Bytes(16, 0),
                                             Bytes{0x60, 0xab, 0xcd, 0xef}};
    for (std::size_t i = 0; i < OPCODES.size(); ++i)
    {
        const Bytes bytes = ToBytes(MakePacket(MakeHeader(OPCODES[i], 5)));
        // Opcode; three bytes of padding; default partition; QP; ACK request and PSN.
        Bytes expected =
            {OPCODES[i], 0x30, 0xff, 0xff, 0, 0x12, 0x34, 0x56, 0x80, 0xfe, 0xdc, 0xba};
        expected.insert(expected.end(), extensions[i].begin(), extensions[i].end());
        EXPECT_EQ(Slice(bytes, 42, bytes.size() - 42 - 8 - 4), expected) << +OPCODES[i];
    }
}

/// A congestion notification captured on a ConnectX-4 Lx, as published with Scapy's tests.
const Bytes CAPTURED_CNP = {
    0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08, 0x00, 0x45,
    0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01,
    0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff,
    0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a};

TEST(RoceHeader, SlowCrcAgreesWithACapturedPacket)
{
    EXPECT_EQ(SlowInvariantCrc(CAPTURED_CNP), GetTrailer(CAPTURED_CNP));
}

TEST(RoceHeader, CongestionNotificationIsTheCapturedOne)
{
    RoceHeader header;
    header.destinationMac = Mac48Address("e4:1d:2d:ab:2b:c2");
    header.sourceMac = Mac48Address("7c:fe:90:64:3b:32");
    header.sourceIp = Ipv4Address("10.0.17.1");
    header.destinationIp = Ipv4Address("10.0.18.1");
    header.tos = 48 << 2 | RoceHeader::ECT_0;
    header.identification = 0x718c;
    header.sourcePort = 0;
    header.opcode = RoceHeader::CONGESTION_NOTIFICATION;
    header.becn = true;
    header.destinationQp = 0x118;
    EXPECT_EQ(ToBytes(MakePacket(header)), CAPTURED_CNP);

    RoceHeader read;
    ASSERT_GT(Create<Packet>(CAPTURED_CNP.data(), CAPTURED_CNP.size())->PeekHeader(read), 0u);
    EXPECT_EQ(read.opcode, RoceHeader::CONGESTION_NOTIFICATION);
    EXPECT_TRUE(read.becn);
    EXPECT_EQ(read.destinationQp, 0x118u);
    EXPECT_EQ(read.tos & RoceHeader::ECN_MASK, RoceHeader::ECT_0);
    EXPECT_EQ(read.payloadBytes, 0u);
}

TEST(RoceHeader, PrioritiesAndBytesOnTheWire)
{
    EXPECT_EQ(RoceHeader::GetPriority(0x6a), 3);
    EXPECT_EQ(RoceHeader::GetPriority(48 << 2), 6);
    for (const uint8_t opcode : OPCODES)
    {
        for (const uint32_t payload : {0, 1, 4096})
        {
            const auto header = MakeHeader(opcode, payload);
            // Frame check sequence, preamble and gap.
            EXPECT_EQ(header.GetWireBytes(), MakePacket(header)->GetSize() + 4 + 8 + 12);
        }
    }
}

TEST(RoceHeader, InvariantCrc)
{
    for (const uint8_t opcode : OPCODES)
    {
        for (const uint32_t payload : {0, 1, 2, 3, 4, 255, 256, 257, 4096})
        {
            RoceHeader header = MakeHeader(opcode, payload);
            const Bytes frame = ToBytes(MakePacket(header));
            EXPECT_EQ(GetTrailer(frame), SlowInvariantCrc(frame)) << +opcode << ", " << payload;

            const uint32_t crc = header.GetInvariantCrc();
            header.ttl = 1; // what routers change does not count
            header.tos = 3;
            EXPECT_EQ(header.GetInvariantCrc(), crc);
            header.psn ^= 1; // what they do not change does
            EXPECT_NE(header.GetInvariantCrc(), crc);
        }
    }
}

TEST(RoceHeader, RoundTrip)
{
    for (const uint8_t opcode : OPCODES)
    {
        for (uint32_t payload = 0; payload <= 8192; payload += payload < 20 ? 1 : 127)
        {
            const RoceHeader sent = MakeHeader(opcode, payload);
            auto packet = MakePacket(sent);
            EXPECT_EQ(packet->GetSize() % 4, 2u) << "14 bytes of Ethernet, the rest in fours";
            RoceHeader read;
            ASSERT_EQ(packet->PeekHeader(read), sent.GetSerializedSize());
            EXPECT_EQ(read.payloadBytes, payload);
            EXPECT_EQ(ToBytes(MakePacket(read)), ToBytes(packet)) << +opcode << ", " << payload;
        }
    }
}

TEST(RoceHeader, RefusesWhatIsNotRoce)
{
    const Bytes good = ToBytes(MakePacket(MakeHeader(RoceHeader::WRITE_FIRST, 100)));
    RoceHeader header;
    ASSERT_GT(Create<Packet>(good.data(), good.size())->PeekHeader(header), 0u);
    // EtherType, IP version, protocol, IP length, UDP port, UDP length, opcode.
    for (const std::size_t at : {12u, 14u, 23u, 17u, 36u, 39u, 42u})
    {
        Bytes bad = good;
        bad[at] ^= 0x40;
        EXPECT_EQ(Create<Packet>(bad.data(), bad.size())->PeekHeader(header), 0u) << at;
    }
    for (uint32_t size = 0; size < good.size(); ++size)
    {
        EXPECT_EQ(Create<Packet>(good.data(), size)->PeekHeader(header), 0u) << size;
    }
}

TEST(RoceHeader, SurvivesAnyBytes)
{
    std::mt19937 random(1);
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < 100000; ++i)
    {
        Bytes bytes;
        if (i % 2 == 0) // noise
        {
            bytes.resize(random() % 200);
            for (auto& byte : bytes)
            {
                byte = static_cast<uint8_t>(random());
            }
        }
        else // a good packet with a few wrong bytes, cut off or not
        {
            bytes =
                ToBytes(MakePacket(MakeHeader(OPCODES[random() % OPCODES.size()], random() % 64)));
            for (uint32_t changes = random() % 4; changes > 0; --changes)
            {
                bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
            }
            bytes.resize(random() % 3 == 0 ? random() % bytes.size() : bytes.size());
        }
        auto packet = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
        RoceHeader header;
        const uint32_t read = packet->PeekHeader(header);
        if (read > 0)
        {
            ++accepted;
            EXPECT_LE(read + header.payloadBytes + RoceHeader::ICRC_BYTES, bytes.size());
        }
    }
    EXPECT_GT(accepted, 10000u);
}

} // namespace
