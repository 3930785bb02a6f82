// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-settings.h"

#include "ns3/attribute-flags.h"
#include "ns3/circuit-planner.h"
#include "ns3/fabric-file.h"
#include "ns3/flag-parser.h"
#include "ns3/ocs-technology.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/scale-up-generation.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace ns3
{

namespace
{

/// @return true if an attribute of queue pairs has been set, by a flag or otherwise
bool
IsGiven(const std::string& name)
{
    TypeId::AttributeInformation info;
    RdmaQueuePair::GetTypeId().LookupAttributeByName(name, &info);
    return AttributeFlags::FindChange("ns3::RdmaQueuePair::" + name, info).has_value();
}

/// The least retransmission timeout where packets are lost rather than paused: RTO_high of IRN
/// (Mittal et al., SIGCOMM 2018), in place of the local ACK timeout of InfiniBand.
const Time LOSSY_TIMEOUT = MicroSeconds(320);

} // namespace

FabricSettings::FabricSettings(OptionGroup* parent,
                               uint32_t gpusPerDomain,
                               const std::string& portRate,
                               bool isForJob)
    : OptionGroup(parent),
      gpusPerDomain(this,
                    "gpusPerDomain",
                    gpusPerDomain,
                    {},
                    OptionHelp("GPUs of a scale-up domain = rails").First()),
      portRate(
          this,
          "portRate",
          portRate,
          {},
          OptionHelp("line rate of a NIC port").Decides("ns3::EthernetPortNetDevice::DataRate")),
      scaleUp(this,
              "scaleUp",
              isForJob ? "closed-form" : "none",
              "network inside scale-up domains: none, " + ScaleUpGeneration::GetNames() +
                  ", or the name of a GPU; of a job also network, which is that of --gpu, and "
                  "closed-form, which times groups inside a domain by a formula, and is network "
                  "for groups across domains and rails"),
      m_isForJob(isForJob)
{
    ocs.Needs({fabric.IsPhotonic()});
    reconfigDelay.Needs({fabric.IsPhotonic()});
    hopLatency.Needs({fabric.IsElectrical(), hostNetwork.rate.IsUsed()});
    switchRadix.Needs({fabric.IsElectrical(), hostNetwork.rate.IsUsed()});
    hostNetwork.threshold.Needs({hostNetwork.rate.IsUsed()});
    loadBalancing.Needs({fabric.IsElectrical()});
    for (auto* option :
         std::initializer_list<Option*>{&spineDelay, &coreDelay, &oversubscription, &fabricRate})
    {
        option->Needs({fabric.IsElectrical()});
        option->Needs({fabric.IsNoFile()});
    }
    if (!isForJob)
    {
        hostNetwork.Omit();
    }
}

std::optional<RailFabric>
FabricOption::Find() const
{
    return m_fabric && m_fabric->GetName() == GetText() ? m_fabric : RailFabric::Find(GetText());
}

bool
FabricOption::HasCircuits() const
{
    const auto fabric = Find();
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
FabricOption::CheckNeeds() const
{
    return FindError([this] { return ChoiceOption::CheckNeeds(); },
                     [this] { return CheckVariants<ElectricalFabric>(GetText()); });
}

std::string
FabricOption::Read(const std::string& text)
{
    std::string error;
    m_fabric = RailFabric::Find(text, error);
    return error;
}

std::string
OcsOption::CheckNeeds() const
{
    const auto technology = Variant<OcsTechnology>::Find(GetText());
    const auto made = technology ? (*technology)->MakeFabric() : nullptr;
    const auto& given = AttributeFlags::GetGiven();
    const bool isReplaced = given.count("ns3::OpticalCircuitSwitch::Fabric") > 0;
    return FindError([this] { return VariantOption::CheckNeeds(); },
                     [&] {
                         return isReplaced
                                    ? ""
                                    : CheckVariants(CircuitFabric::GetTypeId(),
                                                    made ? std::optional(made->GetInstanceTypeId())
                                                         : std::nullopt);
                     });
}

std::string
FabricSettings::CheckScaleUp(const std::string& gpu)
{
    const std::string& text = scaleUp.GetText();
    m_network = m_isForJob && text == "network" ? gpu : text;
    if (text == "none" || (m_isForJob && text == "closed-form"))
    {
        m_network = "none";
        return "";
    }
    return ScaleUpGeneration::Find(m_network)
               ? ""
               : scaleUp.Refuse((m_isForJob ? "closed-form, network, none, " : "none, ") +
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

LightPathCheck
FabricSettings::MakeLightPathCheck(uint32_t domains) const
{
    const auto switchFabric =
        IsPhotonic() ? MakeClusterHelper(domains).MakeOcs(GetFabric())->GetFabric() : nullptr;
    return LightPathCheck(switchFabric,
                          gpusPerDomain.Get(),
                          nicPorts.Get(),
                          GetFabric().GetCabling());
}

std::string
FabricSettings::CheckOversubscription()
{
    const std::string& text = oversubscription.GetText();
    const std::size_t colon = text.find(':');
    const auto down = FlagParser::ParseCount(text.substr(0, colon));
    const auto up = colon == std::string::npos ? 1 : FlagParser::ParseCount(text.substr(colon + 1));
    if (!down || !up || *down < 1 || *down > 1000 || *up < 1 || *up > 1000)
    {
        return oversubscription.Refuse("two numbers from 1 to 1000 such as 2:1");
    }
    m_down = *down;
    m_up = *up;
    oversubscription.SetText(std::to_string(m_down) + ":" + std::to_string(m_up));
    return "";
}

std::string
FabricSettings::Check(const std::string& gpu)
{
    if (auto error = CheckOptions(); !error.empty())
    {
        return error;
    }
    const auto control = Variant<RdmaCongestionControl>::Find(congestionControl.GetText());
    if (control && (*control)->UsesNotifications() && !ecn.Get())
    {
        return ecn.Refuse("true with --cc=" + (*control)->GetName() +
                          ", which is told of nothing else");
    }
    if (!KeepsOrder() && lossRecovery.GetText() == "go-back-n")
    {
        return loadBalancing.Refuse(
            "a rule that keeps the order of a flow such as ecmp with "
            "--lossRecovery=go-back-n, which takes packets that were overtaken for "
            "lost, and any with --lossRecovery=selective-repeat");
    }
    reconfigDelay.SetDerived(GetReconfigurationDelay());
    spineDelay.DeriveFrom(fiberDelay);
    coreDelay.DeriveFrom(fiberDelay);
    fabricRate.DeriveFrom(portRate);
    return FindError([this, &gpu] { return CheckScaleUp(gpu); },
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
        while (members.back().ports.size() < nicPorts.Get())
        {
            members.back().ports.push_back(OcsPortId{0, port++});
        }
    }
    const std::string error = CircuitPlanner::PlanRing(members).error;
    return error.empty() ? "" : "--nicPorts=" + nicPorts.GetText() + " is not enough: " + error;
}

std::string
FabricSettings::CheckSwitches(uint32_t domains) const
{
    if (IsPhotonic() && !HasScaleUpNetwork() && !hostNetwork.IsGiven())
    {
        return "";
    }
    const std::string error = MakeClusterHelper(domains).Install(GetFabric()).CheckSwitches();
    Simulator::Destroy();
    return error;
}

std::string
FabricSettings::DescribeTiers(uint32_t domains) const
{
    if (IsPhotonic() || FabricContent::IsFile(GetName()))
    {
        return "";
    }
    const RailFabric chosen = GetFabric();
    const auto switches =
        MakeClusterHelper(domains).GetPlan(chosen.GetElectrical()).topology.switches;
    uint32_t tiers = 0;
    for (const auto& one : switches)
    {
        tiers = std::max(tiers, one.tier);
    }
    const ElectricalFabric& electrical = *chosen.GetElectrical();
    if (tiers != 1 || electrical.GetMostTiers() == 1)
    {
        return "";
    }
    return electrical.JoinsRails() && gpusPerDomain.Get() > 1
               ? "with so few hosts one switch for all rails"
               : "with so few hosts one switch per rail, as electrical";
}

std::string
FabricSettings::Describe(uint32_t domains) const
{
    const std::string remark = DescribeTiers(domains);
    return GetFabric().Describe() + (remark.empty() ? "" : " (" + remark + ")");
}

Time
FabricSettings::GetFiberDelay() const
{
    const auto cabling = GetFabric().GetCabling();
    return cabling ? cabling->GetLongestDelay(fiberDelay.Get()) : fiberDelay.Get();
}

HostNetworkSpec
FabricSettings::MakeHostNetwork() const
{
    HostNetworkSpec spec;
    spec.nicRate = hostNetwork.rate.Get();
    spec.gpuDelay = hostLatency;
    spec.cableDelay = fiberDelay.Get();
    spec.radix = switchRadix.Get() > 0 ? switchRadix.Get() : spec.radix;
    return spec;
}

DataRate
FabricSettings::GetPortRate() const
{
    const auto rate = static_cast<double>(portRate.Get().GetBitRate());
    return DataRate(std::max<uint64_t>(1, std::llround(rate * goodput.Get())));
}

RailClusterHelper
FabricSettings::MakeClusterHelper(uint32_t domains) const
{
    RailClusterHelper helper;
    helper.SetDomains(domains, gpusPerDomain.Get());
    helper.SetNic(nicPorts.Get(), GetPortRate());
    helper.SetOcs(ocs.GetText());
    SetAttributes("ns3::OpticalCircuitSwitch", helper, &RailClusterHelper::SetOcsAttribute);
    SetAttributes("ns3::ElectricalSwitch", helper, &RailClusterHelper::SetSwitchAttribute);
    SetAttributes("ns3::OpticalFiberLink", helper, &RailClusterHelper::SetFiberAttribute);
    SetAttributes("ns3::RdmaNic", helper, &RailClusterHelper::SetNicAttribute);
    SetAttributes("ns3::RdmaQueuePair", helper, &RailClusterHelper::SetQueuePairAttribute);
    helper.SetFabricDelay(spineDelay.Get(), coreDelay.Get());
    if (switchRadix.Get() > 0)
    {
        helper.SetSwitchRadix(switchRadix.Get());
    }
    helper.SetOversubscription(m_down, m_up);
    if (fabricRate.IsSet())
    {
        helper.SetFabricLinkRate(fabricRate.Get());
    }
    if (HasScaleUpNetwork())
    {
        helper.SetScaleUp(m_network);
    }
    if (hostNetwork.IsGiven())
    {
        helper.SetHostNetwork(MakeHostNetwork());
        helper.SetHostNetworkSwitchAttribute("HopLatency", TimeValue(hopLatency.Get()));
    }
    if (!KeepsOrder())
    {
        // Without losses a packet is late, never lost. With losses, the packets of one round trip
        // through short queues may overtake.
        constexpr uint32_t lossless = 1 << 24;
        constexpr uint32_t lossy = 64;
        helper.SetQueuePairAttribute("ReorderTolerance",
                                     UintegerValue(pfc.Get() ? lossless : lossy));
    }
    if (!pfc.Get())
    {
        for (const char* name : {"InitialTimeout", "MinTimeout"})
        {
            if (!IsGiven(name))
            {
                helper.SetQueuePairAttribute(name, TimeValue(LOSSY_TIMEOUT));
            }
        }
    }
    return helper;
}

bool
FabricSettings::KeepsOrder() const
{
    return Variant<LoadBalancing>(loadBalancing.GetText())->KeepsOrder();
}

std::string
FabricSettings::GetReconfigurationDelay() const
{
    if (reconfigDelay.IsSet())
    {
        return reconfigDelay.GetText();
    }
    return FlagParser::ToText(Variant<OcsTechnology>(ocs.GetText())->GetReconfigurationDelay());
}

} // namespace ns3
