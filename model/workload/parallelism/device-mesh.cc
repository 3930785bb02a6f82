// SPDX-License-Identifier: GPL-2.0-only

#include "device-mesh.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// Hands out one id per ordered set of ranks.
class GroupTable
{
  public:
    /// @param groups where new groups go; their index is their id
    explicit GroupTable(std::vector<ProcessGroup>& groups)
        : m_groups(groups)
    {
    }

    /**
     * @param first the first rank
     * @param stride distance between neighbours
     * @param count number of ranks
     * @return the id of the group of these ranks
     */
    uint32_t Add(uint32_t first, uint32_t stride, uint32_t count)
    {
        std::vector<uint32_t> ranks(count);
        for (uint32_t i = 0; i < count; ++i)
        {
            ranks[i] = first + i * stride;
        }
        const auto id = static_cast<uint32_t>(m_groups.size());
        const auto [known, isNew] = m_ids.emplace(ranks, id);
        if (isNew)
        {
            m_groups.push_back({id, std::move(ranks)});
        }
        return known->second;
    }

  private:
    std::vector<ProcessGroup>& m_groups;             //!< by id
    std::map<std::vector<uint32_t>, uint32_t> m_ids; //!< ids by ranks
};

} // namespace

DeviceMesh::DeviceMesh(const ParallelismSpec& spec)
    : m_spec(spec)
{
    GroupTable table(m_groups);
    const uint32_t tp = spec.tp;
    const uint32_t replica = spec.tp * spec.fsdp; // distance between stages
    const uint32_t world = GetWorldSize();
    for (uint32_t first = 0; first < world; first += tp)
    {
        m_tpGroups.push_back(table.Add(first, 1, tp));
    }
    for (uint32_t stage = 0; stage < spec.pp; ++stage)
    {
        for (uint32_t position = 0; position < tp; ++position)
        {
            m_fsdpGroups.push_back(table.Add(stage * replica + position, tp, spec.fsdp));
        }
    }
    for (uint32_t member = 0; member < replica; ++member)
    {
        m_ppGroups.push_back(table.Add(member, replica, spec.pp));
    }
    for (uint32_t lower = 0; lower + replica < world; ++lower)
    {
        m_stagePairs.push_back(table.Add(lower, replica, 2));
    }
}

uint32_t
DeviceMesh::GetWorldSize() const
{
    return static_cast<uint32_t>(m_spec.GetWorldSize());
}

uint32_t
DeviceMesh::GetDomains() const
{
    return GetWorldSize() / m_spec.gpusPerDomain;
}

uint32_t
DeviceMesh::GetRails() const
{
    return m_spec.gpusPerDomain;
}

uint32_t
DeviceMesh::GetStages() const
{
    return m_spec.pp;
}

MeshCoordinate
DeviceMesh::GetCoordinate(uint32_t rank) const
{
    NS_ASSERT_MSG(rank < GetWorldSize(), "rank " << rank << " of " << GetWorldSize());
    return {rank % m_spec.tp, rank / m_spec.tp % m_spec.fsdp, rank / m_spec.tp / m_spec.fsdp};
}

uint32_t
DeviceMesh::GetRank(const MeshCoordinate& at) const
{
    NS_ASSERT(at.tp < m_spec.tp && at.fsdp < m_spec.fsdp && at.pp < m_spec.pp);
    return (at.pp * m_spec.fsdp + at.fsdp) * m_spec.tp + at.tp;
}

uint32_t
DeviceMesh::GetDomain(uint32_t rank) const
{
    return rank / m_spec.gpusPerDomain;
}

uint32_t
DeviceMesh::GetRail(uint32_t rank) const
{
    return rank % m_spec.gpusPerDomain;
}

bool
DeviceMesh::HasGroup(uint32_t rank, GroupRole role) const
{
    const uint32_t stage = GetCoordinate(rank).pp;
    return !(role == GroupRole::PP_PREVIOUS && stage == 0) &&
           !(role == GroupRole::PP_NEXT && stage + 1 == m_spec.pp);
}

const ProcessGroup&
DeviceMesh::GetGroup(uint32_t rank, GroupRole role) const
{
    NS_ASSERT_MSG(HasGroup(rank, role), "rank " << rank << " has no neighbour on that side");
    const MeshCoordinate at = GetCoordinate(rank);
    const uint32_t replica = m_spec.tp * m_spec.fsdp;
    switch (role)
    {
    case GroupRole::TP:
        return m_groups[m_tpGroups[rank / m_spec.tp]];
    case GroupRole::FSDP:
        return m_groups[m_fsdpGroups[at.pp * m_spec.tp + at.tp]];
    case GroupRole::PP:
        return m_groups[m_ppGroups[rank % replica]];
    case GroupRole::PP_PREVIOUS:
        return m_groups[m_stagePairs[rank - replica]];
    case GroupRole::PP_NEXT:
        break;
    }
    return m_groups[m_stagePairs[rank]];
}

const std::vector<ProcessGroup>&
DeviceMesh::GetGroups() const
{
    return m_groups;
}

DeviceMesh::Reach
DeviceMesh::GetReach(const ProcessGroup& group) const
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
