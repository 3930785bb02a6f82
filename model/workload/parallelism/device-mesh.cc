// SPDX-License-Identifier: GPL-2.0-only

#include "device-mesh.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// @return true if expert parallelism can use the ranks of the dimension
bool
IsInPlane(MeshDimension dimension)
{
    return dimension != MeshDimension::PP && dimension != MeshDimension::REPLICATE;
}

/// Assigns one id to each distinct list of ranks.
class GroupTable
{
  public:
    /**
     * @param groups list to which new groups are added
     * @param world number of ranks
     */
    GroupTable(std::vector<ProcessGroup>& groups, uint32_t world)
        : m_groups(groups),
          m_idsOfFirst(world)
    {
    }

    /**
     * @param ranks members, in ascending order
     * @return the id of the group of these ranks
     */
    uint32_t Add(std::vector<uint32_t> ranks)
    {
        auto& ids = m_idsOfFirst[ranks.front()];
        for (const uint32_t id : ids)
        {
            if (m_groups[id].ranks == ranks)
            {
                return id;
            }
        }
        const auto id = static_cast<uint32_t>(m_groups.size());
        ids.push_back(id);
        m_groups.push_back({id, std::move(ranks)});
        return id;
    }

    /**
     * @param a a rank
     * @param b a rank, possibly equal to a
     * @return the id of the group of both ranks
     */
    uint32_t AddPair(uint32_t a, uint32_t b)
    {
        return a == b ? Add({a}) : Add({std::min(a, b), std::max(a, b)});
    }

  private:
    std::vector<ProcessGroup>& m_groups;
    std::vector<std::vector<uint32_t>> m_idsOfFirst; //!< ids of groups by their lowest rank
};

} // namespace

std::string
ToString(GroupRole role)
{
    static const char* const NAMES[] = {"tp",
                                        "cp",
                                        "fsdp",
                                        "replicate",
                                        "data",
                                        "batch",
                                        "ep",
                                        "expert-tp",
                                        "expert-fsdp",
                                        "expert-data",
                                        "pp",
                                        "pp-previous",
                                        "pp-next",
                                        "model",
                                        "embedding",
                                        "world"};
    return NAMES[static_cast<std::size_t>(role)];
}

DeviceMesh::DeviceMesh(const ParallelismSpec& spec)
    : RankLayout(static_cast<uint32_t>(spec.GetWorldSize()), spec.gpusPerDomain),
      m_spec(spec)
{
    const uint32_t world = GetWorldSize();
    std::vector<ProcessGroup> groups;
    GroupTable table(groups, world);
    std::vector<Role> roles(static_cast<std::size_t>(GroupRole::COUNT));
    for (std::size_t i = 0; i < roles.size(); ++i)
    {
        const auto role = static_cast<GroupRole>(i);
        roles[i].name = ToString(role);
        std::vector<uint32_t>& ids = roles[i].groups;
        ids.resize(world);
        if (role == GroupRole::PP_PREVIOUS || role == GroupRole::PP_NEXT ||
            role == GroupRole::EMBEDDING)
        {
            continue;
        }
        std::vector<std::vector<uint32_t>> members(world); // by leader
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            ids[rank] = GetLeader(rank, role);
            members[ids[rank]].push_back(rank);
        }
        for (uint32_t leader = 0; leader < world; ++leader)
        {
            if (!members[leader].empty())
            {
                const std::vector<uint32_t> ranks = members[leader];
                const uint32_t id = table.Add(std::move(members[leader]));
                for (const uint32_t rank : ranks)
                {
                    ids[rank] = id;
                }
            }
        }
    }
    const auto idOf = [&roles](GroupRole role, uint32_t rank) -> uint32_t& {
        return roles[static_cast<std::size_t>(role)].groups[rank];
    };
    std::vector<uint32_t> pipelineRanks(world);
    const bool isRing = spec.GetPipeline().IsRing();
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        MeshCoordinate at = GetCoordinate(rank);
        const uint32_t pp = at.pp;
        pipelineRanks[rank] = pp;
        const auto other = [this, &at](uint32_t pipelineRank) {
            at.pp = pipelineRank;
            return GetRank(at);
        };
        const bool isFirst = pp == 0;
        const bool isLast = pp + 1 == spec.pp;
        const uint32_t next = !isLast ? other(pp + 1) : isRing ? other(0) : rank;
        const uint32_t previous = !isFirst ? other(pp - 1) : isRing ? other(spec.pp - 1) : rank;
        idOf(GroupRole::PP_NEXT, rank) = table.AddPair(rank, next);
        idOf(GroupRole::PP_PREVIOUS, rank) = table.AddPair(rank, previous);
        idOf(GroupRole::EMBEDDING, rank) = isFirst  ? table.AddPair(rank, other(spec.pp - 1))
                                           : isLast ? table.AddPair(rank, other(0))
                                                    : table.Add({rank});
    }
    SetGroups(std::move(groups), std::move(roles));
    SetPipelineRanks(std::move(pipelineRanks));
}

