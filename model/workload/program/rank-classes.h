// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_CLASSES_H
#define PHOTONIC_RAILS_RANK_CLASSES_H

#include "workload-spec.h"

#include "ns3/device-mesh.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Classes of ranks that run the same program.
 *
 * Two ranks of one pipeline rank are in the same class if, for every role, the groups of both are
 * inside a scale-up domain or neither is: a collective inside a domain and a collective across
 * domains are different operations. If the experts of different ranks do not receive equally many
 * tokens, the ranks of a class also have the same index in their expert-parallel groups. Classes
 * are sorted by pipeline rank, then by this index, then by lowest rank.
 */
class RankClasses
{
  public:
    /**
     * @param spec a job that passed validation
     * @param mesh its mesh
     */
    RankClasses(const WorkloadSpec& spec, const DeviceMesh& mesh);

    /// @return the number of classes
    uint32_t GetCount() const;

    /**
     * @param rank a global rank
     * @return the class of the rank
     */
    uint32_t GetClass(uint32_t rank) const;

    /**
     * @param index a class
     * @return the lowest rank of the class
     */
    uint32_t GetRepresentative(uint32_t index) const;

  private:
    std::vector<uint32_t> m_classes;         //!< by rank
    std::vector<uint32_t> m_representatives; //!< lowest ranks, by class
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_CLASSES_H
