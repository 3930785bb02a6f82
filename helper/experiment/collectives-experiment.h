// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVES_EXPERIMENT_H
#define PHOTONIC_RAILS_COLLECTIVES_EXPERIMENT_H

#include "fabric-links.h"

#include "ns3/collectives-settings.h"
#include "ns3/fabric-probe.h"

#include <optional>

namespace ns3
{

/// A series of collectives on one fabric: what nccl-tests do on real machines.
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
     * @param probe measures what the fabric shows during the timed calls; null for none
     * @return the row, or nothing if the calls came to a standstill
     */
    std::optional<CollectiveReport::Row> Run(uint64_t bytes, FabricProbe* probe = nullptr) const;

  private:
    /// @return the textbook's cost of a size
    CollectiveCost GetCost(const CollectiveSize& size) const;

    const CollectivesSettings& m_settings;
    FabricLinks m_links;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVES_EXPERIMENT_H
