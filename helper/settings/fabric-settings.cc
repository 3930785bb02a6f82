// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-settings.h"

#include "ns3/boolean.h"
#include "ns3/circuit-planner.h"
#include "ns3/flag-parser.h"
#include "ns3/ocs-technology.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/scale-up-generation.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* MILLISECOND = "a time from 0s to 1ms such as 500ns";

/// @return "none" and the names of all congestion controls
std::vector<std::string>
GetControlNames()
{
    auto names = Variant<RdmaCongestionControl>::GetNames();
    names.insert(names.begin(), "none");
    return names;
}

/// @return whether the switches of a technology are meshes of hexagons
bool
HasMesh(const std::string& technology)
{
    const auto fabric = Variant<OcsTechnology>(technology)->MakeFabric();
    return DynamicCast<PipSwitchFabric>(fabric) != nullptr;
}

/// @return the names of the technologies whose switches are meshes
std::string
GetMeshNames()
{
    auto names = Variant<OcsTechnology>::GetNames();
    names.erase(std::remove_if(names.begin(),
                               names.end(),
                               [](const std::string& name) { return !HasMesh(name); }),
                names.end());
    return FlagParser::List(names);
}

} // namespace

FabricSettings::FabricSettings(uint32_t gpusPerDomain, const std::string& portRate)
    : m_gpusPerDomain("gpusPerDomain", gpusPerDomain),
      m_fabric("fabric", "photonic", RailFabric::GetNames()),
      m_ocs("ocs", "polatis", Variant<OcsTechnology>::GetNames()),
      m_reconfigDelay("reconfigDelay", "", 1000, "a time from 0s to 1000s such as 25ms"),
      m_portRate("portRate", portRate),
      m_hopLatency("hopLatency", "500ns", 1e-3, MILLISECOND),
      m_fibreDelay("fibreDelay", "100ns", 1e-3, MILLISECOND),
      m_spineDelay("spineDelay", "", 1e-3, MILLISECOND),
      m_coreDelay("coreDelay", "", 1e-3, MILLISECOND),
      m_congestionControl("cc", "none", GetControlNames()),
      m_lossRecovery("lossRecovery", "go-back-n", {"go-back-n", "selective-repeat"}),
      m_detail("detail", "burst", {"burst", "packet"})
{
}

void
FabricSettings::AddFlags(CommandLine& cmd)
{
    m_gpusPerDomain.AddTo(cmd, "GPUs of a scale-up domain = rails");
    m_ocs.AddTo(cmd, "OCS technology: " + m_ocs.GetChoices());
    m_mesh.AddTo(cmd,
                 "hexagons of the mesh of --ocs=" + GetMeshNames() +
                     ", rows x columns; 9x9 if not given");
    m_reconfigDelay.AddTo(cmd,
                          "reconfiguration delay of the OCS; the technology's own if not given");
    m_nicPorts.AddTo(cmd, "ports of a GPU's NIC: 1, 2 or 4");
    m_portRate.AddTo(cmd, "line rate of a NIC port");
    m_hopLatency.AddTo(cmd, "latency of an electrical switch");
    m_fibreDelay.AddTo(cmd, "propagation delay between a GPU and its rail or first switch");
    m_spineDelay.AddTo(cmd, "propagation delay from leaf to spine; fibreDelay if not given");
    m_coreDelay.AddTo(cmd, "propagation delay from spine to core; fibreDelay if not given");
    m_switchRadix.AddTo(cmd,
                        "ports of an electrical switch; 0: 64, and as many as needed on a rail");
    m_oversubscription.AddTo(cmd, "bandwidth down : up of leaves and edge switches, such as 2:1");
    m_fabricRate.AddTo(cmd, "line rate between switches; portRate if not given");
    m_congestionControl.AddTo(cmd,
                              "congestion control of RDMA: " + m_congestionControl.GetChoices() +
                                  "; none: a window is all that limits it");
    m_lossRecovery.AddTo(cmd, "how lost packets are repeated: " + m_lossRecovery.GetChoices());
    m_detail.AddTo(cmd, "events for bursts of packets, or for every packet: same results");
    cmd.AddValue("pfc", "electrical switches pause their link partners, and lose nothing", m_pfc);
    cmd.AddValue("ecn", "electrical switches mark packets when queues are long", m_ecn);
}

