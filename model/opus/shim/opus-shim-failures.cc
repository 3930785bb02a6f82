// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a shim does when something has failed, and when a rank moves to another GPU.
 */

#include "opus-shim.h"

#include "ns3/node.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
OpusShim::HandleAbort(const OpusMessage& message)
{
    m_aborted = message.error;
    m_calls.clear();
    for (const uint64_t group : m_times.TakeWaiting())
    {
        ++m_stats.refused;
        m_refused(m_rank, group, message.error);
    }
    m_abortedTrace(m_rank, message.error);
}

std::string
OpusShim::DescribeWait(const ProcessGroup& group, const CollectiveCall& call) const
{
    const auto refusal = m_refusals.find(GetLeaseGroup(group, call));
    return !m_aborted.empty()            ? "is not granted: the job has failed: " + m_aborted
           : m_gone                      ? "is not granted: the GPU has left"
           : m_isDown                    ? "is not granted: the shim is down"
           : refusal != m_refusals.end() ? "is refused: " + refusal->second
                                         : "";
}

uint32_t
OpusShim::GetJob() const
{
    return m_job;
}

void
OpusShim::HandleAvoid(const OpusMessage& message)
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    for (const uint64_t one : message.groups)
    {
        const uint64_t rank = one >> 32;
        const auto port = static_cast<uint32_t>(one);
        const bool isKnown = m_directory && rank < m_directory->size() && (*m_directory)[rank] &&
                             port < (*m_directory)[rank]->size();
        if (nic && isKnown)
        {
            nic->Avoid((*(*m_directory)[rank])[port].first);
        }
    }
}

void
OpusShim::Fail()
{
    m_isDown = true;
    ++m_lives;
    m_leases.Forget(m_lives * LEASES_OF_A_LIFE);
    m_phases.Forget();
    m_times.ForgetRequests();
    m_groups.ForgetIntroductions();
}

void
OpusShim::Restart()
{
    if (!m_isDown || m_gone)
    {
        return;
    }
    m_isDown = false;
    m_leases.Forget(m_lives * LEASES_OF_A_LIFE);
    OpusMessage message(OpusMessageType::RESTART);
    message.job = m_job;
    message.rank = m_rank;
    message.groups = m_leases.GetNeeded();
    Say({message});
    ScheduleFlush();
}

void
OpusShim::Halt()
{
    Fail();
    m_flush.Cancel();
    m_leases = LeaseHolder();
    m_calls.clear();
    m_refusals.clear();
    m_times = GrantTimes();
    m_groups = LeaseGroups();
    m_phases.Halt();
}

void
OpusShim::GiveBack()
{
    if (m_rank == NO_RANK || m_gone || !m_link)
    {
        return;
    }
    OpusMessage message(OpusMessageType::RESTART);
    message.job = m_job;
    message.rank = m_rank;
    Say({message});
}

void
OpusShim::Begin(uint32_t rank, uint32_t generation)
{
    const bool isNew = rank != m_rank;
    m_rank = rank;
    m_lives = std::max(m_lives, generation * LIVES_OF_A_GENERATION);
    m_leases.Forget(m_lives * LEASES_OF_A_LIFE);
    m_phases.Start(Simulator::Now());
    m_isDown = false;
    if (isNew)
    {
        GiveBack(); // so that the rank is heard here, and told which ports are not used any more
    }
}

void
OpusShim::Leave()
{
    // The host's root port sees that the link is down: what travels here stands for that.
    TellFault(FaultKind::GPU, 0, false);
    m_gone = true;
}

void
OpusShim::NicPortFailed(Ptr<const TransceiverNetDevice> port, bool failed)
{
    auto nic = GetNode()->GetObject<RdmaNic>();
    for (uint32_t index = 0; index < nic->GetNPorts(); ++index)
    {
        if (nic->GetPort(index) == port)
        {
            TellFault(FaultKind::NIC_PORT, index, !failed);
        }
    }
}

void
OpusShim::TellFault(FaultKind kind, uint32_t port, bool mended)
{
    if (m_gone || !m_link || m_rank == NO_RANK)
    {
        return;
    }
    OpusMessage message(OpusMessageType::FAULT);
    message.fault = kind;
    message.job = m_job;
    message.rank = m_rank;
    message.port = port;
    message.mended = mended;
    Say({message});
}

} // namespace ns3
