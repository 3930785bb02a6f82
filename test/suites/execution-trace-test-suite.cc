// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Jobs that are written as execution traces, read, and run again.
 *
 * Covers model/workload/trace
 */

#include "differential-job.h"
#include "lambda-call.h"
#include "training-run.h"

#include "ns3/chakra-format.h"
#include "ns3/connectivity-provider.h"
#include "ns3/operations-file.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/trace-job.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::test;

namespace
{

/**
 * @param ranks ranks of a job
 * @param rank one of them
 * @return all that the rank does, as text
 */
std::string
ListOperations(const JobRanks& ranks, uint32_t rank)
{
    std::ostringstream text;
    const RankBinding binding = ranks.Bind(rank);
    for (const RankOperation& operation : ranks.GetProgram(rank)->GetOperations())
    {
        text << operation.label << ' ' << ToString(operation.stream) << ' '
             << ToString(operation.place) << ' ' << operation.duration.GetTimeStep();
        if (operation.IsCall())
        {
            const CollectiveCall call = binding.Bind(operation);
            text << ' ' << ToString(operation.dimension) << ' ' << ToString(call.kind) << ' '
                 << call.bytes << ' ' << call.peer << ' '
                 << ranks.GetLayout().GetRoleName(operation.role);
            for (const uint32_t member : ranks.GetLayout().GetGroup(rank, operation.role).ranks)
            {
                text << ' ' << member;
            }
        }
        for (uint32_t i = 0; operation.sizes && i < operation.sizes->GetRanks(); ++i)
        {
            text << ' ' << operation.sizes->GetBytes(i, 0) << ' '
                 << operation.sizes->GetBytes(i, operation.sizes->GetRanks() - 1);
        }
        text << '\n';
    }
    const RankProgram& program = *ranks.GetProgram(rank);
    for (uint32_t i = 0; i < program.GetSize(); ++i)
    {
        text << program.GetPredecessorCounts()[i] << ':';
        for (const uint32_t successor : program.GetSuccessors(i))
        {
            text << ' ' << successor;
        }
        text << '\n';
    }
    return text.str();
}

/// Set the resolution that simulations need, once in a process.
void
UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

/** A job that is written as traces and read again is the same, and takes the same time. */
class TraceRoundTripTestCase : public TestCase
{
  public:
    TraceRoundTripTestCase()
        : TestCase("50 random jobs are the same when they have been written and read")
    {
    }

  private:
    void DoRun() override
    {
        if (!ChakraInput::IsAvailable())
        {
            return;
        }
        UsePicoseconds();
        const std::vector<std::vector<std::string>> fixed{{"--model=deepseek-v2-lite",
                                                           "--tp=1",
                                                           "--fsdp=8",
                                                           "--pp=1",
                                                           "--ep=8",
                                                           "--gpusPerDomain=4",
                                                           "--popularity=zipf:1",
                                                           "--microBatches=1",
                                                           "--seqLen=256"},
                                                          {"--model=debugmodel",
                                                           "--tp=2",
                                                           "--fsdp=2",
                                                           "--pp=4",
                                                           "--schedule=interleaved",
                                                           "--virtualStages=2",
                                                           "--microBatches=8",
                                                           "--gpusPerDomain=2",
                                                           "--seqLen=512"}};
        for (uint64_t seed = 1; seed <= 50; ++seed)
        {
            const bool isFixed = seed <= fixed.size();
            std::vector<std::string> flags{"test"};
            const auto more = isFixed ? fixed[seed - 1] : JobScenario::Make(seed).flags;
            flags.insert(flags.end(), more.begin(), more.end());
            Compare(flags, seed % 5 == 0 || (isFixed && seed == 2), "job" + std::to_string(seed));
        }
    }

