// SPDX-License-Identifier: GPL-2.0-only

#include "program-replay.h"
#include "workload-jobs.h"

#include "ns3/rail-phases.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace ns3;

namespace
{

/**
 * @param operations operations in some order
 * @return their scale-out phases, one text each
 */
std::vector<std::string>
WritePhases(const std::vector<RankOperation>& operations)
{
    std::vector<std::string> texts;
    for (const auto& phase : ScaleOutPhase::Encode(operations))
    {
        texts.push_back(phase.ToText());
    }
    return texts;
}

// What was recorded on a rank of each stage (arXiv 2602.12521, public artifact), neighbouring runs
// of the same kind joined: on stage 1 the forward and the backward of micro-batch 0 follow each
// other.
const std::vector<std::string> RECORDED_STAGE_0 = {"fsdp AllGather 17",
                                                   "pp Send 1",
                                                   "fsdp AllGather 17",
                                                   "pp Send 1",
                                                   "pp Recv 1",
                                                   "fsdp AllGather 17",
                                                   "pp Recv 1",
                                                   "fsdp ReduceScatter 17",
                                                   "fsdp AllReduce 1",
                                                   "pp AllReduce 1",
                                                   "dp AllReduce 3"};
const std::vector<std::string> RECORDED_STAGE_1 = {"pp Recv 1",
                                                   "fsdp AllGather 34",
                                                   "pp Send 1",
                                                   "pp Recv 1",
                                                   "fsdp AllGather 17",
                                                   "pp Send 1",
                                                   "fsdp ReduceScatter 17",
                                                   "fsdp AllReduce 1",
                                                   "pp AllReduce 1",
                                                   "dp AllReduce 3"};

} // namespace

TEST(RankProgram, IssueOrderEqualsTheRecording)
{
    const auto programs = Build(MakeTracedJob());
    EXPECT_EQ(WritePhases(programs[0]->GetOperations()), RECORDED_STAGE_0);
    EXPECT_EQ(WritePhases(programs[1]->GetOperations()), RECORDED_STAGE_1);
}

TEST(RankProgram, ExecutedOrderEqualsTheRecording)
{
    for (bool isRendezvous : {false, true})
    {
        // From a network that hardly matters to one that dominates.
        for (double bandwidth : {25e12, 25e9, 25e8})
        {
            ProgramReplay replay(Build(MakeTracedJob()), bandwidth, 2, isRendezvous);
            ASSERT_TRUE(replay.Run());
            EXPECT_EQ(WritePhases(replay.GetStartOrder(0)), RECORDED_STAGE_0) << bandwidth;
            EXPECT_EQ(WritePhases(replay.GetStartOrder(1)), RECORDED_STAGE_1) << bandwidth;
        }
    }
}

TEST(RankProgram, PassesOfTheTracedWorkload)
{
    // Which micro-batch the gathered parameters serve.
    const auto programs = Build(MakeTracedJob());
    std::vector<std::map<std::string, int>> gathers(2);
    for (uint32_t stage : {0, 1})
    {
        for (const auto& operation : programs[stage]->GetOperations())
        {
            if (operation.dimension == Dimension::FSDP &&
                operation.kind == CollectiveKind::ALL_GATHER)
            {
                ++gathers[stage][operation.label.substr(0, operation.label.find(' ') + 2)];
            }
        }
    }
    using Counts = std::map<std::string, int>;
    EXPECT_EQ(gathers[0], (Counts{{"forward 0", 17}, {"forward 1", 17}, {"backward 0", 17}}));
    EXPECT_EQ(gathers[1], (Counts{{"forward 0", 17}, {"backward 0", 17}, {"backward 1", 17}}));
}

TEST(RankProgram, ASingleGpuOnlyComputes)
{
    const auto program = Build(MakeJob("debugmodel", ParallelismSpec{1, 1, 1}))[0];
    for (const auto& operation : program->GetOperations())
    {
        EXPECT_EQ(operation.place, RankOperation::GPU);
    }
}

