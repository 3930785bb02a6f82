// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PRIORITY_FLOW_CONTROL_H
#define PHOTONIC_RAILS_PRIORITY_FLOW_CONTROL_H

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/header.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief A complete PFC frame (IEEE 802.1Qbb, IEEE 802.3 annex 31D): the MAC control frame that
 * pauses and resumes priorities of the link partner.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint32_t PRIORITIES = 8;
    /// Bytes of the frame without FCS, the minimum of Ethernet.
    static constexpr uint32_t FRAME_BYTES = 60;
    /// EtherType of MAC control frames.
    static constexpr uint16_t ETHERTYPE = 0x8808;
    /// MAC control opcode of PFC.
    static constexpr uint16_t OPCODE = 0x0101;
    /// Bits of a pause quantum, the unit of pause times, at the line rate.
    static constexpr uint32_t QUANTUM_BITS = 512;

    /// @return 01:80:c2:00:00:01, which no bridge forwards
    static Mac48Address GetGroupAddress()
    {
        return Mac48Address("01:80:c2:00:00:01");
    }

    static TypeId GetTypeId();

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& os) const override;

    uint32_t GetSerializedSize() const override
    {
        return FRAME_BYTES;
    }

    void Serialize(Buffer::Iterator start) const override;
    /// @return bytes read, or 0 if this is not a PFC frame
    uint32_t Deserialize(Buffer::Iterator start) override;

    Mac48Address sourceMac;
    uint8_t enabled{0}; //!< bit mask of the priorities that quanta applies to
    std::array<uint16_t, PRIORITIES> quanta{}; //!< pause time of each priority; 0 resumes
};

/**
 * @brief Priority-based flow control of one port (IEEE 802.1Qbb): the MAC control sublayer between
 * the port and its client.
 *
 * A pause request stays in effect until the priority is resumed: the request is repeated after half
 * of its pause time. A pause that the link partner has requested ends when its pause time is over.
 */
class PriorityFlowControl
{
  public:
    /// Quanta of each pause request, the largest value of the field.
    static constexpr uint16_t PAUSE_QUANTA = 0xffff;

    /// @param port the port, which outlives this object
    explicit PriorityFlowControl(EthernetPortNetDevice& port);
    ~PriorityFlowControl();

    /// @param rate line rate of the port from now on; pauses in effect keep their end
    void SetRate(DataRate rate)
    {
        m_quantum = rate.CalculateBytesTxTime(PfcHeader::QUANTUM_BITS / 8);
    }

    PriorityFlowControl(const PriorityFlowControl&) = delete;
    PriorityFlowControl& operator=(const PriorityFlowControl&) = delete;

    /**
     * @brief Pause or resume a priority of the link partner; does nothing if requested already.
     * @param priority 0 to 7
     * @param pause true to pause, false to resume
     */
    void Request(uint8_t priority, bool pause);

    /// Process refreshes and expiries that are due now and whose events have not run yet, before
    /// the port chooses a frame.
    void CatchUp();

    /// @return the PFC frame to send now, or null
    Ptr<Packet> TakeFrame();

    /// @param frame a PFC frame from the link partner
    void Receive(const PfcHeader& frame);

    /// @return PFC frames received
    uint64_t GetFramesReceived() const
    {
        return m_framesReceived;
    }

    /// @return PFC frames sent
    uint64_t GetFramesSent() const
    {
        return m_framesSent;
    }

    /// @return true if no pause is in effect in either direction, and no PFC frame is due
    bool IsIdle() const
    {
        return m_requested == 0 && m_due == 0 && m_paused == 0;
    }

    /// The link partner may have changed: end its pauses and repeat the requests to it.
    void LinkChanged();

  private:
    /// Repeat the pause requests in effect.
    void Refresh();
    /// End the pauses whose time is over.
    void Expire();
    /// Report the paused priorities to the port and schedule the end of the next pause.
    void Update(uint8_t paused);

    EthernetPortNetDevice& m_port;
    Mac48Address m_address;
    Time m_quantum; //!< duration of QUANTUM_BITS

    uint64_t m_framesSent{0};
    uint64_t m_framesReceived{0};

    uint8_t m_requested{0}; //!< priorities with a pause request in effect
    uint8_t m_due{0};       //!< priorities of the next PFC frame
    EventId m_refresh;

    uint8_t m_paused{0}; //!< priorities that the link partner has paused
    std::array<Time, PfcHeader::PRIORITIES> m_pausedUntil;
    EventId m_expiry;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PRIORITY_FLOW_CONTROL_H