    /** @param runs whether the times are compared, too */
    void Compare(const std::vector<std::string>& flags, bool runs, const std::string& name)
    {
        const std::string prefix = CreateTempDirFilename(name);
        TrainingSettings settings;
        ReadFlags(settings, flags);
        const std::string error = settings.Check();
        NS_TEST_ASSERT_MSG_EQ(error, "", name);
        if (!error.empty()) // tests that go on after an error
        {
            return;
        }
        const JobRanks& written = settings.GetAllRanks();
        NS_TEST_ASSERT_MSG_EQ(ChakraWriter::Write(written, prefix), "", name);
        auto again = flags;
        again.push_back("--trace=" + prefix);
        TrainingSettings fromTraces;
        ReadFlags(fromTraces, again);
        const std::string second = fromTraces.Check();
        NS_TEST_ASSERT_MSG_EQ(second, "", name);
        if (!second.empty())
        {
            return;
        }
        const JobRanks& read = fromTraces.GetAllRanks();
        NS_TEST_ASSERT_MSG_EQ(read.GetWorldSize(), written.GetWorldSize(), name);
        NS_TEST_EXPECT_MSG_EQ((read.GetPrograms().size() <= written.GetPrograms().size()),
                              true,
                              name << " shares programs as before");
        NS_TEST_EXPECT_MSG_EQ(read.GetLayout().GetPipelineRanks(),
                              written.GetLayout().GetPipelineRanks(),
                              name);
        for (uint32_t rank = 0; rank < read.GetWorldSize(); ++rank)
        {
            NS_TEST_ASSERT_MSG_EQ((ListOperations(read, rank) == ListOperations(written, rank)),
                                  true,
                                  name << " rank " << rank);
        }
        CompareTable(flags, written, prefix + ".csv", name);
        for (std::size_t id = 0; id < written.GetLayout().GetGroups().size(); ++id)
        {
            NS_TEST_ASSERT_MSG_EQ((read.GetLayout().GetGroups()[id].ranks ==
                                   written.GetLayout().GetGroups()[id].ranks),
                                  true,
                                  name << " group " << id);
        }
        if (!runs)
        {
            return;
        }
        const RunSummary first = RunJob(flags);
        const RunSummary last = RunJob(again);
        NS_TEST_ASSERT_MSG_EQ(last.iterations.size(), first.iterations.size(), name);
        for (std::size_t i = 0; i < first.iterations.size() && i < last.iterations.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(last.iterations[i].duration,
                                  first.iterations[i].duration,
                                  name << " iteration " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(last.rails.bytesPosted, first.rails.bytesPosted, name);
    }

    /** The table of the operations of all ranks has all that traces have. */
    void CompareTable(const std::vector<std::string>& flags,
                      const JobRanks& written,
                      const std::string& file,
                      const std::string& name)
    {
        std::ofstream out(file);
        OperationsFile::Write(written, out);
        out.close();
        auto again = flags;
        again.push_back("--trace=" + file);
        TrainingSettings settings;
        ReadFlags(settings, again);
        const std::string error = settings.Check();
        NS_TEST_ASSERT_MSG_EQ(error, "", name);
        if (!error.empty())
        {
            return;
        }
        const JobRanks& read = settings.GetAllRanks();
        NS_TEST_ASSERT_MSG_EQ(read.GetWorldSize(), written.GetWorldSize(), name);
        for (uint32_t rank = 0; rank < read.GetWorldSize(); ++rank)
        {
            NS_TEST_ASSERT_MSG_EQ((ListOperations(read, rank) == ListOperations(written, rank)),
                                  true,
                                  name << " rank " << rank << " in a table");
        }
    }
};

/** Random traces, of which every operation is watched. */
class TraceReplayTestCase : public TestCase
{
  public:
    TraceReplayTestCase()
        : TestCase("Operations of traces begin when they may, one at a time, earliest first")
    {
    }

  private:
    static constexpr uint32_t RANKS = 4;

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 20; ++seed)
        {
            Replay(seed);
        }
    }

    /** @return a program: the same calls on all ranks, in a random graph of their own */
    std::shared_ptr<const RankProgram> MakeProgram(std::mt19937& random, uint32_t rank)
    {
        std::mt19937 shared(random()); // draws what all ranks have in common
        std::vector<RankOperation> operations;
        for (uint32_t i = 0; i < 60; ++i)
        {
            RankOperation operation;
            const uint32_t kind = shared() % 6;
            if (kind == 0)
            {
                operation.place = RankOperation::SCALE_OUT;
                operation.dimension = Dimension::OTHER;
                operation.kind = CollectiveKind::ALL_REDUCE;
                operation.role = static_cast<GroupRole>(shared() % 2);
                operation.bytes = 1 + shared() % 100000;
                operation.stream = static_cast<RankOperation::Stream>(
                    RankOperation::CALL_STREAMS + static_cast<uint32_t>(operation.role));
            }
            else if (kind == 1)
            {
                operation.stream = RankOperation::INSTANT;
            }
            else
            {
                const bool isHost = kind == 2;
                operation.place = isHost ? RankOperation::HOST : RankOperation::GPU;
                operation.stream = isHost ? RankOperation::HOST_QUEUE : RankOperation::GPU_QUEUE;
                operation.duration = NanoSeconds((rank + 1) * (shared() % 3) * 1000);
            }
            std::set<uint32_t> dependencies;
            for (uint32_t k = shared() % 3; k > 0 && i > 0; --k)
            {
                dependencies.insert(i - 1 - shared() % std::min(i, 10U));
            }
            operation.dependencies.assign(dependencies.begin(), dependencies.end());
            operations.push_back(operation);
        }
        return std::make_shared<const RankProgram>(std::move(operations));
    }

