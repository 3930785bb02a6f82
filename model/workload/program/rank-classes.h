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
 * @brief Which ranks run the same program.
 *
 * Ranks of one pipeline rank do, if their groups lie alike: a collective inside a scale-up domain
 * is another operation than one across domains, so for every role both ranks' groups are inside one
 * or neither is. Where experts of different ranks do not get equally much, they also have the same
 * place in their expert-parallel group. Classes are in the order of pipeline ranks, then of places,
 * then of their lowest ranks.
 */
class RankClasses
{
  public:
    /**
     * @param spec a job that passed validation
     * @param mesh its mesh
     */
    RankClasses(const WorkloadSpec& spec, const DeviceMesh& mesh);

    /// @return how many classes there are
    uint32_t GetCount() const;

    /**
     * @param rank a global rank
     * @return its class
     */
    uint32_t GetClass(uint32_t rank) const;

    /**
     * @param index a class
     * @return its lowest rank
     */
    uint32_t GetRepresentative(uint32_t index) const;

  private:
    std::vector<uint32_t> m_classes;         //!< by rank
    std::vector<uint32_t> m_representatives; //!< lowest ranks, by class
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_CLASSES_H
