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
                          "Time without a link to a GPU after which the host reports the GPU as "
                          "lost, at least 0. An assumption: three missed heartbeats of 10 ms, or "
                          "the driver's report of a GPU that has fallen off the bus.",
                          TimeValue(MilliSeconds(30)),
                          MakeTimeAccessor(&RecoveryHost::m_detectionTime),
                          MakeTimeChecker(Time(0)));
    return tid;
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
    const OpusGpu* sender = message.GetGpu();
    if (!m_network || !sender || sender->gpu != gpu)
    {
        return;
    }
    if (const auto* progress = message.Get<OpusProgress>())
    {
        m_iterations[gpu] = progress->iterations;
    }
    else if (message.Get<OpusLost>())
    {
        Simulator::Schedule(m_detectionTime,
                            &RecoveryHost::ReportLoss,
                            Ptr<RecoveryHost>(this),
                            gpu);
    }
    else if (message.Get<OpusStopped>() || message.Get<OpusReady>())
    {
        m_network->Send(PORT, m_coordinator, message);
    }
    else
    {
        NS_LOG_WARN("unexpected " << message);
    }
}

void
RecoveryHost::ReportLoss(uint32_t gpu)
{
    if (m_network)
    {
        NS_LOG_INFO("GPU " << gpu << " is reported as lost after " << m_detectionTime);
        m_network->Send(PORT, m_coordinator, OpusLost{{gpu}, m_iterations[gpu]});
    }
}

void
RecoveryHost::HandleCoordinator(const Address& from, const OpusMessage& message)
{
    const OpusGpu* receiver = message.GetGpu();
    const auto link = receiver ? m_links.find(receiver->gpu) : m_links.end();
    if (from != m_coordinator || link == m_links.end())
    {
        NS_LOG_WARN("not for this host: " << message);
        return;
    }
    if (const auto* resume = message.Get<OpusResume>())
    {
        m_iterations[resume->gpu] = resume->iteration;
    }
    link->second->Send({message});
}

} // namespace ns3