    void Replay(uint32_t seed)
    {
        UsePicoseconds();
        RankLayout layout(RANKS, 1);
        std::vector<ProcessGroup> groups{{0, {0, 1, 2, 3}}, {1, {0, 2}}, {2, {1, 3}}};
        layout.SetGroups(groups, {{"all", {0, 0, 0, 0}}, {"half", {1, 2, 1, 2}}});
        JobRanks::Programs programs;
        std::vector<uint32_t> classes;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            std::mt19937 random(seed);
            programs.push_back(MakeProgram(random, rank));
            classes.push_back(rank);
        }
        const auto ranks =
            std::make_shared<const JobRanks>(layout, classes, programs, CollectiveAlgorithms());
        RailClusterHelper helper;
        helper.SetDomains(RANKS, 1);
        RailCluster cluster = helper.Install(RailFabric("electrical"));
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            cluster.GetGpu(rank)->AggregateObject(CreateObject<AlwaysConnected>());
        }
        TrainingJobHelper job(ranks);
        job.SetIterations(2);
        const ApplicationContainer applications = job.Install(cluster);
        m_programs = programs;
        m_watched.assign(RANKS, Watched());
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            Watch(applications.Get(rank));
        }
        Simulator::Run();
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(m_watched[rank].ended, 120U, "operations of rank " << rank);
        }
        Simulator::Destroy();
    }

    void Watch(Ptr<Application> application)
    {
        using Call = std::function<void(uint32_t, uint32_t, const RankOperation&)>;
        for (const auto& [source, call] : std::map<std::string, Call>{
                 {"OperationBegin",
                  [this](uint32_t rank, uint32_t, const RankOperation&one) { Begun(rank, one); }},
                 {"OperationEnd",
                  [this](uint32_t rank, uint32_t, const RankOperation&one) { Ended(rank, one); }}})
        {
            application->TraceConnectWithoutContext(
                source,
                ToCallback<uint32_t, uint32_t, const RankOperation&>(call));
        }
    }

    /// What a rank has done in an iteration.
    struct Watched
    {
        Time begin;                        //!< of the iteration
        std::map<uint32_t, Time> ends;     //!< of operations that have ended
        std::set<uint32_t> begun;          //!< operations
        std::map<uint16_t, uint32_t> busy; //!< operations under way, by stream
        uint32_t ended{0};                 //!< in all iterations
    };

    uint32_t GetIndex(uint32_t rank, const RankOperation& operation) const
    {
        return static_cast<uint32_t>(&operation - m_programs[rank]->GetOperations().data());
    }

    /// @return when an operation could begin; Time::Max() if not yet
    Time GetReady(uint32_t rank, uint32_t index) const
    {
        Time ready = m_watched[rank].begin;
        for (const uint32_t before : m_programs[rank]->GetOperations()[index].dependencies)
        {
            const auto end = m_watched[rank].ends.find(before);
            ready = end == m_watched[rank].ends.end() ? Time::Max() : std::max(ready, end->second);
        }
        return ready;
    }

    void Begun(uint32_t rank, const RankOperation& operation)
    {
        Watched& watched = m_watched[rank];
        const uint32_t index = GetIndex(rank, operation);
        if (watched.begun.size() == m_programs[rank]->GetSize())
        {
            const uint32_t ended = watched.ended;
            watched = Watched();
            watched.ended = ended;
        }
        watched.begin = watched.begun.empty() ? Simulator::Now() : watched.begin;
        watched.begun.insert(index);
        const Time ready = GetReady(rank, index);
        NS_TEST_EXPECT_MSG_EQ((ready <= Simulator::Now()), true, "dependencies have ended");
        if (operation.stream == RankOperation::INSTANT)
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(watched.busy.count(operation.stream), 0U, "one at a time");
        watched.busy[operation.stream] = index;
        const auto& all = m_programs[rank]->GetOperations();
        for (uint32_t other = 0; operation.IsQueued() && other < all.size(); ++other)
        {
            const bool isWaiting =
                all[other].stream == operation.stream && watched.begun.count(other) == 0;
            const Time time = isWaiting ? GetReady(rank, other) : Time::Max();
            NS_TEST_EXPECT_MSG_EQ((time < ready || (time == ready && other < index)),
                                  false,
                                  "operation " << other << " was earlier than " << index);
        }
    }

    void Ended(uint32_t rank, const RankOperation& operation)
    {
        Watched& watched = m_watched[rank];
        watched.ends[GetIndex(rank, operation)] = Simulator::Now();
        watched.busy.erase(operation.stream);
        ++watched.ended;
    }

    JobRanks::Programs m_programs;
    std::vector<Watched> m_watched; //!< by rank
};

/** The suite. */
class ExecutionTraceTestSuite : public TestSuite
{
  public:
    ExecutionTraceTestSuite()
        : TestSuite("photonic-rails-execution-trace", Type::SYSTEM)
    {
        AddTestCase(new TraceRoundTripTestCase);
        AddTestCase(new TraceReplayTestCase);
    }
};

ExecutionTraceTestSuite g_executionTraceTestSuite; //!< registers itself

} // namespace
