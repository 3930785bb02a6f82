// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The traced workload, on one of its rails, over connectors that are nothing but a rate and a
 * delay.
 */

#include "ns3/collective-connector.h"
#include "ns3/collective-engine.h"
#include "ns3/connectivity-provider.h"
#include "ns3/framework.h"
#include "ns3/node.h"
#include "ns3/rail-phases.h"
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

/** A connector that is nothing but a rate and a delay. */
class RateLane : public CollectiveConnector
{
  public:
    void SetCallbacks(SentCallback sent, ReceivedCallback received) override
    {
        m_sent = sent;
        m_received = received;
    }

    void Post(uint64_t bytes, uint32_t immediate, bool signaled) override
    {
        const Time delay = NanoSeconds(500);
        // 12.5 GB/s: one of two ports of 100 Gbit/s.
        m_free = Max(m_free, Simulator::Now()) + PicoSeconds(80 * bytes);
        Simulator::Schedule(m_free + delay - Simulator::Now(),
                            &RateLane::Receive,
                            m_peer,
                            immediate,
                            bytes);
        if (signaled)
        {
            Simulator::Schedule(m_free + delay + delay - Simulator::Now(),
                                &RateLane::Sent,
                                this,
                                immediate);
        }
    }

    void Pause(Callback<void> drained) override
    {
        drained();
    }

    void Resume() override
    {
    }

    void Abort() override
    {
    }

    RateLane* m_peer{nullptr}; //!< the other end

  private:
    void Receive(uint32_t immediate, uint64_t bytes)
    {
        m_received(immediate, bytes);
    }

    void Sent(uint32_t immediate)
    {
        m_sent(immediate, true);
    }

    SentCallback m_sent;
    ReceivedCallback m_received;
    Time m_free; //!< when the last byte posted so far has left
};

/** The traced workload on one of its rails. */
class TracedJobCase : public TestCase
{
  public:
    TracedJobCase()
        : TestCase("Llama3-8B on 16 GPUs executes the recorded operations in order")
    {
    }

  private:
    void DoRun() override
    {
        ParallelismSpec degrees{4, 2, 2};
        degrees.microBatchSize = 4;
        degrees.microBatches = 2;
        degrees.gpusPerDomain = 4;
        WorkloadSpec job;
        job.model = *TransformerSpec::Find("llama3-8b");
        job.parallelism = degrees;
        job.rules = Variant<Framework>("torchtitan-0.1.0")->MakeRules();
        job.rules.reshard = ReshardPolicy::ALWAYS;
        job.rules.recomputation = Recomputation::FULL;
        job.gpu = *GpuSpec::Find("a100");
        job.efficiency = {0.3, 0.3, 0.3, 1.0};
        const DeviceMesh mesh(degrees);
        m_begun.resize(mesh.GetWorldSize());
        // Rails are alike and share nothing in this model: ranks 0, 4, 8 and 12 are enough.
        const std::vector<uint32_t> rail{0, 4, 8, 12};
        const std::shared_ptr<const RankProgram> programs[] = {
            RankProgramBuilder::Build(job, mesh, 0),
            RankProgramBuilder::Build(job, mesh, mesh.GetWorldSize() - 1)};
        std::vector<Ptr<TrainingApplication>> ranks;
        for (uint32_t rank : rail)
        {
            auto node = CreateObject<Node>();
            auto engine = CreateObject<CollectiveEngine>();
            engine->SetRank(rank);
            engine->SetConnectivityProvider(CreateObject<AlwaysConnected>());
            node->AggregateObject(engine);
            m_engines.push_back(engine);
            auto application = CreateObject<TrainingApplication>();
            application->SetAttribute("Iterations", UintegerValue(2));
            application->SetProgram(programs[mesh.GetCoordinate(rank).pp], RankBinding(mesh, rank));
            application->TraceConnectWithoutContext(
                "OperationBegin",
                MakeCallback(&TracedJobCase::OperationBegun, this));
            node->AddApplication(application);
            ranks.push_back(application);
        }
        for (const auto& group : mesh.GetGroups())
        {
            if (mesh.GetReach(group) == DeviceMesh::SCALE_OUT && mesh.GetRail(group.ranks[0]) == 0)
            {
                Join(group);
            }
        }
        Simulator::Run();
        for (const auto& rank : ranks)
        {
            NS_TEST_EXPECT_MSG_EQ(rank->IsFinished(), true, "rank " << rank->GetRank());
            Check(rank->GetRank());
        }
        m_engines.clear();
        Simulator::Destroy();
    }

    /** Record an operation of a rank. */
    void OperationBegun(uint32_t rank, uint32_t iteration, const RankOperation& operation)
    {
        if (iteration == 1)
        {
            m_begun[rank].push_back(operation);
        }
    }

    /** @param group a pair of ranks */
    void Join(const ProcessGroup& group)
    {
        std::unique_ptr<RateLane> connectors[2][2];
        for (auto& ends : connectors)
        {
            ends[0] = std::make_unique<RateLane>();
            ends[1] = std::make_unique<RateLane>();
        }
        for (uint32_t i : {0, 1})
        {
            // Messages sent over NEXT reach the other rank over PREVIOUS.
            connectors[i][0]->m_peer = connectors[1 - i][1].get();
            connectors[i][1]->m_peer = connectors[1 - i][0].get();
        }
        for (uint32_t i : {0, 1})
        {
            m_engines[group.ranks[i] / 4]->JoinOver(group,
                                                    std::move(connectors[i][0]),
                                                    std::move(connectors[i][1]));
        }
    }

    /** @param rank a rank, whose operations in the second iteration are checked */
    void Check(uint32_t rank)
    {
        static const std::vector<std::string> RECORDED[] = {{"fsdp AllGather 17",
                                                             "pp Send 1",
                                                             "fsdp AllGather 17",
                                                             "pp Send 1",
                                                             "pp Recv 1",
                                                             "fsdp AllGather 17",
                                                             "pp Recv 1",
                                                             "fsdp ReduceScatter 17",
                                                             "fsdp AllReduce 1",
                                                             "pp AllReduce 1",
                                                             "dp AllReduce 3"},
                                                            {"pp Recv 1",
                                                             "fsdp AllGather 34",
                                                             "pp Send 1",
                                                             "pp Recv 1",
                                                             "fsdp AllGather 17",
                                                             "pp Send 1",
                                                             "fsdp ReduceScatter 17",
                                                             "fsdp AllReduce 1",
                                                             "pp AllReduce 1",
                                                             "dp AllReduce 3"}};
        const auto phases = ScaleOutPhase::Encode(m_begun[rank]);
        const auto& expected = RECORDED[rank < 8 ? 0 : 1];
        NS_TEST_ASSERT_MSG_EQ(phases.size(), expected.size(), "phases of rank " << rank);
        for (std::size_t i = 0; i < phases.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(phases[i].ToText(), expected[i], "phase " << i);
        }
    }

    std::vector<std::vector<RankOperation>> m_begun; //!< in the second iteration, by rank
    std::vector<Ptr<CollectiveEngine>> m_engines;    //!< of ranks 0, 4, 8 and 12
};

/** The suite. */
class TracedJobTestSuite : public TestSuite
{
  public:
    TracedJobTestSuite()
        : TestSuite("photonic-rails-traced-job", Type::SYSTEM)
    {
        AddTestCase(new TracedJobCase);
    }
};

const TracedJobTestSuite g_tracedJobTestSuite; //!< registers itself

} // namespace
