// SPDX-License-Identifier: GPL-2.0-only

#include "opus-manager.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusManager");
NS_OBJECT_ENSURE_REGISTERED(OpusManager);

namespace
{

/// Value for messages of the controller, which have no host link.
constexpr uint32_t NO_LINK = std::numeric_limits<uint32_t>::max();

} // namespace

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
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute(
                "CoalesceTime",
                "Longest time for which a request or release waits for the requests and releases "
                "of the other ranks of the domain, to share one message to the controller. 0: each "
                "has its own message; messages of the same instant share frames.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&OpusManager::m_coalesceTime),
                MakeTimeChecker(Time(0)))
            .AddAttribute("DetectionTime",
                          "Time from the loss of a GPU, or of a port of its NIC, to the report to "
                          "the controller, at least 0: detection by the driver of the host.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&OpusManager::m_detectionTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MessageTime",
                          "Time that the manager takes for each message, at least 0. Messages are "
                          "served one at a time, in the order of arrival.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusManager::m_messageTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MessageByteTime",
                          "Time that the manager takes for each byte of a message, at least 0.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusManager::m_byteTime),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("ToController",
                            "A message of a rank is queued for the controller.",
                            MakeTraceSourceAccessor(&OpusManager::m_toController),
                            "ns3::OpusManager::MessageTracedCallback")
            .AddTraceSource("ToRank",
                            "A message of the controller is forwarded to a rank.",
                            MakeTraceSourceAccessor(&OpusManager::m_toRank),
                            "ns3::OpusManager::MessageTracedCallback");
    return tid;
}

OpusManager::OpusManager()
{
    m_server.SetHandler(MakeCallback(&OpusManager::Serve, this));
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

void
OpusManager::AddHostLink(Ptr<NetDevice> device, uint32_t job, uint32_t rank)
{
    m_rankOfLink[static_cast<uint32_t>(m_links.size())] = {job, rank};
    AddHostLink(device);
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
    m_server.Clear();
    m_server.SetHandler(MessageServer::Handler());
    m_network = nullptr;
    m_links.clear();
    m_pending.clear();
    m_forward.Cancel();
    for (auto& [what, confirmation] : m_suspected)
    {
        confirmation.Cancel();
    }
    m_suspected.clear();
    Application::DoDispose();
}

void
OpusManager::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a manager needs a management port on its node");
    m_network->Listen(m_port, MakeCallback(&OpusManager::HandleControllerMessage, this));
    Forward();
}

void
OpusManager::StopApplication()
{
    m_server.Clear();
    m_forward.Cancel();
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
    m_network = nullptr;
}

void
OpusManager::HandleRankMessage(uint32_t link, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << link << message);
    m_server.Put(0,
                 MessageCost{m_messageTime, m_byteTime}.Get(message),
                 {link, Address(), message});
}

void
OpusManager::Serve(const OpusArrival& arrival)
{
    if (arrival.link == NO_LINK)
    {
        ServeController(arrival.message);
    }
    else
    {
        ServeRank(arrival.link, arrival.message);
    }
}

void
OpusManager::ServeRank(uint32_t link, const OpusMessage& message)
{
    const OpusRank* sender = message.GetRank();
    if (!sender || !IsAllowed(link, {sender->job, sender->rank}))
    {
        NS_LOG_WARN("not of a rank of host link " << link << ": " << message);
        ++m_malformed;
        return;
    }
    const auto rank = std::make_pair(sender->job, sender->rank);
    m_linkOfRank[rank] = link;
    if (const auto* fault = message.Get<OpusFault>())
    {
        Suspect(link, *fault);
        return;
    }
    if (HasAnswered(link, message))
    {
        Accept(link, message);
    }
}

bool
OpusManager::HasAnswered(uint32_t link, const OpusMessage& message)
{
    const auto* leases = message.Get<OpusLeases>();
    if (message.Get<OpusRestart>() || (leases && leases->epoch == m_epoch))
    {
        m_silent.erase(link);
    }
    return m_silent.count(link) == 0;
}

void
OpusManager::Learn(const OpusLearn& message)
{
    m_epoch = message.epoch;
    m_pending.clear();
    for (const auto& [what, fault] : m_confirmed)
    {
        Accept(std::get<0>(what), fault);
    }
    for (uint32_t link = 0; link < m_links.size(); ++link)
    {
        m_silent.insert(link);
        m_links[link]->Send({message});
    }
}

