// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_SETTINGS_H
#define PHOTONIC_RAILS_FABRIC_SETTINGS_H

#include "ns3/light-path-check.h"
#include "ns3/option-group.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/switch-routes.h"
#include "ns3/variant.h"

#include <string>
#include <vector>

namespace ns3
{

/// The settings of a network of the hosts.
class HostNetworkSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit HostNetworkSettings(OptionGroup* parent)
        : OptionGroup(parent)
    {
        threshold.Needs({rate.IsUsed()});
    }

    /// @return true if there is such a network, after Check
    bool IsGiven() const
    {
        return rate.Get().GetBitRate() > 0;
    }

    /// @return bytes from which on a call is bulk; 0 without such a network
    uint64_t GetThreshold() const
    {
        return IsGiven() ? threshold.Get() : 0;
    }

    /// Line rate of the NIC of a host; 0 without such a network.
    RateOption rate{this,
                    "hostNetwork",
                    "none",
                    {"none"},
                    "packet-switched network of the hosts beside the rails, for what is small or "
                    "across rails: the line rate of a host's NIC, or none"};
    /// Size from which on a call is bulk.
    BytesOption threshold{
        this,
        "hostThreshold",
        "1M",
        {0},
        OptionHelp("calls of fewer bytes take the host network, if there is one; 0: only what "
                   "the fabric cannot join")
            .Sets("ns3::OpusShim::HostThreshold")
            .Sets("ns3::AlwaysConnected::HostThreshold")};
};

/// What joins the domains: a name, or a file with a fabric, which is read when the flag is checked.
class FabricOption : public ChoiceOption
{
  public:
    /// @param group that has this option as a member
    explicit FabricOption(OptionGroup* group)
        : ChoiceOption(group,
                       "fabric",
                       "photonic",
                       RailFabric::GetNames(),
                       OptionHelp("fabric: {}, or a file FABRIC.json").First().Unlisted())
    {
    }

    /// @return the fabric, after Check
    RailFabric Get() const
    {
        const bool isRead = m_fabric && m_fabric->GetName() == GetText();
        return isRead ? *m_fabric : RailFabric::Find(GetText()).value();
    }

    /// @return the condition that no file describes the fabric
    OptionNeed IsNoFile() const;
    /// @return the condition that circuits join the domains
    OptionNeed IsPhotonic() const;
    /// @return the condition that electrical switches join the domains
    OptionNeed IsElectrical() const;

  protected:
    std::string Read(const std::string& text) override;

  private:
    /// @return true if the text is that of photonic rails
    bool HasCircuits() const;

    std::optional<RailFabric> m_fabric; //!< of the last text read
};

/// The settings of hosts, NICs and fabric: the same for all programs.
class FabricSettings : public OptionGroup
{
  public:
    /**
     * @param parent the group that has this one as a member, if there is one
     * @param gpusPerDomain the default of the flag
     * @param portRate the default of the flag
     * @param isForJob a job runs on it: there may be a network of the hosts, and what joins a
     * domain may be a formula
     */
    FabricSettings(OptionGroup* parent,
                   uint32_t gpusPerDomain,
                   const std::string& portRate,
                   bool isForJob = false);

    /// There is no flag for the fabric: the program goes through several.
    void FixFabric()
    {
        m_fabric.Fix();
    }

    /// There is no flag for networks in scale-up domains.
    void FixScaleUp()
    {
        m_scaleUp.Fix();
    }

    /// @param latency between a GPU and its host, if there is a network of hosts; 1 us by default
    void SetHostLatency(Time latency)
    {
        m_hostLatency = latency;
    }

    /// @return an option without effect needs this: the fabric is photonic
    OptionNeed NeedsPhotonic() const;
    /// @return an option without effect needs this: the fabric is electrical
    OptionNeed NeedsElectrical() const;

    /**
     * @brief Check all settings and work out what the getters below return.
     * @param gpu name of the GPU of a job
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(const std::string& gpu = "");

    /**
     * @brief Check that the NICs have enough ports for a ring.
     * @param ranks GPUs on one rail, in ring order
     * @return an empty string, or one line that names the flag; always empty if light is not lent
     */
    std::string CheckRing(const std::vector<uint32_t>& ranks) const;

    /**
     * @brief What the light paths through the switches allow.
     * @param domains scale-up domains
     * @return a check, after Check; of a fabric that is not photonic everything passes
     */
    LightPathCheck MakeLightPathCheck(uint32_t domains) const;

