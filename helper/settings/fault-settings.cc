// SPDX-License-Identifier: GPL-2.0-only

#include "fault-settings.h"

#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Of random numbers, far from those of ranks and switches.
constexpr int64_t STREAM = int64_t{1} << 40;

} // namespace

FaultSettings::FaultSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    m_protectionTime.Needs({m_spares.IsUsed()});
    m_detectionTime.Needs({m_fault.IsUsed(), m_rate.IsUsed()});
}

std::string
FaultSettings::Check(FaultScope scope)
{
    m_faults.clear();
    scope.switches += m_spares.Get();
    if (auto allowed = FaultPlan::Parse(m_fault.GetText(), scope, m_faults); !allowed.empty())
    {
        return m_fault.Refuse(allowed);
    }
    std::vector<FaultPlan::Rate> rates;
    if (auto allowed = FaultPlan::ParseRates(m_rate.GetText(), rates); !allowed.empty())
    {
        return m_rate.Refuse(allowed);
    }
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(STREAM);
    for (const auto& rate : rates)
    {
        const auto drawn =
            FaultPlan::Draw(rate, scope, [&random] { return random->GetValue(0, 1); });
        m_faults.insert(m_faults.end(), drawn.begin(), drawn.end());
    }
    return "";
}

void
FaultSettings::Apply(OpusHelper& opus) const
{
    if (IsGiven())
    {
        // Long enough that the last fault is noticed.
        opus.SetFaultDetection(m_detectionTime.Get(),
                               FaultPlan::GetEnd(m_faults) + m_detectionTime.Get() * int64_t{2});
    }
}

void
FaultSettings::Apply(RailClusterHelper& cluster) const
{
    cluster.SetSpareRails(m_spares.Get(), m_protectionTime.Get());
}

} // namespace ns3
