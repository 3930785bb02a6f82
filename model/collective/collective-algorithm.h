// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
#define PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H

#include "collective-call.h"
#include "collective-part.h"
#include "collective-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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
 * @return the algorithms that can carry it out, the default first; none for Send and Recv
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
 * @brief The lanes that a rank needs, whatever the size of the call and whoever is its root or its
 * straggler.
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
