// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Ranks that compute slower than others, and computations whose durations vary.
 */

#include "picosecond-test-case.h"

#include "ns3/collective-helper.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @return an operation that takes its time from the program, after all others */
RankOperation
MakeOperation(RankOperation::Place place, Time duration)
{
    RankOperation operation;
    operation.place = place;
    operation.duration = duration;
    return operation;
}

/** @return a log-normal variable of mean 1 */
Ptr<RandomVariableStream>
MakeJitter(double variation, int64_t stream)
{
    const double variance = std::log(1 + variation * variation);
    auto jitter = CreateObject<LogNormalRandomVariable>();
    jitter->SetAttribute("Mu", DoubleValue(-variance / 2));
    jitter->SetAttribute("Sigma", DoubleValue(std::sqrt(variance)));
    jitter->SetStream(stream);
    return jitter;
}

/** Base: a rank on a node of its own that needs no network. */
class JitterTestCase : public PicosecondTestCase
{
  public:
    using PicosecondTestCase::PicosecondTestCase;

  protected:
    /**
     * @param operations of an iteration
     * @param iterations number of iterations
     * @return the rank
     */
    static Ptr<TrainingApplication> Install(std::vector<RankOperation> operations,
                                            uint32_t iterations)
    {
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("Iterations", UintegerValue(iterations));
        application->SetProgram(std::make_shared<const RankProgram>(std::move(operations)),
                                RankBinding());
        CreateObject<Node>()->AddApplication(application);
        return application;
    }

    /**
     * @param jitter of the only computation, 1 ms without
     * @param iterations number of iterations
     * @return when each iteration ended
     */
    std::vector<Time> Run(Ptr<RandomVariableStream> jitter, uint32_t iterations)
    {
        m_ends.clear();
        auto rank = Install({MakeOperation(RankOperation::GPU, MilliSeconds(1))}, iterations);
        rank->SetAttribute("ComputeJitter", PointerValue(jitter));
        rank->TraceConnectWithoutContext("IterationEnd", MakeCallback(&JitterTestCase::End, this));
        Simulator::Run();
        Simulator::Destroy();
        return m_ends;
    }

    void End(uint32_t /* rank */, uint32_t /* iteration */)
    {
        m_ends.push_back(Simulator::Now());
    }

    std::vector<Time> m_ends; //!< of iterations
};

/** Computation is scaled, a collective with a time of its own is not. */
class SlowdownCase : public JitterTestCase
{
  public:
    SlowdownCase()
        : JitterTestCase("a slow rank computes longer, and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<RankOperation> operations = {
            MakeOperation(RankOperation::GPU, PicoSeconds(3'000'000'000'001)),
            MakeOperation(RankOperation::SCALE_UP, MicroSeconds(20)),
            MakeOperation(RankOperation::GPU, Time(0)),
            MakeOperation(RankOperation::GPU, NanoSeconds(7))};
        for (const double factor : {1.0, 1.5, 0.1, 100.0})
        {
            Install(operations, 1)->SetAttribute("ComputeSlowdown", DoubleValue(factor));
            Simulator::Run();
            const auto first = static_cast<int64_t>(std::llround(factor * 3'000'000'000'001.0));
            const auto last = static_cast<int64_t>(std::llround(factor * 7000));
            NS_TEST_EXPECT_MSG_EQ(Simulator::Now(),
                                  PicoSeconds(first) + MicroSeconds(20) + PicoSeconds(last),
                                  "slowdown " << factor);
            Simulator::Destroy();
        }
        auto rank = CreateObject<TrainingApplication>();
        NS_TEST_EXPECT_MSG_EQ(rank->SetAttributeFailSafe("ComputeSlowdown", DoubleValue(0.05)),
                              false,
                              "below the range");
        NS_TEST_EXPECT_MSG_EQ(rank->SetAttributeFailSafe("ComputeSlowdown", DoubleValue(101)),
                              false,
                              "above the range");
        NS_TEST_EXPECT_MSG_EQ(rank->AssignStreams(5), 0, "nothing is random");
    }
};

