// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_DEMAND_H
#define PHOTONIC_RAILS_JOB_DEMAND_H

#include "job-groups.h"

#include "ns3/job-topology.h"
#include "ns3/port-partition.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The bytes that a job sends between GPUs of one rail in an iteration, predicted from its
 * programs.
 *
 * Collectives are modelled as rings in both directions. To each neighbour a rank of N sends
 * - for an AllGather half of N - 1 shards,
 * - for a ReduceScatter half of (N - 1) / N of the tensor, for an AllReduce twice that number,
 * - for an AllToAll N / 8 of all bytes that the rank sends, since a block takes N / 4 hops on
 *   average.
 */
class JobDemand
{
  public:
    /// The demand on one rail; members are domains.
    struct Rail
    {
        std::vector<JobTopology::Group> groups;
        std::vector<MemberDemand> pairs;
    };

    /**
     * @param mesh mesh of the job, which must outlive this object
     * @param classes classes of its ranks
     * @param programs programs of the classes
     */
    JobDemand(const DeviceMesh& mesh,
              const RankClasses& classes,
              const JobGroups::Programs& programs);

    /// @return demand by dimension of the mesh, without dimensions that send nothing along rails
    std::vector<DimensionDemand> GetDimensions() const;

    /**
     * @param rail a rail
     * @return groups with collectives, by id, and pairs with Sends
     */
    Rail GetRail(uint32_t rail) const;

  private:
    using Pair = std::pair<uint32_t, uint32_t>;

    /// Add an operation of a rank.
    void Add(uint32_t rank, const RankOperation& operation);

    const DeviceMesh& m_mesh;
    std::map<Dimension, std::map<Pair, uint64_t>> m_dimensions; //!< lower rank first
    std::map<uint32_t, uint64_t> m_groups; //!< bytes of all ranks to both neighbours, by id
    std::map<Pair, uint64_t> m_sends;      //!< by sender and receiver
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_DEMAND_H
