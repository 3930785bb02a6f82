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

std::string
JobFit::Check() const
{
    return FindError([this] { return CheckWorld(); },
                     [this] { return CheckCluster(); },
                     [this] { return CheckGroups(); },
                     [this] { return fabric.CheckSwitches(GetDomains()); });
}

std::string
JobFit::CheckWorld() const
{
    const uint32_t world = ranks.GetWorldSize();
    if (world % fabric.gpusPerDomain.Get() != 0)
    {
        return "the job has " + std::to_string(world) +
               " ranks, which must fill whole scale-up domains of --gpusPerDomain=" +
               std::to_string(fabric.gpusPerDomain.Get());
    }
    return "";
}

std::string
JobFit::CheckCluster() const
{
    return fabric.MakeClusterHelper(GetDomains()).Check(fabric.GetFabric());
}

std::string
JobFit::CheckPolicy() const
{
    if (!fabric.IsPhotonic())
    {
        return "";
    }
    const std::string error =
        policy->Check({ranks, GetDomains(), fabric.nicPorts.Get(), fabric.portRate.Get(), slotTime},
                      fabric.MakeLightPathCheck(GetDomains()));
    return error.empty() ? "" : "--policy=" + policy->GetName() + ": " + error;
}

std::string
JobFit::CheckGroups() const
{
    const RankLayout& layout = ranks.GetLayout();
    const JobGroups groups(ranks);
    if (auto error = groups.Check(fabric.GetFabric(),
                                  fabric.HasScaleUpNetwork(),
                                  fabric.hostNetwork.IsGiven());
        !error.empty())
    {
        return error;
    }
    if (auto error = CheckPolicy(); !error.empty() || (fabric.IsPhotonic() && !policy->IsLending()))
    {
        return error;
    }
    const LightPathCheck lightPaths = fabric.MakeLightPathCheck(GetDomains());
    for (const auto& [id, use] : groups.GetUses())
    {
        const ProcessGroup& group = layout.GetGroups()[id];
        const bool isBulk = use.mostBytes >= fabric.hostNetwork.GetThreshold();
        if (layout.GetReach(group) == RankLayout::SCALE_OUT && isBulk)
        {
            if (auto error = FindError([&] { return fabric.CheckRing(group.ranks); },
                                       [&] { return lightPaths.CheckRing(group.ranks); });
                !error.empty())
            {
                return error;
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
    const std::string reason = JobGroups::CheckAcross(fabric.GetFabric(),
                                                      fabric.HasScaleUpNetwork(),
                                                      fabric.hostNetwork.IsGiven());
    for (const auto& role : description.roles)
    {
        if (!reason.empty() && role.isCalled && role.across > 0)
        {
            add("--fabric=" + fabric.GetName() + " cannot join " + std::to_string(role.across) +
                " " + role.name + (role.across == 1 ? " group" : " groups") +
                " across domains and rails: " + reason);
        }
        if (role.isCalled && role.alongRail > 0 && policy->IsLending())
        {
            std::vector<uint32_t> ring(role.ranks);
            std::iota(ring.begin(), ring.end(), 0U);
            add(fabric.CheckRing(ring));
        }
    }
    add(cluster.empty() ? CheckPolicy() : "");
    remarks.erase(std::unique(remarks.begin(), remarks.end()), remarks.end());
    return remarks;
}

} // namespace ns3
