// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_LINK_H
#define PHOTONIC_RAILS_HOST_LINK_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/field-archive.h"
#include "ns3/inet-socket-address.h"
#include "ns3/net-device.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <vector>

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

    /// @param frame an IPv4 packet, sent after all earlier frames
    void Send(Ptr<const Packet> frame);

    /**
     * @brief Send a payload behind a UDP header and an IPv4 header of TTL 1 with checksum.
     * @param payload receives the headers
     * @param source address and UDP port of the sender
     * @param destination address and UDP port of the receiver
     */
    void Send(Ptr<Packet> payload,
              const InetSocketAddress& source,
              const InetSocketAddress& destination);

  private:
    /// Give the device what it takes.
    void Flush();

    Ptr<NetDevice> m_device;
    std::deque<Ptr<const Packet>> m_frames; //!< not yet taken by the device
    EventId m_retry;
};

/**
 * @brief One end of the link between a GPU and its host: Opus messages without an internet stack.
 *
 * A frame carries messages behind IPv4 and UDP headers with link-local addresses, written by hand:
 * a PointToPointNetDevice carries nothing but IP, and a capture of the link can be read by any
 * tool. What does not fit into a frame goes on in the next one. The link loses nothing and keeps
 * the order: a frame that the device's queue does not take is kept and tried again.
 */
class HostLink
{
  public:
    static constexpr uint16_t UDP_PORT = 5810;    //!< of both ends
    static constexpr uint32_t MAX_PAYLOAD = 1472; //!< bytes of messages in a frame

    /// Called with every message that arrives.
    using ReceiveCallback = Callback<void, uint32_t, const OpusMessage&>;

    /**
     * @param device the link's device on this node
     * @param index given back with every message that arrives
     * @param receive called with every message
     */
    HostLink(Ptr<NetDevice> device, uint32_t index, ReceiveCallback receive);
    ~HostLink();

    HostLink(const HostLink&) = delete;
    HostLink& operator=(const HostLink&) = delete;

    /**
     * @brief Send messages, in as few frames as they fit into.
     * @param messages in order
     */
    void Send(const std::vector<OpusMessage>& messages);

    /// @return messages or frames that arrived and could not be read
    uint64_t GetMalformed() const;

  private:
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    Ptr<NetDevice> m_device;
    uint32_t m_index;
    ReceiveCallback m_receive;
    FrameQueue m_queue;
    MessageReader m_reader;  //!< of received bytes
    uint64_t m_malformed{0}; //!< frames
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_LINK_H
