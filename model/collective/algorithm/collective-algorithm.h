// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
#define PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H

#include "collective-call.h"
#include "collective-cost.h"
#include "collective-layout.h"
#include "collective-schedule.h"
#include "rank-context.h"

#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A connector that a schedule uses: a way to a peer.
struct CollectiveConnectorId
{
    uint32_t peer{0};      //!< index in the group
    uint16_t connector{0}; //!< one of CollectiveConnectorKind

    /// Order by peer, then by connector.
    bool operator<(const CollectiveConnectorId& other) const
    {
        return peer != other.peer ? peer < other.peer : connector < other.connector;
    }

    /// @return true if both are the same connector
    bool operator==(const CollectiveConnectorId& other) const
    {
        return peer == other.peer && connector == other.connector;
    }
};

/**
 * @brief How ranks carry out collectives: which messages they exchange, and what that costs.
 *
 * An algorithm is a class in a file of its own, which registers it; see Variant. Names are those of
 * NCCL, MPICH and the literature. All methods are pure functions of their arguments: every rank
 * computes its own part, and the parts of all ranks must be consistent. The replay in the unit
 * tests runs the schedules of all ranks of small groups and compares the result on each rank with
 * MPI's definition of the collective.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param kind a collective of a whole group
     * @return the algorithms that can carry it out, the default first and the others by name; none
     * for Send and Recv
     */
    static std::vector<Variant<CollectiveAlgorithm>> GetAll(CollectiveKind kind);

    /**
     * @param kind a collective of a whole group
     * @return the algorithm of libraries that have not been told which to take: direct for
     * AllToAll, which programs for NCCL write as Sends and Recvs, and ring for all others
     */
    static Variant<CollectiveAlgorithm> GetDefault(CollectiveKind kind);

    /// @return the name as flags have it
    virtual std::string GetName() const = 0;

    /// @param kind any kind of call @return whether the algorithm can carry it out
    virtual bool Supports(CollectiveKind kind) const = 0;

    /**
     * @brief Whether ranks have to know which others share their scale-up domain. Groups that have
     * not as many ranks in each domain, one domain after the other, are refused then.
     * @return false unless overridden
     */
    virtual bool NeedsDomains() const;

    /**
     * @brief Whether a call has to name a rank in RankContext::root although its kind has no
     * root.
     * @return false unless overridden
     */
    virtual bool NeedsRoot() const;

    /**
     * @param kind a collective of a whole group
     * @param shape the group
     * @return an empty string, or why the algorithm cannot do it
     */
    std::string Check(CollectiveKind kind, const GroupShape& shape) const;

    /**
     * @param part the call and the rank; aborts if Check refuses it
     * @return what the rank sends and receives
     */
    CollectiveSchedule MakeSchedule(const RankContext& part) const;

    /**
     * @param part the call and the rank
     * @return where the data lies to which the ranges of MakeSchedule refer: in the order of ranks
     * unless overridden, see MakeLayoutInOrder
     */
    virtual CollectiveLayout MakeLayout(const RankContext& part) const;

    /**
     * @brief The connectors that a rank needs, whatever the size of the call and whoever is its
     * root.
     * @param kind a collective of a whole group
     * @param shape the group
     * @param index the rank
     * @return the connectors, sorted
     */
    std::vector<CollectiveConnectorId> GetConnectors(CollectiveKind kind,
                                                     const GroupShape& shape,
                                                     uint32_t index) const;

    /**
     * @param part the call, the shape, the directions and the size of chunks; its index and root do
     * not matter; aborts if Check refuses it, or if it has sizes
     * @return the cost; zero for one rank
     */
    CollectiveCost GetCost(const RankContext& part) const;

  private:
    /// @return an empty string, or what the algorithm lacks in a group that is not empty
    virtual std::string DoCheck(CollectiveKind kind, const GroupShape& shape) const;

    /**
     * @return how many messages a rank receives at most, whatever the size of the call, with data
     * both ways round rings; 0 if the schedule limits itself to CollectiveSchedule::MAX_RECEIVES
     */
    virtual uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const = 0;

    /// @return the schedule of a rank of a group that Check allows
    virtual CollectiveSchedule DoMakeSchedule(const RankContext& part) const = 0;

    /**
     * @return the connectors of a rank of a group of several, in any order, some perhaps twice:
     * those of its schedule unless overridden, which needs overriding if they depend on the size of
     * the call or on its root
     */
    virtual std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind kind,
                                                               const GroupShape& shape,
                                                               uint32_t index) const;

    /// @return the cost in a group of several that Check allows
    virtual CollectiveCost DoGetCost(const RankContext& part) const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
