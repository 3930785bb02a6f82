// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Tensor parallelism on the packets of the scale-up network, against the closed form of its time.
 */

#include "network-time.h"
#include "picosecond-test-case.h"

#include "ns3/opus-helper.h"
#include "ns3/opus-shim.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/scale-up-generation.h"
#include "ns3/simulator.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-recorder.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** The results of a run. */
struct ScaleUpOutcome
{
    std::vector<TrainingIteration> iterations;
    CollectiveVolumes volumes;
    std::vector<std::string> phases; //!< of each stage, as text
    Time scaleUpTime;                //!< of rank 0, in all iterations
    uint64_t scaleUpBytes{0};        //!< that rings inside domains should carry
    uint64_t posted{0};              //!< bytes posted to scale-up networks
    uint64_t delivered{0};           //!< and delivered by them
    uint64_t railBytes{0};           //!< bytes posted to rails
    uint64_t requested{0};           //!< by all ranks of Opus
    uint64_t refused{0};             //!< by Opus
};

/** A small job. */
class ScaleUpJob
{
  public:
    /**
     * @param parallelism of the job, on domains of four A100 GPUs
     * @param isPhotonic rails of circuits, or of switches
     * @param hasScaleUp domains are networks
     */
    ScaleUpJob(const ParallelismSpec& parallelism, bool isPhotonic, bool hasScaleUp)
    {
        // The closed form has the latency of a step that is set below, and the network its own.
        const NetworkTimeOnly networkTime;
        RailClusterHelper helper;
        helper.SetDomains(static_cast<uint32_t>(parallelism.GetWorldSize() / 4), 4);
        helper.SetNic(2, DataRate("100Gbps"));
        if (hasScaleUp)
        {
            helper.SetScaleUp("a100");
        }
        m_cluster = isPhotonic ? helper.InstallPhotonic() : helper.InstallElectrical();
        if (isPhotonic)
        {
            m_opus.Install(m_cluster);
        }
        WorkloadSpec spec;
        spec.model = *TransformerSpec::Find("debugmodel");
        spec.gpu = *GpuSpec::Find("a100");
        spec.gpu.scaleUpLatency = GetStepLatency();
        spec.rules.reshard = ReshardPolicy::ALWAYS;
        spec.rules.recomputation = Recomputation::FULL;
        spec.efficiency = {0.28, 0.28, 0.28, 1.0};
        spec.parallelism = parallelism;
        TrainingJobHelper job(spec);
        job.SetIterations(ITERATIONS);
        m_ranks = job.Install(m_cluster);
        m_recorder = std::make_unique<TrainingRecorder>(job.GetLayout(m_cluster));
        for (uint32_t rank = 0; rank < m_ranks.GetN(); ++rank)
        {
            auto application = DynamicCast<TrainingApplication>(m_ranks.Get(rank));
            m_recorder->Observe(application);
            application->TraceConnectWithoutContext("OperationBegin",
                                                    MakeCallback(&ScaleUpJob::Began, this));
            application->TraceConnectWithoutContext("OperationEnd",
                                                    MakeCallback(&ScaleUpJob::Ended, this));
        }
        m_isPhotonic = isPhotonic;
        m_parallelism = parallelism;
    }

    /** @return the results of the job */
    ScaleUpOutcome Run()
    {
        Simulator::Run();
        m_outcome.iterations = m_recorder->GetIterations();
        m_outcome.volumes = m_recorder->GetVolumes();
        for (const auto& stage : m_recorder->GetRails().at(0).GetPhases())
        {
            std::string text;
            for (const auto& phase : stage)
            {
                text += phase.ToText() + ", ";
            }
            m_outcome.phases.push_back(text);
        }
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            m_outcome.railBytes += m_cluster.GetNic(gpu)->GetQueuePairStatistics().bytesPosted;
            if (auto nic = m_cluster.GetScaleUpNic(gpu))
            {
                m_outcome.posted += nic->GetQueuePairStatistics().bytesPosted;
                m_outcome.delivered += nic->GetQueuePairStatistics().bytesDelivered;
            }
            if (m_isPhotonic)
            {
                m_outcome.requested += m_opus.GetShim(gpu)->GetStats().requested;
                m_outcome.refused += m_opus.GetShim(gpu)->GetStats().refused;
            }
        }
        Simulator::Destroy();
        return m_outcome;
    }

    static constexpr uint32_t ITERATIONS = 2;

  private:
    /** @return latency of a packet between two GPUs of a domain, which each step adds to its bytes
     */
    static double GetStepLatency()
    {
        const auto& link = *ScaleUpGeneration::Find("a100");
        const double packet = 4178 * 8 / static_cast<double>(link.bitRate);
        return packet + 1e-12 * static_cast<double>(2 * link.cableDelayPicoseconds +
                                                    link.hopLatencyPicoseconds);
    }

    void Began(uint32_t rank, uint32_t, const RankOperation& operation)
    {
        if (operation.place != RankOperation::SCALE_UP)
        {
            return;
        }
        if (rank == 0)
        {
            m_began[operation.stream] = Simulator::Now();
        }
        // Each rank of n passes on n - 1 of n parts, in an AllReduce twice.
        const uint64_t size =
            operation.role == GroupRole::TP ? m_parallelism.tp : m_parallelism.fsdp;
        const uint64_t tensor =
            operation.kind == CollectiveKind::ALL_GATHER ? size * operation.bytes : operation.bytes;
        const uint64_t passes = operation.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
        m_shares[size] += passes * (size - 1) * tensor;
        m_outcome.scaleUpBytes = 0;
        for (const auto& [ranks, sum] : m_shares)
        {
            m_outcome.scaleUpBytes += sum / ranks;
        }
    }

    void Ended(uint32_t rank, uint32_t, const RankOperation& operation)
    {
        if (operation.place == RankOperation::SCALE_UP && rank == 0)
        {
            m_outcome.scaleUpTime += Simulator::Now() - m_began[operation.stream];
        }
    }

    ParallelismSpec m_parallelism;
    bool m_isPhotonic;
    RailCluster m_cluster;
    OpusHelper m_opus;
    ApplicationContainer m_ranks;
    std::unique_ptr<TrainingRecorder> m_recorder;
    std::array<Time, RankOperation::STREAMS> m_began;
    std::map<uint64_t, uint64_t> m_shares; //!< n times the bytes of rings of n ranks
    ScaleUpOutcome m_outcome;
};

