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
 * @brief A node's port on the management network: Opus messages without an internet stack.
 *
 * Aggregated to the node. Frames carry messages behind IPv4 and UDP headers, so that a capture can
 * be read by any tool. If the network loses nothing and keeps the order between two nodes,
 * datagrams do what a TCP connection would, at a small part of the events. If it may lose, delay or
 * reorder frames, or nodes may crash, all ports have to be Reliable: then frames carry a
 * ChannelHeader, and what is said between two UDP ports of two nodes is a ManagementChannel.
 *
 * What is said to one receiver within an instant shares frames: a manager speaks for all ranks of
 * its domain, and what several of them say at the same time leaves as one. A message may go on in
 * the next frame.
 */
class ManagementPort : public Object, private ManagementChannel::Carrier
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
     * @param confirms whether the listener confirms messages; otherwise they are confirmed when
     * they are handed over. Only reliable ports ask for it
     */
    void Listen(uint16_t port, ReceiveCallback receive, bool confirms = false);

    /**
     * @brief Send a message at the end of this instant.
     * @param port UDP port of the sender
     * @param to address and UDP port of the receiver
     * @param message goes after all that was sent there before
     */
    void Send(uint16_t port, const Address& to, const OpusMessage& message);

    /// @return messages or frames that arrived and could not be read
    uint64_t GetMalformed() const;

    /// @return whether what is lost is sent again
    bool IsReliable() const;

    /// @return where the message that is being handed over lies in its stream
    const StreamSpan& GetSpan() const;
    /**
     * @brief A message need not be sent again: it is in safety.
     * @param port UDP port at which it was heard
     * @param from whence it came
     * @param span what GetSpan has returned for it
     */
    void Confirm(uint16_t port, const Address& from, const StreamSpan& span);

    /**
     * @brief Forget all channels of a UDP port: the process behind it has ended.
     * @param port the UDP port
     */
    void Close(uint16_t port);
    /**
     * @brief A process begins anew behind a UDP port that was closed or is new.
     *
     * What it had confirmed is to be restored, and what it had said is to be said again, in the
     * same order, before Announce.
     * @param port the UDP port
     * @param epoch its number, higher than those before it
     * @param identity address for which it speaks; 0: that of this node
     */
    void Reopen(uint16_t port, uint32_t epoch, uint32_t identity = 0);
    /**
     * @param port a UDP port that was reopened
     * @param from whence a message came
     * @param span of the message, which was confirmed in an earlier epoch
     */
    void Restore(uint16_t port, const Address& from, const StreamSpan& span);
    /**
     * @brief Make the epoch of a UDP port known, until the other end has heard it.
     * @param port the UDP port
     * @param to the other end
     */
    void Announce(uint16_t port, const Address& to);

    /**
     * @brief Let a node take the place of another.
     * @param address of a node
     * @param other may speak for it, and is then spoken to instead, if its epoch is higher
     */
    void AddAlternate(Ipv4Address address, Ipv4Address other);
    /**
     * @param port a UDP port
     * @param deposed called when a frame says that another speaks for this node in a higher epoch
     */
    void SetDeposed(uint16_t port, Callback<void> deposed);

    /// @return what the channels have done
    ManagementChannel::Stats GetChannelStats() const;
    /// @return frames that were refused because their epoch was over, or nobody may take the place
    uint64_t GetRefused() const;

  protected:
    void DoDispose() override;

  private:
    using Flow = ManagementChannel::Flow;

    /// Whoever listens.
    struct Listener
    {
        ReceiveCallback receive;
        bool confirms{false};
    };

    /// What is known of a UDP port that was reopened.
    struct Process
    {
        uint32_t epoch{0};
        uint32_t identity{0};
        Callback<void> deposed;
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
    /// @param flow leads to the address @param address in its place @param payload of UDP
    void SendFrame(const Flow& flow, uint32_t address, Ptr<Packet> payload);
    void Carry(const ManagementChannel& channel,
               const ChannelHeader& header,
               const std::vector<uint8_t>& bytes) override;
    /// @return the channel, which is made if there is none
    ManagementChannel& GetChannel(const Flow& flow);
    /**
     * @param flow whence a frame has come
     * @param bytes behind its headers
     * @param size how many there are
     */
    void ReceiveReliably(Flow flow, const uint8_t* bytes, std::size_t size);
    /// @return false if the source of a frame may not speak for whom it says
    bool FindIdentity(const ChannelHeader& header, Flow& flow) const;
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    Ipv4Address m_address;
    std::unique_ptr<FrameQueue> m_queue;
    std::map<uint16_t, Listener> m_listeners; //!< by UDP port
    std::map<Flow, MessageReader> m_readers;  //!< of what arrives
    std::vector<Batch> m_batches;             //!< of this instant, in the order of the first
    std::map<Flow, std::size_t> m_batchOf;    //!< indices of the same
    EventId m_flush;
    std::vector<uint8_t> m_bytes; //!< of the frame that arrives; kept for its memory
    uint64_t m_malformed{0};      //!< frames

    bool m_reliable{false};
    Time m_acknowledgementDelay;
    Time m_initialTimeout;
    Time m_minTimeout;
    Time m_maxTimeout;
    Time m_giveUpAfter;
    std::map<Flow, std::unique_ptr<ManagementChannel>> m_channels;
    std::map<uint16_t, Process> m_processes;        //!< by UDP port
    std::multimap<uint32_t, uint32_t> m_alternates; //!< who may speak for an address
    std::map<uint32_t, uint32_t> m_routes;          //!< whoever speaks for an address now
    StreamSpan m_span;                              //!< of the message that is handed over
    ManagementChannel::Stats m_closed;              //!< of channels that are no more
    uint64_t m_refused{0};                          //!< frames
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_PORT_H
