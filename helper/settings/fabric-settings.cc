// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-settings.h"

#include "ns3/boolean.h"
#include "ns3/circuit-cabling.h"
#include "ns3/circuit-planner.h"
#include "ns3/fabric-content.h"
#include "ns3/flag-parser.h"
#include "ns3/ocs-technology.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/scale-up-generation.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>

namespace ns3
{

namespace
{

/// @return whether the switches of a technology are meshes of hexagons
bool
HasMesh(const std::string& technology)
{
    const auto fabric = Variant<OcsTechnology>(technology)->MakeFabric();
    return DynamicCast<PipSwitchFabric>(fabric) != nullptr;
}

} // namespace

FabricSettings::FabricSettings(OptionGroup* parent,
                               uint32_t gpusPerDomain,
                               const std::string& portRate,
                               bool isForJob)
    : OptionGroup(parent),
      m_isForJob(isForJob),
      m_gpusPerDomain(this,
                      "gpusPerDomain",
                      gpusPerDomain,
                      {},
                      OptionHelp("GPUs of a scale-up domain = rails").First()),
      m_portRate(
          this,
          "portRate",
          portRate,
          {},
          OptionHelp("line rate of a NIC port").Sets("ns3::EthernetPortNetDevice::DataRate")),
      m_scaleUp(this,
                "scaleUp",
                isForJob ? "closed-form" : "none",
                "network inside scale-up domains: none, " + ScaleUpGeneration::GetNames() +
                    ", or the name of a GPU; of a job also network, which is that of --gpu, and "
                    "closed-form, which times groups inside a domain by a formula, and is network "
                    "for groups across domains and rails")
{
    for (auto* option : std::initializer_list<Option*>{&m_ocs, &m_reconfigDelay})
    {
        option->Needs({NeedsPhotonic()});
    }
    for (auto* option : std::initializer_list<Option*>{&m_hopLatency, &m_switchRadix})
    {
        option->Needs({m_fabric.IsElectrical(), m_hostNetwork.rate.IsUsed()});
    }
    for (auto* option : std::initializer_list<Option*>{&m_spineDelay,
                                                       &m_coreDelay,
                                                       &m_oversubscription,
                                                       &m_fabricRate,
                                                       &m_loadBalancing})
    {
        option->Needs({m_fabric.IsElectrical()});
    }
    for (auto* option : std::initializer_list<Option*>{&m_spineDelay,
                                                       &m_coreDelay,
                                                       &m_oversubscription,
                                                       &m_fabricRate})
    {
        option->Needs({m_fabric.IsNoFile()});
    }
    m_fatTreeArity.Needs({m_fabric.Is({"fat-tree"})});
    m_spines.Needs({m_fabric.Is({"leaf-spine", "rail-only"})});
    if (!isForJob)
    {
        m_hostNetwork.Omit();
    }
}

bool
FabricOption::HasCircuits() const
{
    const bool isRead = m_fabric && m_fabric->GetName() == GetText();
    const auto fabric = isRead ? m_fabric : RailFabric::Find(GetText());
    return fabric && fabric->IsPhotonic();
}

OptionNeed
FabricOption::IsPhotonic() const
{
    return Fits([this] { return HasCircuits(); }, "--fabric=photonic");
}

OptionNeed
FabricOption::IsElectrical() const
{
    return Fits([this] { return !HasCircuits(); }, "another --fabric");
}

OptionNeed
FabricOption::IsNoFile() const
{
    return Fits([this] { return !FabricContent::IsFile(GetText()); },
                "--fabric without a file, which has delays and rates of its own");
}

std::string
FabricOption::Read(const std::string& text)
{
    std::string error;
    m_fabric = RailFabric::Find(text, error);
    return error;
}

OptionNeed
FabricSettings::NeedsPhotonic() const
{
    return m_fabric.IsPhotonic();
}

OptionNeed
FabricSettings::NeedsElectrical() const
{
    return m_fabric.IsElectrical();
}

std::string
FabricSettings::CheckScaleUp(const std::string& gpu)
{
    const std::string& text = m_scaleUp.GetText();
    m_network = m_isForJob && text == "network" ? gpu : text;
    if (text == "none" || (m_isForJob && text == "closed-form"))
    {
        m_network = "none";
        return "";
    }
    return ScaleUpGeneration::Find(m_network)
               ? ""
               : m_scaleUp.Refuse((m_isForJob ? "closed-form, network, none, " : "none, ") +
                                  ScaleUpGeneration::GetNames() + ", or the name of a GPU");
}

void
FabricSettings::AddScaleUpForGroupsAcross(const std::string& gpu)
{
    if (ScaleUpGeneration::Find(gpu))
    {
        m_network = gpu;
    }
}

std::string
FabricSettings::CheckMesh()
{
    const std::string& text = m_mesh.GetText();
    if (text.empty())
    {
        if (HasMesh(GetOcs()))
        {
            m_mesh.SetDerived(std::to_string(m_meshRows) + "x" + std::to_string(m_meshColumns));
        }
        return "";
    }
    if (!HasMesh(GetOcs()))
    {
        return m_mesh.Refuse("given with --ocs=" + GetMeshTechnologies() + " only");
    }
    const std::size_t sign = std::min(text.find('x'), text.size() - 1);
    // What is no number is 0, which is no side.
    m_meshRows = FlagParser::ParseCount(text.substr(0, sign)).value_or(0);
    m_meshColumns = FlagParser::ParseCount(text.substr(sign + 1)).value_or(0);
    if (std::min(m_meshRows, m_meshColumns) < 1 ||
        std::max(m_meshRows, m_meshColumns) > PipMesh::MAX_SIDE)
    {
        return m_mesh.Refuse("two numbers from 1 to " + std::to_string(PipMesh::MAX_SIDE) +
                             " such as 9x9");
    }
    return "";
}

LightPathCheck
FabricSettings::MakeLightPathCheck(uint32_t domains) const
{
    const auto fabric =
        IsPhotonic() ? MakeClusterHelper(domains).MakeOcsFabric(GetFabric()) : nullptr;
    return LightPathCheck(fabric, m_gpusPerDomain.Get(), GetNicPorts(), GetFabric().GetCabling());
}

std::string
FabricSettings::CheckOversubscription()
{
    const std::string& text = m_oversubscription.GetText();
    const std::size_t colon = text.find(':');
    const auto down = FlagParser::ParseCount(text.substr(0, colon));
    const auto up = colon == std::string::npos ? 1 : FlagParser::ParseCount(text.substr(colon + 1));
    if (!down || !up || *down < 1 || *down > 1000 || *up < 1 || *up > 1000)
    {
        return m_oversubscription.Refuse("two numbers from 1 to 1000 such as 2:1");
    }
    m_down = *down;
    m_up = *up;
    m_oversubscription.SetText(std::to_string(m_down) + ":" + std::to_string(m_up));
    return "";
}

std::string
FabricSettings::Check(const std::string& gpu)
{
    if (auto error = CheckOptions(); !error.empty())
    {
        return error;
    }
    const auto control = Variant<RdmaCongestionControl>::Find(m_congestionControl.GetText());
    if (control && (*control)->UsesNotifications() && !m_ecn.Get())
    {
        return m_ecn.Refuse("true with --cc=" + (*control)->GetName() +
                            ", which is told of nothing else");
    }
    if (!KeepsOrder() && m_lossRecovery.GetText() == "go-back-n")
    {
        return m_loadBalancing.Refuse("ecmp with --lossRecovery=go-back-n, which takes packets "
                                      "that were overtaken for lost, and anything with "
                                      "--lossRecovery=selective-repeat");
    }
    m_reconfigDelay.SetDerived(GetReconfigurationDelay());
    m_spineDelay.DeriveFrom(m_fibreDelay);
    m_coreDelay.DeriveFrom(m_fibreDelay);
    m_fabricRate.DeriveFrom(m_portRate);
    return FindError([this] { return CheckMesh(); },
                     [this, &gpu] { return CheckScaleUp(gpu); },
                     [this] { return CheckOversubscription(); });
}

std::string
FabricSettings::CheckRing(const std::vector<uint32_t>& ranks) const
{
    if (!IsPhotonic())
    {
        return "";
    }
    // Any cabling will do to see whether there are enough ports.
    std::vector<CircuitPlanner::Member> members;
    uint32_t port = 0;
    for (uint32_t rank : ranks)
    {
        members.push_back({rank, {}});
        while (members.back().ports.size() < GetNicPorts())
        {
            members.back().ports.push_back(OcsPortId{0, port++});
        }
    }
    const std::string error = CircuitPlanner::PlanRing(members).error;
    return error.empty() ? "" : "--nicPorts=" + m_nicPorts.GetText() + " is not enough: " + error;
}

std::string
FabricSettings::CheckSwitches(uint32_t domains) const
{
    if (IsPhotonic() && !HasScaleUpNetwork() && !m_hostNetwork.IsGiven())
    {
        return "";
    }
    const std::string error = MakeClusterHelper(domains).Install(GetFabric()).CheckSwitches();
    Simulator::Destroy();
    return error;
}

Time
FabricSettings::GetFibreDelay() const
{
    const auto cabling = GetFabric().GetCabling();
    return cabling ? cabling->GetLongestDelay(m_fibreDelay.Get()) : m_fibreDelay.Get();
}

RailClusterHelper
FabricSettings::MakeClusterHelper(uint32_t domains) const
{
    RailClusterHelper helper;
    helper.SetDomains(domains, m_gpusPerDomain.Get());
    helper.SetNic(m_nicPorts.Get(), m_portRate.Get());
    helper.SetOcs(m_ocs.GetText());
    if (HasMesh(GetOcs()))
    {
        helper.SetOcsFabricAttribute("Rows", UintegerValue(m_meshRows));
        helper.SetOcsFabricAttribute("Columns", UintegerValue(m_meshColumns));
    }
    if (m_reconfigDelay.IsSet())
    {
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(m_reconfigDelay.Get()));
    }
    helper.SetSwitchAttribute("HopLatency", TimeValue(m_hopLatency.Get()));
    helper.SetFibreAttribute("Delay", TimeValue(m_fibreDelay.Get()));
    helper.SetFabricDelay(m_spineDelay.Get(), m_coreDelay.Get());
    if (m_switchRadix.Get() > 0)
    {
        helper.SetSwitchRadix(m_switchRadix.Get());
    }
    helper.SetFatTreeArity(m_fatTreeArity.Get());
    helper.SetSpines(m_spines.Get());
    helper.SetOversubscription(m_down, m_up);
    if (m_fabricRate.IsSet())
    {
        helper.SetFabricLinkRate(m_fabricRate.Get());
    }
    if (HasScaleUpNetwork())
    {
        helper.SetScaleUp(m_network);
    }
    if (m_hostNetwork.IsGiven())
    {
        HostNetworkSpec spec;
        spec.nicRate = m_hostNetwork.rate.Get();
        spec.gpuDelay = m_hostLatency;
        spec.cableDelay = m_fibreDelay.Get();
        spec.radix = m_switchRadix.Get() > 0 ? m_switchRadix.Get() : spec.radix;
        helper.SetHostNetwork(spec);
        helper.SetHostNetworkSwitchAttribute("HopLatency", TimeValue(m_hopLatency.Get()));
    }
    // A flag at its default leaves the attribute alone, which has a flag of ns-3's own.
    if (const auto control = Variant<RdmaCongestionControl>::Find(m_congestionControl.GetText()))
    {
        helper.SetQueuePairAttribute("CongestionControl",
                                     StringValue((*control)->GetInstanceTypeId().GetName()));
    }
    if (m_lossRecovery.GetText() != "go-back-n")
    {
        helper.SetQueuePairAttribute("LossRecovery", StringValue("SelectiveRepeat"));
    }
    if (!KeepsOrder())
    {
        helper.SetSwitchAttribute("LoadBalancing", StringValue(m_loadBalancing.GetText()));
        // Without losses a packet is late, never lost. With losses, the packets of one round trip
        // through short queues may overtake.
        constexpr uint32_t lossless = 1 << 24;
        constexpr uint32_t lossy = 64;
        helper.SetQueuePairAttribute("ReorderTolerance",
                                     UintegerValue(m_pfc.Get() ? lossless : lossy));
    }
    if (m_fidelity.GetText() != "burst")
    {
        helper.SetNicAttribute("Fidelity", StringValue("Packet"));
    }
    if (!m_pfc.Get())
    {
        helper.SetSwitchAttribute("Pfc", BooleanValue(false));
    }
    if (!m_ecn.Get())
    {
        helper.SetSwitchAttribute("Ecn", BooleanValue(false));
    }
    return helper;
}