bool
OpusManager::IsAllowed(uint32_t link, const std::pair<uint32_t, uint32_t>& rank) const
{
    const auto only = m_rankOfLink.find(link);
    if (only != m_rankOfLink.end())
    {
        return only->second == rank;
    }
    return m_gone.count(rank) > 0 ||
           std::none_of(m_rankOfLink.begin(), m_rankOfLink.end(), [&rank](const auto& one) {
               return one.second == rank;
           });
}

void
OpusManager::Suspect(uint32_t link, const OpusFault& fault)
{
    NS_LOG_FUNCTION(this << link << ToString(fault.kind) << fault.port << fault.repaired);
    EventId& confirmation = m_suspected[{link, fault.kind, fault.port}];
    const bool isPending = !confirmation.IsExpired(); // the fault has not been reported
    confirmation.Cancel();
    if (fault.repaired)
    {
        m_confirmed.erase({link, fault.kind, fault.port});
    }
    if (fault.repaired && !isPending)
    {
        Accept(link, fault);
    }
    else if (!fault.repaired)
    {
        confirmation =
            Simulator::Schedule(m_detectionTime, &OpusManager::ConfirmFault, this, link, fault);
    }
}

void
OpusManager::ConfirmFault(uint32_t link, OpusFault fault)
{
    NS_LOG_INFO("the host confirms for rank " << fault.rank << " of job " << fault.job << ": "
                                              << ToString(fault.kind) << " is lost");
    if (fault.kind == FaultKind::GPU)
    {
        m_gone.insert({fault.job, fault.rank});
    }
    m_confirmed[{link, fault.kind, fault.port}] = fault;
    if (m_network)
    {
        Accept(link, fault);
    }
}

void
OpusManager::Accept(uint32_t link, const OpusMessage& message)
{
    m_toController(message);
    m_pending.emplace_back(link, message);
    const Time delay = GetForwardDelay();
    if (m_network && delay.IsZero() && Simulator::GetDelayLeft(m_forward) > Time(0))
    {
        m_forward.Cancel(); // all ranks have sent a message
    }
    if (m_network && m_forward.IsExpired())
    {
        m_forward = Simulator::Schedule(delay, &OpusManager::Forward, this);
    }
}

void
OpusManager::Forward()
{
    NS_LOG_LOGIC("the manager forwards " << m_pending.size() << " messages");
    std::stable_sort(m_pending.begin(), m_pending.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    OpusBatch batch;
    for (const auto& [link, message] : m_pending)
    {
        const bool isDemand = message.Get<OpusRequest>() || message.Get<OpusRelease>();
        const bool joins = isDemand && m_coalesceTime.IsStrictlyPositive();
        if (!joins || batch.job != message.GetRank()->job)
        {
            SendBatch(batch); // first, since messages of a rank keep their order
        }
        if (joins)
        {
            batch.job = message.GetRank()->job;
            batch.parts.push_back(message);
        }
        else
        {
            m_network->Send(m_port, m_controller, message);
        }
    }
    SendBatch(batch);
    m_pending.clear();
}

void
OpusManager::SendBatch(OpusBatch& batch)
{
    if (!batch.parts.empty())
    {
        m_network->Send(m_port,
                        m_controller,
                        batch.parts.size() > 1 ? OpusMessage(batch) : batch.parts[0]);
        batch.parts.clear();
    }
}

Time
OpusManager::GetForwardDelay() const
{
    if (m_coalesceTime.IsZero())
    {
        return Time(0);
    }
    std::set<uint32_t> links;
    for (const auto& [link, message] : m_pending)
    {
        links.insert(link);
    }
    return links.size() == m_links.size() ? Time(0) : m_coalesceTime;
}

void
OpusManager::HandleControllerMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (from != m_controller)
    {
        ++m_foreign;
        return;
    }
    m_server.Put(0, MessageCost{m_messageTime, m_byteTime}.Get(message), {NO_LINK, from, message});
}

void
OpusManager::ServeController(const OpusMessage& message)
{
    if (const auto* learn = message.Get<OpusLearn>())
    {
        Learn(*learn);
        return;
    }
    const OpusRank* rank = message.GetRank();
    const auto it = rank ? m_linkOfRank.find({rank->job, rank->rank}) : m_linkOfRank.end();
    if (it == m_linkOfRank.end())
    {
        ++m_malformed;
        return;
    }
    m_toRank(message);
    m_links[it->second]->Send({message});
}

} // namespace ns3
