// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESSAGE_STREAM_H
#define PHOTONIC_RAILS_MESSAGE_STREAM_H

#include "opus-message.h"

#include "ns3/callback.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

class Packet;
class Socket;

/**
 * @brief Whole messages over one TCP connection.
 *
 * Sends are kept until the connection is there and while the socket's buffer is full. Received
 * bytes are cut into messages by their length fields; a message that cannot be read is dropped and
 * counted, and a length that cannot be true ends the connection, because the stream has lost its
 * place.
 */
class MessageStream : public SimpleRefCount<MessageStream>
{
  public:
    /// Called with every message that arrives.
    using ReceiveCallback = Callback<void, Ptr<MessageStream>, const OpusMessage&>;
    /// Called when the connection has failed or ended.
    using ClosedCallback = Callback<void, Ptr<MessageStream>>;

    /**
     * @param socket a TCP socket that is connecting (tell NotifyConnected) or connected
     * @param connected whether it is connected already, as an accepted one is
     * @param receive called with every message
     * @param closed called at most once
     */
    MessageStream(Ptr<Socket> socket,
                  bool connected,
                  ReceiveCallback receive,
                  ClosedCallback closed);
    ~MessageStream();

    MessageStream(const MessageStream&) = delete;
    MessageStream& operator=(const MessageStream&) = delete;

    /// @param message sent after all those before it
    void Send(const OpusMessage& message);

    /// @brief End the connection and call nobody any more.
    void Close();

    /// @brief Let go of the socket without a word, as at the end of a simulation.
    void Abandon();

    /// @return messages that arrived and could not be read
    uint64_t GetMalformed() const;

  private:
    void HandleConnected(Ptr<Socket> socket);
    void HandleFailed(Ptr<Socket> socket);
    void HandleClosed(Ptr<Socket> socket);
    void HandleSpace(Ptr<Socket> socket, uint32_t available);
    void HandleRead(Ptr<Socket> socket);
    void Flush();
    void Cut();
    void Fail();

    Ptr<Socket> m_socket;
    bool m_connected;
    ReceiveCallback m_receive;
    ClosedCallback m_closed;
    std::deque<Ptr<Packet>> m_outgoing; //!< not yet taken by the socket
    std::vector<uint8_t> m_incoming;    //!< not yet a whole message
    uint64_t m_malformed{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MESSAGE_STREAM_H
