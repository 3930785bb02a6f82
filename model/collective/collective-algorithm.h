// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
#define PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H

#include "collective-call.h"
#include "collective-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How a collective is carried out; names as NCCL, MPICH and the literature use them.
enum class CollectiveAlgorithm : uint8_t
{
    RING,               //!< neighbours only, in steps; chains for Broadcast and Reduce
    DOUBLE_BINARY_TREE, //!< two complementary trees with half of the data each
    HALVING_DOUBLING,   //!< recursive halving, recursive doubling; powers of two
    PAIRWISE,           //!< AllToAll in steps, in each of which ranks form pairs
    DIRECT,             //!< AllToAll, everything at once
    HIERARCHICAL,       //!< inside scale-up domains, then across them
    PXN,                //!< AllToAll that changes rails inside the scale-up domain
};

/// How the ranks of a group lie in scale-up domains.
struct GroupShape
{
    uint32_t size{1};      //!< ranks in the group
    uint32_t perDomain{1}; //!< ranks i * perDomain to (i + 1) * perDomain - 1 share a domain

    /// @return domains that the group spans
    uint32_t GetDomains() const
    {
        return size / perDomain;
    }
};

/// What a rank has to know to work out its part of a collective.
struct CollectivePart
{
    CollectiveCall call;            //!< what is called; its root, if any, is in `root`
    GroupShape shape;               //!< of the group
    uint32_t index{0};              //!< of this rank in the group
    uint32_t root{0};               //!< index of the root; Broadcast and Reduce only
    uint32_t directions{2};         //!< ways round a ring at the same time, 1 or 2
    uint64_t chunkBytes{512 << 10}; //!< size of the pieces in which trees and chains pipeline
};

/// A lane that a schedule uses: a way to a peer.
struct CollectiveLaneId
{
    uint32_t peer{0}; //!< index in the group
    uint16_t lane{0}; //!< one of CollectiveLaneKind

    /// Order by peer, then by lane.
    bool operator<(const CollectiveLaneId& other) const
    {
        return peer != other.peer ? peer < other.peer : lane < other.lane;
    }

    /// @return true if both are the same lane
    bool operator==(const CollectiveLaneId& other) const
    {
        return peer == other.peer && lane == other.lane;
    }
};

/**
 * @param algorithm an algorithm
 * @return its name as flags have it: ring, tree, halving-doubling, ...
 */
std::string ToString(CollectiveAlgorithm algorithm);

/**
 * @param kind a collective of a whole group
 * @return the algorithms that can carry it out, the default first
 */
std::vector<CollectiveAlgorithm> GetAlgorithms(CollectiveKind kind);

/**
 * @param kind a collective of a whole group
 * @param algorithm how it shall be carried out
 * @param shape the group
 * @return an empty string, or why the algorithm cannot do it
 */
std::string CheckAlgorithm(CollectiveKind kind,
                           CollectiveAlgorithm algorithm,
                           const GroupShape& shape);

/**
 * @brief The lanes that a rank needs, whatever the size of the call and whoever is its root.
 * @param kind a collective of a whole group
 * @param algorithm how it is carried out
 * @param shape the group
 * @param index the rank
 * @return the lanes, sorted
 */
std::vector<CollectiveLaneId> GetLanes(CollectiveKind kind,
                                       CollectiveAlgorithm algorithm,
                                       const GroupShape& shape,
                                       uint32_t index);

/**
 * @param algorithm an algorithm that CheckAlgorithm allows
 * @param part the call and the rank
 * @return what the rank sends and receives
 */
CollectiveSchedule MakeSchedule(CollectiveAlgorithm algorithm, const CollectivePart& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
