// SPDX-License-Identifier: GPL-2.0-only

#include "job-groups.h"

#include "ns3/rank-program-builder.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_SHOWN = 4;

/// @return the first ranks of a group
std::string
ListRanks(const ProcessGroup& group)
{
    std::ostringstream text;
    for (std::size_t i = 0; i < std::min(group.ranks.size(), MAX_SHOWN); ++i)
    {
        text << (i == 0 ? "" : ", ") << group.ranks[i];
    }
    text << (group.ranks.size() > MAX_SHOWN ? ", ..." : "");
    return text.str();
}

} // namespace

JobGroups::Programs
JobGroups::BuildPrograms(const WorkloadSpec& spec,
                         const DeviceMesh& mesh,
                         const RankClasses& classes)
{
    Programs programs;
    for (uint32_t i = 0; i < classes.GetCount(); ++i)
    {
        programs.push_back(RankProgramBuilder::Build(spec, mesh, classes.GetRepresentative(i)));
    }
    return programs;
}

JobGroups::JobGroups(const DeviceMesh& mesh, const RankClasses& classes, const Programs& programs)
    : m_mesh(mesh)
{
    using Kinds = std::map<GroupRole, std::set<CollectiveKind>>;
    std::vector<Kinds> called(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i)
    {
        for (const auto& operation : programs[i]->GetOperations())
        {
            if (operation.place != RankOperation::GPU)
            {
                called[i][operation.role].insert(operation.kind);
            }
        }
    }
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        for (const auto& [role, kinds] : called[classes.GetClass(rank)])
        {
            const ProcessGroup& group = mesh.GetGroup(rank, role);
            if (group.GetSize() > 1)
            {
                Use& use = m_uses.emplace(group.id, Use{role, {}}).first->second;
                use.role = std::min(use.role, role);
                use.kinds.insert(kinds.begin(), kinds.end());
            }
        }
    }
}

const std::map<uint32_t, JobGroups::Use>&
JobGroups::GetUses() const
{
    return m_uses;
}

std::string
JobGroups::CheckAcross(RailCluster::Fabric fabric, bool hasScaleUpNetwork)
{
    switch (fabric)
    {
    case RailCluster::LEAF_SPINE:
    case RailCluster::FAT_TREE:
        return "";
    case RailCluster::PHOTONIC:
        return "circuits are lent along one rail; use leaf-spine or fat-tree";
    default:
        return hasScaleUpNetwork ? ""
                                 : "messages can change the rail with --scaleUp=network only; or "
                                   "use leaf-spine or fat-tree";
    }
}

std::string
JobGroups::Check(RailCluster::Fabric fabric, bool hasScaleUpNetwork) const
{
    const std::string reason = CheckAcross(fabric, hasScaleUpNetwork);
    for (const auto& [id, use] : m_uses)
    {
        const ProcessGroup& group = m_mesh.GetGroups()[id];
        if (!reason.empty() && m_mesh.GetReach(group) == DeviceMesh::MIXED)
        {
            return "--fabric=" + RailCluster::GetName(fabric) + " cannot join the " +
                   ToString(use.role) + " group of ranks " + ListRanks(group) + " (" +
                   std::to_string(group.GetSize()) + " across domains and rails): " + reason;
        }
    }
    return "";
}

} // namespace ns3