/** Streams and moments of the jitter. */
class DistributionCase : public JitterTestCase
{
  public:
    DistributionCase()
        : JitterTestCase("jitter repeats itself with its stream and keeps the mean")
    {
    }

  private:
    void DoRun() override
    {
        const auto first = Run(MakeJitter(0.2, 1), 10);
        NS_TEST_ASSERT_MSG_EQ(first.size(), 10u, "iterations");
        NS_TEST_EXPECT_MSG_EQ((first == Run(MakeJitter(0.2, 1), 10)), true, "the same stream");
        NS_TEST_EXPECT_MSG_EQ((first == Run(MakeJitter(0.2, 2), 10)), false, "another stream");

        auto constant = CreateObject<ConstantRandomVariable>();
        constant->SetAttribute("Constant", DoubleValue(2));
        NS_TEST_EXPECT_MSG_EQ(Run(constant, 10).back(), MilliSeconds(20), "twice as long");
        constant->SetAttribute("Constant", DoubleValue(-1));
        NS_TEST_EXPECT_MSG_EQ(Run(constant, 10).back(), Time(0), "not before it begins");

        constexpr uint32_t DRAWS = 4000;
        const auto ends = Run(MakeJitter(0.2, 3), DRAWS);
        double squares = 0;
        Time before;
        for (const auto& end : ends)
        {
            const double off = (end - before).GetSeconds() * 1e3 - 1;
            squares += off * off;
            before = end;
        }
        // Five standard deviations of a mean of so many draws.
        NS_TEST_EXPECT_MSG_EQ_TOL(ends.back().GetSeconds() * 1e3 / DRAWS,
                                  1,
                                  5 * 0.2 / std::sqrt(DRAWS),
                                  "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(std::sqrt(squares / DRAWS), 0.2, 0.03, "deviation");
    }
};

/** Ranks wait as much longer for a slow rank as its computation takes longer. */
class StragglerCase : public JitterTestCase
{
  public:
    StragglerCase()
        : JitterTestCase("a straggler holds up who needs its result")
    {
    }

  private:
    /** @return when the receiver has ended if the sender is slower by a factor */
    static Time RunPair(double factor)
    {
        RailClusterHelper helper;
        helper.SetDomains(2, 1);
        helper.SetNic(1, DataRate("100Gbps"));
        const RailCluster cluster = helper.InstallElectrical();
        ParallelismSpec degrees;
        degrees.pp = 2;
        const DeviceMesh mesh(degrees);
        CollectiveHelper::Install(cluster);
        CollectiveHelper::Join(cluster, mesh.GetGroup(0, GroupRole::PP));
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            RankOperation transfer = MakeOperation(RankOperation::SCALE_OUT, Time(0));
            transfer.kind = rank == 0 ? CollectiveKind::SEND : CollectiveKind::RECV;
            transfer.role = rank == 0 ? GroupRole::PP_NEXT : GroupRole::PP_PREVIOUS;
            transfer.dimension = Dimension::PP;
            transfer.bytes = 1'000'000;
            const std::vector<RankOperation> operations = {
                MakeOperation(RankOperation::GPU, MilliSeconds(10)),
                transfer,
                MakeOperation(RankOperation::GPU, MilliSeconds(rank == 0 ? 1 : 20))};
            auto application = CreateObject<TrainingApplication>();
            application->SetProgram(std::make_shared<const RankProgram>(operations),
                                    RankBinding(mesh, rank));
            application->SetAttribute("ComputeSlowdown", DoubleValue(rank == 0 ? factor : 1));
            cluster.GetGpu(rank)->AddApplication(application);
        }
        Simulator::Run();
        const Time end = Simulator::Now();
        Simulator::Destroy();
        return end;
    }

    void DoRun() override
    {
        const Time even = RunPair(1);
        // 1 MB at 100 Gbit/s takes 80 us and some for headers.
        NS_TEST_EXPECT_MSG_GT(even, MicroSeconds(30080), "computation and transfer");
        NS_TEST_EXPECT_MSG_LT(even, MicroSeconds(30200), "and nothing else");
        NS_TEST_EXPECT_MSG_EQ(RunPair(1.5), even + MilliSeconds(5), "half as slow again");
        NS_TEST_EXPECT_MSG_EQ(RunPair(4), even + MilliSeconds(30), "four times as slow");
    }
};

