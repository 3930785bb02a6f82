// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVES_EXPERIMENT_H
#define PHOTONIC_RAILS_COLLECTIVES_EXPERIMENT_H

#include "ns3/collective-algorithm.h"
#include "ns3/collectives-settings.h"
#include "ns3/fabric-probe.h"
#include "ns3/rail-cluster.h"
#include "ns3/record-tables.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/// Latency and inverse bandwidth of an idle fabric, and inside scale-up domains, as measured.
struct FabricLinks
{
    AlphaBeta network; //!< between domains; of everything if domains are no networks
    AlphaBeta domain;  //!< inside domains that are networks; zero if they are not

    /**
     * @brief Measure a cluster that has just been built, in a simulation of its own.
     *
     * Alpha is the latency of a message without data between neighbours on the ring of a rail, or
     * of a message of some packets less the time that beta has for them, so that it includes
     * store-and-forward in switches. Beta counts the bytes of full packets on the wire over the
     * rates of all ports of a NIC.
     *
     * @param cluster the cluster; the circuits of photonic rails are set up as rings
     * @param packets full packets of the message that is sent over each port
     * @return the measured links; the simulator has been destroyed
     */
    static FabricLinks Measure(const RailCluster& cluster, uint32_t packets = 0);
};

/// A series of collectives on one fabric, as nccl-tests run it on real machines.
class CollectivesExperiment
{
  public:
    /// @param settings settings that passed their Check, which this object refers to
    explicit CollectivesExperiment(const CollectivesSettings& settings);

    /**
     * @brief Run one size in a simulation of its own and tear everything down.
     *
     * The warm-up calls come first. When they have ended on all ranks, all ranks make the first
     * timed call at the same time; each makes the next one when its own has ended.
     *
     * @param bytes the size that is asked for
     * @param probe measures the fabric during the timed calls; null for none
     * @param records receive the timed calls; null for none
     * @return the row, or nothing if the calls came to a standstill
     */
    std::optional<CollectiveReport::Row> Run(uint64_t bytes,
                                             FabricProbe* probe = nullptr,
                                             RecordTables* records = nullptr) const;

  private:
    /// @return the textbook's cost of a call on networks of some rates; nothing if there is no
    /// formula
    std::optional<CollectiveCost> GetCost(const CollectiveCall& call,
                                          const CollectiveRates& rates) const;

    const CollectivesSettings& m_settings;
    FabricLinks m_links;
    CircuitTerms m_terms; //!< of lent circuits
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVES_EXPERIMENT_H
