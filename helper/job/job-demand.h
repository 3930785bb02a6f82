// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_DEMAND_H
#define PHOTONIC_RAILS_JOB_DEMAND_H

#include "ns3/collective-algorithm.h"
#include "ns3/job-ranks.h"
#include "ns3/matching-schedule.h"
#include "ns3/rail-cluster.h"
#include "ns3/static-circuits.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/// The groups of a job with collective calls, and the fabrics that can connect them.
class JobGroups
{
  public:
    /// The calls of ranks on a group.
    struct Use
    {
        GroupRole role{GroupRole::WORLD}; //!< first role of the group
        std::set<CollectiveKind> kinds;   //!< kinds of calls
        uint64_t leastBytes{UINT64_MAX};  //!< volume of the smallest call, see NetworkRule
        uint64_t mostBytes{0};            //!< volume of the largest call
    };

    /// @param ranks the ranks of the job, which must outlive this object
    explicit JobGroups(const JobRanks& ranks);

    /// @return the groups with more than one rank, by id
    const std::map<uint32_t, Use>& GetUses() const
    {
        return m_uses;
    }

    /**
     * @brief Count sets of rails between which there are no calls.
     * @param bulk groups whose largest call has fewer bytes do not count
     * @return the largest number S, such that groups across domains and rails are within one of the
     * sets of rails i, i + S, i + 2 S and so on: the number of rails if there are no such groups, 1
     * if groups join all rails
     */
    uint32_t CountRailSets(uint64_t bulk = 0) const;

    /**
     * @brief Check whether a fabric can connect ranks in different domains and on different rails.
     *
     * Groups inside a domain do not use the fabric, and every fabric connects groups along a rail.
     * Groups across both need a fabric that connects all NICs, or scale-up networks, on which
     * messages change the rail (PXN). A host network connects all ranks.
     * @param fabric fabric between the domains
     * @param hasScaleUpNetwork true if domains are simulated as networks
     * @param hasHostNetwork true if a network connects the hosts
     * @return an empty string, or the reason and a remedy
     */
    static std::string CheckAcross(const RailFabric& fabric,
                                   bool hasScaleUpNetwork,
                                   bool hasHostNetwork);

    /**
     * @brief Check whether a fabric can connect the ranks of every group.
     * @param fabric fabric between the domains
     * @param hasScaleUpNetwork true if domains are simulated as networks
     * @param hasHostNetwork true if a network connects the hosts
     * @return an empty string, or one line that names the fabric, the role and the group
     */
    std::string Check(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork) const;

  private:
    const RankLayout& m_layout;
    std::map<uint32_t, Use> m_uses;
};

/**
 * @brief The bytes that a job sends between GPUs of one rail in an iteration, predicted from its
 * programs.
 *
 * A collective for which an algorithm was chosen sends the bytes of that algorithm's schedules. All
 * others are modelled as rings in both directions. To each neighbour a rank of N sends
 * - for an AllGather half of N - 1 shards,
 * - for a ReduceScatter half of (N - 1) / N of the tensor, for an AllReduce twice that number,
 * - for an AllToAll N / 8 of all bytes that the rank sends, since a block takes N / 4 hops on
 *   average.
 *
 * In a group across domains and rails, without a choice, an aligned group uses the algorithm of
 * CollectiveAlgorithm::GetDefaultAcross. A message to another rail counts on the rail of the
 * receiver, from the GPU of the sender's domain that is there (CrossRailPlanner).
 */
class JobDemand
{
  public:
    /// The demand on one rail; members are domains.
    struct Rail
    {
        std::vector<RingDemand> groups;  //!< groups with rings
        std::vector<MemberDemand> pairs; //!< Sends, and messages of other algorithms
    };

    /// @param ranks the ranks of the job, which must outlive this object
    explicit JobDemand(const JobRanks& ranks);

    /// @return demand by dimension of the mesh, without dimensions that send nothing along rails
    std::vector<DimensionDemand> GetDimensions() const;

    /**
     * @param rail a rail
     * @return groups with rings, by id, and pairs with other messages
     */
    Rail GetRail(uint32_t rail) const;

  private:
    using Pair = std::pair<uint32_t, uint32_t>;

    /// Bytes that a rank sends to others of its group, by index.
    using Sent = std::map<uint32_t, uint64_t>;

    /// Add an operation of a rank.
    void Add(uint32_t rank, const RankOperation& operation);
    /// Add a message between ranks of different domains. A message to another rail counts for the
    /// GPU of the sender's domain on that rail.
    void AddMessage(uint32_t rank, uint32_t peer, Dimension dimension, uint64_t bytes);
    /// @return the algorithm of a collective whose messages are counted one by one, or nothing for
    /// a ring along a rail
    std::optional<Variant<CollectiveAlgorithm>> FindAlgorithm(const RankOperation& operation,
                                                              const ProcessGroup& group) const;
    /// @return bytes that a rank sends in a collective with an algorithm
    const Sent& GetSent(const RankOperation& operation,
                        Variant<CollectiveAlgorithm> algorithm,
                        const GroupShape& shape,
                        uint32_t index);

    /// A call: its kind, bytes, root and sizes; algorithm, size of the group, ranks of it in a
    /// domain, and index of the rank.
    using Call = std::tuple<CollectiveKind,
                            uint64_t,
                            uint32_t,
                            Ptr<const AllToAllSizes>,
                            std::string,
                            uint32_t,
                            uint32_t,
                            uint32_t>;

    const RankLayout& m_layout;
    CollectiveAlgorithms m_algorithms;                          //!< chosen
    std::map<Call, Sent> m_sent;                                //!< results of GetSent
    std::map<Dimension, std::map<Pair, uint64_t>> m_dimensions; //!< lower rank first
    std::map<uint32_t, uint64_t> m_groups; //!< bytes of all ranks to both neighbours, by id
    std::map<Pair, uint64_t> m_sends;      //!< other messages, by sender and receiver
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_DEMAND_H
