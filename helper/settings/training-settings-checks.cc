// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Whether the parts of TrainingSettings fit each other.
 */

#include "training-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/rail-symmetry.h"
#include "ns3/scale-up-generation.h"

#include <algorithm>

namespace ns3
{

std::string
TrainingSettings::CheckScaleUp()
{
    const std::string& text = m_scaleUp.GetText();
    const std::string network = text == "network" ? m_workload.GetGpu() : text;
    if (text == "closed-form" || text == "none")
    {
        m_fabric.SetScaleUp("none");
        return "";
    }
    if (!ScaleUpGeneration::Find(network))
    {
        return RefuseFlag("scaleUp",
                          text,
                          "closed-form, network, " + FabricSettings::GetScaleUpChoices());
    }
    m_fabric.SetScaleUp(network);
    return "";
}

std::string
TrainingSettings::CheckFaults()
{
    if (auto error = m_spares.Check(); !error.empty())
    {
        return error;
    }
    const bool isLent = m_fabric.IsPhotonic() && GetPolicy()->IsLending();
    const auto ranks = static_cast<uint32_t>(GetWorkload().parallelism.GetWorldSize());
    const uint32_t domains = ranks / std::max(1U, m_fabric.GetGpusPerDomain());
    FaultScope scope;
    scope.gpus = ranks + m_spares.Count(domains, m_fabric.GetGpusPerDomain());
    if (isLent || !m_spares.IsGiven())
    {
        scope.switches = m_fabric.GetGpusPerDomain();
        scope.nicPorts = m_fabric.GetNicPorts();
        scope.switchPorts = domains * scope.nicPorts;
    }
    if (auto error = m_faults.Check(scope); !error.empty())
    {
        return error;
    }
    if (m_spares.IsGiven())
    {
        return CheckSpares();
    }
    if (!m_faults.IsUsed())
    {
        return "";
    }
    const std::string flag = m_faults.HasSpares() ? "--spareRails: " : "--fault: ";
    if (!isLent)
    {
        return flag + "nobody would notice it; allowed with --fabric=photonic and a --policy that "
                      "lends circuits";
    }
    if (m_faults.HasSpares() && m_controlPlane.HasControllerPerRail())
    {
        return flag + "a spare may take over any rail; allowed with --controllers=one";
    }
    if (IsOneRail())
    {
        return flag + "what breaks tells rails apart; allowed with --symmetry=none";
    }
    if (DistributedRun::GetLaunched() > 1)
    {
        return flag + "allowed in a single process";
    }
    return "";
}

std::string
TrainingSettings::CheckSpares() const
{
    const std::string flag = "--spareGpus, --spareDomains: ";
    if (m_fabric.IsPhotonic() && !GetPolicy()->IsLending())
    {
        return flag + "circuits that stay do not follow a rank; allowed with a --policy that lends "
                      "circuits, or with electrical fabrics";
    }
    if (m_controlPlane.HasControllerPerRail())
    {
        return flag + "a spare may be led to any rail; allowed with --controllers=one";
    }
    if (IsOneRail())
    {
        return flag + "a spare tells rails apart; allowed with --symmetry=none";
    }
    if (DistributedRun::GetLaunched() > 1)
    {
        return flag + "allowed in a single process";
    }
    if (m_describe)
    {
        return "";
    }
    if (m_fabric.GetHostNetwork().IsGiven())
    {
        return flag + "spares have no ports on a host network; allowed with --hostNetwork=none";
    }
    const std::string error = MakeClusterHelper().Check(m_fabric.GetFabric());
    return error.empty() ? "" : flag + error;
}

std::string
TrainingSettings::CheckSymmetry() const
{
    if (!IsOneRail() || m_describe)
    {
        return "";
    }
    const RailFabric fabric = m_fabric.GetFabric();
    if (!fabric.HasEqualRails())
    {
        return "--fabric=" + m_fabric.GetName() + " has rails that differ; allowed: " +
               RailFabric::GetNames(&RailFabric::HasEqualRails);
    }
    if (fabric.IsPhotonic() && !GetPolicy()->IsLending())
    {
        return "--policy=" + m_policy.GetText() + " plans all rails; allowed with those that lend";
    }
    if (fabric.IsPhotonic() && !m_controlPlane.HasControllerPerRail())
    {
        return "one controller serves rails one after the other, so that they differ by some "
               "100 ns; allowed with --controllers=rails";
    }
    if (!fabric.IsPhotonic() && !m_fabric.GetCongestionControl().empty())
    {
        return "switches mark packets at random, on each rail others; allowed with --cc=none";
    }
    if (m_controlPlane.HasLoss())
    {
        return "frames are lost at random, on each rail others; allowed with --controlLoss=0";
    }
    if (m_fabric.HasScaleUpNetwork())
    {
        return "the network of a domain joins rails; allowed with --scaleUp=closed-form";
    }
    if (m_fabric.GetHostNetwork().IsGiven())
    {
        return "the GPUs of a domain share the NIC of their host; allowed with --hostNetwork=none";
    }
    if (!m_variation.IsEven())
    {
        return "--slowdown and --jitter tell rails apart; allowed without them";
    }
    if (!m_output.GetPcapPrefix().empty())
    {
        return "--pcap captures all rails; allowed without it";
    }
    if (!m_output.GetAsciiPrefix().empty())
    {
        return "--ascii traces all rails; allowed without it";
    }
    if (!m_output.GetQueuePairFile().empty())
    {
        return "--qpStats lists all rails; allowed without it";
    }
    return RailSymmetry(GetWorkload()).Check();
}

} // namespace ns3
