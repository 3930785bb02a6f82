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

FaultSettings::FaultSettings()
    : m_protectionTime("protectionTime", "10ms", 10, "a time from 0s to 10s such as 10ms"),
      m_detectionTime("detectionTime", "30ms", 10, "a time from 1us to 10s such as 30ms")
{
}

void
FaultSettings::AddFlags(CommandLine& cmd)
{
    m_fault.AddTo(cmd,
                  "what breaks, KIND:TARGET@TIME or KIND:TARGET@TIME+DURATION in a row; kinds are "
                  "ocs:SWITCH, ocs-port:SWITCH/PORT, nic-port:GPU/PORT, gpu:GPU, shim:GPU");
    m_rate.AddTo(cmd,
                 "what breaks at random moments, KIND:RATE@END or KIND:RATE@END+DURATION in a row: "
                 "faults per component and second, before END");
    m_spares.AddTo(cmd, "optical circuit switches that take the place of failed ones, 0 to 16");
    m_protectionTime.AddTo(cmd, "how long fibres are dark that are led to a spare");
    m_detectionTime.AddTo(cmd, "how long something is gone until it is taken to be broken");
}

std::string
FaultSettings::Check(FaultScope scope)
{
    m_faults.clear();
    if (auto error = m_spares.Check(); !error.empty())
    {
        return error;
    }
    for (auto* time : {&m_protectionTime, &m_detectionTime})
    {
        if (auto error = time->Check(); !error.empty())
        {
            return error;
        }
    }
    if (m_detectionTime.Get() < MicroSeconds(1))
    {
        return RefuseFlag(m_detectionTime.GetName(),
                          m_detectionTime.GetText(),
                          "a time from 1us to 10s such as 30ms");
    }
    scope.switches += m_spares.Get();
    if (auto allowed = FaultPlan::Parse(m_fault.GetText(), scope, m_faults); !allowed.empty())
    {
        return RefuseFlag(m_fault.GetName(), m_fault.GetText(), allowed);
    }
    std::vector<FaultPlan::Rate> rates;
    if (auto allowed = FaultPlan::ParseRates(m_rate.GetText(), rates); !allowed.empty())
    {
        return RefuseFlag(m_rate.GetName(), m_rate.GetText(), allowed);
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

bool
FaultSettings::IsGiven() const
{
    return !m_faults.empty();
}

Time
FaultSettings::GetDetectionTime() const
{
    return m_detectionTime.Get();
}

bool
FaultSettings::HasSpares() const
{
    return m_spares.Get() > 0;
}

bool
FaultSettings::IsUsed() const
{
    return !m_fault.GetText().empty() || !m_rate.GetText().empty() || HasSpares();
}

const std::vector<Fault>&
FaultSettings::Get() const
{
    return m_faults;
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

std::vector<std::pair<std::string, std::string>>
FaultSettings::GetList() const
{
    std::vector<std::pair<std::string, std::string>> list;
    for (const Flag* flag : std::initializer_list<const Flag*>{&m_fault,
                                                               &m_rate,
                                                               &m_spares,
                                                               &m_protectionTime,
                                                               &m_detectionTime})
    {
        list.emplace_back(flag->GetName(), flag->GetText());
    }
    return list;
}

} // namespace ns3
