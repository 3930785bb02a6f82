// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Training ranks whose programs need no network, against closed forms.
 */

#include "ns3/node.h"
#include "ns3/rank-program-builder.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** An operation of a rank and its time. */
struct Entry
{
    std::string event;
    uint32_t rank;
    uint32_t iteration;
    Time time;
};

/** Base of the cases: builds ranks and records their operations. */
class TrainingTestCase : public TestCase
{
  public:
    /** @param name of the case */
    explicit TrainingTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /**
     * @param operations of an iteration
     * @param iterations number of iterations
     * @return a rank on a node of its own
     */
    Ptr<TrainingApplication> Install(std::vector<RankOperation> operations, uint32_t iterations)
    {
        return Install(CreateObject<Node>(),
                       std::make_shared<const RankProgram>(std::move(operations)),
                       RankBinding(),
                       iterations);
    }

    /**
     * @param node where
     * @param program of an iteration
     * @param binding the rank
     * @param iterations number of iterations
     * @return the rank
     */
    Ptr<TrainingApplication> Install(Ptr<Node> node,
                                     std::shared_ptr<const RankProgram> program,
                                     const RankBinding& binding,
                                     uint32_t iterations)
    {
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("Iterations", UintegerValue(iterations));
        application->SetProgram(std::move(program), binding);
        node->AddApplication(application);
        for (const std::string source : {"IterationBegin", "IterationEnd"})
        {
            application->TraceConnectWithoutContext(
                source,
                MakeCallback(&TrainingTestCase::TraceIteration, this).Bind(source));
        }
        for (const std::string source : {"OperationBegin", "OperationEnd"})
        {
            application->TraceConnectWithoutContext(
                source,
                MakeCallback(&TrainingTestCase::TraceOperation, this).Bind(source));
        }
        return application;
    }

    /**
     * @param label for people
     * @param stream of the operation
     * @param duration of the operation
     * @param dependencies operations that must end before
     * @return an operation
     */
    static RankOperation MakeOperation(const std::string& label,
                                       RankOperation::Stream stream,
                                       Time duration,
                                       std::vector<uint32_t> dependencies = {})
    {
        RankOperation operation;
        operation.label = label;
        operation.stream = stream;
        operation.duration = duration;
        operation.dependencies = std::move(dependencies);
        return operation;
    }

