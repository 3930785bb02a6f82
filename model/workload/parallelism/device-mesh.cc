// SPDX-License-Identifier: GPL-2.0-only

#include "device-mesh.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/// @return the place of a rank in one dimension
uint32_t&
At(MeshCoordinate& at, MeshDimension dimension)
{
    switch (dimension)
    {
    case MeshDimension::PP:
        return at.pp;
    case MeshDimension::REPLICATE:
        return at.replicate;
    case MeshDimension::SHARD:
        return at.fsdp;
    case MeshDimension::CP:
        return at.cp;
    case MeshDimension::TP:
        break;
    }
    return at.tp;
}

/// @return the degree of a dimension
uint32_t
GetDegree(const ParallelismSpec& spec, MeshDimension dimension)
{
    switch (dimension)
    {
    case MeshDimension::PP:
        return spec.pp;
    case MeshDimension::REPLICATE:
        return spec.replicate;
    case MeshDimension::SHARD:
        return spec.fsdp;
    case MeshDimension::CP:
        return spec.cp;
    case MeshDimension::TP:
        break;
    }
    return spec.tp;
}

/// What the ranks of a group have in common; they differ in the rest.
using Common = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

/// @return what a rank shares with the others of the group that plays a role
Common
GetCommon(GroupRole role, const MeshCoordinate& at, const ExpertCoordinate& expert)
{
    switch (role)
    {
    case GroupRole::TP:
        return {at.pp, at.replicate, at.fsdp, at.cp, 0};
    case GroupRole::CP:
        return {at.pp, at.replicate, at.fsdp, 0, at.tp};
    case GroupRole::FSDP:
        return {at.pp, at.replicate, 0, 0, at.tp};
    case GroupRole::REPLICATE:
        return {at.pp, 0, at.fsdp, at.cp, at.tp};
    case GroupRole::DATA:
        return {at.pp, 0, 0, 0, at.tp};
    case GroupRole::EP:
        return {at.pp, at.replicate, expert.shard, 0, expert.expertTp};
    case GroupRole::EXPERT_TP:
        return {at.pp, at.replicate, expert.shard, expert.ep, 0};
    case GroupRole::EXPERT_FSDP:
        return {at.pp, at.replicate, 0, expert.ep, expert.expertTp};
    case GroupRole::EXPERT_DATA:
        return {at.pp, 0, 0, expert.ep, expert.expertTp};
    case GroupRole::PP:
        return {0, at.replicate, at.fsdp, at.cp, at.tp};
    default:
        return {0, 0, 0, 0, 0};
    }
}

} // namespace

std::string
ToString(GroupRole role)
{
    static const char* const NAMES[] = {"tp",
                                        "cp",
                                        "fsdp",
                                        "replicate",
                                        "data",
                                        "ep",
                                        "expert-tp",
                                        "expert-fsdp",
                                        "expert-data",
                                        "pp",
                                        "pp-previous",
                                        "pp-next",
                                        "embedding",
                                        "world"};
    return NAMES[static_cast<std::size_t>(role)];
}

DeviceMesh::DeviceMesh(const ParallelismSpec& spec)
    : m_spec(spec)
{
    std::map<std::vector<uint32_t>, uint32_t> known;
    const auto add = [this, &known](const std::vector<uint32_t>& ranks) {
        const auto id = static_cast<uint32_t>(m_groups.size());
        const auto [entry, isNew] = known.emplace(ranks, id);
        if (isNew)
        {
            m_groups.push_back({id, ranks});
        }
        return entry->second;
    };
    const uint32_t world = GetWorldSize();
    for (std::size_t i = 0; i < ROLES; ++i)
    {
        const auto role = static_cast<GroupRole>(i);
        std::vector<uint32_t>& ids = m_groupOfRank[i];
        ids.resize(world);
        if (role == GroupRole::PP_PREVIOUS || role == GroupRole::PP_NEXT ||
            role == GroupRole::EMBEDDING)
        {
            continue;
        }
        std::map<Common, std::vector<uint32_t>> members;
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            members[GetCommon(role, GetCoordinate(rank), GetExpertCoordinate(rank))].push_back(
                rank);
        }
        for (const auto& [common, ranks] : members)
        {
            const uint32_t id = add(ranks);
            for (const uint32_t rank : ranks)
            {
                ids[rank] = id;
            }
        }
    }
    const auto idOf = [this](GroupRole role) -> std::vector<uint32_t>& {
        return m_groupOfRank[static_cast<std::size_t>(role)];
    };
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        MeshCoordinate at = GetCoordinate(rank);
        at.pp = (at.pp + 1) % spec.pp;
        const uint32_t next = GetRank(at);
        const bool isAlone = next == rank;
        const uint32_t id =
            isAlone ? add({rank}) : add({std::min(rank, next), std::max(rank, next)});
        idOf(GroupRole::PP_NEXT)[rank] = id;
        idOf(GroupRole::PP_PREVIOUS)[next] = id;
        at = GetCoordinate(rank);
        const bool isEnd = at.pp == 0 || at.pp + 1 == spec.pp;
        at.pp = 0;
        const uint32_t first = GetRank(at);
        at.pp = spec.pp - 1;
        const uint32_t last = GetRank(at);
        idOf(GroupRole::EMBEDDING)[rank] = isEnd && first != last
                                               ? add({std::min(first, last), std::max(first, last)})
                                               : add({rank});
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
    return (GetWorldSize() + m_spec.gpusPerDomain - 1) / m_spec.gpusPerDomain;
}

uint32_t
DeviceMesh::GetRails() const
{
    return m_spec.gpusPerDomain;
}

uint32_t
DeviceMesh::GetPipelineRanks() const
{
    return m_spec.pp;
}

MeshCoordinate
DeviceMesh::GetCoordinate(uint32_t rank) const
{
    NS_ASSERT_MSG(rank < GetWorldSize(), "rank " << rank << " of " << GetWorldSize());
    MeshCoordinate at;
    const auto& dimensions = m_spec.order.GetDimensions();
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension)
    {
        const uint32_t degree = GetDegree(m_spec, *dimension);
        At(at, *dimension) = rank % degree;
        rank /= degree;
    }
    return at;
}

uint32_t
DeviceMesh::GetRank(const MeshCoordinate& at) const
{
    MeshCoordinate copy = at;
    uint32_t rank = 0;
    for (const auto dimension : m_spec.order.GetDimensions())
    {
        NS_ASSERT(At(copy, dimension) < GetDegree(m_spec, dimension));
        rank = rank * GetDegree(m_spec, dimension) + At(copy, dimension);
    }
    return rank;
}

ExpertCoordinate
DeviceMesh::GetExpertCoordinate(uint32_t rank) const
{
    MeshCoordinate at = GetCoordinate(rank);
    uint32_t index = 0; // in the plane of the pipeline rank and replica
    for (const auto dimension : m_spec.order.GetDimensions())
    {
        if (dimension != MeshDimension::PP && dimension != MeshDimension::REPLICATE)
        {
            index = index * GetDegree(m_spec, dimension) + At(at, dimension);
        }
    }
    const uint32_t expertTp = m_spec.expertTp;
    const uint32_t ep = m_spec.ep;
    return {index % expertTp, index / expertTp % ep, index / expertTp / ep};
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

const ProcessGroup&
DeviceMesh::GetGroup(uint32_t rank, GroupRole role) const
{
    return m_groups[m_groupOfRank[static_cast<std::size_t>(role)][rank]];
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
