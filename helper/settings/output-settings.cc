// SPDX-License-Identifier: GPL-2.0-only

#include "output-settings.h"

#include "ns3/device-mesh.h"
#include "ns3/distributed-run.h"
#include "ns3/rank-program-builder.h"
#include "ns3/rank-program-csv.h"

#include <fstream>

namespace ns3
{

OutputSettings::OutputSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    operationsRank.Needs({operations.IsUsed()});
    profileRank.Needs({profile.IsUsed()});
    pcapSnapLength.Needs({pcap.IsUsed()});
}

std::string
OutputSettings::CheckRanks(uint64_t ranks, uint64_t simulated, bool isLent)
{
    if (operationsRank.Get() >= ranks)
    {
        return operationsRank.Refuse("a rank below " + std::to_string(ranks));
    }
    if (profile.IsSet() && !isLent)
    {
        return profile.Refuse("empty, as without circuits that are lent nobody learns anything");
    }
    if (profileRank.Get() >= simulated)
    {
        return profileRank.Refuse("a rank below " + std::to_string(simulated));
    }
    if (qpStats.IsSet() && DistributedRun::GetLaunched() > 1)
    {
        return qpStats.Refuse("empty, as several processes have a part of the queue pairs each");
    }
    return FindError([&] { return timeline.Check(simulated); }, [&] { return report.Check(); });
}

bool
OutputSettings::WriteOperations(const WorkloadSpec& workload) const
{
    if (!operations.IsSet())
    {
        return true;
    }
    const DeviceMesh mesh(workload.parallelism);
    const uint32_t rank = operationsRank.Get();
    std::ofstream file(operations.GetText());
    RankProgramCsv::Write(*RankProgramBuilder::Build(workload, mesh, rank), mesh, rank, file);
    return file.flush().good();
}

} // namespace ns3
