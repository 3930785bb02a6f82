// SPDX-License-Identifier: GPL-2.0-only

#include "rank-classes.h"

#include "expert-emitter.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/// Properties that two ranks of the same program have in common.
struct ClassKey
{
    uint32_t stage;  //!< pipeline rank
    uint32_t expert; //!< index in the expert-parallel group, if relevant
    uint32_t inside; //!< one bit per role, set if the group is inside a domain

    /// @return true if this key sorts first
    bool operator<(const ClassKey& other) const
    {
        return std::tie(stage, expert, inside) < std::tie(other.stage, other.expert, other.inside);
    }
};

static_assert(static_cast<std::size_t>(GroupRole::COUNT) <= 32, "a bit for each role");

/// @return true if ranks of the job may call collectives on groups of a role
bool
IsCalled(GroupRole role, const WorkloadSpec& spec)
{
    switch (role)
    {
    case GroupRole::EP:
    case GroupRole::EXPERT_TP:
    case GroupRole::EXPERT_FSDP:
    case GroupRole::EXPERT_DATA:
        return spec.model.moe.experts > 0;
    case GroupRole::EMBEDDING:
        return spec.model.tiedEmbeddings;
    default:
        return true;
    }
}

} // namespace

RankClasses::RankClasses(const WorkloadSpec& spec, const DeviceMesh& mesh)
{
    std::vector<bool> isInside;
    for (const auto& group : mesh.GetGroups())
    {
        isInside.push_back(mesh.GetReach(group) == DeviceMesh::SCALE_UP);
    }
    const bool byExperts = !ExpertEmitter::AreAlike(spec);
    const uint32_t world = mesh.GetWorldSize();
    std::map<ClassKey, std::vector<uint32_t>> ranks;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        ClassKey key{mesh.GetCoordinate(rank).pp,
                     byExperts ? mesh.GetExpertCoordinate(rank).ep : 0,
                     0};
        for (uint32_t i = 0; i < static_cast<uint32_t>(GroupRole::COUNT); ++i)
        {
            const auto role = static_cast<GroupRole>(i);
            if (IsCalled(role, spec) && isInside[mesh.GetGroup(rank, role).id])
            {
                key.inside |= 1U << i;
            }
        }
        ranks[key].push_back(rank);
    }
    using Class = std::pair<ClassKey, std::vector<uint32_t>>;
    std::vector<Class> classes(ranks.begin(), ranks.end());
    std::sort(classes.begin(), classes.end(), [](const Class& a, const Class& b) {
        return std::tie(a.first.stage, a.first.expert, a.second.front()) <
               std::tie(b.first.stage, b.first.expert, b.second.front());
    });
    m_classes.resize(world);
    for (const auto& [key, members] : classes)
    {
        for (const uint32_t rank : members)
        {
            m_classes[rank] = GetCount();
        }
        m_representatives.push_back(members.front());
    }
}

uint32_t
RankClasses::GetCount() const
{
    return static_cast<uint32_t>(m_representatives.size());
}

uint32_t
RankClasses::GetClass(uint32_t rank) const
{
    return m_classes[rank];
}

uint32_t
RankClasses::GetRepresentative(uint32_t index) const
{
    return m_representatives[index];
}

} // namespace ns3
