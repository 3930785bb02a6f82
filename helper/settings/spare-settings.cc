// SPDX-License-Identifier: GPL-2.0-only

#include "spare-settings.h"

#include "ns3/flag-parser.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/recovery-helper.h"

namespace ns3
{

namespace
{

/// Longest time of a step of a recovery, in seconds.
constexpr double MOST_SPARE_SECONDS = 3600;

constexpr const char* SPARE_TIME_FORM = "a time from 0s to 3600s such as 50ms";

} // namespace

SpareSettings::SpareSettings()
    : m_selectionTime("selectionTime", "10ms", MOST_SPARE_SECONDS, SPARE_TIME_FORM),
      m_abortTime("abortTime", "50ms", MOST_SPARE_SECONDS, SPARE_TIME_FORM),
      m_processTime("processTime", "300ms", MOST_SPARE_SECONDS, SPARE_TIME_FORM),
      m_communicatorTime("communicatorTime", "100ms", MOST_SPARE_SECONDS, SPARE_TIME_FORM)
{
}

void
SpareSettings::AddFlags(CommandLine& cmd)
{
    m_gpus.AddTo(cmd, "spare GPUs in each scale-up domain, on photonic rails, 0 to 16");
    m_domains.AddTo(cmd, "further scale-up domains all of whose GPUs are spares, 0 to 4096");
    m_recovery.AddTo(cmd,
                     "what takes the place of a lost GPU: a spare of its domain (default with "
                     "--spareGpus), rail: one on the same rail in another domain (default with "
                     "--spareDomains), or migration of all ranks to idle domains");
    m_selectionTime.AddTo(cmd, "how long the fibres of a spare are dark that are led to a rail");
    m_abortTime.AddTo(cmd, "what it takes a GPU to leave the groups of the job");
    m_processTime.AddTo(cmd, "what it takes the framework to begin a rank anew");
    m_communicatorTime.AddTo(cmd, "what it takes a rank to make the communicator of a group");
    m_stateRate.AddTo(cmd, "rate at which a rank loads its weights and optimizer state");
}

std::string
SpareSettings::Check()
{
    for (auto* count : {&m_gpus, &m_domains})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    for (auto* time : {&m_selectionTime, &m_abortTime, &m_processTime, &m_communicatorTime})
    {
        if (auto error = time->Check(); !error.empty())
        {
            return error;
        }
    }
    const auto rate = FlagParser::ParseRate(m_stateRate.GetText());
    if (!rate)
    {
        return RefuseFlag(m_stateRate.GetName(), m_stateRate.GetText(), FlagParser::RATE_FORM);
    }
    m_stateDataRate = *rate;
    if (auto error = m_recovery.Check(); !error.empty())
    {
        return error;
    }
    if (m_gpus.Get() > 0 && m_domains.Get() > 0)
    {
        return "--spareGpus and --spareDomains are two ways to have spares; allowed: one of them";
    }
    const bool isInDomain = GetPolicy() == SparePool::IN_DOMAIN;
    if (IsGiven() && isInDomain != (m_gpus.Get() > 0))
    {
        return RefuseFlag(m_recovery.GetName(),
                          m_recovery.GetText(),
                          m_gpus.Get() > 0 ? "spare, as there are --spareGpus"
                                           : "rail or migration, as there are --spareDomains");
    }
    return "";
}

bool
SpareSettings::IsGiven() const
{
    return m_gpus.Get() > 0 || m_domains.Get() > 0;
}

uint32_t
SpareSettings::Count(uint32_t domains, uint32_t gpusPerDomain) const
{
    return domains * m_gpus.Get() + gpusPerDomain * m_domains.Get();
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
    recovery.SetAgentAttribute("AbortTime", TimeValue(m_abortTime.Get()));
    recovery.SetAgentAttribute("ProcessTime", TimeValue(m_processTime.Get()));
    recovery.SetAgentAttribute("CommunicatorTime", TimeValue(m_communicatorTime.Get()));
    recovery.SetAgentAttribute("StateRate", DataRateValue(m_stateDataRate));
}

std::vector<std::pair<std::string, std::string>>
SpareSettings::GetList() const
{
    std::vector<std::pair<std::string, std::string>> list;
    for (const Flag* flag : std::initializer_list<const Flag*>{&m_gpus,
                                                               &m_domains,
                                                               &m_recovery,
                                                               &m_selectionTime,
                                                               &m_abortTime,
                                                               &m_processTime,
                                                               &m_communicatorTime,
                                                               &m_stateRate})
    {
        list.emplace_back(flag->GetName(), flag->GetText());
    }
    return list;
}

} // namespace ns3
