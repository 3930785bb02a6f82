// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Jobs that are written as execution traces, read, and run again.
 *
 * Covers model/workload/trace
 */

#include "../random-search.h"
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
#include <memory>
#include <optional>
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
        : TestCase("Random jobs are the same when they have been written and read")
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
                                                           "--seqLen=512"},
                                                          {"--model=debugmodel-moe",
                                                           "--tp=1",
                                                           "--fsdp=4",
                                                           "--ep=2",
                                                           "--pp=2",
                                                           "--seqLen=64",
                                                           "--microBatches=2",
                                                           "--microBatchSize=1",
                                                           "--gpusPerDomain=1",
                                                           "--fabric=electrical"}};
        const uint64_t seeds = CountSeeds("written jobs", 200, SearchLimit::ALL_BUILDS);
        for (uint64_t seed = 1; seed <= fixed.size() + seeds; ++seed)
        {
            const bool isFixed = seed <= fixed.size();
            std::vector<std::string> flags{"test", "--hostRunAhead=none"}; // traces have no hosts
            const auto more = isFixed ? fixed[seed - 1] : MakeFlags(seed);
            flags.insert(flags.end(), more.begin(), more.end());
            Compare(flags, !isFixed || seed > 1, "job" + std::to_string(seed));
        }
    }

    /** @return a random job, half of them with experts, on all ranks of a stage if these divide
     * them */
    static std::vector<std::string> MakeFlags(uint64_t seed)
    {
        std::vector<std::string> flags = JobScenario::Make(seed).flags;
        for (std::size_t i = 0; seed % 2 == 0 && i < flags.size(); ++i)
        {
            if (flags[i].rfind("--fsdp=", 0) == 0)
            {
                const std::string ranks = flags[i].substr(7);
                flags.push_back("--ep=" + (8 % std::stoul(ranks) == 0 ? ranks : "1"));
                flags.emplace_back("--model=debugmodel-moe");
                break;
            }
        }
        return flags;
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
        CompareTimes(first, again, name);
        again.back() += ".csv";
        CompareTimes(first, again, name + " as a table");
    }

    /** @param first of the job before it was written @param again flags of the written traces */
    void CompareTimes(const RunSummary& first,
                      const std::vector<std::string>& again,
                      const std::string& name)
    {
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

    /// The operations of a rank in an iteration.
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

/** Random tables whose groups have calls on several streams, with an order found by hand. */
class CallsOfGroupsTestCase : public TestCase
{
  public:
    CallsOfGroupsTestCase()
        : TestCase("The n-th call of a group is the same on all ranks, whatever its stream is")
    {
    }

  private:
    static constexpr uint32_t RANKS = 4;

    /// A row of a table, and the expected result.
    struct Row
    {
        std::string stream;
        uint32_t milliseconds{0};           //!< of a computation
        uint32_t group{0};                  //!< of a call
        uint64_t bytes{0};                  //!< of a call
        std::set<uint32_t> dependencies;    //!< rows of the rank
        std::set<uint32_t> before;          //!< those, and the rows before it in an order
        std::map<uint32_t, uint32_t> peers; //!< rows of the same call, by rank
        std::optional<uint32_t> end;        //!< ms, where calls take no time
    };

    using Table = std::vector<std::vector<Row>>; //!< by rank

    /// @return ranks of groups
    static const std::vector<std::vector<uint32_t>>& GetGroups()
    {
        static const std::vector<std::vector<uint32_t>> groups{{0, 1, 2, 3},
                                                               {0, 1},
                                                               {2, 3},
                                                               {1, 2}};
        return groups;
    }

    void DoRun() override
    {
        UsePicoseconds();
        const uint64_t seeds = CountSeeds("streams of a group", 200, SearchLimit::ALL_BUILDS);
        for (uint64_t seed = 1; seed <= seeds; ++seed)
        {
            const std::string name = "table" + std::to_string(seed);
            Table table = Make(seed);
            FindEnds(table);
            const std::string prefix = CreateTempDirFilename(name);
            Write(table, prefix + ".csv");
            const auto ranks = Read(prefix + ".csv");
            const auto ends = Run(ranks);
            Check(table, ends, name);
            std::ofstream out(prefix + "-again.csv");
            OperationsFile::Write(*ranks, out);
            out.close();
            NS_TEST_EXPECT_MSG_EQ((Run(Read(prefix + "-again.csv")) == ends), true, name);
            if (ChakraInput::IsAvailable())
            {
                NS_TEST_ASSERT_MSG_EQ(ChakraWriter::Write(*ranks, prefix), "", name);
                NS_TEST_EXPECT_MSG_EQ((Run(Read(prefix)) == ends), true, name << " as Chakra");
            }
            CheckDisagreement(table, prefix + "-wrong.csv", name);
        }
    }

    /** @return a table of computations, and of calls that all ranks make in one order */
    static Table Make(uint64_t seed)
    {
        std::mt19937 random(seed);
        const std::vector<std::string> streams{"tp", "cp", "ep", "fsdp", "dp"};
        Table table(RANKS);
        for (uint32_t i = 0; i < 40; ++i)
        {
            const bool isCall = random() % 2 == 0;
            const auto group = static_cast<uint32_t>(random() % GetGroups().size());
            const uint64_t bytes = 100 * (1 + random() % 3);
            const std::vector<uint32_t> alone{static_cast<uint32_t>(random() % RANKS)};
            std::map<uint32_t, uint32_t> peers;
            for (const uint32_t rank : isCall ? GetGroups()[group] : alone)
            {
                peers[rank] = static_cast<uint32_t>(table[rank].size());
            }
            for (const auto& [rank, place] : peers)
            {
                Row row;
                row.stream = isCall ? streams[random() % streams.size()] : "compute";
                row.milliseconds = isCall ? 0 : 10 * static_cast<uint32_t>(1 + random() % 9);
                row.group = group;
                row.bytes = isCall ? bytes : 0;
                row.peers = peers;
                for (uint32_t k = random() % 3; k > 0 && place > 0; --k)
                {
                    row.dependencies.insert(static_cast<uint32_t>(random() % place));
                }
                table[rank].push_back(row);
            }
        }
        return table;
    }

    /** Find by hand when each row ends: rows of a stream and calls of a group follow each other. */
    static void FindEnds(Table& table)
    {
        for (auto& rows : table)
        {
            for (uint32_t i = 0; i < rows.size(); ++i)
            {
                rows[i].before = rows[i].dependencies;
                for (uint32_t k = 0; k < i; ++k)
                {
                    const bool isOfGroup =
                        rows[i].bytes > 0 && rows[k].bytes > 0 && rows[i].group == rows[k].group;
                    if (isOfGroup || rows[i].stream == rows[k].stream)
                    {
                        rows[i].before.insert(k);
                    }
                }
            }
        }
        for (bool isLeft = true; isLeft;)
        {
            isLeft = false;
            for (auto& rows : table)
            {
                for (Row& row : rows)
                {
                    row.end = row.end ? row.end : FindEnd(table, row);
                    isLeft = isLeft || !row.end;
                }
            }
        }
    }

    /** @return when a row ends, if that is known */
    static std::optional<uint32_t> FindEnd(const Table& table, const Row& row)
    {
        uint32_t begin = 0;
        for (const auto& [rank, place] : row.peers)
        {
            for (const uint32_t before : table[rank][place].before)
            {
                if (!table[rank][before].end)
                {
                    return std::nullopt;
                }
                begin = std::max(begin, *table[rank][before].end);
            }
        }
        return begin + row.milliseconds;
    }

    static void Write(const Table& table, const std::string& file)
    {
        std::ofstream out(file);
        out << "rank,group,root,sizes,index,stream,place,dimension,role,kind,ranks,peer,bytes,"
               "flops,duration_s,label,dependencies\n";
        for (uint32_t rank = 0; rank < table.size(); ++rank)
        {
            for (uint32_t i = 0; i < table[rank].size(); ++i)
            {
                const Row& row = table[rank][i];
                std::string group;
                for (const uint32_t member : GetGroups()[row.group])
                {
                    group += (group.empty() ? "" : " ") + std::to_string(member);
                }
                out << rank << ',' << (row.bytes > 0 ? group : "") << ",,," << i << ','
                    << row.stream << ','
                    << (row.bytes > 0 ? "scale-out,other,all,AllReduce,,," : "gpu,compute,,,,,");
                out << (row.bytes > 0 ? std::to_string(row.bytes) + ",,"
                                      : ",," + std::to_string(row.milliseconds / 1000.0));
                out << ",row " << i << ',';
                for (const uint32_t dependency : row.dependencies)
                {
                    out << ' ' << dependency;
                }
                out << '\n';
            }
        }
    }

    static std::shared_ptr<const JobRanks> Read(const std::string& prefix)
    {
        TraceSource source;
        source.prefix = prefix;
        source.gpusPerDomain = 1;
        source.gpu = *GpuSpec::Find("a100");
        source.efficiency = {0.5, 0.5, 0.5, 0.5};
        return std::make_shared<const JobRanks>(TraceJob::Read(source));
    }

    using Ends = std::map<std::pair<uint32_t, std::string>, Time>; //!< by rank and label

    static Ends Run(const std::shared_ptr<const JobRanks>& ranks)
    {
        RailClusterHelper helper;
        helper.SetDomains(RANKS, 1);
        RailCluster cluster = helper.Install(RailFabric("electrical"));
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            cluster.GetGpu(rank)->AggregateObject(CreateObject<AlwaysConnected>());
        }
        const ApplicationContainer applications = TrainingJobHelper(ranks).Install(cluster);
        Ends ends;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            applications.Get(rank)->TraceConnectWithoutContext(
                "OperationEnd",
                ToCallback<uint32_t, uint32_t, const RankOperation&>(
                    [&ends](uint32_t rank, uint32_t, const RankOperation& operation) {
                        ends[{rank, operation.label}] = Simulator::Now();
                    }));
        }
        Simulator::Run();
        Simulator::Destroy();
        return ends;
    }

    void Check(const Table& table, const Ends& ends, const std::string& name)
    {
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            for (uint32_t i = 0; i < table[rank].size(); ++i)
            {
                const std::string label = "row " + std::to_string(i);
                const auto end = ends.find({rank, label});
                NS_TEST_ASSERT_MSG_EQ((end != ends.end()), true, name << " rank " << rank << label);
                NS_TEST_EXPECT_MSG_EQ_TOL(end->second.GetSeconds(),
                                          *table[rank][i].end / 1000.0,
                                          0.002,
                                          name << " rank " << rank << ' ' << label);
            }
        }
    }

    /** Ranks that make two calls of a group in different orders are refused. */
    void CheckDisagreement(Table& table, const std::string& file, const std::string& name)
    {
        std::map<uint32_t, Row*> last;
        for (Row& row : table[0])
        {
            Row*& before = last[row.group];
            if (row.bytes > 0 && before && before->bytes != row.bytes)
            {
                std::swap(before->bytes, row.bytes);
                Write(table, file);
                std::string error;
                try
                {
                    Read(file);
                }
                catch (const TraceError& refused)
                {
                    error = refused.what();
                }
                NS_TEST_EXPECT_MSG_NE(error, "", name);
                return;
            }
            before = row.bytes > 0 ? &row : before;
        }
    }
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
        AddTestCase(new CallsOfGroupsTestCase);
    }
};

ExecutionTraceTestSuite g_executionTraceTestSuite; //!< registers itself

} // namespace