/** The same job with both. */
class ScaleUpTrainingTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param name of the case
     * @param parallelism of the job
     * @param isPhotonic rails of circuits, or of switches
     * @param tolerance of the time inside domains
     */
    ScaleUpTrainingTestCase(const std::string& name,
                            const ParallelismSpec& parallelism,
                            bool isPhotonic,
                            double tolerance)
        : PicosecondTestCase("Packets inside domains against the closed form: " + name),
          m_parallelism(parallelism),
          m_isPhotonic(isPhotonic),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        const ScaleUpOutcome formula = ScaleUpJob(m_parallelism, m_isPhotonic, false).Run();
        const ScaleUpOutcome packets = ScaleUpJob(m_parallelism, m_isPhotonic, true).Run();
        NS_TEST_ASSERT_MSG_EQ(formula.iterations.size(), ScaleUpJob::ITERATIONS, "closed form");
        NS_TEST_ASSERT_MSG_EQ(packets.iterations.size(), ScaleUpJob::ITERATIONS, "packets");
        NS_TEST_EXPECT_MSG_EQ(formula.posted, 0, "no packets inside domains");
        NS_TEST_EXPECT_MSG_EQ(packets.posted, packets.scaleUpBytes, "bytes of the rings");
        NS_TEST_EXPECT_MSG_EQ(packets.delivered, packets.posted, "all of them arrive");
        NS_TEST_EXPECT_MSG_EQ(packets.railBytes, formula.railBytes, "the rails carry the same");
        // Headers take 2 % of the rate, and each call waits for a last acknowledgement.
        NS_TEST_EXPECT_MSG_EQ_TOL(packets.scaleUpTime.GetSeconds() /
                                      formula.scaleUpTime.GetSeconds(),
                                  1.0,
                                  m_tolerance,
                                  "time inside the domain");
        NS_TEST_EXPECT_MSG_EQ_TOL(packets.iterations[1].duration.GetSeconds() /
                                      formula.iterations[1].duration.GetSeconds(),
                                  1.0,
                                  0.04,
                                  "iteration");
        NS_TEST_EXPECT_MSG_EQ((packets.phases == formula.phases), true, "phases on the rail");
        for (const auto& [key, volume] : formula.volumes)
        {
            const auto other = packets.volumes.find(key);
            NS_TEST_ASSERT_MSG_EQ((other != packets.volumes.end()), true, "a kind is missing");
            NS_TEST_EXPECT_MSG_EQ(other->second.count, volume.count, "calls");
            NS_TEST_EXPECT_MSG_EQ(other->second.inputBytes, volume.inputBytes, "bytes");
        }
        NS_TEST_EXPECT_MSG_EQ(packets.requested, formula.requested, "Opus is asked as often");
        NS_TEST_EXPECT_MSG_EQ(packets.refused, 0, "and never for what it could not give");
    }

    ParallelismSpec m_parallelism;
    bool m_isPhotonic;
    double m_tolerance;
};

/**
 * @ingroup tests
 * Training with scale-up networks.
 */
class ScaleUpTrainingTestSuite : public TestSuite
{
  public:
    ScaleUpTrainingTestSuite()
        : TestSuite("photonic-rails-scale-up-training", Type::SYSTEM)
    {
        AddTestCase(new ScaleUpTrainingTestCase("tp 4, pp 2 on switches",
                                                Make(4, 1, 2, 1024),
                                                false,
                                                0.05));
        AddTestCase(new ScaleUpTrainingTestCase("tp 4, fsdp 2, pp 2 on circuits",
                                                Make(4, 2, 2, 512),
                                                true,
                                                0.08));
        // Parameters are gathered while activations are: the formula lets both have all of a port.
        AddTestCase(new ScaleUpTrainingTestCase("tp 2, fsdp 2 in a domain, pp 2 on circuits",
                                                Make(2, 2, 2, 512),
                                                true,
                                                0.25));
    }

  private:
    static ParallelismSpec Make(uint32_t tp, uint32_t fsdp, uint32_t pp, uint32_t seqLen)
    {
        ParallelismSpec parallelism;
        parallelism.tp = tp;
        parallelism.fsdp = fsdp;
        parallelism.pp = pp;
        parallelism.microBatchSize = 4;
        parallelism.microBatches = 2;
        parallelism.seqLen = seqLen;
        parallelism.gpusPerDomain = 4;
        return parallelism;
    }
};

ScaleUpTrainingTestSuite g_scaleUpTrainingTestSuite; //!< the instance

} // namespace
