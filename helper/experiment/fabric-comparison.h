// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_COMPARISON_H
#define PHOTONIC_RAILS_FABRIC_COMPARISON_H

#include "ns3/fabric-probe.h"
#include "ns3/fabric-report.h"
#include "ns3/fabric-settings.h"
#include "ns3/flag-parser.h"
#include "ns3/option-group.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Traffic that several fabrics carry in turn, each in a simulation of its own.
class ComparedTraffic
{
  public:
    virtual ~ComparedTraffic() = default;

    /// @return the kinds of traffic
    static std::vector<std::string> GetKinds();
    /**
     * @param kind one of GetKinds()
     * @param options receive the options of the traffic, except the option of the fabric
     * @return the traffic with its defaults
     */
    static std::unique_ptr<ComparedTraffic> Make(const std::string& kind, OptionGroup* options);

    /**
     * @brief Check the flags on one fabric, and choose it.
     * @param fabric a name of a fabric
     * @return an empty string, or one line with the error, or with the reason why the fabric cannot
     * carry the traffic
     */
    virtual std::string Check(const std::string& fabric) = 0;

    /**
     * @brief Run on the fabric that was checked last.
     * @param probe observes the cluster
     * @return completion and message times; a reason if the traffic came to a standstill
     */
    virtual FabricRun Run(FabricProbe& probe) = 0;

    /// @return FabricSettings::DescribeTiers for the fabric that was checked last
    virtual std::string DescribeTiers() const = 0;

    /**
     * @brief Describe the traffic, after a Check without error.
     * @param circuits true for remarks on circuits
     * @return a report without runs
     */
    virtual FabricReport MakeReport(bool circuits) const = 0;
};

/**
 * @brief Every GPU sends one message to another one, all at the same time, and every GPU receives
 * one.
 *
 * On photonic rails there is a circuit for each message, from the first half of the sender's ports
 * to the second half of the receiver's, so a message has half of a NIC. Elsewhere it is striped
 * over all ports.
 */
class PermutationTraffic : public ComparedTraffic, private OptionGroup
{
  public:
    /// @param options get those of this traffic
    explicit PermutationTraffic(OptionGroup* options);

    std::string Check(const std::string& fabric) override;
    FabricRun Run(FabricProbe& probe) override;
    std::string DescribeTiers() const override;
    FabricReport MakeReport(bool circuits) const override;

    /**
     * @brief A random permutation that is one cycle, so that nobody is mapped to itself (Sattolo).
     * @param size number of elements, at least 2
     * @param seed of the random numbers
     * @return for each the one that it is mapped to
     */
    static std::vector<uint32_t> MakeCycle(uint32_t size, uint32_t seed);

  private:
    /// @return for each GPU the one that it sends to
    std::vector<uint32_t> MakePairs() const;
    /// Make the circuits.
    static void Light(const RailCluster& cluster, const std::vector<uint32_t>& pairs);

    OptionHeading m_heading{this, "traffic"};
    CountOption m_domains{this,
                          "domains",
                          16,
                          {1, 1U << 16},
                          OptionHelp("scale-up domains").First()};
    BytesOption m_bytes{this, "bytes", "1MiB", {1}, OptionHelp("bytes of each message").First()};
    CountOption m_seed{this, "seed", 1, {}, OptionHelp("seed of the permutation").First()};
    ChoiceOption m_group{
        this,
        "group",
        "world",
        {"world", "rail"},
        OptionHelp("who is permuted: world, all GPUs; rail, the GPUs of each rail").First()};
    FabricSettings m_fabric{this, 1, "400Gbps"};
};

/// The same traffic on several fabrics, each in a process of its own.
class FabricComparison : public OptionGroup
{
  public:
    /**
     * @param arguments of the program: which flags there are depends on --traffic among them
     */
    explicit FabricComparison(const std::vector<std::string>& arguments);

    /**
     * @brief Check all settings.
     * @return an empty string if at least one fabric can carry the traffic; otherwise one line that
     * names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Run on one fabric after the other.
     * @param progress gets a line for each; null for none
     * @return the results of the runs
     */
    FabricReport Run(std::ostream* progress);

    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const
    {
        return m_json.GetText();
    }

  private:
    /// @return the result of a run on a fabric; to be called in a process of its own
    FabricRun RunOne(const std::string& fabric) const;

    OptionHeading m_heading{this, "comparison"};
    ChoiceOption m_kind{this,
                        "traffic",
                        ComparedTraffic::GetKinds()[0],
                        ComparedTraffic::GetKinds(),
                        OptionHelp("traffic: {}; the other flags depend on it").First()};
    TextOption m_fabrics{this,
                         "fabrics",
                         "all",
                         OptionHelp("fabrics: all, or some of " +
                                    FlagParser::List(RailFabric::GetNames()) +
                                    ", separated by commas")
                             .First()};
    BoolOption m_latency{
        this,
        "latency",
        true,
        OptionHelp("measure the latency of packets, which takes CPU time").First()};
    FileOption m_json{this, "json", OptionHelp("write the comparison to this file").First()};
    std::string m_made; //!< kind of the traffic below: with its flags there is no other
    std::unique_ptr<ComparedTraffic> m_traffic;
    std::vector<FabricRun> m_runs; //!< by fabric; before they are run, name and reason only
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_COMPARISON_H
