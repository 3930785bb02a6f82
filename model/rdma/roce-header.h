// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ROCE_HEADER_H
#define PHOTONIC_RAILS_ROCE_HEADER_H

#include "ns3/header.h"
#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"

#include <cstdint>

namespace ns3
{

class Packet;

/// Integers in network byte order, at addresses without alignment.
namespace network_order
{

/// Write the lower 16 bits of a number.
inline void
Put16(uint8_t* at, uint32_t value)
{
    at[0] = static_cast<uint8_t>(value >> 8);
    at[1] = static_cast<uint8_t>(value);
}

/// Write 32 bits.
inline void
Put32(uint8_t* at, uint32_t value)
{
    Put16(at, value >> 16);
    Put16(at + 2, value & 0xffff);
}

/// @return 16 bits
inline uint16_t
Get16(const uint8_t* at)
{
    return static_cast<uint16_t>((at[0] << 8) | at[1]);
}

/// @return 24 bits
inline uint32_t
Get24(const uint8_t* at)
{
    return (uint32_t{at[0]} << 16) | Get16(at + 1);
}

/// @return 32 bits
inline uint32_t
Get32(const uint8_t* at)
{
    return (uint32_t{Get16(at)} << 16) | Get16(at + 2);
}

} // namespace network_order

/**
 * @brief All headers of a RoCEv2 packet: Ethernet, IPv4, UDP, BTH and the extended headers of the
 * opcode (InfiniBand Architecture Specification, volume 1, release 1.4, annex A17).
 *
 * RoceHeader is one ns-3 header for all of them, because a packet is built once and parsed once per
 * hop: one pass over contiguous bytes replaces six. The bytes are those of the separate headers.
 */
class RoceHeader : public Header
{
  public:
    /// The BTH opcodes of the reliable connection service that this module uses.
    enum Opcode : uint8_t
    {
        WRITE_FIRST = 0x06,
        WRITE_MIDDLE = 0x07,
        WRITE_LAST_WITH_IMMEDIATE = 0x09,
        WRITE_ONLY = 0x0a,
        WRITE_ONLY_WITH_IMMEDIATE = 0x0b,
        ACKNOWLEDGE = 0x11,
        CONGESTION_NOTIFICATION = 0x81, //!< CNP (annex A17.9), 16 reserved bytes after the BTH
    };

    /// The two ECN bits of the type of service (RFC 3168).
    enum Ecn : uint8_t
    {
        NOT_ECT = 0, //!< the sender does not react to marks
        ECT_0 = 2,   //!< the sender reacts to marks
        ECT_1 = 1,   //!< same meaning as ECT_0
        CE = 3,      //!< congestion experienced
        ECN_MASK = 3,
    };

    /// AETH syndromes.
    enum Syndrome : uint8_t
    {
        ACK = 0x1f,                //!< ACK without end-to-end credits
        NAK_SEQUENCE_ERROR = 0x60, //!< NAK: a packet is missing
    };

    /// Type of service of data: DSCP 26, and ECT(0) of ECN (RFC 3168). DSCP / 8 is the priority: 3.
    static constexpr uint8_t DATA_TOS = (26 << 2) | 2;
    /// Type of service of acknowledgements and notifications: DSCP 48, priority 6.
    static constexpr uint8_t CONTROL_TOS = 48 << 2;

