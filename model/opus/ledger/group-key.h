// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_GROUP_KEY_H
#define PHOTONIC_RAILS_GROUP_KEY_H

#include <cstdint>
#include <tuple>

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

} // namespace ns3

#endif // PHOTONIC_RAILS_GROUP_KEY_H
