// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_SETTINGS_H
#define PHOTONIC_RAILS_FABRIC_SETTINGS_H

#include "ns3/light-path-check.h"
#include "ns3/option-group.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/switch-forwarding.h"
#include "ns3/variant.h"

#include <string>
#include <vector>

namespace ns3
{

/// The settings of a network of the hosts.
class HostNetworkSettings : public OptionGroup
{
  public:
    using OptionGroup::OptionGroup;

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
            .Decides("ns3::OpusShim::HostThreshold")
            .Decides("ns3::AlwaysConnected::HostThreshold")};
};

/// The fabric between domains: a name, or a file, which is read when the flag is checked.
class FabricOption : public ChoiceOption
{
  public:
    /// @param group that has this option as a member
    explicit FabricOption(OptionGroup* group)
        : ChoiceOption(group,
                       "fabric",
                       "photonic",
                       RailFabric::GetNames(),
                       OptionHelp("fabric: {}, or a file FABRIC.json")
                           .First()
                           .Reads({""}, ".json")
                           .Unlisted())
    {
    }

    /// @return the fabric, after Check
    RailFabric Get() const
    {
        return Find().value();
    }

    /// @return the condition that no file describes the fabric
    OptionNeed IsNoFile() const;
    /// @return the condition that circuits join the domains
    OptionNeed IsPhotonic() const;
    /// @return the condition that electrical switches join the domains
    OptionNeed IsElectrical() const;

    std::string CheckNeeds() const override;

  protected:
    std::string Read(const std::string& text) override;

  private:
    /// @return the fabric of the text, if there is one
    std::optional<RailFabric> Find() const;
    /// @return true if the text is that of photonic rails
    bool HasCircuits() const;

    std::optional<RailFabric> m_fabric; //!< of the last text read
};

/// The technology of the optical circuit switches.
class OcsOption : public VariantOption<OcsTechnology>
{
  public:
    using VariantOption::VariantOption;

    /// @return an error too if an attribute belongs to a CircuitFabric of other switches
    std::string CheckNeeds() const override;
};

/// The settings of hosts, NICs and fabric: the same for all programs.
class FabricSettings : public OptionGroup
{
  public:
    /**
     * @param parent the group that has this one as a member, if there is one
     * @param gpusPerDomain the default of the flag
     * @param portRate the default of the flag
     * @param isForJob true if a training job runs on the fabric: hosts may have a network, and a
     * formula may replace the networks inside domains
     */
    FabricSettings(OptionGroup* parent,
                   uint32_t gpusPerDomain,
                   const std::string& portRate,
                   bool isForJob = false);

    /**
     * @brief Check all settings and derive the results of the getters below.
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
     * @brief Make a check of the light paths through the switches.
     * @param domains scale-up domains
     * @return a check, after Check; of a fabric that is not photonic everything passes
     */
    LightPathCheck MakeLightPathCheck(uint32_t domains) const;

    /**
     * @brief Check the attributes of electrical switches, which takes a cluster that is built and
     * destroyed again; a fabric without such switches is not built.
     * @param domains scale-up domains
     * @return an empty string, or one line that names a switch and its attributes that do not fit
     * together
     */
    std::string CheckSwitches(uint32_t domains) const;

    /**
     * @param domains scale-up domains
     * @return a helper that builds the cluster
     */
    RailClusterHelper MakeClusterHelper(uint32_t domains) const;

    /// @return the network of the hosts, if one is given
    HostNetworkSpec MakeHostNetwork() const;

    /**
     * @param domains scale-up domains
     * @return the fabric in a sentence, which says if there are too few hosts for its tiers; after
     * Check
     */
    std::string Describe(uint32_t domains) const;

    /**
     * @param domains scale-up domains of the cluster
     * @return a remark if a fabric of several tiers has come down to single switches, or an empty
     * string
     */
    std::string DescribeTiers(uint32_t domains) const;

    /// @return the name of the fabric between domains
    const std::string& GetName() const
    {
        return fabric.GetText();
    }

    /// @return the fabric between domains
    RailFabric GetFabric() const
    {
        return fabric.Get();
    }

    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const
    {
        return GetFabric().IsPhotonic();
    }

    /// @return true if scale-up domains are networks
    bool HasScaleUpNetwork() const
    {
        return m_network != "none";
    }

    /// @return true if collectives inside scale-up domains take the time of a formula
    bool HasDomainsByFormula() const
    {
        return m_isForJob && scaleUp.GetText() == "closed-form";
    }

    /**
     * @brief Build the networks of scale-up domains for groups across domains and rails, although
     * collectives inside domains take the time of a formula; call after Check.
     * @param gpu name of the GPU of the job; nothing changes unless its scale-up network is known
     */
    void AddScaleUpForGroupsAcross(const std::string& gpu);

    /// @return the congestion control, by flag or attribute, or an empty string if there is none
    std::string GetCongestionControl() const
    {
        return congestionControl.GetText() == "none" ? congestionControl.GetAttributeChange()
                                                     : congestionControl.GetText();
    }

    /// @return true if each packet has events of its own by flag or attribute
    bool HasPackets() const
    {
        return fidelity.GetText() == "packet" || fidelity.GetAttributeChange() == "Packet";
    }

    /// @return the reconfiguration delay in force, as text
    std::string GetReconfigurationDelay() const;

