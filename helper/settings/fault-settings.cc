// SPDX-License-Identifier: GPL-2.0-only

#include "fault-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/flag-parser.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/recovery-helper.h"

#include <initializer_list>
#include <sstream>

namespace ns3
{

namespace
{

/// First stream of random numbers for lost frames; ranks have those before.
constexpr int64_t LOSS_STREAM = 1 << 24;

/// Default outage of a controller: that of RestartSec in systemd.service(5), "Defaults to 100ms".
constexpr int64_t RESTART_MILLISECONDS = 100;

constexpr const char* CRASH_FORM =
    "empty or TIME[,RESTART[,TIME[,RESTART...]]], times such as 10ms up "
    "to 1000s, each crash later than the one before";

/// Of random numbers, far from those of ranks and switches.
constexpr int64_t STREAM = int64_t{1} << 40;

} // namespace

void
ControlPlaneSettings::Needs(const OptionNeed& photonic,
                            const OptionNeed& lending,
                            const std::vector<OptionNeed>& orForLatencies)
{
    standbyCrash.Needs({standby.IsUsed()});
    for (const auto& need : {photonic, lending})
    {
        for (auto* option : std::initializer_list<Option*>{&controllers, &loss, &crash, &standby})
        {
            option->Needs({need});
        }
        std::vector<OptionNeed> forLatencies{need};
        forLatencies.insert(forLatencies.end(), orForLatencies.begin(), orForLatencies.end());
        controlLatency.Needs(forLatencies);
        hostLatency.Needs(forLatencies);
    }
}

std::string
ControlPlaneSettings::ReadCrashes(const TextOption& option, Crashes& crashes)
{
    crashes.clear();
    std::istringstream entries(option.GetText());
    bool isRestart = false;
    for (std::string entry; std::getline(entries, entry, ','); isRestart = !isRestart)
    {
        const auto time = FlagParser::ParseTime(entry, Seconds(1000));
        const bool isLater = time && time->IsStrictlyPositive() &&
                             (isRestart || crashes.empty() || *time > crashes.back().first);
        if (!isLater)
        {
            return option.Refuse(CRASH_FORM);
        }
        if (isRestart)
        {
            crashes.back().second = *time;
        }
        else
        {
            crashes.emplace_back(*time, MilliSeconds(RESTART_MILLISECONDS));
        }
    }
    return "";
}

std::string
ControlPlaneSettings::Check()
{
    const bool isShared = DistributedRun::GetLaunched() > 1;
    if (standby.Get() && isShared)
    {
        return standby.Refuse("false with several processes");
    }
    if (loss.Get() > 0 && isShared && controllers.GetText() != "rails")
    {
        return loss.Refuse(
            "0 with several processes, in which messages of one instant have another "
            "order and others of them are lost, or with --controllers=rails");
    }
    const std::string error = ReadCrashes(crash, m_crashes);
    return error.empty() ? ReadCrashes(standbyCrash, m_standbyCrashes) : error;
}

void
ControlPlaneSettings::DeriveControllers(bool needsOne)
{
    const bool isDisturbed = loss.Get() > 0 || !m_crashes.empty() || standby.Get();
    controllers.SetDerived(needsOne || isDisturbed ? "one" : "rails");
}

void
ControlPlaneSettings::Apply(OpusHelper& opus) const
{
    if (loss.Get() > 0)
    {
        opus.SetControlLoss(loss.Get(), LOSS_STREAM);
    }
    if (standby.Get())
    {
        opus.SetStandby();
    }
    for (const auto& [at, restart] : m_crashes)
    {
        opus.AddControllerCrash(at, restart);
    }
    for (const auto& [at, restart] : m_standbyCrashes)
    {
        opus.AddStandbyCrash(at, restart);
    }
}

FaultSettings::FaultSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    protectionTime.Needs({spares.IsUsed()});
    detectionTime.Needs({fault.IsUsed(), rate.IsUsed()});
}

std::string
FaultSettings::Check(FaultScope scope)
{
    m_faults.clear();
    scope.switches += spares.Get();
    if (auto allowed = FaultPlan::Parse(fault.GetText(), scope, m_faults); !allowed.empty())
    {
        return fault.Refuse(allowed);
    }
    std::vector<FaultPlan::Rate> rates;
    if (auto allowed = FaultPlan::ParseRates(rate.GetText(), rates); !allowed.empty())
    {
        return rate.Refuse(allowed);
    }
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(STREAM);
    for (const auto& one : rates)
    {
        if (scope.Count(one.kind) == 0)
        {
            return rate.Refuse("rates of what the fabric has: " + scope.Describe());
        }
        const auto drawn =
            FaultPlan::Draw(one, scope, [&random] { return random->GetValue(0, 1); });
        if (drawn.size() > FaultPlan::MOST_DRAWN)
        {
            return rate.Refuse("at most " + std::to_string(FaultPlan::MOST_DRAWN) +
                               " faults at each rate, which this rate exceeds before its END");
        }
        m_faults.insert(m_faults.end(), drawn.begin(), drawn.end());
    }
    return "";
}

void
FaultSettings::Apply(OpusHelper& opus) const
{
    if (IsGiven())
    {
        opus.SetFaultDetection(detectionTime.Get(),
                               FaultPlan::GetHeartbeatSpans(m_faults, detectionTime.Get()));
    }
}

void
FaultSettings::Apply(RailClusterHelper& cluster) const
{
    cluster.SetSpareRails(spares.Get(), protectionTime.Get());
}

SpareSettings::SpareSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    const std::vector<OptionNeed> spares{m_gpus.IsUsed(), m_domains.IsUsed()};
    m_recovery.Needs(spares);
    m_abortTime.Needs(spares);
    m_processTime.Needs(spares);
    m_communicatorTime.Needs(spares);
    m_stateRate.Needs(spares);
    m_selectionTime.Needs({m_gpus.IsUsed()});
}

std::string
SpareSettings::Check()
{
    if (m_gpus.Get() > 0 && m_domains.Get() > 0)
    {
        return "--spareGpus and --spareDomains are two ways to have spares; allowed: one of them";
    }
    const bool isInDomain = GetPolicy() == SparePool::IN_DOMAIN;
    if (IsGiven() && isInDomain != (m_gpus.Get() > 0))
    {
        return m_recovery.Refuse(m_gpus.Get() > 0
                                     ? "spare, as there are --spareGpus"
                                     : "rail or migration, as there are --spareDomains");
    }
    return "";
}

SparePool::Policy
SpareSettings::GetPolicy() const
{
    if (m_recovery.GetText().empty())
    {
        return m_domains.Get() > 0 ? SparePool::ON_RAIL : SparePool::IN_DOMAIN;
    }
    for (const auto policy : {SparePool::IN_DOMAIN, SparePool::ON_RAIL})
    {
        if (ToString(policy) == m_recovery.GetText())
        {
            return policy;
        }
    }
    return SparePool::MIGRATION;
}

void
SpareSettings::Apply(RailClusterHelper& cluster) const
{
    cluster.SetSpareGpus(m_gpus.Get(), m_selectionTime.Get());
    cluster.SetSpareDomains(m_domains.Get());
}

void
SpareSettings::Apply(RecoveryHelper& recovery) const
{
    recovery.SetPolicy(GetPolicy());
    SetAttributes("ns3::RecoveryAgent", recovery, &RecoveryHelper::SetAgentAttribute);
}

} // namespace ns3
