// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a shim is given before it starts, and its end.
 */

#include "opus-shim-connectivity.h"
#include "opus-shim.h"

#include "ns3/boolean.h"
#include "ns3/node.h"
#include "ns3/rdma-nic.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpusShim);

TypeId
OpusShim::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpusShim")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusShim>()
            .AddAttribute("Provisioning",
                          "Ask for the next phase's group as soon as a phase has ended (true), or "
                          "only when a call needs it (false).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&OpusShim::m_provisioning),
                          MakeBooleanChecker())
            .AddAttribute("KeepLeases",
                          "Hold a group for the calls to come (true), or give it back when the "
                          "last of its calls has ended, so that every call asks (false).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&OpusShim::m_keepLeases),
                          MakeBooleanChecker())
            .AddAttribute("DetectIterations",
                          "Find the iterations in the sequence of calls (true), or be told where "
                          "they end by NotifyIterationEnd (false).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpusShim::m_detectIterations),
                          MakeBooleanChecker())
            .AddAttribute(
                "HostThreshold",
                "Calls of fewer bytes take the host network, if there is one; 0 for "
                "none. The same on all ranks.",
                UintegerValue(0),
                MakeUintegerAccessor(&OpusShim::SetHostThreshold, &OpusShim::GetHostThreshold),
                MakeUintegerChecker<uint64_t>())
            .AddTraceSource("Said",
                            "A message is sent to the manager.",
                            MakeTraceSourceAccessor(&OpusShim::m_said),
                            "ns3::OpusShim::MessageTracedCallback")
            .AddTraceSource("Heard",
                            "A message of the manager is about to be acted on.",
                            MakeTraceSourceAccessor(&OpusShim::m_heard),
                            "ns3::OpusShim::MessageTracedCallback")
            .AddTraceSource("Requested",
                            "A group is asked for.",
                            MakeTraceSourceAccessor(&OpusShim::m_requested),
                            "ns3::OpusShim::RequestedTracedCallback")
            .AddTraceSource("Granted",
                            "A group has been granted.",
                            MakeTraceSourceAccessor(&OpusShim::m_granted),
                            "ns3::OpusShim::GrantedTracedCallback")
            .AddTraceSource("Released",
                            "A group, or the wish for it, is given back.",
                            MakeTraceSourceAccessor(&OpusShim::m_released),
                            "ns3::OpusShim::ReleasedTracedCallback")
            .AddTraceSource("Mispredicted",
                            "A call came for another group than the one asked for speculatively.",
                            MakeTraceSourceAccessor(&OpusShim::m_mispredicted),
                            "ns3::OpusShim::MispredictedTracedCallback")
            .AddTraceSource("Refused",
                            "The controller cannot serve a group; calls on it wait for ever.",
                            MakeTraceSourceAccessor(&OpusShim::m_refused),
                            "ns3::OpusShim::RefusedTracedCallback")
            .AddTraceSource("Aborted",
                            "The job has failed; calls of the rank wait for ever.",
                            MakeTraceSourceAccessor(&OpusShim::m_abortedTrace),
                            "ns3::OpusShim::AbortedTracedCallback");
    return tid;
}

OpusShim::OpusShim()
    : m_connectivity(CreateObject<Connectivity>(this))
{
}

OpusShim::~OpusShim()
{
    if (m_connectivity) // never disposed of: on the node of another process
    {
        m_connectivity->Detach();
    }
}

void
OpusShim::SetRank(uint32_t job, uint32_t rank)
{
    m_job = job;
    m_rank = rank;
}

void
OpusShim::SetHostThreshold(uint64_t bytes)
{
    m_networkRule.hostThreshold = bytes;
    m_connectivity->SetRule(m_networkRule);
}

uint64_t
OpusShim::GetHostThreshold() const
{
    return m_networkRule.hostThreshold;
}

void
OpusShim::SetHostLink(Ptr<NetDevice> device)
{
    m_link = std::make_unique<HostLink>(device, 0, MakeCallback(&OpusShim::HandleMessage, this));
}

void
OpusShim::SetDirectory(std::shared_ptr<const Directory> directory)
{
    m_directory = std::move(directory);
}

Ptr<ConnectivityProvider>
OpusShim::GetProvider() const
{
    return m_connectivity;
}

const OpusShim::Stats&
OpusShim::GetStats() const
{
    return m_stats;
}

void
OpusShim::StartApplication()
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
    {
        nic->GetPort(port)->TraceConnectWithoutContext(
            "Failure",
            MakeCallback(&OpusShim::NicPortFailed, this));
    }
}

void
OpusShim::StopApplication()
{
}

void
OpusShim::DoDispose()
{
    m_flush.Cancel();
    if (m_connectivity)
    {
        m_connectivity->Detach();
        m_connectivity = nullptr;
    }
    m_link.reset();
    m_calls.clear();
    Application::DoDispose();
}

} // namespace ns3
