// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULER_ACTIONS_H
#define PHOTONIC_RAILS_SCHEDULER_ACTIONS_H

#include "ns3/circuit.h"

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace ns3
{

/// A communication group of a job.
struct GroupKey
{
    uint32_t job{0}; //!< the job
    uint64_t id{0};  //!< the group, unique within the job
};

inline bool
operator==(const GroupKey& x, const GroupKey& y)
{
    return x.job == y.job && x.id == y.id;
}

inline bool
operator<(const GroupKey& x, const GroupKey& y)
{
    return std::tie(x.job, x.id) < std::tie(y.job, y.id);
}

/// What follows from an input of a CircuitScheduler. Grants are to be sent before recalls.
struct SchedulerActions
{
    /// The limit of a recall when no rank of the group has left: finish what has begun.
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    /// One rank's lease of a group; the number tells a rank's leases of one group apart.
    struct Lease
    {
        uint32_t rank{0};   //!< global rank
        uint32_t number{0}; //!< as the rank numbered it when it asked
    };

    /// Tell these ranks that the group's circuits carry light.
    struct Grant
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< the ranks that had asked
        bool switched{false};      //!< false if the circuits were still up (a cache hit)
    };

    /// Ask these ranks to give their leases back.
    struct Recall
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< its holders
        uint64_t limit{NO_LIMIT};  //!< they finish collectives with an index below this one
        bool speculative{false};   //!< a hint: they need not, if they are about to send
    };

    /// Change the circuits of a switch.
    struct Switch
    {
        uint64_t command{0}; //!< number to report back with
        GroupKey group;      //!< the group that it is for
        uint32_t ocs{0};     //!< the switch
        CircuitSet drop;     //!< circuits that exist
        CircuitSet make;     //!< circuits to make
    };

    std::vector<Switch> switches;
    std::vector<Grant> grants;
    std::vector<Recall> recalls;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULER_ACTIONS_H
