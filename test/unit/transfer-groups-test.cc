// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/framework.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param kind a schedule
 * @param ranks pipeline ranks
 * @param chunks model chunks of each
 * @param isFull as many micro-batches as there are chunks in all, or as few as are allowed
 * @return a job of four GPUs a pipeline rank
 */
WorkloadSpec
MakePipeline(const Variant<PipelineSchedule>& kind, uint32_t ranks, uint32_t chunks, bool isFull)
{
    ParallelismSpec degrees;
    degrees.tp = 2;
    degrees.fsdp = 2;
    degrees.pp = ranks;
    degrees.seqLen = 256;
    degrees.gpusPerDomain = 4;
    degrees.schedule = kind;
    degrees.virtualStages = chunks;
    const uint32_t fewest = kind == "dualpipev" ? 2 * ranks : kind == "interleaved" ? ranks : 1;
    degrees.microBatches = isFull ? 2 * ranks * chunks : fewest;
    FrameworkRules rules = Variant<Framework>("torchtitan")->MakeRules();
    rules.split = StageSplit::WEIGHTED;
    return MakeJob("llama3-8b", degrees, rules);
}

/// Checks that each transfer goes to the rank that the schedule names, over a group of both.
void
CheckTransfers(const WorkloadSpec& job)
{
    const PipelineShape pipeline = job.GetPipeline();
    const DeviceMesh mesh(job.parallelism);
    const RankClasses classes(job, mesh);
    const auto programs = Build(job);
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> sends;    // groups, by ranks
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> receives; // groups, by ranks
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        MeshCoordinate at = mesh.GetCoordinate(rank);
        std::vector<uint32_t> peers;
        for (const auto& action : pipeline.schedule->MakeProgram(pipeline, at.pp))
        {
            if (action.IsTransfer())
            {
                at.pp = action.peer;
                peers.push_back(mesh.GetRank(at));
            }
        }
        const RankBinding binding(mesh, rank);
        std::size_t transfers = 0;
        for (const auto& operation : programs[classes.GetClass(rank)]->GetOperations())
        {
            if (operation.stream != RankOperation::SEND_STREAM &&
                operation.stream != RankOperation::RECV_STREAM)
            {
                continue;
            }
            const CollectiveCall call = binding.Bind(operation);
            if (!call.IsPointToPoint())
            {
                continue;
            }
            ASSERT_LT(transfers, peers.size());
            const uint32_t peer = peers[transfers++];
            EXPECT_EQ(call.peer, peer) << "rank " << rank << ", " << operation.label;
            const std::vector<uint32_t> both{std::min(rank, peer), std::max(rank, peer)};
            EXPECT_EQ(mesh.GetGroup(rank, operation.role).ranks, both)
                << "rank " << rank << ", " << operation.label;
            EXPECT_EQ(mesh.GetGroups()[call.groupId].ranks, both);
            if (call.kind == CollectiveKind::SEND)
            {
                sends[{rank, peer}].push_back(call.groupId);
            }
            else
            {
                receives[{peer, rank}].push_back(call.groupId);
            }
        }
        EXPECT_EQ(transfers, peers.size());
        EXPECT_GT(transfers, 0U);
    }
    EXPECT_EQ(sends, receives);
}

} // namespace

TEST(TransferGroups, BothRanksAreInTheGroupOfTheirRole)
{
    for (const auto& kind : Variant<PipelineSchedule>::GetNames())
    {
        for (uint32_t ranks = 2; ranks <= 4; ++ranks)
        {
            for (uint32_t chunks = 1; chunks <= 3; ++chunks)
            {
                const bool isChunked = kind == "interleaved" || kind == "dualpipev";
                if (isChunked != (chunks > 1) || (kind == "dualpipev" && chunks > 2))
                {
                    continue;
                }
                for (const bool isFull : {false, true})
                {
                    SCOPED_TRACE(kind + ", pp=" + std::to_string(ranks) +
                                 ", virtualStages=" + std::to_string(chunks));
                    CheckTransfers(MakePipeline(kind, ranks, chunks, isFull));
                }
            }
        }
    }
}
