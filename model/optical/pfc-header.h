// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PFC_HEADER_H
#define PHOTONIC_RAILS_PFC_HEADER_H

#include "ns3/header.h"
#include "ns3/mac48-address.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @brief A whole PFC frame (IEEE 802.1Qbb, IEEE 802.3 annex 31D): the MAC control frame that asks
 * the link partner to stop or continue sending frames of some priorities.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint32_t PRIORITIES = 8;
    /// Bytes of the frame without FCS: the smallest that Ethernet has.
    static constexpr uint32_t FRAME_BYTES = 60;
    /// EtherType of MAC control.
    static constexpr uint16_t ETHERTYPE = 0x8808;
    /// Opcode of MAC control for PFC.
    static constexpr uint16_t OPCODE = 0x0101;
    /// Pause times count in units of so many bits at the line rate.
    static constexpr uint32_t QUANTUM_BITS = 512;

    /// @return 01:80:c2:00:00:01, which no bridge forwards
    static Mac48Address GetGroupAddress();

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /// @return bytes read, or 0 if this is not a PFC frame
    uint32_t Deserialize(Buffer::Iterator start) override;

    Mac48Address sourceMac;
    uint8_t enabled{0};                        //!< bit mask of the priorities it speaks of
    std::array<uint16_t, PRIORITIES> quanta{}; //!< for each: pause so long; 0: continue
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PFC_HEADER_H