/** The settings of the helper. */
class HelperCase : public JitterTestCase
{
  public:
    HelperCase()
        : JitterTestCase("the helper of jobs sets slowdown and jitter")
    {
    }

  private:
    /** A small job on two GPUs. */
    struct Job
    {
        explicit Job(double slowdown, double variation, int64_t stream)
        {
            RailClusterHelper helper;
            helper.SetDomains(2, 1);
            helper.SetNic(1, DataRate("100Gbps"));
            cluster = helper.InstallElectrical();
            TrainingJobHelper job("debugmodel");
            ParallelismSpec degrees;
            degrees.fsdp = 2;
            degrees.seqLen = 512;
            job.SetParallelism(degrees);
            job.SetSlowdown(1, slowdown);
            job.SetJitter(variation);
            ranks = job.Install(cluster);
            streams = TrainingJobHelper::AssignStreams(ranks, stream);
        }

        /** @return when the last rank has ended */
        Time Run()
        {
            for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
            {
                ranks.Get(rank)->TraceConnectWithoutContext("IterationEnd",
                                                            MakeCallback(&Job::End, this));
            }
            Simulator::Run();
            Simulator::Destroy();
            return end;
        }

        void End(uint32_t /* rank */, uint32_t /* iteration */)
        {
            end = Simulator::Now();
        }

        Time end;
        RailCluster cluster;
        ApplicationContainer ranks;
        int64_t streams{0};
    };

    void DoRun() override
    {
        const Time even = Job(1, 0, 1).Run();
        const Time straggling = Job(3, 0, 1).Run();
        NS_TEST_EXPECT_MSG_GT(straggling, even, "the job waits for its slowest rank");
        const Time first = Job(1, 0.3, 1).Run();
        NS_TEST_EXPECT_MSG_EQ(first, Job(1, 0.3, 1).Run(), "the same streams");
        NS_TEST_EXPECT_MSG_NE(first, Job(1, 0.3, 3).Run(), "other streams");
        NS_TEST_EXPECT_MSG_NE(first, even, "jitter");

        const Job job(2.5, 0.3, 10);
        NS_TEST_EXPECT_MSG_EQ(job.streams, 2, "a stream for each rank");
        double sums[2] = {0, 0};
        constexpr int DRAWS = 40000;
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            DoubleValue slowdown;
            job.ranks.Get(rank)->GetAttribute("ComputeSlowdown", slowdown);
            NS_TEST_EXPECT_MSG_EQ(slowdown.Get(), (rank == 1 ? 2.5 : 1.0), "of one rank only");
            PointerValue value;
            job.ranks.Get(rank)->GetAttribute("ComputeJitter", value);
            auto jitter = value.Get<RandomVariableStream>();
            double squares = 0;
            for (int i = 0; i < DRAWS; ++i)
            {
                const double factor = jitter->GetValue();
                sums[rank] += factor;
                squares += (factor - 1) * (factor - 1);
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(sums[rank] / DRAWS, 1, 5 * 0.3 / std::sqrt(DRAWS), "mean");
            NS_TEST_EXPECT_MSG_EQ_TOL(std::sqrt(squares / DRAWS), 0.3, 0.02, "deviation");
        }
        NS_TEST_EXPECT_MSG_NE(sums[0], sums[1], "streams of their own");
        Simulator::Destroy();
    }
};

/** The suite. */
class ComputeJitterTestSuite : public TestSuite
{
  public:
    ComputeJitterTestSuite()
        : TestSuite("photonic-rails-compute-jitter", Type::UNIT)
    {
        AddTestCase(new SlowdownCase);
        AddTestCase(new DistributionCase);
        AddTestCase(new StragglerCase);
        AddTestCase(new HelperCase);
    }
};

ComputeJitterTestSuite g_computeJitterTestSuite;

} // namespace
