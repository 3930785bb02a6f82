// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_PORT_H
#define PHOTONIC_RAILS_MANAGEMENT_PORT_H

#include "message-reader.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/net-device.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

class FrameQueue;

/**
 * @brief A node's port on the management network: Opus messages without an internet stack.
 *
 * Aggregated to the node. Frames carry messages behind IPv4 and UDP headers, so that a capture can
 * be read by any tool. The network loses nothing and keeps the order between two nodes, so that
 * datagrams do what a TCP connection would, at a small part of the events.
 *
 * What is said to one receiver within an instant shares frames: a manager speaks for all ranks of
 * its domain, and what several of them say at the same time leaves as one. A message may go on in
 * the next frame.
 */
class ManagementPort : public Object
{
  public:
    static TypeId GetTypeId();

    static constexpr uint32_t MAX_PAYLOAD = 1472; //!< bytes of messages in a frame

    /// Called with every message that arrives, and where it comes from.
    using ReceiveCallback = Callback<void, const Address&, const OpusMessage&>;

    ManagementPort();
    ~ManagementPort() override;

    /**
     * @brief Say where the network is. Once, on a device that is on its node.
     * @param device a point-to-point device
     * @param address of this node on the network
     */
    void SetLink(Ptr<NetDevice> device, Ipv4Address address);

    /// @return address of this node
    Ipv4Address GetAddress() const;

    /**
     * @brief Take messages from now on.
     * @param port UDP port
     * @param receive called with every message to it; null: nobody listens there any more
     */
    void Listen(uint16_t port, ReceiveCallback receive);

    /**
     * @brief Send a message at the end of this instant.
     * @param port UDP port of the sender
     * @param to address and UDP port of the receiver
     * @param message goes after all that was sent there before
     */
    void Send(uint16_t port, const Address& to, const OpusMessage& message);

    /// @return messages or frames that arrived and could not be read
    uint64_t GetMalformed() const;

  protected:
    void DoDispose() override;

  private:
    /// The two ends of a conversation; the far one first.
    struct Flow
    {
        uint32_t address;
        uint16_t farPort;
        uint16_t nearPort;

        bool operator<(const Flow& other) const;
    };

    /// Messages of an instant that go the same way.
    struct Batch
    {
        Flow flow;
        std::vector<OpusMessage> messages;
    };

    /// Send what has been said at this instant.
    void Flush();
    /// @param batch leaves in as few frames as it fits into
    void SendFrames(const Batch& batch);
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    Ipv4Address m_address;
    std::unique_ptr<FrameQueue> m_queue;
    std::map<uint16_t, ReceiveCallback> m_listeners; //!< by UDP port
    std::map<Flow, MessageReader> m_readers;         //!< of what arrives
    std::vector<Batch> m_batches;                    //!< of this instant, in the order of the first
    std::map<Flow, std::size_t> m_batchOf;           //!< indices of the same
    EventId m_flush;
    std::vector<uint8_t> m_bytes; //!< of the frame that arrives; kept for its memory
    uint64_t m_malformed{0};      //!< frames
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_PORT_H