MeshCoordinate
DeviceMesh::GetCoordinate(uint32_t rank) const
{
    NS_ASSERT_MSG(rank < GetWorldSize(), "rank " << rank << " of " << GetWorldSize());
    MeshCoordinate at;
    const auto& dimensions = m_spec.order.GetDimensions();
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension)
    {
        const uint32_t degree = SelectDimension(m_spec, *dimension);
        SelectDimension(at, *dimension) = rank % degree;
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
        NS_ASSERT(SelectDimension(copy, dimension) < SelectDimension(m_spec, dimension));
        rank = rank * SelectDimension(m_spec, dimension) + SelectDimension(copy, dimension);
    }
    return rank;
}

ExpertCoordinate
DeviceMesh::GetExpertCoordinate(uint32_t rank) const
{
    const uint32_t index = GetPlaneIndex(rank);
    const uint32_t expertTp = m_spec.expertTp;
    const uint32_t ep = m_spec.ep;
    return {index % expertTp, index / expertTp % ep, index / expertTp / ep};
}

uint32_t
DeviceMesh::GetPlaneIndex(uint32_t rank) const
{
    MeshCoordinate at = GetCoordinate(rank);
    uint32_t index = 0;
    for (const auto dimension : m_spec.order.GetDimensions())
    {
        if (IsInPlane(dimension))
        {
            index = index * SelectDimension(m_spec, dimension) + SelectDimension(at, dimension);
        }
    }
    return index;
}

uint32_t
DeviceMesh::GetLeader(uint32_t rank, GroupRole role) const
{
    using Mesh = MeshDimension;
    // The leader has coordinate 0 in every dimension in which the ranks of the group differ.
    static const std::map<GroupRole, std::vector<MeshDimension>> DIFFERENT{
        {GroupRole::TP, {Mesh::TP}},
        {GroupRole::CP, {Mesh::CP}},
        {GroupRole::FSDP, {Mesh::SHARD, Mesh::CP}},
        {GroupRole::REPLICATE, {Mesh::REPLICATE}},
        {GroupRole::DATA, {Mesh::REPLICATE, Mesh::SHARD, Mesh::CP}},
        {GroupRole::BATCH, {Mesh::REPLICATE, Mesh::SHARD}},
        {GroupRole::PP, {Mesh::PP}},
        {GroupRole::MODEL, {Mesh::TP, Mesh::PP}},
        {GroupRole::WORLD, {Mesh::PP, Mesh::REPLICATE, Mesh::SHARD, Mesh::CP, Mesh::TP}}};
    MeshCoordinate at = GetCoordinate(rank);
    if (const auto different = DIFFERENT.find(role); different != DIFFERENT.end())
    {
        for (const MeshDimension dimension : different->second)
        {
            SelectDimension(at, dimension) = 0;
        }
        return GetRank(at);
    }
    ExpertCoordinate expert = GetExpertCoordinate(rank);
    switch (role)
    {
    case GroupRole::EP:
        expert.ep = 0;
        break;
    case GroupRole::EXPERT_TP:
        expert.expertTp = 0;
        break;
    case GroupRole::EXPERT_DATA:
        at.replicate = 0;
        expert.shard = 0;
        break;
    default:
        NS_ASSERT_MSG(role == GroupRole::EXPERT_FSDP, ToString(role));
        expert.shard = 0;
        break;
    }
    uint32_t index = (expert.shard * m_spec.ep + expert.ep) * m_spec.expertTp + expert.expertTp;
    const auto& dimensions = m_spec.order.GetDimensions();
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension)
    {
        if (IsInPlane(*dimension))
        {
            SelectDimension(at, *dimension) = index % SelectDimension(m_spec, *dimension);
            index /= SelectDimension(m_spec, *dimension);
        }
    }
    return GetRank(at);
}

} // namespace ns3
