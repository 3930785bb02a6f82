// SPDX-License-Identifier: GPL-2.0-only

#include "job-fit.h"

#include "ns3/job-groups.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3
{

double
SimulationMemory::Estimate(uint64_t gpus)
{
    return PROGRAM_BYTES + GPU_BYTES * static_cast<double>(gpus);
}

double
SimulationMemory::GetLimit()
{
    double limit =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    rlimit ofProcess{};
    if (getrlimit(RLIMIT_AS, &ofProcess) == 0 && ofProcess.rlim_cur != RLIM_INFINITY)
    {
        limit = std::min(limit, static_cast<double>(ofProcess.rlim_cur));
    }
    return limit;
}

std::string
SimulationMemory::Check(uint64_t gpus, double limit)
{
    if (Estimate(gpus) <= limit)
    {
        return "";
    }
    std::ostringstream error;
    error << std::fixed << std::setprecision(1) << "the simulation of " << gpus
          << " GPUs takes at least " << Estimate(gpus) / 1e9 << " GB of memory, and there are "
          << limit / 1e9 << " GB; allowed are fewer GPUs, and --describe";
    return error.str();
}

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
    return m_ranks.GetWorldSize() / m_fabric.gpusPerDomain.Get();
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
    if (world % m_fabric.gpusPerDomain.Get() != 0)
    {
        return "the job has " + std::to_string(world) +
               " ranks, which must fill whole scale-up domains of --gpusPerDomain=" +
               std::to_string(m_fabric.gpusPerDomain.Get());
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
        {m_ranks, GetDomains(), m_fabric.nicPorts.Get(), m_fabric.portRate.Get(), m_slotTime},
        m_fabric.MakeLightPathCheck(GetDomains()));
    return error.empty() ? "" : "--policy=" + m_policy->GetName() + ": " + error;
}

std::string
JobFit::CheckGroups() const
{
    const RankLayout& layout = m_ranks.GetLayout();
    const JobGroups groups(m_ranks);
    if (auto error = groups.Check(m_fabric.GetFabric(),
                                  m_fabric.HasScaleUpNetwork(),
                                  m_fabric.hostNetwork.IsGiven());
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
        const bool isBulk = use.mostBytes >= m_fabric.hostNetwork.GetThreshold();
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
                                                      m_fabric.hostNetwork.IsGiven());
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