    /// @return the rate at which a NIC port sends: its line rate times the goodput
    DataRate GetPortRate() const;

    /// @return propagation delay of a fiber; the longest one if a file has those of photonic rails
    Time GetFiberDelay() const;

    Time hostLatency{MicroSeconds(1)}; //!< between a GPU and its host, if hosts have a network

    OptionHeading heading{this, "fabric"};
    CountOption gpusPerDomain;
    FabricOption fabric{this};
    OcsOption ocs{
        this,
        "ocs",
        "polatis",
        OptionHelp("OCS technology: {}").First().Decides("ns3::OpticalCircuitSwitch::Radix")};
    TimeOption reconfigDelay{
        this,
        "reconfigDelay",
        "",
        {"0s", "1000s", "25ms"},
        OptionHelp("reconfiguration delay of the OCS; the technology's own if not given")
            .First()
            .Sets("ns3::OpticalCircuitSwitch::ReconfigurationDelay")};
    CountOption nicPorts{this,
                         "nicPorts",
                         2,
                         CountLimits::OneOf({1, 2, 4}),
                         "ports of a GPU's NIC: 1, 2 or 4"};
    RateOption portRate;
    NumberOption goodput{this,
                         "goodput",
                         "1",
                         {0.001, 1},
                         "share of --portRate that ports between domains reach, beside headers, "
                         "which packets have: about 0.92 to 0.97 for well-kept RoCE, far less for "
                         "sockets; prices are for all of it"};
    TimeOption hopLatency{this,
                          "hopLatency",
                          "",
                          FABRIC_DELAY,
                          OptionHelp("latency of an electrical switch")
                              .SetsWithDefault("ns3::ElectricalSwitch::HopLatency")};
    TimeOption fiberDelay{this,
                          "fiberDelay",
                          "",
                          FABRIC_DELAY,
                          OptionHelp("propagation delay between a GPU and its rail or first switch")
                              .SetsWithDefault("ns3::OpticalFiberLink::Delay")
                              .Decides("ns3::RdmaQueuePair::BaseRoundTrip")};
    TimeOption spineDelay{this,
                          "spineDelay",
                          "",
                          FABRIC_DELAY,
                          "propagation delay from leaf to spine; fiberDelay if not given"};
    TimeOption coreDelay{this,
                         "coreDelay",
                         "",
                         FABRIC_DELAY,
                         "propagation delay from spine to core; fiberDelay if not given"};
    CountOption switchRadix{
        this,
        "switchRadix",
        0,
        {0, 4096},
        "ports of an electrical switch; 0: 64, and as many as needed on a rail"};
    TextOption oversubscription{this,
                                "oversubscription",
                                "1:1",
                                "bandwidth down : up of leaves and edge switches, such as 2:1"};
    RateOption fabricRate{this,
                          "fabricRate",
                          "",
                          {},
                          "line rate between switches; portRate if not given"};
    TextOption scaleUp;
    HostNetworkSettings hostNetwork{this};
    VariantOption<RdmaCongestionControl> congestionControl{
        this,
        "cc",
        "none",
        OptionHelp("congestion control of RDMA: {}; none: a window is all that limits it")
            .SetsIfGiven("ns3::RdmaQueuePair::CongestionControl"),
        {"none"}};
    ChoiceOption lossRecovery{this,
                              "lossRecovery",
                              "go-back-n",
                              {"go-back-n", "selective-repeat"},
                              OptionHelp("how lost packets are repeated: {}")
                                  .SetsIfGiven("ns3::RdmaQueuePair::LossRecovery")};
    ChoiceOption fidelity{
        this,
        "fidelity",
        "burst",
        {"burst", "packet"},
        OptionHelp("events for bursts of packets, or for every packet: same results")
            .SetsIfGiven("ns3::RdmaNic::Fidelity")};
    VariantOption<LoadBalancing> loadBalancing{
        this,
        "loadBalancing",
        "ecmp",
        OptionHelp(
            "how switches of the fabric choose among equal paths: {}; those that let packets "
            "of a flow overtake each other (not ecmp) need --lossRecovery=selective-repeat")
            .SetsIfGiven("ns3::ElectricalSwitch::LoadBalancing")};
    BoolOption pfc{this,
                   "pfc",
                   true,
                   OptionHelp("electrical switches pause their link partners, and lose nothing")
                       .SetsIfGiven("ns3::ElectricalSwitch::Pfc")};
    BoolOption ecn{this,
                   "ecn",
                   true,
                   OptionHelp("electrical switches mark packets when queues are long")
                       .SetsIfGiven("ns3::ElectricalSwitch::Ecn")};

  private:
    /// Limits of delays in the fabric.
    static constexpr TimeLimits FABRIC_DELAY{"0s", "1ms", "500ns"};

    /// @return true if the packets of a flow cannot overtake each other
    bool KeepsOrder() const;
    /// Derive the network inside scale-up domains. @return an error if no GPU has that network
    std::string CheckScaleUp(const std::string& gpu);
    /// Read the oversubscription. @return an error if the ratio is wrong
    std::string CheckOversubscription();

    bool m_isForJob;

    // derived by Check
    std::string m_network{"none"}; //!< inside scale-up domains
    uint32_t m_down{1};
    uint32_t m_up{1};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_SETTINGS_H
