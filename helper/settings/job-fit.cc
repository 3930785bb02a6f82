// SPDX-License-Identifier: GPL-2.0-only

#include "job-fit.h"

#include "ns3/job-groups.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

JobFit::JobFit(const JobRanks& ranks,
               const FabricSettings& fabric,
               const Variant<CircuitPolicy>& policy,
               Time slotTime)
    : m_ranks(ranks),
      m_fabric(fabric),
      m_policy(policy),
      m_slotTime(slotTime)
{
}

uint32_t
JobFit::GetDomains() const
{
    return m_ranks.GetWorldSize() / m_fabric.GetGpusPerDomain();
}

std::string
JobFit::Check() const
{
    for (auto check : {&JobFit::CheckWorld, &JobFit::CheckCluster, &JobFit::CheckGroups})
    {
        if (auto error = (this->*check)(); !error.empty())
        {
            return error;
        }
    }
    return m_fabric.CheckSwitches(GetDomains());
}

std::string
JobFit::CheckWorld() const
{
    const uint32_t world = m_ranks.GetWorldSize();
    if (world % m_fabric.GetGpusPerDomain() != 0)
    {
        return "the job has " + std::to_string(world) +
               " ranks, which must fill whole scale-up domains of --gpusPerDomain=" +
               std::to_string(m_fabric.GetGpusPerDomain());
    }
    return "";
}

std::string
JobFit::CheckCluster() const
{
    return m_fabric.MakeClusterHelper(GetDomains()).Check(m_fabric.GetFabric());
}

std::string
JobFit::CheckPolicy() const
{
    if (!m_fabric.IsPhotonic())
    {
        return "";
    }
    const std::string error = m_policy->Check(
        {m_ranks, GetDomains(), m_fabric.GetNicPorts(), m_fabric.GetPortRate(), m_slotTime},
        m_fabric.MakeLightPathCheck(GetDomains()));
    return error.empty() ? "" : "--policy=" + m_policy->GetName() + ": " + error;
}

bool
JobFit::HasGroupsAcross() const
{
    const RankLayout& layout = m_ranks.GetLayout();
    const JobGroups groups(m_ranks);
    const uint64_t bulk = m_fabric.GetHostNetwork().GetThreshold();
    return std::any_of(groups.GetUses().begin(), groups.GetUses().end(), [&](const auto& entry) {
        return entry.second.mostBytes >= bulk &&
               layout.GetReach(layout.GetGroups()[entry.first]) == RankLayout::MIXED;
    });
}

std::string
JobFit::CheckGroups() const
{
    const RankLayout& layout = m_ranks.GetLayout();
    const JobGroups groups(m_ranks);
    if (auto error = groups.Check(m_fabric.GetFabric(),
                                  m_fabric.HasScaleUpNetwork(),
                                  m_fabric.GetHostNetwork().IsGiven());
        !error.empty())
    {
        return error;
    }
    if (auto error = CheckPolicy();
        !error.empty() || (m_fabric.IsPhotonic() && !m_policy->IsLending()))
    {
        return error;
    }
    const LightPathCheck lightPaths = m_fabric.MakeLightPathCheck(GetDomains());
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = layout.GetGroups()[id];
        const bool isBulk = use.mostBytes >= m_fabric.GetHostNetwork().GetThreshold();
        if (layout.GetReach(group) == RankLayout::SCALE_OUT && isBulk)
        {
            for (const auto& error :
                 {m_fabric.CheckRing(group.ranks), lightPaths.CheckRing(group.ranks)})
            {
                if (!error.empty())
                {
                    return error;
                }
            }
        }
    }
    return "";
}

std::vector<std::string>
JobFit::MakeRemarks(const JobDescription& description) const
{
    std::vector<std::string> remarks;
    const auto add = [&remarks](const std::string& remark) {
        if (!remark.empty())
        {
            remarks.push_back(remark);
        }
    };
    add(CheckWorld());
    if (!CheckWorld().empty())
    {
        return remarks; // the other checks need whole domains
    }
    const std::string cluster = CheckCluster();
    add(cluster);
    const std::string reason = JobGroups::CheckAcross(m_fabric.GetFabric(),
                                                      m_fabric.HasScaleUpNetwork(),
                                                      m_fabric.GetHostNetwork().IsGiven());
    for (const auto& role : description.roles)
    {
        if (!reason.empty() && role.isCalled && role.across > 0)
        {
            add("--fabric=" + m_fabric.GetName() + " cannot join " + std::to_string(role.across) +
                " " + role.name + (role.across == 1 ? " group" : " groups") +
                " across domains and rails: " + reason);
        }
        if (role.isCalled && role.alongRail > 0 && m_policy->IsLending())
        {
            std::vector<uint32_t> ranks(role.ranks);
            std::iota(ranks.begin(), ranks.end(), 0U);
            add(m_fabric.CheckRing(ranks));
        }
    }
    add(cluster.empty() ? CheckPolicy() : "");
    remarks.erase(std::unique(remarks.begin(), remarks.end()), remarks.end());
    return remarks;
}

} // namespace ns3
