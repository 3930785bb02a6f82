// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PRIORITY_FLOW_CONTROL_H
#define PHOTONIC_RAILS_PRIORITY_FLOW_CONTROL_H

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

/**
 * @brief Priority-based flow control of one port (IEEE 802.1Qbb): the MAC control sublayer between
 * the port and its client.
 *
 * A priority that has been paused stays paused until it is resumed: the request is repeated after
 * half of the pause time that it asks for. What the link partner asks for ends by itself when its
 * time is over.
 */
class PriorityFlowControl
{
  public:
    /// What flow control needs of the port.
    class Port
    {
      public:
        virtual ~Port() = default;

        /// A frame is to be sent, ahead of any other: see TakeFrame.
        virtual void PfcFrameDue() = 0;
        /// @param priorities bit mask of those that the link partner has paused now
        virtual void PausedPrioritiesChanged(uint8_t priorities) = 0;
    };

    /// Quanta of each pause request: all that the field can hold.
    static constexpr uint16_t PAUSE_QUANTA = 0xffff;

    /**
     * @param port outlives this
     * @param address of the port
     * @param quantum how long 512 bits last
     */
    PriorityFlowControl(Port& port, Mac48Address address, Time quantum);
    ~PriorityFlowControl();

    /// @param quantum how long 512 bits last from now on; pauses that have begun end as they would
    void SetQuantum(Time quantum);

    PriorityFlowControl(const PriorityFlowControl&) = delete;
    PriorityFlowControl& operator=(const PriorityFlowControl&) = delete;

    /**
     * @brief Ask the link partner to stop or to continue; nothing happens if it has been asked.
     * @param priority 0 to 7
     * @param pause true to stop it
     */
    void Request(uint8_t priority, bool pause);

    /// Do what is due now before a frame is chosen: it may be that its events have not run yet.
    void CatchUp();

    /// @return the frame that is to be sent now, or null
    Ptr<Packet> TakeFrame();

    /// @param frame what the link partner asks for
    void Receive(const PfcHeader& frame);

    /// @return frames that the link partner has sent
    uint64_t GetFramesReceived() const
    {
        return m_framesReceived;
    }

    /// @return frames that have been taken to be sent
    uint64_t GetFramesSent() const
    {
        return m_framesSent;
    }

    /// The link partner may be another one: forget what the old one asked for, and ask again.
    void LinkChanged();

  private:
    /// Repeat the requests that stand.
    void Refresh();
    /// Release what has been paused for long enough.
    void Expire();
    /// Tell the port what is paused, and wait until the next pause is over.
    void Update(uint8_t paused);

    Port& m_port;
    Mac48Address m_address;
    Time m_quantum;

    uint64_t m_framesSent{0};
    uint64_t m_framesReceived{0};

    uint8_t m_requested{0}; //!< priorities that the link partner is to pause
    uint8_t m_due{0};       //!< priorities that the next frame speaks of
    EventId m_refresh;

    uint8_t m_paused{0}; //!< priorities that the link partner has paused
    std::array<Time, PfcHeader::PRIORITIES> m_pausedUntil;
    EventId m_expiry;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PRIORITY_FLOW_CONTROL_H
