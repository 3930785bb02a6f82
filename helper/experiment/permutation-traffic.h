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
class PermutationTraffic : public ComparedTraffic
{
  public:
    PermutationTraffic();

    void AddFlags(CommandLine& cmd) override;
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

    CountFlag m_domains{"domains", 16, 1, 1U << 16};
    BytesFlag m_bytes{"bytes", "1MiB", 1};
    CountFlag m_seed{"seed", 1};
    ChoiceFlag m_group;
    FabricSettings m_fabric{1, "400Gbps"};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PERMUTATION_TRAFFIC_H
