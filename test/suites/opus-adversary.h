// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_ADVERSARY_H
#define PHOTONIC_RAILS_OPUS_ADVERSARY_H

#include "differential-draw.h"

#include "ns3/host-link.h"
#include "ns3/inet-socket-address.h"
#include "ns3/management-channel.h"
#include "ns3/node.h"
#include "ns3/opus-message.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief Draws messages from the whole grammar: every alternative of OpusMessage::Body, so that a
 * new type of message is drawn by itself, and messages that were sent before.
 *
 * Fields are those of a message that was sent, of the attacked or of another job, or random. A
 * message may be changed in any byte, cut off, or of another length than it says.
 */
class MessageDraw
{
  public:
    /// @param draw source of random numbers; outlives this object @param jobs number of jobs
    MessageDraw(Draw& draw, uint32_t jobs);

    /// @param message was sent by somebody, and may be sent again or changed
    void Learn(const OpusMessage& message);

    /// @return a well-formed message
    OpusMessage DrawMessage();
    /// @return bytes of some messages, which may be changed or cut off
    std::vector<uint8_t> DrawBytes();

  private:
    static constexpr std::size_t MOST_LEARNED = 200;

    /// @return a message of a random type with random fields
    OpusMessage DrawType();
    /// @return a number that occurs in messages, or any
    uint64_t DrawNumber();
    /// Change the rank, lease or GPU of a body.
    template <typename T>
    void ChangeFields(T& body);
    /// @return a message whose bytes have been changed, or the message itself if that is malformed
    OpusMessage ChangeBytes(const OpusMessage& message);

    Draw& m_draw;
    uint32_t m_jobs;
    std::deque<OpusMessage> m_learned;
};

/**
 * @brief Sends drawn messages over one device from the management port of a node, or over the host
 * link of a GPU.
 */
class OpusAdversary
{
  public:
    /// Where a message of the management network goes.
    struct Victims
    {
        std::vector<InetSocketAddress>
            receivers;        //!< addresses and UDP ports that somebody listens on
        bool reliable{false}; //!< frames have a ChannelHeader
    };

    /**
     * @param seed of all draws
     * @param jobs number of jobs
     * @param device of the node, on the management network or on a host link
     */
    OpusAdversary(uint64_t seed, uint32_t jobs, Ptr<NetDevice> device);

    /**
     * @brief Send as a node of the management network.
     * @param own address and UDP port of the attacked or foreign node
     * @param victims receivers
     */
    void SetNetwork(const InetSocketAddress& own, const Victims& victims);

    /// @return the draw, which learns messages
    MessageDraw& GetMessages();

    /**
     * @brief Begin to send.
     * @param bursts number of times at which messages are sent
     * @param interval longest time between them
     */
    void Start(uint32_t bursts, Time interval);

    /// @return number of frames sent
    uint64_t GetFrames() const;
    /// @return bytes of their payloads
    uint64_t GetBytes() const;

  private:
    void Attack(uint32_t bursts, Time interval);
    /// @return a field of a ChannelHeader
    uint64_t DrawField();
    /// Send a flood, or a frame.
    void SendOnce();
    void SendFrame(const std::vector<uint8_t>& bytes, const InetSocketAddress& to);

    Draw m_draw;
    MessageDraw m_messages;
    FrameQueue m_queue;
    InetSocketAddress m_own;
    Victims m_victims;
    std::vector<ChannelHeader> m_headers; //!< by receiver: the own stream
    bool m_isOnHostLink{true};
    uint64_t m_frames{0};
    uint64_t m_bytes{0};
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_ADVERSARY_H
