// SPDX-License-Identifier: GPL-2.0-only

#include "lease-groups.h"

#include <algorithm>

namespace ns3
{

uint64_t
FindLeaseGroup(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call)
{
    if (!call.IsPointToPoint() || group.GetSize() == 2)
    {
        return group.id;
    }
    const uint64_t low = std::min(rank, call.peer);
    const uint64_t high = std::max(rank, call.peer);
    return uint64_t{1} << 63 | low << 31 | high;
}

uint64_t
LeaseGroups::Learn(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call)
{
    m_groups.emplace(group.id, group);
    const uint64_t lease = FindLeaseGroup(rank, group, call);
    if (!m_members.count(lease))
    {
        m_members[lease] = lease == group.id ? group.ranks
                                             : std::vector<uint32_t>{std::min(rank, call.peer),
                                                                     std::max(rank, call.peer)};
    }
    return lease;
}

const ProcessGroup&
LeaseGroups::GetGroup(uint32_t id) const
{
    return m_groups.at(id);
}

std::vector<uint32_t>
LeaseGroups::Introduce(uint64_t lease)
{
    return m_introduced.insert(lease).second ? m_members[lease] : std::vector<uint32_t>{};
}

void
LeaseGroups::ForgetIntroductions()
{
    m_introduced.clear();
}

} // namespace ns3