    /**
     * @brief Check the attributes of electrical switches, which takes a cluster that is built and
     * torn down again; none is built if it has no such switches.
     * @param domains scale-up domains
     * @return an empty string, or one line that names a switch and what does not fit together
     */
    std::string CheckSwitches(uint32_t domains) const;

    /**
     * @param domains scale-up domains
     * @return a helper that builds the cluster
     */
    RailClusterHelper MakeClusterHelper(uint32_t domains) const;

    /// @return the name of what joins the domains
    const std::string& GetName() const
    {
        return m_fabric.GetText();
    }

    /// @return what joins the domains
    RailFabric GetFabric() const;
    /// @return the name in a sentence: "photonic rails", "leaf-spine"
    std::string Describe() const;

    /// @param fabric as if the flag had been given
    void SetName(const std::string& fabric)
    {
        m_fabric.SetText(fabric);
    }

    /// @return the names of the technologies whose switches are meshes of hexagons
    static std::string GetMeshTechnologies();
    /// @return the names of all kinds of congestion control, none among them
    static std::vector<std::string> GetCongestionControls();
    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const;

    /// @return true if scale-up domains are networks
    bool HasScaleUpNetwork() const
    {
        return m_network != "none";
    }

    /// @return true if collectives inside scale-up domains take the time of a formula
    bool HasDomainsByFormula() const
    {
        return m_isForJob && m_scaleUp.GetText() == "closed-form";
    }

    /**
     * @brief Build the networks of scale-up domains for groups across domains and rails, although
     * collectives inside domains take the time of a formula; call after Check.
     * @param gpu name of the GPU of the job; nothing changes unless its scale-up network is known
     */
    void AddScaleUpForGroupsAcross(const std::string& gpu);

    /// @return the network of the hosts
    const HostNetworkSettings& GetHostNetwork() const
    {
        return m_hostNetwork;
    }

    /// @return the congestion control, by flag or attribute, or an empty string if there is none
    std::string GetCongestionControl() const
    {
        return m_congestionControl.GetText() == "none" ? m_congestionControl.GetAttributeChange()
                                                       : m_congestionControl.GetText();
    }

    /// @return whether each packet has events of its own by flag or attribute
    bool HasPackets() const
    {
        return m_fidelity.GetText() == "packet" || !m_fidelity.GetAttributeChange().empty();
    }

    /// @return the OCS technology
    const std::string& GetOcs() const
    {
        return m_ocs.GetText();
    }

    /// @return the reconfiguration delay in force, as text
    std::string GetReconfigurationDelay() const;

    /// @return GPUs of a scale-up domain
    uint32_t GetGpusPerDomain() const
    {
        return m_gpusPerDomain.Get();
    }

    /// @return ports of a NIC
    uint32_t GetNicPorts() const
    {
        return m_nicPorts.Get();
    }

    /// @return line rate of a NIC port, as text
    const std::string& GetPortRateText() const
    {
        return m_portRate.GetText();
    }

    /// @return line rate of a NIC port
    DataRate GetPortRate() const
    {
        return m_portRate.Get();
    }

    /// @return propagation delay of a fibre; the longest one if a file has those of photonic rails
    Time GetFibreDelay() const;

  private:
    /// Limits of delays in the fabric.
    static constexpr TimeLimits FABRIC_DELAY{"0s", "1ms", "500ns"};

    /// @return true if the packets of a flow cannot overtake each other
    bool KeepsOrder() const;
    /// @return an error if there is no such network in scale-up domains; sets it
    std::string CheckScaleUp(const std::string& gpu);
    /// @return an error if the size of the mesh is wrong; sets it
    std::string CheckMesh();
    /// @return an error if the oversubscription is wrong; sets it
    std::string CheckOversubscription();

