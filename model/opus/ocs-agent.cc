// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-agent.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OcsAgent");
NS_OBJECT_ENSURE_REGISTERED(OcsAgent);

TypeId
OcsAgent::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OcsAgent")
                            .SetParent<Application>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OcsAgent>()
                            .AddAttribute("Port",
                                          "TCP port on which the agent listens, from 1 to 65535.",
                                          UintegerValue(5811),
                                          MakeUintegerAccessor(&OcsAgent::m_port),
                                          MakeUintegerChecker<uint16_t>(1));
    return tid;
}

OcsAgent::OcsAgent() = default;
OcsAgent::~OcsAgent() = default;

uint64_t
OcsAgent::GetCommands() const
{
    return m_commands;
}

uint64_t
OcsAgent::GetMalformed() const
{
    uint64_t malformed = m_malformed;
    for (const auto& stream : m_streams)
    {
        malformed += stream->GetMalformed();
    }
    return malformed;
}

void
OcsAgent::DoDispose()
{
    for (const auto& stream : m_streams)
    {
        stream->Abandon();
    }
    m_streams.clear();
    m_socket = nullptr;
    Application::DoDispose();
}

void
OcsAgent::StartApplication()
{
    m_socket = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
    m_socket->SetAttribute("TcpNoDelay", BooleanValue(true)); // the accepted sockets inherit it
    m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port));
    m_socket->Listen();
    m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&OcsAgent::HandleAccept, this));
}

void
OcsAgent::StopApplication()
{
    if (m_socket)
    {
        m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeNullCallback<void, Ptr<Socket>, const Address&>());
        m_socket->Close();
        m_socket = nullptr;
    }
    for (const auto& stream : m_streams)
    {
        stream->Close();
    }
    m_streams.clear();
}

void
OcsAgent::HandleAccept(Ptr<Socket> socket, const Address&)
{
    m_streams.push_back(Create<MessageStream>(socket,
                                              true,
                                              MakeCallback(&OcsAgent::HandleMessage, this),
                                              MakeCallback(&OcsAgent::HandleClosed, this)));
}

void
OcsAgent::HandleClosed(Ptr<MessageStream> stream)
{
    m_malformed += stream->GetMalformed();
    m_streams.remove(stream);
}

void
OcsAgent::HandleMessage(Ptr<MessageStream> stream, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (message.type != OpusMessageType::CONFIGURE)
    {
        ++m_malformed;
        return;
    }
    ++m_commands;
    Ptr<OpticalCircuitSwitch> ocs = GetNode()->GetObject<OpticalCircuitSwitch>();
    const uint64_t command = message.command;
    const Callback<void> done = MakeCallback(&OcsAgent::Report, Ptr<OcsAgent>(this))
                                    .Bind(stream)
                                    .Bind(command)
                                    .Bind(Simulator::Now());
    const std::string error =
        ocs ? ocs->Reconfigure(message.drop, message.make, done) : "no optical circuit switch here";
    if (!error.empty())
    {
        NS_LOG_WARN("command " << command << " refused: " << error);
        OpusMessage reply(OpusMessageType::CONFIGURED);
        reply.command = command;
        reply.error = error;
        stream->Send(reply);
    }
}

void
OcsAgent::Report(Ptr<MessageStream> stream, uint64_t command, Time begin)
{
    OpusMessage reply(OpusMessageType::CONFIGURED);
    reply.command = command;
    reply.duration = Simulator::Now() - begin;
    stream->Send(reply);
}

} // namespace ns3
