// SPDX-License-Identifier: GPL-2.0-only

#include "job-groups.h"

#include "ns3/connectivity-provider.h"

#include <algorithm>
#include <numeric>
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

JobGroups::JobGroups(const JobRanks& ranks)
    : m_layout(ranks.GetLayout())
{
    const JobRanks::Programs& programs = ranks.GetPrograms();
    std::vector<std::map<GroupRole, Use>> called(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i)
    {
        for (const auto& operation : programs[i]->GetOperations())
        {
            if (operation.IsCall())
            {
                CollectiveCall call;
                call.bytes = operation.bytes;
                call.sizes = operation.sizes;
                const uint64_t bytes = NetworkRule::GetVolume(call);
                Use& use = called[i].emplace(operation.role, Use{operation.role, {}}).first->second;
                use.kinds.insert(operation.kind);
                use.leastBytes = std::min(use.leastBytes, bytes);
                use.mostBytes = std::max(use.mostBytes, bytes);
            }
        }
    }
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        for (const auto& [role, one] : called[ranks.GetClass(rank)])
        {
            const ProcessGroup& group = m_layout.GetGroup(rank, role);
            if (group.GetSize() > 1)
            {
                Use& use = m_uses.emplace(group.id, one).first->second;
                use.role = std::min(use.role, role);
                use.kinds.insert(one.kinds.begin(), one.kinds.end());
                use.leastBytes = std::min(use.leastBytes, one.leastBytes);
                use.mostBytes = std::max(use.mostBytes, one.mostBytes);
            }
        }
    }
}

uint32_t
JobGroups::CountRailSets(uint64_t bulk) const
{
    uint32_t sets = m_layout.GetRails();
    for (const auto& [id, use] : m_uses)
    {
        const ProcessGroup& group = m_layout.GetGroups()[id];
        if (use.mostBytes < bulk || m_layout.GetReach(group) != RankLayout::MIXED)
        {
            continue;
        }
        const int64_t first = m_layout.GetRail(group.ranks.front());
        for (const uint32_t rank : group.ranks)
        {
            sets = static_cast<uint32_t>(
                std::gcd(int64_t{sets}, int64_t{m_layout.GetRail(rank)} - first));
        }
    }
    return sets;
}

std::string
JobGroups::CheckAcross(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork)
{
    if (hasHostNetwork || fabric.JoinsRails() || hasScaleUpNetwork)
    {
        return "";
    }
    return "messages change the rail inside a domain, over its network: use --scaleUp=network, "
           "--hostNetwork, or a fabric that joins rails: " +
           RailFabric::GetNames(&RailFabric::JoinsRails);
}

std::string
JobGroups::Check(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork) const
{
    const std::string reason = CheckAcross(fabric, hasScaleUpNetwork, hasHostNetwork);
    for (const auto& [id, use] : m_uses)
    {
        const ProcessGroup& group = m_layout.GetGroups()[id];
        if (!reason.empty() && m_layout.GetReach(group) == RankLayout::MIXED)
        {
            return "--fabric=" + fabric.GetName() + " cannot join the " +
                   m_layout.GetRoleName(use.role) + " group of ranks " + ListRanks(group) + " (" +
                   std::to_string(group.GetSize()) + " across domains and rails): " + reason;
        }
    }
    return "";
}

} // namespace ns3
