// SPDX-License-Identifier: GPL-2.0-only

#include "rule-settings.h"

namespace ns3
{

namespace
{

/// The framework of the recorded job.
constexpr const char* RECORDED = "torchtitan-0.1.0";

} // namespace

void
RuleSettings::Finish()
{
    const std::string name = m_framework.IsSet() ? m_framework.GetText() : RECORDED;
    m_rules = Variant<Framework>(name)->MakeRules();
    m_framework.SetDerived(name);
    if (!m_framework.IsSet())
    {
        const auto replicas = ParseRule<DataParallelism>(m_dataParallelism.GetText());
        const bool isSharded = replicas.value_or(DataParallelism::FSDP) == DataParallelism::FSDP;
        m_rules.reshard = isSharded ? ReshardPolicy::ALWAYS : ReshardPolicy::DEFAULT;
        m_rules.recomputation = Recomputation::FULL;
    }
    for (const auto& change : m_changes)
    {
        change(m_rules);
    }
}

} // namespace ns3