void
FabricSettings::AddFabricFlag(CommandLine& cmd)
{
    m_fabric.AddTo(cmd, "fabric: " + m_fabric.GetChoices());
}

void
FabricSettings::AddHostNetworkFlags(CommandLine& cmd)
{
    m_hostNetwork.AddFlags(cmd);
}

void
FabricSettings::SetHostLatency(Time latency)
{
    m_hostLatency = latency;
}

void
FabricSettings::AddScaleUpFlag(CommandLine& cmd)
{
    m_scaleUp.AddTo(cmd, GetScaleUpHelp());
}

std::string
FabricSettings::GetScaleUpHelp()
{
    return "network inside scale-up domains: " + GetScaleUpChoices() +
           "; of a job also closed-form, which is none and times by a formula, and network, which "
           "is that of --gpu";
}

std::string
FabricSettings::GetScaleUpChoices()
{
    return "none, " + ScaleUpGeneration::GetNames() + ", or the name of a GPU";
}

std::string
FabricSettings::CheckRates()
{
    const auto rate = FlagParser::ParseRate(m_portRate.GetText());
    if (!rate)
    {
        return RefuseFlag("portRate", m_portRate.GetText(), FlagParser::RATE_FORM);
    }
    m_portDataRate = *rate;
    if (!m_fabricRate.GetText().empty())
    {
        const auto fabricRate = FlagParser::ParseRate(m_fabricRate.GetText());
        if (!fabricRate)
        {
            return RefuseFlag("fabricRate", m_fabricRate.GetText(), FlagParser::RATE_FORM);
        }
        m_fabricDataRate = *fabricRate;
    }
    return "";
}

std::string
FabricSettings::CheckMesh()
{
    const std::string& text = m_mesh.GetText();
    if (text.empty())
    {
        return "";
    }
    if (!HasMesh(m_ocs.GetText()))
    {
        return RefuseFlag("mesh", text, "given with --ocs=" + GetMeshNames() + " only");
    }
    const std::size_t sign = std::min(text.find('x'), text.size() - 1);
    // What is no number is 0, which is no side.
    m_meshRows = FlagParser::ParseCount(text.substr(0, sign)).value_or(0);
    m_meshColumns = FlagParser::ParseCount(text.substr(sign + 1)).value_or(0);
    if (std::min(m_meshRows, m_meshColumns) < 1 ||
        std::max(m_meshRows, m_meshColumns) > PipMesh::MAX_SIDE)
    {
        return RefuseFlag("mesh",
                          text,
                          "two numbers from 1 to " + std::to_string(PipMesh::MAX_SIDE) +
                              " such as 9x9");
    }
    return "";
}

LightPathCheck
FabricSettings::MakeLightPathCheck(uint32_t domains) const
{
    const auto fabric = IsPhotonic() ? MakeClusterHelper(domains).MakeOcsFabric() : nullptr;
    return LightPathCheck(fabric, m_gpusPerDomain.Get(), GetNicPorts());
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
        return RefuseFlag("oversubscription", text, "two numbers from 1 to 1000 such as 2:1");
    }
    m_down = *down;
    m_up = *up;
    return "";
}

