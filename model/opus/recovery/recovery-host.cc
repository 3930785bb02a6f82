// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-host.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecoveryHost");
NS_OBJECT_ENSURE_REGISTERED(RecoveryHost);

TypeId
RecoveryHost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RecoveryHost")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RecoveryHost>()
            .AddAttribute("DetectionTime",
                          "How long a GPU is gone until the host takes it to be lost, at least 0. "
                          "An assumption: three missed heartbeats of 10 ms, or the driver's report "
                          "of a GPU that has fallen off the bus.",
                          TimeValue(MilliSeconds(30)),
                          MakeTimeAccessor(&RecoveryHost::m_detectionTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RecoveryHost::RecoveryHost() = default;
RecoveryHost::~RecoveryHost() = default;

void
RecoveryHost::SetCoordinator(const Address& coordinator)
{
    m_coordinator = coordinator;
}

void
RecoveryHost::AddGpu(Ptr<NetDevice> device, uint32_t gpu)
{
    m_links[gpu] =
        std::make_unique<HostLink>(device, gpu, MakeCallback(&RecoveryHost::HandleGpu, this));
}

void
RecoveryHost::DoDispose()
{
    m_network = nullptr;
    m_links.clear();
    Application::DoDispose();
}

void
RecoveryHost::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "the host of a recovery needs a management port on its node");
    m_network->Listen(PORT, MakeCallback(&RecoveryHost::HandleCoordinator, this));
}

void
RecoveryHost::StopApplication()
{
    m_network->Listen(PORT, ManagementPort::ReceiveCallback());
    m_network = nullptr;
}

void
RecoveryHost::HandleGpu(uint32_t gpu, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << gpu << message);
    if (!m_network || message.rank != gpu)
    {
        return;
    }
    switch (message.type)
    {
    case OpusMessageType::PROGRESS:
        m_iterations[gpu] = message.port;
        break;
    case OpusMessageType::FAULT:
        Simulator::Schedule(m_detectionTime, &RecoveryHost::Miss, Ptr<RecoveryHost>(this), gpu);
        break;
    case OpusMessageType::STOPPED:
    case OpusMessageType::READY:
        m_network->Send(PORT, m_coordinator, message);
        break;
    default:
        NS_LOG_WARN("unexpected " << message);
    }
}

void
RecoveryHost::Miss(uint32_t gpu)
{
    if (!m_network)
    {
        return;
    }
    OpusMessage message(OpusMessageType::FAULT);
    message.fault = FaultKind::GPU;
    message.rank = gpu;
    message.port = m_iterations[gpu];
    m_network->Send(PORT, m_coordinator, message);
}

void
RecoveryHost::HandleCoordinator(const Address& from, const OpusMessage& message)
{
    const auto link = m_links.find(message.rank);
    if (from != m_coordinator || link == m_links.end())
    {
        NS_LOG_WARN("not for this host: " << message);
        return;
    }
    if (message.type == OpusMessageType::RESUME)
    {
        m_iterations[message.rank] = message.port;
    }
    link->second->Send({message});
}

} // namespace ns3
