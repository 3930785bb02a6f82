// SPDX-License-Identifier: GPL-2.0-only

#include "training-circuits.h"

#include "ns3/opus-controller.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/// A switch has begun to carry out a command.
void
CountReconfiguration(TrainingRecorder* recorder,
                     Ptr<const OpticalCircuitSwitch>,
                     const CircuitSet&,
                     const CircuitSet&)
{
    recorder->CountReconfiguration();
}

/// A shim was granted a group for which calls may have waited.
void
CountExposed(TrainingRecorder* recorder, uint32_t rank, uint64_t, Time, Time exposed, bool)
{
    recorder->CountExposed(rank, exposed);
}

} // namespace

TrainingCircuits::TrainingCircuits(const TrainingSettings& settings)
    : m_settings(settings)
{
}

std::vector<Ptr<OpticalCircuitSwitch>>
TrainingCircuits::GetSwitches(const RailCluster& cluster)
{
    std::vector<Ptr<OpticalCircuitSwitch>> switches;
    for (uint32_t rail = 0; cluster.IsPhotonic() && rail < cluster.GetGpusPerDomain(); ++rail)
    {
        switches.push_back(cluster.GetOcs(rail));
    }
    for (uint32_t spare = 0; spare < cluster.GetNSpares(); ++spare)
    {
        switches.push_back(cluster.GetSpare(spare)->GetObject<OpticalCircuitSwitch>());
    }
    return switches;
}

void
TrainingCircuits::Install(RailCluster& cluster, OpusHelper& opus, TrainingRecorder& recorder) const
{
    if (!cluster.IsPhotonic())
    {
        InstallAlwaysConnected(cluster);
        return;
    }
    for (const auto& ocs : GetSwitches(cluster))
    {
        ocs->TraceConnectWithoutContext("ReconfigurationStart",
                                        MakeBoundCallback(&CountReconfiguration, &recorder));
    }
    const Variant<CircuitPolicy> policy = m_settings.GetPolicy();
    if (policy->IsLending())
    {
        Configure(opus);
    }
    const FabricSettings& fabric = m_settings.fabric;
    const auto finish = policy->Install(cluster,
                                        opus,
                                        {m_settings.GetPlannedRanks(),
                                         cluster.GetNDomains(),
                                         cluster.GetNicPortCount(),
                                         fabric.portRate.Get(),
                                         m_settings.GetSlotTime()});
    if (finish)
    {
        recorder.SetEnded(m_settings.iterations.Get(), finish);
    }
    InstallAlwaysConnected(cluster);
    const bool hasShims = !opus.GetControllers().empty();
    for (uint32_t gpu = 0; hasShims && gpu < cluster.GetNAllGpus(); ++gpu)
    {
        opus.GetShim(gpu)->TraceConnectWithoutContext("Granted",
                                                      MakeBoundCallback(&CountExposed, &recorder));
    }
}

void
TrainingCircuits::Configure(OpusHelper& opus) const
{
    opus.SetShimAttribute("HostThreshold",
                          UintegerValue(m_settings.fabric.hostNetwork.GetThreshold()));
    opus.SetControlLatency(m_settings.controlPlane.controlLatency.Get());
    opus.SetHostLinkLatency(m_settings.controlPlane.hostLatency.Get());
    opus.SetPolicy(m_settings.GetPolicy()->GetName());
    opus.SetControllers(m_settings.GetControllers());
    m_settings.controlPlane.Apply(opus);
    m_settings.faults.Apply(opus);
}

void
TrainingCircuits::InstallAlwaysConnected(const RailCluster& cluster) const
{
    const uint64_t hostThreshold = m_settings.fabric.hostNetwork.GetThreshold();
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        if (!cluster.GetGpu(gpu)->GetObject<ConnectivityProvider>())
        {
            auto provider = CreateObject<AlwaysConnected>();
            provider->SetAttribute("HostThreshold", UintegerValue(hostThreshold));
            cluster.GetGpu(gpu)->AggregateObject(provider);
        }
    }
}

} // namespace ns3
