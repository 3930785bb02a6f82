// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PERMUTATION_TRAFFIC_H
#define PHOTONIC_RAILS_PERMUTATION_TRAFFIC_H

#include "compared-traffic.h"

#include "ns3/fabric-settings.h"

namespace ns3
{

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
    FabricReport MakeReport(bool circuits) const override;

    /**
     * @brief A random permutation that is one cycle, so that nobody is mapped to itself (Sattolo).
     * @param size how many are permuted, at least 2
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

} // namespace ns3

#endif // PHOTONIC_RAILS_PERMUTATION_TRAFFIC_H
