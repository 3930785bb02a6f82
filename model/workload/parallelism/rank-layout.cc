// SPDX-License-Identifier: GPL-2.0-only

#include "rank-layout.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RankLayout::RankLayout(uint32_t worldSize, uint32_t gpusPerDomain)
    : m_worldSize(worldSize),
      m_gpusPerDomain(gpusPerDomain)
{
}

void
RankLayout::SetGroups(std::vector<ProcessGroup> groups, std::vector<Role> roles)
{
    m_groups = std::move(groups);
    m_roles = std::move(roles);
}

void
RankLayout::SetPipelineRanks(std::vector<uint32_t> pipelineRanks)
{
    NS_ASSERT(pipelineRanks.size() == m_worldSize);
    m_pipelineRanks = std::move(pipelineRanks);
    m_pipelineDegree = *std::max_element(m_pipelineRanks.begin(), m_pipelineRanks.end()) + 1;
}

const std::string&
RankLayout::GetRoleName(GroupRole role) const
{
    return m_roles[static_cast<std::size_t>(role)].name;
}

const ProcessGroup&
RankLayout::GetGroup(uint32_t rank, GroupRole role) const
{
    return m_groups[m_roles[static_cast<std::size_t>(role)].groups[rank]];
}

GroupShape
RankLayout::GetShape(const ProcessGroup& group) const
{
    std::vector<uint32_t> domains;
    for (const uint32_t rank : group.ranks)
    {
        domains.push_back(GetDomain(rank));
    }
    return GroupShape::FromDomains(domains).value_or(GroupShape{group.GetSize(), 1});
}

uint32_t
RankLayout::GetProxy(uint32_t from, uint32_t to) const
{
    return GetDomain(from) * GetRails() + GetRail(to);
}

bool
RankLayout::IsAligned(const ProcessGroup& group) const
{
    std::vector<uint32_t> domains;
    std::vector<uint32_t> rails;
    for (const uint32_t rank : group.ranks)
    {
        domains.push_back(GetDomain(rank));
        rails.push_back(GetRail(rank));
    }
    return GroupShape::IsAligned(domains, rails);
}

RankLayout::Reach
RankLayout::GetReach(const ProcessGroup& group) const
{
    if (group.GetSize() < 2)
    {
        return SELF;
    }
    const uint32_t first = group.ranks.front();
    auto all = [&group](auto&& same) {
        return std::all_of(group.ranks.begin(), group.ranks.end(), same);
    };
    if (all([this, first](uint32_t rank) { return GetDomain(rank) == GetDomain(first); }))
    {
        return SCALE_UP;
    }
    const bool rail = all([this, first](uint32_t rank) { return GetRail(rank) == GetRail(first); });
    return rail ? SCALE_OUT : MIXED;
}

} // namespace ns3
