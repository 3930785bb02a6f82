// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-coordinator.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecoveryCoordinator");
NS_OBJECT_ENSURE_REGISTERED(RecoveryCoordinator);

TypeId
RecoveryCoordinator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RecoveryCoordinator")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RecoveryCoordinator>()
            .AddTraceSource("GpuLost",
                            "The coordinator receives the report of a lost GPU.",
                            MakeTraceSourceAccessor(&RecoveryCoordinator::m_lost),
                            "ns3::RecoveryCoordinator::LostTracedCallback")
            .AddTraceSource("Step",
                            "A recovery has reached its next step, or starts again.",
                            MakeTraceSourceAccessor(&RecoveryCoordinator::m_step),
                            "ns3::RecoveryCoordinator::StepTracedCallback")
            .AddTraceSource("JobFailed",
                            "The job cannot continue; its GPUs receive a GIVE_UP.",
                            MakeTraceSourceAccessor(&RecoveryCoordinator::m_jobFailed),
                            "ns3::RecoveryCoordinator::JobFailedTracedCallback");
    return tid;
}

void
RecoveryCoordinator::DoDispose()
{
    m_network = nullptr;
    Application::DoDispose();
}

void
RecoveryCoordinator::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a recovery coordinator needs a management port on its node");
    m_network->Listen(PORT, MakeCallback(&RecoveryCoordinator::HandleMessage, this));
}

void
RecoveryCoordinator::StopApplication()
{
    m_network->Listen(PORT, ManagementPort::ReceiveCallback());
    m_network = nullptr;
}

void
RecoveryCoordinator::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (from == m_controller && message.Get<OpusLearn>())
    {
        m_network->Send(PORT, m_controller, m_protocol.MakeReplace());
        return;
    }
    const OpusGpu* sender = message.GetGpu();
    const auto host = sender ? m_hosts.find(sender->gpu) : m_hosts.end();
    const bool isFromHost = host != m_hosts.end() && host->second == from;
    const bool isReport = message.Get<OpusReplaced>() != nullptr;
    if (isReport ? from != m_controller : !isFromHost)
    {
        NS_LOG_WARN("from somebody else: " << message);
        return;
    }
    if (const auto* lost = message.Get<OpusLost>())
    {
        m_lost(lost->gpu);
        Send(m_protocol.Lose(lost->gpu, lost->iterations));
    }
    else
    {
        Send(m_protocol.Receive(message));
    }
}

void
RecoveryCoordinator::Send(const RecoveryProtocol::Outputs& outputs)
{
    if (outputs.empty())
    {
        return;
    }
    NS_LOG_INFO("job " << m_protocol.GetJob() << " is " << ToString(m_protocol.GetState()));
    m_step(m_protocol);
    if (m_protocol.GetState() == RecoveryProtocol::FAILED)
    {
        m_jobFailed(m_protocol.GetJob(), m_protocol.GetFailure());
    }
    for (const auto& [gpu, message] : outputs)
    {
        m_network->Send(PORT, gpu ? m_hosts.at(*gpu) : m_controller, message);
    }
}

} // namespace ns3
