// SPDX-License-Identifier: GPL-2.0-only

#include "opus-manager.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusManager");
NS_OBJECT_ENSURE_REGISTERED(OpusManager);

TypeId
OpusManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpusManager")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusManager>()
            .AddAttribute("Controller",
                          "Address and TCP port of the controller.",
                          AddressValue(),
                          MakeAddressAccessor(&OpusManager::m_controller),
                          MakeAddressChecker())
            .AddAttribute("ReconnectInterval",
                          "Time before a failed connection to the controller is tried again, at "
                          "least 1 us.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&OpusManager::m_reconnectInterval),
                          MakeTimeChecker(MicroSeconds(1)));
    return tid;
}

OpusManager::OpusManager() = default;
OpusManager::~OpusManager() = default;

void
OpusManager::SetController(const Address& controller)
{
    m_controller = controller;
}

void
OpusManager::AddHostLink(Ptr<NetDevice> device)
{
    const auto index = static_cast<uint32_t>(m_links.size());
    m_links.push_back(
        std::make_unique<HostLink>(device,
                                   index,
                                   MakeCallback(&OpusManager::HandleRankMessage, this)));
}

uint64_t
OpusManager::GetRelayed() const
{
    return m_relayed;
}

uint64_t
OpusManager::GetMalformed() const
{
    uint64_t malformed = m_malformed + (m_stream ? m_stream->GetMalformed() : 0);
    for (const auto& link : m_links)
    {
        malformed += link->GetMalformed();
    }
    return malformed;
}

void
OpusManager::DoDispose()
{
    m_reconnect.Cancel();
    if (m_stream)
    {
        m_stream->Abandon();
        m_stream = nullptr;
    }
    m_links.clear();
    m_early.clear();
    Application::DoDispose();
}

void
OpusManager::StartApplication()
{
    Connect();
}

void
OpusManager::StopApplication()
{
    m_reconnect.Cancel();
    if (m_stream)
    {
        m_stream->Close();
        m_stream = nullptr;
    }
}

void
OpusManager::Connect()
{
    Ptr<Socket> socket = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    socket->Bind();
    m_stream = Create<MessageStream>(socket,
                                     false,
                                     MakeCallback(&OpusManager::HandleControllerMessage, this),
                                     MakeCallback(&OpusManager::HandleClosed, this));
    socket->Connect(m_controller);
    for (const OpusMessage& message : m_early)
    {
        m_stream->Send(message);
    }
    m_early.clear();
}

void
OpusManager::HandleClosed(Ptr<MessageStream>)
{
    NS_LOG_WARN("no connection to the controller");
    m_stream = nullptr;
    m_reconnect = Simulator::Schedule(m_reconnectInterval, &OpusManager::Connect, this);
}

void
OpusManager::HandleRankMessage(uint32_t link, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << link << message);
    m_linkOfRank[{message.job, message.rank}] = link;
    ++m_relayed;
    if (m_stream)
    {
        m_stream->Send(message);
    }
    else
    {
        m_early.push_back(message);
    }
}

void
OpusManager::HandleControllerMessage(Ptr<MessageStream>, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    auto it = m_linkOfRank.find({message.job, message.rank});
    if (it == m_linkOfRank.end())
    {
        ++m_malformed;
        return;
    }
    ++m_relayed;
    m_links[it->second]->Send({message});
}

} // namespace ns3