std::string
FabricSettings::GetMeshTechnologies()
{
    auto names = Variant<OcsTechnology>::GetNames();
    names.erase(std::remove_if(names.begin(),
                               names.end(),
                               [](const std::string& name) { return !HasMesh(name); }),
                names.end());
    return FlagParser::List(names);
}

std::vector<std::string>
FabricSettings::GetCongestionControls()
{
    auto names = Variant<RdmaCongestionControl>::GetNames();
    names.insert(names.begin(), "none");
    return names;
}

RailFabric
FabricSettings::GetFabric() const
{
    return m_fabric.Get();
}

std::string
FabricSettings::Describe() const
{
    return GetFabric().Describe();
}

bool
FabricSettings::KeepsOrder() const
{
    return Variant<LoadBalancing>(m_loadBalancing.GetText())->KeepsOrder();
}

bool
FabricSettings::IsPhotonic() const
{
    return GetFabric().IsPhotonic();
}

std::string
FabricSettings::GetReconfigurationDelay() const
{
    if (m_reconfigDelay.IsSet())
    {
        return m_reconfigDelay.GetText();
    }
    std::ostringstream text;
    const Time delay = Variant<OcsTechnology>(GetOcs())->GetReconfigurationDelay();
    text << static_cast<double>(delay.GetPicoSeconds()) / 1e9 << "ms";
    return text.str();
}

} // namespace ns3
