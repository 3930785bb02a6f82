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
 * @brief Queue of IPv4 frames in front of a device whose own queue may be full.
 *
 * Control networks lose nothing and keep the order: a frame that the device refuses stays in the
 * queue and is sent again after a microsecond.
 */
class FrameQueue
{
  public:
    /// Ethernet type of all frames, the only one that a PointToPointNetDevice carries.
    static constexpr uint16_t IPV4_PROTOCOL = 0x0800;

    /// @param device sends the frames
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
    /// Send frames until the device refuses one.
    void Flush();

    Ptr<NetDevice> m_device;
    std::deque<Ptr<const Packet>> m_frames; //!< frames that the device has not accepted yet
    EventId m_retry;
};

/**
 * @brief One end of the link between a GPU and its host, which carries Opus messages without an
 * internet stack.
 *
 * A frame carries messages behind IPv4 and UDP headers with link-local addresses: a
 * PointToPointNetDevice carries only IP, and any tool can read a capture of the link. A long
 * message continues in the next frame. The link loses nothing and keeps the order.
 */
class HostLink
{
  public:
    static constexpr uint16_t UDP_PORT = 5810;    //!< of both ends
    static constexpr uint32_t MAX_PAYLOAD = 1472; //!< bytes of messages in a frame

    /// Called with every received message.
    using ReceiveCallback = Callback<void, uint32_t, const OpusMessage&>;

    /**
     * @param device device of the link on this node
     * @param index first argument of the callback
     * @param receive called with every received message
     */
    HostLink(Ptr<NetDevice> device, uint32_t index, ReceiveCallback receive);
    ~HostLink();

    HostLink(const HostLink&) = delete;
    HostLink& operator=(const HostLink&) = delete;

    /**
     * @brief Send messages in as few frames as possible.
     * @param messages messages in order
     */
    void Send(const std::vector<OpusMessage>& messages);

    /// @return number of messages or frames that could not be parsed
    uint64_t GetMalformed() const
    {
        return m_malformed + m_reader.GetMalformed();
    }

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
