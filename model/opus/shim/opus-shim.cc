// SPDX-License-Identifier: GPL-2.0-only

#include "opus-shim.h"

#include "opus-shim-connectivity.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusShim");

uint64_t
OpusShim::GetLeaseGroup(const ProcessGroup& group, const CollectiveCall& call) const
{
    return FindLeaseGroup(m_rank, group, call);
}

void
OpusShim::Request(const ProcessGroup& group, const CollectiveCall& call, Callback<void> granted)
{
    NS_LOG_FUNCTION(this << group.id << ToString(call.kind));
    if (group.GetSize() < 2)
    {
        granted(); // nobody to talk to
        return;
    }
    if (m_gone || !m_aborted.empty())
    {
        ++m_stats.refused;
        m_refused(m_rank, GetLeaseGroup(group, call), m_aborted);
        return;
    }
    const uint64_t lease = m_groups.Learn(m_rank, group, call);
    m_leases.SetKeep(m_keepLeases);
    m_phases.Begin(call, Simulator::Now(), m_detectIterations);
    CheckPrediction(lease, call);
    const uint64_t token = ++m_lastToken;
    const bool now = m_leases.Begin(lease, call.kind, token);
    ScheduleFlush();
    if (now)
    {
        granted();
        return;
    }
    m_calls[token] = granted;
    m_times.CallWaits(lease, Simulator::Now());
}

void
OpusShim::CheckPrediction(uint64_t group, const CollectiveCall& call)
{
    if (const auto expected = m_phases.TakeMisprediction(group, call))
    {
        ++m_stats.mispredicted;
        m_leases.Unwant(*expected);
        m_mispredicted(m_rank, *expected, group);
    }
}

void
OpusShim::Release(const ProcessGroup& group, const CollectiveCall& call)
{
    NS_LOG_FUNCTION(this << group.id << ToString(call.kind));
    if (group.GetSize() < 2)
    {
        return;
    }
    m_leases.End(GetLeaseGroup(group, call), call.kind);
    m_phases.End(Simulator::Now());
    Work();
}

void
OpusShim::NotifyIterationEnd()
{
    m_phases.EndIteration();
    ScheduleFlush();
}

void
OpusShim::HandleMessage(uint32_t, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (m_gone || m_isDown)
    {
        return;
    }
    m_heard(message);
    switch (message.type)
    {
    case OpusMessageType::GRANT:
        HandleGrant(message);
        break;
    case OpusMessageType::ABORT:
        HandleAbort(message);
        break;
    case OpusMessageType::AVOID:
        HandleAvoid(message);
        break;
    case OpusMessageType::RECALL:
        if (message.speculative)
        {
            m_leases.Hint(message.group, message.lease);
            break;
        }
        m_stats.recalled += m_leases.Recall(message.group, message.lease, message.limit) ? 1 : 0;
        break;
    case OpusMessageType::REFUSE:
        NS_LOG_ERROR("rank " << m_rank << ", group " << message.group << ": " << message.error);
        ++m_stats.refused;
        m_refusals[message.group] = message.error;
        m_refused(m_rank, message.group, message.error);
        break;
    default:
        NS_LOG_WARN("unexpected " << message);
    }
    Work();
}

void
OpusShim::HandleGrant(const OpusMessage& message)
{
    if (!m_leases.Grant(message.group, message.lease))
    {
        return; // taken back in the meantime
    }
    const auto [waited, exposed] = m_times.Grant(message.group, message.duration, Simulator::Now());
    ++m_stats.granted;
    m_stats.waited += waited;
    m_stats.exposed += exposed;
    const bool speculative = m_phases.TakeExpected(message.group);
    m_granted(m_rank, message.group, waited, exposed, speculative);
}

void
OpusShim::HandleDrained(uint64_t group)
{
    m_times.CallWaits(group, Simulator::Now());
    m_leases.Drained(group);
    Work();
}

void
OpusShim::Work()
{
    ScheduleFlush();
    if (m_working)
    {
        return; // the loop below sees what has been added
    }
    m_working = true;
    for (auto effects = m_leases.TakeEffects(); !effects.empty(); effects = m_leases.TakeEffects())
    {
        for (const auto& effect : effects)
        {
            Carry(effect);
        }
    }
    m_working = false;
}