TEST(RankProgram, FsdpInsideADomainStaysOffTheRail)
{
    ParallelismSpec degrees{2, 4, 2};
    degrees.gpusPerDomain = 8;
    const auto program = Build(MakeJob("debugmodel", degrees))[0];
    uint32_t count = 0;
    for (const auto& operation : program->GetOperations())
    {
        if (operation.role == GroupRole::FSDP && operation.place != RankOperation::GPU)
        {
            EXPECT_EQ(operation.place, RankOperation::SCALE_UP);
            EXPECT_GT(operation.duration, Time(0));
            ++count;
        }
    }
    // Two passes gather and one reduces four units; gradient norm.
    EXPECT_EQ(count, 3U * 4 + 1);
}

namespace
{

/// Checks the properties that every program has.
void
CheckProgram(const RankProgram& program)
{
    std::map<std::string, uint32_t> gathers; // by unit, not yet used
    for (uint32_t index = 0; index < program.GetSize(); ++index)
    {
        const RankOperation& operation = program.GetOperations()[index];
        for (uint32_t dependency : operation.dependencies)
        {
            ASSERT_LT(dependency, index);
        }
        const std::set<uint32_t> once(operation.dependencies.begin(), operation.dependencies.end());
        ASSERT_EQ(once.size(), operation.dependencies.size());
        for (uint32_t successor : program.GetSuccessors(index))
        {
            ASSERT_GT(successor, index);
        }
        ASSERT_GE(operation.duration, Time(0));
        if (operation.dimension == Dimension::FSDP &&
            operation.kind == CollectiveKind::ALL_GATHER && operation.place != RankOperation::GPU)
        {
            // The label is the unit's pass and " parameters".
            const std::string unit = operation.label.substr(0, operation.label.rfind(' '));
            ASSERT_TRUE(gathers.emplace(unit, index).second);
        }
        else if (operation.stream == RankOperation::COMPUTE_STREAM ||
                 operation.stream == RankOperation::TP_STREAM)
        {
            // The first operation of a unit waits for its AllGather.
            for (auto gather = gathers.begin(); gather != gathers.end();)
            {
                const std::string& unit = gather->first;
                if (operation.label.compare(0, unit.size(), unit) == 0 &&
                    (operation.label.size() == unit.size() || operation.label[unit.size()] == ' '))
                {
                    const auto& needs = operation.dependencies;
                    ASSERT_NE(std::find(needs.begin(), needs.end(), gather->second), needs.end())
                        << operation.label;
                    gather = gathers.erase(gather);
                }
                else
                {
                    ++gather;
                }
            }
        }
    }
    EXPECT_TRUE(gathers.empty()) << "parameters gathered and never used";
}

} // namespace

TEST(RankProgram, EveryProgramIsSoundAndNoPipelineDeadlocks)
{
    for (uint32_t pp : {1, 2, 3, 4})
    {
        for (uint32_t microBatches : {1, 2, 3, 5, 8})
        {
            for (uint32_t fsdp : {1, 2, 3})
            {
                for (uint32_t tp : {1, 2})
                {
                    ParallelismSpec degrees{tp, fsdp, pp};
                    degrees.microBatches = microBatches;
                    const auto programs = Build(MakeJob("debugmodel", degrees));
                    for (const auto& program : programs)
                    {
                        CheckProgram(*program);
                    }
                    for (bool isRendezvous : {false, true})
                    {
                        ProgramReplay replay(programs, 1e9, fsdp, isRendezvous);
                        ASSERT_TRUE(replay.Run()) << pp << " stages, " << microBatches;
                    }
                }
            }
        }
    }
}

TEST(RankProgram, BindingNamesGroupsAndPeers)
{
    const WorkloadSpec job = MakeTracedJob();
    const DeviceMesh mesh(job.parallelism);
    const auto program = RankProgramBuilder::Build(job, mesh, mesh.GetWorldSize() - 1);
    const RankBinding binding(mesh, 13);
    EXPECT_EQ(binding.GetRank(), 13U);
    for (const auto& operation : program->GetOperations())
    {
        if (operation.place == RankOperation::GPU)
        {
            continue;
        }
        const CollectiveCall call = binding.Bind(operation);
        EXPECT_EQ(call.kind, operation.kind);
        EXPECT_EQ(call.bytes, operation.bytes);
        EXPECT_EQ(call.groupId, mesh.GetGroup(13, operation.role).id);
        EXPECT_EQ(call.peer, call.IsPointToPoint() ? 5U : 0U);
    }
}

