// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_BUILDER_H
#define PHOTONIC_RAILS_RANK_PROGRAM_BUILDER_H

#include "rank-program.h"
#include "workload-spec.h"

#include "ns3/device-mesh.h"

#include <cstdint>
#include <memory>
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
    uint32_t GetCount() const
    {
        return static_cast<uint32_t>(m_representatives.size());
    }

    /**
     * @param rank a global rank
     * @return the class of the rank
     */
    uint32_t GetClass(uint32_t rank) const
    {
        return m_classes[rank];
    }

    /**
     * @param index a class
     * @return the lowest rank of the class
     */
    uint32_t GetRepresentative(uint32_t index) const
    {
        return m_representatives[index];
    }

  private:
    std::vector<uint32_t> m_classes;         //!< by rank
    std::vector<uint32_t> m_representatives; //!< lowest ranks, by class
};

/**
 * @brief Derives the operations of one training iteration on a rank, in the order of its framework.
 * A pure function of its inputs.
 *
 * The program follows the rank's pipeline schedule and combines the operations of other classes:
 * UnitEmitter for the inside of the model, DataParallelEmitter for parameters and gradients,
 * TransferEmitter for transfers between stages, OptimizerEmitter for the rest of the step.
 */
class RankProgramBuilder
{
  public:
    /**
     * @brief Build the program that every rank of a class (RankClasses) runs in every iteration.
     * @param spec a job that passed validation
     * @param mesh the mesh of the job
     * @param rank a rank of the class
     * @return the program
     */
    static std::shared_ptr<const RankProgram> Build(const WorkloadSpec& spec,
                                                    const DeviceMesh& mesh,
                                                    uint32_t rank);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_BUILDER_H