    static constexpr uint16_t UDP_PORT = 4791;
    static constexpr uint32_t ETHERNET_BYTES = 14;
    static constexpr uint32_t IPV4_BYTES = 20;
    static constexpr uint32_t UDP_BYTES = 8;
    static constexpr uint32_t BTH_BYTES = 12;
    static constexpr uint32_t RETH_BYTES = 16;
    static constexpr uint32_t AETH_BYTES = 4;
    static constexpr uint32_t IMMEDIATE_BYTES = 4;
    static constexpr uint32_t CNP_BYTES = 16;
    static constexpr uint32_t ICRC_BYTES = 4;
    /// Bytes of the headers that every packet has.
    static constexpr uint32_t BASE_BYTES = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + BTH_BYTES;
    /// Bytes of the longest headers: a write of one packet with RETH and immediate.
    static constexpr uint32_t MAX_BYTES = BASE_BYTES + RETH_BYTES + IMMEDIATE_BYTES;
    /// PSNs are 24 bits on the wire.
    static constexpr uint32_t PSN_MASK = 0xffffff;

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /// @return bytes read, or 0 if the bytes are not the headers of a RoCEv2 packet
    uint32_t Deserialize(Buffer::Iterator start) override;

    /**
     * @brief Read the headers of a frame, faster than Packet::PeekHeader.
     * @param frame the frame
     * @return false if the bytes are not the headers of a RoCEv2 packet
     */
    bool Peek(const Packet& frame);

    /**
     * @param opcode a BTH opcode
     * @return bytes of extended headers that follow the BTH
     */
    static uint32_t GetExtensionBytes(uint8_t opcode);

    /**
     * @param payloadBytes bytes of data in a packet
     * @return padding bytes that make the payload a multiple of four bytes
     */
    static constexpr uint32_t GetPaddingBytes(uint32_t payloadBytes)
    {
        return (4 - payloadBytes % 4) % 4;
    }

    /// @return wire bytes of the whole packet, with FCS, preamble and gap
    uint32_t GetWireBytes() const
    {
        constexpr uint32_t outside = ICRC_BYTES + 24;
        return BASE_BYTES + GetExtensionBytes(opcode) + payloadBytes +
               GetPaddingBytes(payloadBytes) + outside;
    }

    /**
     * @brief Compute the invariant CRC over this header and a payload of zeros; simulated payload
     * is all zeros. Annex A17.3.3: the CRC-32 of Ethernet over 8 bytes of ones and the packet from
     * the IP header on, with the fields that routers change masked.
     * @return the CRC; written as little-endian, its bytes have the order of the wire
     */
    uint32_t GetInvariantCrc() const;

    /**
     * @param tos a type of service
     * @return the IEEE 802.1Q priority, 0 to 7: the upper three bits of the DSCP, the default
     * mapping of switches
     */
    static constexpr uint8_t GetPriority(uint8_t tos)
    {
        return tos >> 5;
    }

    Mac48Address destinationMac;
    Mac48Address sourceMac;
    Ipv4Address destinationIp;
    Ipv4Address sourceIp;
    uint8_t tos{0};             //!< DSCP and ECN
    uint16_t sourcePort{49152}; //!< UDP source port: entropy for ECMP
    uint16_t identification{0}; //!< IPv4 identification
    uint8_t ttl{64};
    uint32_t payloadBytes{0}; //!< payload behind the headers, without padding and ICRC

    uint8_t opcode{ACKNOWLEDGE};
    bool ackRequest{false};
    bool becn{false}; //!< backward explicit congestion notification: set in a CNP
    uint32_t destinationQp{0};
    uint32_t psn{0}; //!< 24 bits

    uint64_t virtualAddress{0}; //!< RETH
    uint32_t remoteKey{0};      //!< RETH
    uint32_t dmaLength{0};      //!< RETH: bytes of the message, modulo 2^32
    uint32_t immediate{0};      //!< ImmDt
    uint8_t syndrome{ACK};      //!< AETH
    uint32_t msn{0};            //!< AETH: 24 bits

  private:
    /// Write all headers into a block of GetSerializedSize() bytes.
    void WriteTo(uint8_t* bytes) const;
    /// Read all headers from MAX_BYTES bytes of a frame. @return bytes read, or 0
    uint32_t ReadFrom(const uint8_t* bytes, uint32_t available);
    /// Read the extended headers of the opcode.
    void ReadExtension(const uint8_t* bytes);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ROCE_HEADER_H