namespace
{

/**
 * @param program a program
 * @param label of an operation
 * @return the first operation of that label
 */
uint32_t
Find(const RankProgram& program, const std::string& label)
{
    for (uint32_t i = 0; i < program.GetSize(); ++i)
    {
        if (program.GetOperations()[i].label == label)
        {
            return i;
        }
    }
    ADD_FAILURE() << "no operation " << label;
    return 0;
}

/**
 * @param program a program
 * @param label of an operation
 * @param dependency label of another
 * @return true if the operation names the other as a dependency
 */
bool
DependsOn(const RankProgram& program, const std::string& label, const std::string& dependency)
{
    const auto& all = program.GetOperations()[Find(program, label)].dependencies;
    return std::find(all.begin(), all.end(), Find(program, dependency)) != all.end();
}

/// @return true if an operation waits for an operation that has a label, which need not be the only
/// one
bool
Follows(const RankProgram& program, const std::string& label, const std::string& before)
{
    const auto& operations = program.GetOperations();
    const auto& all = operations[Find(program, label)].dependencies;
    return std::any_of(all.begin(), all.end(), [&operations, &before](uint32_t index) {
        return operations[index].label == before;
    });
}

} // namespace

TEST(RankProgram, PrefetchKeepsTheDistanceOfFsdp2)
{
    const auto program = Build(MakeTracedJob())[0];
    const auto& operations = program->GetOperations();
    // Forward: three gathers need no computation; the next waits for the end of the first unit.
    EXPECT_TRUE(operations[Find(*program, "forward 0 layer 1 parameters")].dependencies.empty());
    EXPECT_EQ(operations[Find(*program, "forward 0 layer 2 parameters")].dependencies,
              std::vector<uint32_t>{Find(*program, "forward 0 embedding scatter tokens")});
    // Backward: two gathers need no computation of the pass.
    EXPECT_TRUE(DependsOn(*program, "backward 0 layer 14 parameters", "receive gradient 0"));
    EXPECT_EQ(
        operations[Find(*program, "backward 0 layer 13 parameters")].dependencies,
        std::vector<uint32_t>{Find(*program, "backward 0 layer 15 attention scatter tokens")});
}

TEST(RankProgram, ReductionsFollowTheLastTransferAndPrecedeTheOptimizer)
{
    const auto program = Build(MakeTracedJob())[1];
    EXPECT_TRUE(DependsOn(*program, "layer 16 norm gradient", "send gradient 1"));
    EXPECT_TRUE(Follows(*program, "layer 16 gradients", "layer 16 norm gradient"));
    EXPECT_TRUE(DependsOn(*program, "layer 17 gradients", "layer 16 gradients"));
    EXPECT_TRUE(DependsOn(*program, "gradient norm", "output gradients"));
    EXPECT_TRUE(DependsOn(*program, "clip and Adam", "gradient norm over pp"));
    EXPECT_TRUE(DependsOn(*program, "mean loss", "clip and Adam"));
}

TEST(RankProgram, WithoutAPipelineReductionsRunBesideTheBackward)
{
    const auto program = Build(MakeJob("debugmodel", ParallelismSpec{1, 2, 1}))[0];
    // A unit waits for the reduction two before it, not for the one just before.
    EXPECT_TRUE(DependsOn(*program, "layer 5 gradients", "backward 0 layer 5 attention"));
    const std::string next = "backward 0 layer 4 recomputed attention";
    EXPECT_FALSE(DependsOn(*program, next, "layer 5 gradients"));
    EXPECT_TRUE(DependsOn(*program, next, "output gradients"));
}

TEST(RankProgram, BatchesOfTransfersFollowEachOther)
{
    ParallelismSpec degrees{1, 1, 3};
    degrees.microBatches = 4;
    const auto program = Build(MakeJob("debugmodel", degrees))[1];
    EXPECT_TRUE(DependsOn(*program, "receive activation 1", "send activation 0"));
    // One batch: neither waits for the other.
    EXPECT_FALSE(DependsOn(*program, "receive gradient 0", "send activation 1"));
    EXPECT_TRUE(DependsOn(*program, "receive gradient 0", "receive activation 1") ||
                DependsOn(*program, "receive gradient 0", "forward 1 layer 3 feed-forward"));
}