std::string
FabricSettings::Check()
{
    for (auto* count : {&m_gpusPerDomain, &m_nicPorts, &m_switchRadix})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    for (const auto* choice : {&m_fabric, &m_ocs, &m_congestionControl, &m_lossRecovery, &m_detail})
    {
        if (auto error = choice->Check(); !error.empty())
        {
            return error;
        }
    }
    const auto control = Variant<RdmaCongestionControl>::Find(m_congestionControl.GetText());
    if (control && (*control)->UsesNotifications() && !m_ecn)
    {
        return RefuseFlag("ecn",
                          "false",
                          "true with --cc=" + (*control)->GetName() +
                              ", which is told of nothing else");
    }
    if (auto error = CheckMesh(); !error.empty())
    {
        return error;
    }
    if (GetNicPorts() != 1 && GetNicPorts() != 2 && GetNicPorts() != 4)
    {
        return RefuseFlag("nicPorts", m_nicPorts.GetText(), "1, 2 or 4");
    }
    if (HasScaleUpNetwork() && !ScaleUpGeneration::Find(m_scaleUp.GetText()))
    {
        return RefuseFlag("scaleUp", m_scaleUp.GetText(), GetScaleUpChoices());
    }
    for (const auto& error : {CheckRates(), CheckOversubscription(), m_hostNetwork.Check()})
    {
        if (!error.empty())
        {
            return error;
        }
    }
    for (auto* time : {&m_reconfigDelay, &m_hopLatency, &m_fibreDelay, &m_spineDelay, &m_coreDelay})
    {
        if (auto error = time->Check(); !error.empty())
        {
            return error;
        }
    }
    return "";
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

std::vector<std::pair<std::string, std::string>>
FabricSettings::GetList() const
{
    return {{"gpusPerDomain", std::to_string(m_gpusPerDomain.Get())},
            {"ocs", m_ocs.GetText()},
            {"mesh", m_mesh.GetText()},
            {"reconfigDelay", m_reconfigDelay.GetText()},
            {"nicPorts", std::to_string(m_nicPorts.Get())},
            {"portRate", m_portRate.GetText()},
            {"hopLatency", m_hopLatency.GetText()},
            {"fibreDelay", m_fibreDelay.GetText()},
            {"spineDelay", m_spineDelay.GetText()},
            {"coreDelay", m_coreDelay.GetText()},
            {"switchRadix", std::to_string(m_switchRadix.Get())},
            {"oversubscription", std::to_string(m_down) + ":" + std::to_string(m_up)},
            {"fabricRate", m_fabricRate.GetText()},
            {"scaleUp", m_scaleUp.GetText()},
            {"cc", m_congestionControl.GetText()},
            {"lossRecovery", m_lossRecovery.GetText()},
            {"detail", m_detail.GetText()},
            {"pfc", m_pfc ? "true" : "false"},
            {"ecn", m_ecn ? "true" : "false"}};
}

std::vector<std::pair<std::string, std::string>>
FabricSettings::GetDerived() const
{
    std::vector<std::pair<std::string, std::string>> derived;
    const auto add = [&derived](const Flag& flag, const std::string& value) {
        if (flag.GetText().empty())
        {
            derived.emplace_back(flag.GetName(), value);
        }
    };
    if (HasMesh(GetOcs()))
    {
        add(m_mesh, std::to_string(m_meshRows) + "x" + std::to_string(m_meshColumns));
    }
    add(m_reconfigDelay, GetReconfigurationDelay());
    add(m_spineDelay, m_fibreDelay.GetText());
    add(m_coreDelay, m_fibreDelay.GetText());
    add(m_fabricRate, m_portRate.GetText());
    return derived;
}

RailClusterHelper
FabricSettings::MakeClusterHelper(uint32_t domains) const
{
    RailClusterHelper helper;
    helper.SetDomains(domains, m_gpusPerDomain.Get());
    helper.SetNic(m_nicPorts.Get(), m_portDataRate);
    helper.SetOcs(m_ocs.GetText());
    if (HasMesh(GetOcs()))
    {
        helper.SetOcsFabricAttribute("Rows", UintegerValue(m_meshRows));
        helper.SetOcsFabricAttribute("Columns", UintegerValue(m_meshColumns));
    }
    if (m_reconfigDelay.IsGiven())
    {
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(m_reconfigDelay.Get()));
    }
    helper.SetSwitchAttribute("HopLatency", TimeValue(m_hopLatency.Get()));
    helper.SetFibreAttribute("Delay", TimeValue(m_fibreDelay.Get()));
    const Time spine = m_spineDelay.IsGiven() ? m_spineDelay.Get() : m_fibreDelay.Get();
    const Time core = m_coreDelay.IsGiven() ? m_coreDelay.Get() : m_fibreDelay.Get();
    helper.SetFabricDelay(spine, core);
    if (m_switchRadix.Get() > 0)
    {
        helper.SetSwitchRadix(m_switchRadix.Get());
    }
    helper.SetOversubscription(m_down, m_up);
    if (m_fabricDataRate.GetBitRate() > 0)
    {
        helper.SetFabricLinkRate(m_fabricDataRate);
    }
    if (HasScaleUpNetwork())
    {
        helper.SetScaleUp(m_scaleUp.GetText());
    }
    if (m_hostNetwork.IsGiven())
    {
        HostNetworkSpec spec;
        spec.nicRate = m_hostNetwork.GetRate();
        spec.gpuDelay = m_hostLatency;
        spec.cableDelay = m_fibreDelay.Get();
        spec.radix = m_switchRadix.Get() > 0 ? m_switchRadix.Get() : spec.radix;
        helper.SetHostNetwork(spec);
        helper.SetHostNetworkSwitchAttribute("HopLatency", TimeValue(m_hopLatency.Get()));
    }
    // The first time-out must outlast a round trip through up to five switches.
    const Time way = 4 * (m_fibreDelay.Get() + spine + core) + 10 * m_hopLatency.Get();
    helper.SetQueuePairAttribute("BaseRoundTrip", TimeValue(way));
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
    if (m_detail.GetText() != "burst")
    {
        helper.SetNicAttribute("Detail", StringValue("Packet"));
    }
    if (!m_pfc)
    {
        helper.SetSwitchAttribute("Pfc", BooleanValue(false));
    }
    if (!m_ecn)
    {
        helper.SetSwitchAttribute("Ecn", BooleanValue(false));
    }
    return helper;
}

