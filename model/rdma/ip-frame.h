// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_IP_FRAME_H
#define PHOTONIC_RAILS_IP_FRAME_H

#include "roce-header.h"

#include "ns3/packet.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @brief The fields of an Ethernet frame by which NICs and switches sort it: those of an IPv4
 * packet (RFC 791), with or without RoCEv2, or of an ARP message (RFC 826) over IPv4.
 */
struct IpFrame
{
    bool isIp{false};            //!< the frame holds an IPv4 packet
    bool isArp{false};           //!< the frame holds an ARP message
    uint8_t tos{0};              //!< IPv4 type of service; 0 for ARP
    uint8_t protocol{0};         //!< IPv4 protocol number; 0 for ARP
    uint32_t source{0};          //!< IPv4 address; 0 for ARP
    uint32_t destination{0};     //!< IPv4 address; for ARP, the address that is asked for, or asks
    uint16_t sourcePort{0};      //!< of TCP or UDP; 0 for a fragment or another protocol
    uint16_t destinationPort{0}; //!< as sourcePort

    /// Read the fields of a frame, which may be of any length.
    explicit IpFrame(const Packet& frame)
    {
        using network_order::Get16;
        using network_order::Get32;
        constexpr uint32_t ipOffset = RoceHeader::ETHERNET_BYTES;
        constexpr uint32_t portsOffset = ipOffset + RoceHeader::IPV4_BYTES;
        constexpr uint32_t arpBytes = ipOffset + 28;
        std::array<uint8_t, arpBytes> bytes;
        const uint32_t available = frame.CopyData(bytes.data(), bytes.size());
        const uint8_t* const ip = bytes.data() + ipOffset;
        const uint16_t type = available >= ipOffset ? Get16(ip - 2) : 0;
        isIp = type == 0x0800 && available >= portsOffset;
        isArp = type == 0x0806 && available == arpBytes;
        if (isArp)
        {
            destination = Get32(ip + 24);
        }
        if (!isIp)
        {
            return;
        }
        tos = ip[1];
        protocol = ip[9];
        source = Get32(ip + 12);
        destination = Get32(ip + 16);
        constexpr uint16_t fragmentMask = 0x3fff; // more fragments, and the offset of this one
        const bool hasPorts = ip[0] == 0x45 && (protocol == TCP || protocol == UDP) &&
                              (Get16(ip + 6) & fragmentMask) == 0 && available >= portsOffset + 4;
        if (hasPorts)
        {
            sourcePort = Get16(bytes.data() + portsOffset);
            destinationPort = Get16(bytes.data() + portsOffset + 2);
        }
    }

    /// @return the IEEE 802.1Q priority, see RoceHeader::GetPriority; 0 for frames without IPv4
    uint8_t GetPriority() const
    {
        return RoceHeader::GetPriority(tos);
    }

    /// @return true if the frame claims to be a RoCEv2 packet
    bool IsForRoce() const
    {
        return protocol == UDP && destinationPort == RoceHeader::UDP_PORT;
    }

    static constexpr uint8_t TCP = 6;  //!< IPv4 protocol number
    static constexpr uint8_t UDP = 17; //!< IPv4 protocol number
};

} // namespace ns3

#endif // PHOTONIC_RAILS_IP_FRAME_H
