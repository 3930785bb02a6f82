// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_RANKS_H
#define PHOTONIC_RAILS_JOB_RANKS_H

#include "rank-program.h"

#include "ns3/collective-algorithm.h"
#include "ns3/rank-layout.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

struct WorkloadSpec;

/**
 * @brief The ranks of a job: domains, process groups, and the program that each rank runs.
 *
 * A job is simulated, described and checked from this object alone, so its source does not matter:
 * a WorkloadSpec, one rail of it (RailSymmetry), or a set of traces. Ranks of one class share a
 * program.
 */
class JobRanks
{
  public:
    /// Programs by class of ranks.
    using Programs = std::vector<std::shared_ptr<const RankProgram>>;

    /// @param spec a job that passed validation
    explicit JobRanks(const WorkloadSpec& spec);

    /**
     * @param layout domains and groups of the ranks
     * @param classes class of each rank; each class has a rank
     * @param programs programs of the classes
     * @param algorithms chosen algorithms of collectives, as in WorkloadSpec
     */
    JobRanks(RankLayout layout,
             std::vector<uint32_t> classes,
             Programs programs,
             CollectiveAlgorithms algorithms);

    /// @param programs other programs of the classes, with the same groups
    void SetPrograms(Programs programs);

    /// @return domains, rails and process groups
    const RankLayout& GetLayout() const
    {
        return m_layout;
    }

    /// @return number of ranks
    uint32_t GetWorldSize() const
    {
        return m_layout.GetWorldSize();
    }

    /**
     * @param rank a global rank
     * @return the class of the rank
     */
    uint32_t GetClass(uint32_t rank) const
    {
        return m_classes[rank];
    }

    /// @return the programs of the classes
    const Programs& GetPrograms() const
    {
        return m_programs;
    }

    /**
     * @param rank a global rank
     * @return the program of the rank
     */
    const std::shared_ptr<const RankProgram>& GetProgram(uint32_t rank) const
    {
        return m_programs[m_classes[rank]];
    }

    /**
     * @param rank a global rank
     * @return the binding of the rank
     */
    RankBinding Bind(uint32_t rank) const;

    /// @return chosen algorithms of collectives
    const CollectiveAlgorithms& GetAlgorithms() const
    {
        return m_algorithms;
    }

    /// @return bytes of the state of a rank: 12 bytes per parameter of its shard with Adam in mixed
    /// precision, 4 bytes each for weight and both moments; 0 if the model is not known
    uint64_t GetStateBytes() const
    {
        return m_stateBytes;
    }

  private:
    RankLayout m_layout;
    std::vector<uint32_t> m_classes;   //!< by rank
    Programs m_programs;               //!< by class
    CollectiveAlgorithms m_algorithms; //!< chosen
    uint64_t m_stateBytes{0};          //!< see GetStateBytes
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_RANKS_H
