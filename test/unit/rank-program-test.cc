// SPDX-License-Identifier: GPL-2.0-only

#include "program-replay.h"

#include "ns3/rank-program-builder.h"
#include "ns3/scale-out-phase.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

/**
 * @param model name of a preset
 * @param degrees parallelism with at least tp, fsdp and pp set
 * @return the job
 */
WorkloadSpec
MakeJob(const char* model, ParallelismSpec degrees)
{
    if (degrees.gpusPerDomain == 1)
    {
        degrees.gpusPerDomain = degrees.tp;
    }
    WorkloadSpec job{*TransformerSpec::Find(model), degrees, *GpuSpec::Find("a100"), 0.3};
    EXPECT_EQ(degrees.Validate(job.model), "");
    return job;
}

/// The traced workload: Llama3-8B on 4 x 4 A100.
WorkloadSpec
MakeTracedJob()
{
    ParallelismSpec degrees{4, 2, 2};
    degrees.microBatchSize = 4;
    degrees.microBatches = 2;
    return MakeJob("llama3-8b", degrees);
}

/**
 * @param job a job
 * @return the programs of its stages
 */
ProgramReplay::Programs
Build(const WorkloadSpec& job)
{
    const DeviceMesh mesh(job.parallelism);
    ProgramReplay::Programs programs;
    for (uint32_t stage = 0; stage < job.parallelism.pp; ++stage)
    {
        programs.push_back(RankProgramBuilder::Build(job, mesh, stage));
    }
    return programs;
}

/// What a rank has called, per kind.
struct Volume
{
    uint64_t count{0};
    uint64_t bytes{0};
};

/**
 * @param program a program
 * @param isCounted which operations
 * @return the volumes of its collectives
 */
template <typename F>
std::map<CollectiveKind, Volume>
Measure(const RankProgram& program, F isCounted)
{
    std::map<CollectiveKind, Volume> volumes;
    for (const auto& operation : program.GetOperations())
    {
        if (operation.place != RankOperation::GPU && isCounted(operation))
        {
            ++volumes[operation.kind].count;
            volumes[operation.kind].bytes += operation.bytes;
        }
    }
    return volumes;
}

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

bool
IsAny(const RankOperation&)
{
    return true;
}

bool
IsTp(const RankOperation& operation)
{
    return operation.dimension == Dimension::TP;
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

TEST(RankProgram, VolumesOfTheTracedWorkload)
{
    const auto programs = Build(MakeTracedJob());
    for (const auto& program : programs)
    {
        auto fsdp = Measure(*program, [](const auto& operation) {
            return operation.dimension == Dimension::FSDP;
        });
        EXPECT_EQ(fsdp[CollectiveKind::ALL_GATHER].count, 51U);
        EXPECT_EQ(fsdp[CollectiveKind::REDUCE_SCATTER].count, 17U);
        EXPECT_EQ(fsdp[CollectiveKind::ALL_REDUCE].count, 1U);
        EXPECT_LT(fsdp[CollectiveKind::ALL_REDUCE].bytes, 1U << 20);
        auto pp = Measure(*program, [](const auto& operation) {
            return operation.dimension == Dimension::PP;
        });
        EXPECT_EQ(pp[CollectiveKind::SEND].bytes, 2U * (64U << 20));
        EXPECT_EQ(pp[CollectiveKind::RECV].count, 2U);
        // 16 layers: 2 forward, 2 recomputed, 2 backward; and one of the embedding or output.
        auto tp = Measure(*program, IsTp);
        EXPECT_EQ(tp[CollectiveKind::ALL_GATHER].count, 2U * (6 * 16 + 1));
        EXPECT_EQ(tp[CollectiveKind::REDUCE_SCATTER].count, 2U * (6 * 16 + 1));
        EXPECT_LT(program->GetSize(), 1000U);
    }
}

// Volumes per rank and step of real TorchTitan runs (CCL-Bench, Llama-3.1-8B on A100), in GB with
// six digits.
TEST(RankProgram, VolumesOfPublicTraces)
{
    auto toGb = [](const Volume& volume) {
        char text[32];
        std::snprintf(text, sizeof(text), "%.6g", static_cast<double>(volume.bytes) / 1e9);
        return std::string(text);
    };
    ParallelismSpec degrees{2, 2, 1};
    degrees.microBatchSize = 4;
    degrees.seqLen = 512;
    degrees.recomputation = Recomputation::NONE;
    auto traced = Measure(*Build(MakeJob("llama3-8b", degrees))[0], IsAny);
    EXPECT_EQ(toGb(traced[CollectiveKind::ALL_GATHER]), "9.12105");
    EXPECT_EQ(toGb(traced[CollectiveKind::REDUCE_SCATTER]), "18.2421");
    // The run logged two scalars of the loss, not three: 4 B less.
    EXPECT_EQ(traced[CollectiveKind::ALL_REDUCE].bytes, 559'392U + 4U);
    auto tp = Measure(*Build(MakeJob("llama3-8b", degrees))[0], IsTp);
    EXPECT_EQ(tp[CollectiveKind::ALL_GATHER].count, 130U);
    EXPECT_EQ(tp[CollectiveKind::REDUCE_SCATTER].count, 130U);

    degrees.fsdp = 1;
    degrees.pp = 2;
    degrees.microBatches = 2;
    traced = Measure(*Build(MakeJob("llama3-8b", degrees))[0], IsAny);
    EXPECT_EQ(toGb(traced[CollectiveKind::ALL_GATHER]), "1.09052");
    EXPECT_EQ(toGb(traced[CollectiveKind::REDUCE_SCATTER]), "2.18104");
    EXPECT_EQ(traced[CollectiveKind::ALL_REDUCE].bytes, 524'872U);

    ParallelismSpec sharded{1, 8, 1};
    sharded.microBatchSize = 4;
    sharded.seqLen = 1024;
    sharded.reshard = ReshardPolicy::EXCEPT_LAST;
    traced = Measure(*Build(MakeJob("llama3-8b", sharded))[0], IsAny);
    EXPECT_EQ(toGb(traced[CollectiveKind::ALL_GATHER]), "3.8838");
    EXPECT_EQ(toGb(traced[CollectiveKind::REDUCE_SCATTER]), "32.121");
    EXPECT_EQ(traced[CollectiveKind::ALL_REDUCE].bytes, 1172U + 4U);
}

TEST(RankProgram, WithoutAPipelineEveryBackwardGathersAndReduces)
{
    ParallelismSpec degrees{1, 4, 1};
    degrees.microBatches = 3;
    auto volumes = Measure(*Build(MakeJob("debugmodel", degrees))[0], IsAny);
    EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].count, 3U * 2 * 8);
    EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].count, 3U * 8);
    EXPECT_EQ(volumes[CollectiveKind::SEND].count, 0U);
}