const std::string&
FabricSettings::GetName() const
{
    return m_fabric.GetText();
}

void
FabricSettings::SetName(const std::string& fabric)
{
    m_fabric.SetText(fabric);
}

RailFabric
FabricSettings::GetFabric() const
{
    return RailFabric::Find(GetName()).value();
}

std::string
FabricSettings::Describe() const
{
    return GetFabric().Describe();
}

bool
FabricSettings::IsPhotonic() const
{
    return GetFabric().IsPhotonic();
}

void
FabricSettings::SetScaleUp(const std::string& scaleUp)
{
    m_scaleUp.SetText(scaleUp);
}

bool
FabricSettings::HasScaleUpNetwork() const
{
    return m_scaleUp.GetText() != "none";
}

const HostNetworkSettings&
FabricSettings::GetHostNetwork() const
{
    return m_hostNetwork;
}

std::string
FabricSettings::GetCongestionControl() const
{
    return m_congestionControl.GetText() == "none" ? "" : m_congestionControl.GetText();
}

const std::string&
FabricSettings::GetOcs() const
{
    return m_ocs.GetText();
}

std::string
FabricSettings::GetReconfigurationDelay() const
{
    if (m_reconfigDelay.IsGiven())
    {
        return m_reconfigDelay.GetText();
    }
    std::ostringstream text;
    const Time delay = Variant<OcsTechnology>(GetOcs())->GetReconfigurationDelay();
    text << static_cast<double>(delay.GetPicoSeconds()) / 1e9 << "ms";
    return text.str();
}

uint32_t
FabricSettings::GetGpusPerDomain() const
{
    return m_gpusPerDomain.Get();
}

uint32_t
FabricSettings::GetNicPorts() const
{
    return m_nicPorts.Get();
}

const std::string&
FabricSettings::GetPortRateText() const
{
    return m_portRate.GetText();
}

DataRate
FabricSettings::GetPortRate() const
{
    return m_portDataRate;
}

} // namespace ns3
