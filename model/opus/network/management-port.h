// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_PORT_H
#define PHOTONIC_RAILS_MANAGEMENT_PORT_H

#include "management-channel.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/field-archive.h"
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
 * @brief The port of a node on the management network, which carries Opus messages without an
 * internet stack.
 *
 * Aggregated to the node. Frames have IPv4 and UDP headers, so that any tool can read a capture. On
 * a network that loses nothing and keeps the order between two nodes, datagrams do what a TCP
 * connection would, with far fewer events. If the network may lose, delay or reorder frames, or
 * nodes may crash, all ports must be Reliable: frames then have a ChannelHeader, and the messages
 * between two UDP ports of two nodes form a ManagementChannel.
 *
 * Messages to one receiver at the same instant share frames, for example the messages of several
 * ranks that a manager forwards. A message may continue in the next frame.
 */
class ManagementPort : public Object, private ManagementChannel::Carrier
{
  public:
    static TypeId GetTypeId();

    static constexpr uint32_t MAX_PAYLOAD = 1472; //!< bytes of messages in a frame
    static constexpr uint32_t MAX_FLOWS = 64;     //!< flows from one node to one UDP port

    /// Called with every received message and its sender.
    using ReceiveCallback = Callback<void, const Address&, const OpusMessage&>;

    ManagementPort();
    ~ManagementPort() override;

    /**
     * @brief Connect the port to the network, once.
     * @param device a point-to-point device on the node
     * @param address address of the node on the network
     */
    void SetLink(Ptr<NetDevice> device, Ipv4Address address);

    /// @return address of this node
    Ipv4Address GetAddress() const
    {
        return m_address;
    }

    /**
     * @brief Receive messages on a UDP port.
     * @param port UDP port
     * @param receive called with every message; null to stop receiving
     */
    void Listen(uint16_t port, ReceiveCallback receive);

    /**
     * @brief Send a message at the end of this instant.
     * @param port UDP port of the sender
     * @param to address and UDP port of the receiver
     * @param message follows all earlier messages to this receiver
     */
    void Send(uint16_t port, const Address& to, const OpusMessage& message);

    /**
     * @brief Send a message that is useless when it is late, such as a heartbeat: it is lost or
     * delivered at once, also if earlier messages have to be retransmitted.
     * @param port UDP port of the sender
     * @param to address and UDP port of the receiver
     * @param message the message
     */
    void SendDatagram(uint16_t port, const Address& to, const OpusMessage& message);

    /// @return number of messages or frames that could not be parsed
    uint64_t GetMalformed() const;

    /// @return true if lost messages are retransmitted
    bool IsReliable() const
    {
        return m_reliable;
    }

    /**
     * @brief Close all channels of a UDP port whose process has ended.
     * @param port the UDP port
     */
    void Close(uint16_t port);
    /**
     * @brief Start a process without memory behind a closed or new UDP port. All streams of the
     * port begin anew; a peer notices with the first frame that it receives.
     * @param port the UDP port
     * @param epoch epoch of the process, higher than earlier ones
     * @param identity address for which the process acts; 0: address of this node
     */
    void Reopen(uint16_t port, uint32_t epoch, uint32_t identity = 0);

    /**
     * @brief Allow a node to take the place of another node.
     * @param address address of the node
     * @param other may act for the address; receives its messages if its epoch is higher
     */
    void AddAlternate(Ipv4Address address, Ipv4Address other)
    {
        m_alternates.emplace(address.Get(), other.Get());
    }

    /**
     * @param port a UDP port
     * @param deposed called with the sender of a frame that says that another node acts for this
     * node, and with the higher epoch of that node
     */
    void SetDeposed(uint16_t port, Callback<void, const Address&, uint32_t> deposed)
    {
        m_processes[port].deposed = deposed;
    }

    /// @return counts of all channels
    ManagementChannel::Stats GetChannelStats() const;

    /// @return number of frames refused because of an old epoch, an unknown alternate or too many
    /// flows
    uint64_t GetRefused() const
    {
        return m_refused;
    }

  protected:
    void DoDispose() override;

  private:
    using Flow = ManagementChannel::Flow;

    /// The process behind a UDP port; one that was never reopened has epoch 0.
    struct Process
    {
        uint32_t epoch{0};
        uint32_t identity{0};
        Callback<void, const Address&, uint32_t> deposed;
    };

    /// Messages of an instant to one receiver.
    struct Batch
    {
        Flow flow;
        std::vector<OpusMessage> messages;
    };

    /// Send the messages of this instant.
    void Flush();
    /// @param batch messages to send in as few frames as possible
    void SendFrames(const Batch& batch);
    /// @param flow leads to the address @param address in its place @param payload of UDP
    void SendFrame(const Flow& flow, uint32_t address, Ptr<Packet> payload);
    void Carry(const ManagementChannel& channel,
               const ChannelHeader& header,
               const std::vector<uint8_t>& bytes) override;
    /**
     * @param flows flows by which something is known
     * @param flow flow of a received frame
     * @return true if the flow is known, or its node has fewer than MAX_FLOWS to the UDP port
     */
    template <typename T>
    bool MayReceive(const std::map<Flow, T>& flows, const Flow& flow) const;
    /// @return the channel of a flow, or null
    std::shared_ptr<ManagementChannel> FindChannel(const Flow& flow) const;
    /// @return the channel of a flow, which is created if missing
    std::shared_ptr<ManagementChannel> GetChannel(const Flow& flow);
    /**
     * @param flow flow of a received frame
     * @param bytes bytes after the UDP header
     * @param size number of bytes
     */
    void ReceiveReliably(Flow flow, const uint8_t* bytes, std::size_t size);
    /// Deliver a message that does not belong to a stream.
    void ReceiveDatagram(const Flow& flow, const uint8_t* bytes, std::size_t size);
    /// @return false if the sender of a frame may not act for the identity in its header
    bool FindIdentity(const ChannelHeader& header, Flow& flow) const;
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    Ipv4Address m_address;
    std::unique_ptr<FrameQueue> m_queue;
    std::map<uint16_t, ReceiveCallback> m_listeners; //!< by UDP port
    std::map<Flow, MessageReader> m_readers;         //!< of received bytes
    std::vector<Batch> m_batches;                    //!< of this instant, in the order of the first
    std::map<Flow, std::size_t> m_batchOf;           //!< index in m_batches
    EventId m_flush;
    std::vector<uint8_t> m_bytes; //!< of the current frame; a member to reuse its memory
    uint64_t m_malformed{0};      //!< frames

    bool m_reliable{false};
    Time m_acknowledgementDelay;
    Time m_initialTimeout;
    Time m_minTimeout;
    Time m_maxTimeout;
    Time m_giveUpAfter;
    std::map<Flow, std::shared_ptr<ManagementChannel>> m_channels;
    std::map<uint16_t, Process> m_processes;        //!< by UDP port
    std::multimap<uint32_t, uint32_t> m_alternates; //!< nodes that may act for an address
    std::map<uint32_t, uint32_t> m_routes;          //!< node that acts for an address
    ManagementChannel::Stats m_closed;              //!< counts of closed channels
    uint64_t m_refused{0};                          //!< frames
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_PORT_H