TEST(RankProgram, ReshardPolicies)
{
    ParallelismSpec degrees{1, 4, 2};
    degrees.microBatches = 2;
    auto count = [&degrees](ReshardPolicy policy, uint32_t stage) {
        degrees.reshard = policy;
        return Measure(*Build(MakeJob("debugmodel", degrees))[stage],
                       IsAny)[CollectiveKind::ALL_GATHER]
            .count;
    };
    EXPECT_EQ(count(ReshardPolicy::ALWAYS, 0), 3U * 4);
    EXPECT_EQ(count(ReshardPolicy::EXCEPT_LAST, 0), 3U * 4);
    EXPECT_EQ(count(ReshardPolicy::EXCEPT_LAST, 1), 3U * 3 + 1);
    EXPECT_EQ(count(ReshardPolicy::NEVER, 0), 4U);
    EXPECT_EQ(count(ReshardPolicy::NEVER, 1), 4U);
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
    for (const auto& operation : Build(MakeJob("debugmodel", degrees))[0]->GetOperations())
    {
        if (operation.role == GroupRole::FSDP && operation.place != RankOperation::GPU)
        {
            EXPECT_EQ(operation.place, RankOperation::SCALE_UP);
            EXPECT_GT(operation.duration, Time(0));
        }
    }
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
    for (uint32_t pp : {1, 2, 3, 4, 6})
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

TEST(RankProgram, SendsAndReceivesOfNeighboursBalance)
{
    ParallelismSpec degrees{1, 2, 4};
    degrees.microBatches = 6;
    const auto programs = Build(MakeJob("debugmodel", degrees));
    auto count = [&programs](uint32_t stage, CollectiveKind kind, GroupRole role) {
        return Measure(*programs[stage],
                       [role](const auto& operation) { return operation.role == role; })[kind]
            .count;
    };
    for (uint32_t stage = 0; stage + 1 < 4; ++stage)
    {
        EXPECT_EQ(count(stage, CollectiveKind::SEND, GroupRole::PP_NEXT),
                  count(stage + 1, CollectiveKind::RECV, GroupRole::PP_PREVIOUS));
        EXPECT_EQ(count(stage, CollectiveKind::RECV, GroupRole::PP_NEXT),
                  count(stage + 1, CollectiveKind::SEND, GroupRole::PP_PREVIOUS));
    }
}

TEST(RankProgram, BindingNamesGroupsAndPeers)
{
    const WorkloadSpec job = MakeTracedJob();
    const DeviceMesh mesh(job.parallelism);
    const auto program = RankProgramBuilder::Build(job, mesh, 1);
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

TEST(RankProgram, PrefetchKeepsTheDistanceOfFsdp2)
{
    const auto program = Build(MakeTracedJob())[0];
    const auto& operations = program->GetOperations();
    auto find = [&operations](const std::string& label) {
        for (uint32_t i = 0; i < operations.size(); ++i)
        {
            if (operations[i].label == label)
            {
                return i;
            }
        }
        ADD_FAILURE() << "no operation " << label;
        return 0U;
    };
    // Forward: three gathers need no computation; the next waits for the end of the first unit.
    EXPECT_TRUE(operations[find("forward 0 layer 1 parameters")].dependencies.empty());
    EXPECT_EQ(operations[find("forward 0 layer 2 parameters")].dependencies,
              std::vector<uint32_t>{find("forward 0 embedding scatter tokens")});
    // Backward: two gathers need no computation of the pass.
    const auto& second = operations[find("backward 0 layer 14 parameters")].dependencies;
    const auto gradient = find("receive gradient 0");
    EXPECT_NE(std::find(second.begin(), second.end(), gradient), second.end());
    EXPECT_EQ(operations[find("backward 0 layer 13 parameters")].dependencies,
              std::vector<uint32_t>{find("backward 0 layer 15 attention norm gradient")});
}
