// SPDX-License-Identifier: GPL-2.0-only

#include "opus-manager.h"

#include "management-port.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

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
                          "Address and UDP port of the controller.",
                          AddressValue(),
                          MakeAddressAccessor(&OpusManager::m_controller),
                          MakeAddressChecker())
            .AddAttribute("Port",
                          "UDP port to which the controller replies, from 1 to 65535.",
                          UintegerValue(5813),
                          MakeUintegerAccessor(&OpusManager::m_port),
                          MakeUintegerChecker<uint16_t>(1));
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
    uint64_t malformed = m_malformed + (m_network ? m_network->GetMalformed() : 0);
    for (const auto& link : m_links)
    {
        malformed += link->GetMalformed();
    }
    return malformed;
}

void
OpusManager::DoDispose()
{
    m_network = nullptr;
    m_links.clear();
    m_heard.clear();
    m_passOn.Cancel();
    Application::DoDispose();
}

void
OpusManager::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a manager needs a management port on its node");
    m_network->Listen(m_port, MakeCallback(&OpusManager::HandleControllerMessage, this));
    PassOn();
}

void
OpusManager::StopApplication()
{
    m_passOn.Cancel();
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
    m_network = nullptr;
}

void
OpusManager::HandleRankMessage(uint32_t link, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << link << message);
    m_linkOfRank[{message.job, message.rank}] = link;
    ++m_relayed;
    m_heard.emplace_back(link, message);
    if (m_network && m_passOn.IsExpired())
    {
        m_passOn = Simulator::ScheduleNow(&OpusManager::PassOn, this);
    }
}

void
OpusManager::PassOn()
{
    std::stable_sort(m_heard.begin(), m_heard.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (const auto& [link, message] : m_heard)
    {
        m_network->Send(m_port, m_controller, message);
    }
    m_heard.clear();
}

void
OpusManager::HandleControllerMessage(const Address&, const OpusMessage& message)
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
