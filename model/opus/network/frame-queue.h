// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FRAME_QUEUE_H
#define PHOTONIC_RAILS_FRAME_QUEUE_H

#include "ns3/event-id.h"
#include "ns3/net-device.h"
#include "ns3/ptr.h"

#include <deque>

namespace ns3
{

class Packet;

/**
 * @brief IPv4 frames on their way to a device that may not take them at once.
 *
 * Control networks lose nothing and keep the order: what the queue of the device does not take is
 * kept and tried again after a microsecond.
 */
class FrameQueue
{
  public:
    /// Ethernet type of what is sent: all that a PointToPointNetDevice carries.
    static constexpr uint16_t IPV4_PROTOCOL = 0x0800;

    /// @param device to send with
    explicit FrameQueue(Ptr<NetDevice> device);
    ~FrameQueue();

    FrameQueue(const FrameQueue&) = delete;
    FrameQueue& operator=(const FrameQueue&) = delete;

    /// @param frame an IPv4 packet, sent after all those before it
    void Send(Ptr<const Packet> frame);

  private:
    /// Give the device what it takes.
    void Flush();

    Ptr<NetDevice> m_device;
    std::deque<Ptr<const Packet>> m_frames; //!< not yet taken by the device
    EventId m_retry;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FRAME_QUEUE_H
