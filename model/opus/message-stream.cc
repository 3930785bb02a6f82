// SPDX-License-Identifier: GPL-2.0-only

#include "message-stream.h"

#include "ns3/address.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/socket.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MessageStream");

MessageStream::MessageStream(Ptr<Socket> socket,
                             bool connected,
                             ReceiveCallback receive,
                             ClosedCallback closed)
    : m_socket(socket),
      m_connected(connected),
      m_receive(receive),
      m_closed(closed)
{
    socket->SetConnectCallback(MakeCallback(&MessageStream::HandleConnected, this),
                               MakeCallback(&MessageStream::HandleFailed, this));
    socket->SetCloseCallbacks(MakeCallback(&MessageStream::HandleClosed, this),
                              MakeCallback(&MessageStream::HandleClosed, this));
    socket->SetSendCallback(MakeCallback(&MessageStream::HandleSpace, this));
    socket->SetRecvCallback(MakeCallback(&MessageStream::HandleRead, this));
}

MessageStream::~MessageStream()
{
    Abandon();
}

void
MessageStream::Close()
{
    const Ptr<Socket> socket = m_socket;
    Abandon();
    if (socket)
    {
        socket->Close();
    }
}

void
MessageStream::Abandon()
{
    m_receive = ReceiveCallback();
    m_closed = ClosedCallback();
    m_outgoing.clear();
    if (!m_socket)
    {
        return;
    }
    const Callback<void, Ptr<Socket>> none;
    m_socket->SetConnectCallback(none, none);
    m_socket->SetCloseCallbacks(none, none);
    m_socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>());
    m_socket->SetRecvCallback(none);
    m_socket = nullptr;
}

void
MessageStream::Send(const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(message);
    m_outgoing.push_back(packet);
    Flush();
}

void
MessageStream::Flush()
{
    while (m_socket && m_connected && !m_outgoing.empty())
    {
        Ptr<Packet> packet = m_outgoing.front();
        const uint32_t available = m_socket->GetTxAvailable();
        if (available == 0)
        {
            return; // HandleSpace goes on
        }
        const uint32_t size = packet->GetSize();
        const uint32_t part = std::min(size, available);
        const int sent = m_socket->Send(part < size ? packet->CreateFragment(0, part) : packet);
        if (sent <= 0)
        {
            return;
        }
        const auto taken = static_cast<uint32_t>(sent);
        if (taken == size)
        {
            m_outgoing.pop_front();
        }
        else
        {
            m_outgoing.front() = packet->CreateFragment(taken, size - taken);
        }
    }
}

void
MessageStream::HandleConnected(Ptr<Socket>)
{
    m_connected = true;
    Flush();
}

void
MessageStream::HandleFailed(Ptr<Socket>)
{
    Fail();
}

void
MessageStream::HandleClosed(Ptr<Socket>)
{
    Fail();
}

void
MessageStream::HandleSpace(Ptr<Socket>, uint32_t)
{
    Flush();
}

void
MessageStream::HandleRead(Ptr<Socket> socket)
{
    const Ptr<MessageStream> alive(this); // a callback may let go of the stream
    while (Ptr<Packet> packet = socket->Recv())
    {
        const uint32_t size = packet->GetSize();
        if (size == 0)
        {
            break; // end of the stream
        }
        const std::size_t offset = m_incoming.size();
        m_incoming.resize(offset + size);
        packet->CopyData(m_incoming.data() + offset, size);
    }
    Cut();
}

void
MessageStream::Cut()
{
    std::size_t offset = 0;
    while (m_socket && m_incoming.size() - offset >= OpusMessage::LENGTH_BYTES)
    {
        const uint8_t* bytes = m_incoming.data() + offset;
        const uint32_t length = uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 |
                                uint32_t{bytes[2]} << 8 | bytes[3];
        if (length > OpusMessage::MAX_LENGTH)
        {
            ++m_malformed;
            m_incoming.clear();
            Fail();
            return;
        }
        const uint32_t size = OpusMessage::LENGTH_BYTES + length;
        if (m_incoming.size() - offset < size)
        {
            break;
        }
        OpusMessage message;
        const bool valid = message.Parse(bytes, size) == size;
        offset += size;
        if (!valid)
        {
            ++m_malformed;
        }
        else if (!m_receive.IsNull())
        {
            m_receive(Ptr<MessageStream>(this), message);
        }
    }
    m_incoming.erase(m_incoming.begin(), m_incoming.begin() + offset);
}

void
MessageStream::Fail()
{
    NS_LOG_FUNCTION(this);
    const Ptr<MessageStream> alive(this);
    const ClosedCallback closed = m_closed;
    Close();
    if (!closed.IsNull())
    {
        closed(alive);
    }
}

uint64_t
MessageStream::GetMalformed() const
{
    return m_malformed;
}

} // namespace ns3