    bool m_isForJob;
    OptionHeading m_heading{this, "fabric"};
    CountOption m_gpusPerDomain;
    FabricOption m_fabric{this};
    ChoiceOption m_ocs{
        this,
        "ocs",
        "polatis",
        Variant<OcsTechnology>::GetNames(),
        OptionHelp("OCS technology: {}").First().Sets("ns3::OpticalCircuitSwitch::Radix")};
    TextOption m_mesh{this,
                      "pipMesh",
                      "",
                      OptionHelp("hexagons of the mesh of --ocs=" + GetMeshTechnologies() +
                                 ", rows x columns; 9x9 if not given")
                          .Was("mesh")
                          .Sets("ns3::PipSwitchFabric::Rows")
                          .Sets("ns3::PipSwitchFabric::Columns")};
    TimeOption m_reconfigDelay{
        this,
        "reconfigDelay",
        "",
        {"0s", "1000s", "25ms"},
        OptionHelp("reconfiguration delay of the OCS; the technology's own if not given")
            .First()
            .Sets("ns3::OpticalCircuitSwitch::ReconfigurationDelay")};
    CountOption m_nicPorts{this,
                           "nicPorts",
                           2,
                           CountLimits::OneOf({1, 2, 4}),
                           "ports of a GPU's NIC: 1, 2 or 4"};
    RateOption m_portRate;
    TimeOption m_hopLatency{this,
                            "hopLatency",
                            "",
                            FABRIC_DELAY,
                            OptionHelp("latency of an electrical switch")
                                .SetsWithDefault("ns3::ElectricalSwitch::HopLatency")};
    TimeOption m_fibreDelay{
        this,
        "fibreDelay",
        "",
        FABRIC_DELAY,
        OptionHelp("propagation delay between a GPU and its rail or first switch")
            .SetsWithDefault("ns3::OpticalFibreLink::Delay")
            .Sets("ns3::RdmaQueuePair::BaseRoundTrip")};
    TimeOption m_spineDelay{this,
                            "spineDelay",
                            "",
                            FABRIC_DELAY,
                            "propagation delay from leaf to spine; fibreDelay if not given"};
    TimeOption m_coreDelay{this,
                           "coreDelay",
                           "",
                           FABRIC_DELAY,
                           "propagation delay from spine to core; fibreDelay if not given"};
    CountOption m_switchRadix{
        this,
        "switchRadix",
        0,
        {0, 4096},
        "ports of an electrical switch; 0: 64, and as many as needed on a rail"};
    CountOption m_fatTreeArity{this,
                               "fatTreeArity",
                               0,
                               {0, 4096},
                               "k of a k-ary fat-tree, even; 0: as few tiers and switches of "
                               "switchRadix ports as suffice"};
    CountOption m_spines{this,
                         "spines",
                         0,
                         {0, 4096},
                         "spines of a leaf-spine or rail-only network, or of each pod of it; 0: as "
                         "few as suffice"};
    TextOption m_oversubscription{this,
                                  "oversubscription",
                                  "1:1",
                                  "bandwidth down : up of leaves and edge switches, such as 2:1"};
    RateOption m_fabricRate{this,
                            "fabricRate",
                            "",
                            {},
                            "line rate between switches; portRate if not given"};
    TextOption m_scaleUp;
    HostNetworkSettings m_hostNetwork{this};
    ChoiceOption m_congestionControl{
        this,
        "cc",
        "none",
        GetCongestionControls(),
        OptionHelp("congestion control of RDMA: {}; none: a window is all that limits it")
            .SetsIfGiven("ns3::RdmaQueuePair::CongestionControl")};
    ChoiceOption m_lossRecovery{this,
                                "lossRecovery",
                                "go-back-n",
                                {"go-back-n", "selective-repeat"},
                                OptionHelp("how lost packets are repeated: {}")
                                    .SetsIfGiven("ns3::RdmaQueuePair::LossRecovery")};
    ChoiceOption m_fidelity{
        this,
        "fidelity",
        "burst",
        {"burst", "packet"},
        OptionHelp("events for bursts of packets, or for every packet: same results")
            .Was("detail")
            .SetsIfGiven("ns3::RdmaNic::Fidelity")};
    ChoiceOption m_loadBalancing{
        this,
        "loadBalancing",
        "ecmp",
        Variant<LoadBalancing>::GetNames(),
        OptionHelp("how switches of the fabric choose among equal paths: {}; all but ecmp let "
                   "packets overtake each other and need --lossRecovery=selective-repeat")
            .SetsIfGiven("ns3::ElectricalSwitch::LoadBalancing")};
    BoolOption m_pfc{this,
                     "pfc",
                     true,
                     OptionHelp("electrical switches pause their link partners, and lose nothing")
                         .SetsIfGiven("ns3::ElectricalSwitch::Pfc")};
    BoolOption m_ecn{this,
                     "ecn",
                     true,
                     OptionHelp("electrical switches mark packets when queues are long")
                         .SetsIfGiven("ns3::ElectricalSwitch::Ecn")};

    Time m_hostLatency{MicroSeconds(1)};

    // what Check has made of them
    std::string m_network{"none"}; //!< inside scale-up domains
    uint32_t m_down{1};
    uint32_t m_up{1};
    uint32_t m_meshRows{9};
    uint32_t m_meshColumns{9};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_SETTINGS_H