    /** @return the time of an event, of which there is exactly one */
    Time GetTime(const std::string& event, uint32_t iteration = 0)
    {
        Time time(-1);
        uint32_t count = 0;
        for (const auto& entry : m_log)
        {
            if (entry.event == event && entry.iteration == iteration)
            {
                time = entry.time;
                ++count;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(count, 1, event << " happens once in iteration " << iteration);
        return time;
    }

    std::vector<Entry> m_log;
    std::vector<std::vector<RankOperation>> m_begun; //!< by rank
    bool m_keepsLog{true};                           //!< write m_log

  private:
    void TraceIteration(std::string source, uint32_t rank, uint32_t iteration)
    {
        m_log.push_back({source, rank, iteration, Simulator::Now()});
    }

    void TraceOperation(std::string source,
                        uint32_t rank,
                        uint32_t iteration,
                        const RankOperation& operation)
    {
        if (m_keepsLog)
        {
            m_log.push_back({source + " " + operation.label, rank, iteration, Simulator::Now()});
        }
        if (source == "OperationBegin" && rank < m_begun.size())
        {
            m_begun[rank].push_back(operation);
        }
    }
};

/** Streams run side by side, dependencies hold them up. */
class StreamsCase : public TrainingTestCase
{
  public:
    StreamsCase()
        : TrainingTestCase("Streams run side by side and wait for dependencies")
    {
    }

  private:
    void DoRun() override
    {
        constexpr auto COMPUTE = RankOperation::COMPUTE_STREAM;
        constexpr auto OTHER = RankOperation::TP_STREAM;
        const Time ms = MilliSeconds(1);
        auto rank = Install({MakeOperation("a", COMPUTE, 3 * ms),
                             MakeOperation("b", OTHER, 5 * ms),
                             MakeOperation("c", COMPUTE, 1 * ms),
                             MakeOperation("d", OTHER, 2 * ms, {0}),
                             MakeOperation("e", COMPUTE, 4 * ms, {2, 3})},
                            3);
        rank->SetStartTime(ms);
        Simulator::Run();
        for (uint32_t i = 0; i < 3; ++i)
        {
            // a 0-3, b 0-5, c 3-4, d 5-7, e 7-11
            const Time begin = ms + 11 * i * ms;
            NS_TEST_EXPECT_MSG_EQ(GetTime("IterationBegin", i), begin, "iteration begins");
            NS_TEST_EXPECT_MSG_EQ(GetTime("OperationBegin b", i), begin, "beside a");
            NS_TEST_EXPECT_MSG_EQ(GetTime("OperationBegin c", i), begin + 3 * ms, "after a");
            NS_TEST_EXPECT_MSG_EQ(GetTime("OperationBegin d", i), begin + 5 * ms, "after b");
            NS_TEST_EXPECT_MSG_EQ(GetTime("OperationBegin e", i), begin + 7 * ms, "after d");
            NS_TEST_EXPECT_MSG_EQ(GetTime("OperationEnd e", i), begin + 11 * ms, "in its time");
            NS_TEST_EXPECT_MSG_EQ(GetTime("IterationEnd", i), begin + 11 * ms, "with the last");
        }
        NS_TEST_EXPECT_MSG_EQ(rank->IsFinished(), true, "all iterations ran");
        Simulator::Destroy();
    }
};

/** A model on one GPU takes as long as its operations. */
class SingleGpuCase : public TrainingTestCase
{
  public:
    SingleGpuCase()
        : TrainingTestCase("A model on one GPU takes the sum of its computations")
    {
    }

  private:
    void DoRun() override
    {
        ParallelismSpec degrees;
        degrees.microBatches = 4;
        degrees.seqLen = 1024;
        WorkloadSpec job;
        job.model = *TransformerSpec::Find("debugmodel");
        job.parallelism = degrees;
        job.rules.recomputation = Recomputation::FULL;
        job.gpu = *GpuSpec::Find("h100");
        job.efficiency = {0.5, 0.5, 0.5, 1.0};
        const DeviceMesh mesh(degrees);
        const auto program = RankProgramBuilder::Build(job, mesh, 0);
        auto rank = Install(CreateObject<Node>(), program, RankBinding(mesh, 0), 2);
        Simulator::Run();

        Time expected;
        for (const auto& operation : program->GetOperations())
        {
            expected += operation.duration;
        }
        const Time first = GetTime("IterationEnd", 0);
        NS_TEST_EXPECT_MSG_EQ(first, expected, "one after the other");
        NS_TEST_EXPECT_MSG_EQ(GetTime("IterationEnd", 1), 2 * first, "all iterations are alike");
        NS_TEST_EXPECT_MSG_EQ(rank->GetIterationsEnded(), 2, "both");
        Simulator::Destroy();
    }
};

/** Operations without duration need neither time nor stack. */
class NoDurationCase : public TrainingTestCase
{
  public:
    NoDurationCase()
        : TrainingTestCase("A long chain of operations without duration ends at once")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LENGTH = 200'000;
        m_keepsLog = false;
        std::vector<RankOperation> chain;
        for (uint32_t i = 0; i < LENGTH; ++i)
        {
            chain.push_back(
                MakeOperation("",
                              i % 2 ? RankOperation::COMPUTE_STREAM : RankOperation::TP_STREAM,
                              Time(0),
                              i > 0 ? std::vector<uint32_t>{i - 1} : std::vector<uint32_t>{}));
        }
        auto rank = Install(std::move(chain), 3);
        auto empty = Install(std::vector<RankOperation>(), 100'000);
        auto none = Install(std::vector<RankOperation>(), 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), Time(0), "no time passed");
        NS_TEST_EXPECT_MSG_EQ(rank->IsFinished(), true, "the chain ended");
        NS_TEST_EXPECT_MSG_EQ(empty->IsFinished(), true, "an empty program ends");
        NS_TEST_EXPECT_MSG_EQ(none->GetIterationsEnded(), 0, "nothing to do");
        Simulator::Destroy();
    }
};

/** Operations that become ready at the same instant start in program order. */
class OrderCase : public TrainingTestCase
{
  public:
    OrderCase()
        : TrainingTestCase("Operations that become ready together start in program order")
    {
    }

  private:
    void DoRun() override
    {
        const Time ms = MilliSeconds(1);
        m_begun.resize(1);
        Install({MakeOperation("0", RankOperation::COMPUTE_STREAM, ms),
                 MakeOperation("1", RankOperation::RECV_STREAM, ms, {0}),
                 MakeOperation("2", RankOperation::SEND_STREAM, Time(0), {0}),
                 MakeOperation("3", RankOperation::TP_STREAM, ms, {2}),
                 MakeOperation("4", RankOperation::COMPUTE_STREAM, ms),
                 MakeOperation("5", RankOperation::FSDP_STREAM, ms, {0})},
                1);
        Simulator::Run();
        std::string order;
        for (const auto& operation : m_begun[0])
        {
            order += operation.label;
        }
        // 3 becomes ready when 2 ends, at the same instant, and precedes 4.
        NS_TEST_EXPECT_MSG_EQ(order, "012345", "program order");
        Simulator::Destroy();
    }
};

/** An application that is stopped does nothing more. */
class StopCase : public TrainingTestCase
{
  public:
    StopCase()
        : TrainingTestCase("A rank that is stopped does nothing more")
    {
    }

  private:
    void DoRun() override
    {
        const Time ms = MilliSeconds(1);
        auto rank = Install({MakeOperation("a", RankOperation::COMPUTE_STREAM, 2 * ms)}, 10);
        rank->SetStopTime(5 * ms);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rank->GetIterationsEnded(), 2, "two iterations before the stop");
        NS_TEST_EXPECT_MSG_EQ(rank->IsFinished(), false, "eight are left");
        NS_TEST_EXPECT_MSG_EQ(m_log.back().time, 4 * ms, "nothing after the stop");
        Simulator::Destroy();
    }
};

/** The suite. */
class TrainingApplicationTestSuite : public TestSuite
{
  public:
    TrainingApplicationTestSuite()
        : TestSuite("photonic-rails-training-application", Type::UNIT)
    {
        AddTestCase(new StreamsCase);
        AddTestCase(new SingleGpuCase);
        AddTestCase(new NoDurationCase);
        AddTestCase(new OrderCase);
        AddTestCase(new StopCase);
    }
};

const TrainingApplicationTestSuite g_trainingApplicationTestSuite; //!< registers itself

} // namespace