void
OpusShim::Carry(const LeaseHolder::Effect& effect)
{
    // Only collectives are suspended, and their leases bear the id of their group.
    const auto group = static_cast<uint32_t>(effect.group);
    switch (effect.type)
    {
    case LeaseHolder::Effect::ADMIT: {
        const auto call = m_calls.find(effect.token);
        if (call == m_calls.end())
        {
            break; // the job has failed
        }
        const Callback<void> granted = call->second;
        m_calls.erase(call);
        granted();
        break;
    }
    case LeaseHolder::Effect::SUSPEND: {
        ++m_stats.suspended;
        const Callback<void> drained =
            MakeCallback(&OpusShim::HandleDrained, this).Bind(effect.group);
        const auto& suspend = m_connectivity->GetTraffic().suspend;
        if (suspend.IsNull())
        {
            drained();
        }
        else
        {
            suspend(group, drained);
        }
        break;
    }
    case LeaseHolder::Effect::RESUME: {
        const auto& resume = m_connectivity->GetTraffic().resume;
        if (!resume.IsNull())
        {
            resume(group);
        }
        break;
    }
    }
}

void
OpusShim::ScheduleFlush()
{
    // At the end of the instant: what the rank does next at the same time decides whether a phase
    // has ended, and all that is to be said goes into one frame.
    if (m_flush.IsExpired())
    {
        m_flush = Simulator::ScheduleNow(&OpusShim::Flush, this);
    }
}

void
OpusShim::Flush()
{
    if (m_isDown)
    {
        return; // what there is to say is said by Restart
    }
    Provision();
    if (Yield())
    {
        m_phases.EndPhase(); // it may need the same group again, later
        Provision();
    }
    std::vector<OpusMessage> messages;
    for (const auto& message : m_leases.TakeMessages())
    {
        messages.push_back(MakeMessage(message));
    }
    if (!messages.empty() && m_link && !m_gone && m_aborted.empty())
    {
        Say(messages);
    }
}

void
OpusShim::Provision()
{
    const auto next = m_phases.TakeWish(m_provisioning && m_leases.IsIdle(), m_times.GetFastest());
    if (!next)
    {
        return;
    }
    const uint64_t group = GetLeaseGroup(m_groups.GetGroup(next->groupId), *next);
    if (!m_leases.IsHeld(group))
    {
        m_phases.Expect(group);
        ++m_stats.speculative;
        m_leases.Want(group, next->kind == CollectiveKind::RECV);
    }
}

bool
OpusShim::Yield()
{
    const auto next = m_phases.PredictNext(Simulator::Now(), m_times.GetFastest());
    if (!next)
    {
        return false; // who does not know what comes next keeps what it has
    }
    const uint64_t group = GetLeaseGroup(m_groups.GetGroup(next->call.groupId), next->call);
    return m_leases.Yield(next->sendsSoon ? std::optional<uint64_t>(group) : std::nullopt);
}

const TrafficProfile&
OpusShim::GetProfile() const
{
    return m_phases.GetProfile();
}

void
OpusShim::WriteProfile(std::ostream& os) const
{
    using Json = nlohmann::ordered_json;
    Json calls = Json::array();
    for (const auto& [call, gap] : m_phases.GetProfile().GetIteration())
    {
        Json json{{"group", call.groupId},
                  {"ranks", m_groups.GetGroup(call.groupId).ranks},
                  {"kind", ToString(call.kind)},
                  {"bytes", call.bytes}};
        if (call.IsPointToPoint())
        {
            json["peer"] = call.peer;
        }
        json["stream"] = call.stream;
        json["gap_s"] = gap.GetSeconds();
        calls.push_back(json);
    }
    os << Json{{"rank", m_rank}, {"calls", calls}}.dump(2) << "\n";
}

void
OpusShim::Say(const std::vector<OpusMessage>& messages)
{
    for (const auto& message : messages)
    {
        m_said(message);
    }
    m_link->Send(messages);
}

OpusMessage
OpusShim::MakeMessage(const LeaseHolder::Message& message)
{
    OpusMessage result(message.request ? OpusMessageType::REQUEST : OpusMessageType::RELEASE);
    result.job = m_job;
    result.rank = m_rank;
    result.group = message.group;
    result.lease = message.lease;
    result.completed = message.completed;
    if (!message.request)
    {
        m_times.Release(message.group);
        ++m_stats.released;
        m_released(m_rank, message.group);
        return result;
    }
    ++m_stats.requested;
    m_times.Request(message.group, Simulator::Now());
    result.passive = message.passive;
    result.speculative = message.speculative;
    result.ranks = m_groups.Introduce(message.group);
    m_requested(m_rank, message.group, result.speculative);
    return result;
}

} // namespace ns3
