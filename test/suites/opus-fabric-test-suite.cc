// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Jobs on rails whose switches block: Opus lends what fits, through crashes and moved rails, and
 * rotors turn through as many matchings as it takes.
 */

#include "../track-fabric.h"
#include "lambda-call.h"
#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/boolean.h"
#include "ns3/circuit-planner.h"
#include "ns3/collective-calls.h"
#include "ns3/collective-helper.h"
#include "ns3/config.h"
#include "ns3/enum.h"
#include "ns3/fabric-matchings.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rotor-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <optional>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** The results of a run. */
struct FabricJob
{
    Time end;                     //!< of the last rank
    uint64_t reconfigurations{0}; //!< commands of controllers
    uint64_t circuitsMade{0};     //!< by them
    uint64_t refusals{0};         //!< of groups
    uint64_t lost{0};             //!< frames at switches
    std::string unfinished;       //!< who has not ended
    bool allDelivered{false};     //!< as many bytes as were posted
    uint64_t crashes{0};          //!< of controllers
};

/** How a job runs. */
struct FabricSetUp
{
    uint32_t tracks{0};            //!< of each switch; 0: it does not block
    std::string fidelity{"Burst"}; //!< of the NICs
    bool provisioning{true};       //!< policy
    std::optional<Time> crash;     //!< of the controller, for a millisecond
    bool hasStandby{false};        //!< which takes over
    std::optional<Time> failure;   //!< of the switch of rail 0, which has a spare then
};

/**
 * A tiny model on four domains of two GPUs, with FSDP and a pipeline along the rails.
 * @param setUp parameters of fabric and controller
 * @return the results of the run
 */
FabricJob
RunFabricJob(const FabricSetUp& setUp)
{
    RailClusterHelper cluster;
    cluster.SetDomains(4, 2);
    cluster.SetNic(2, DataRate("100Gbps"));
    cluster.SetOcsAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(100)));
    cluster.SetNicAttribute("Fidelity", StringValue(setUp.fidelity));
    if (setUp.tracks > 0)
    {
        cluster.SetOcsAttribute("Fabric", PointerValue(TrackFabric::Make(8, setUp.tracks)));
    }
    if (setUp.failure)
    {
        cluster.SetSpareRails(1, MicroSeconds(500));
    }
    const RailCluster rails = cluster.InstallPhotonic();
    OpusHelper opus;
    opus.SetPolicy(setUp.provisioning ? "provisioned" : "on-demand");
    if (setUp.crash)
    {
        opus.AddControllerCrash(*setUp.crash,
                                setUp.hasStandby ? MilliSeconds(-1) : MilliSeconds(1));
    }
    if (setUp.hasStandby)
    {
        opus.SetStandby();
    }
    if (setUp.failure)
    {
        opus.SetFaultDetection(MilliSeconds(1), {{Time(0), *setUp.failure + MilliSeconds(10)}});
    }
    opus.Install(rails);
    if (setUp.failure)
    {
        ScheduleCall(*setUp.failure, [agent = opus.GetAgent(0)] { agent->Fail(); });
    }
    TrainingJobHelper job("debugmodel");
    job.SetParallelism({2, 2, 2});
    job.SetIterations(2);
    const ApplicationContainer ranks = job.Install(rails);
    const auto hasEnded = [ranks] {
        bool all = true;
        for (uint32_t i = 0; i < ranks.GetN(); ++i)
        {
            all = all && DynamicCast<TrainingApplication>(ranks.Get(i))->IsFinished();
        }
        return all;
    };
    opus.StopHeartbeatsWhen(hasEnded);
    Simulator::Stop(Seconds(20));
    Simulator::Run();

    FabricJob seen;
    uint64_t posted = 0;
    uint64_t delivered = 0;
    for (uint32_t gpu = 0; gpu < rails.GetNGpus(); ++gpu)
    {
        const auto application = DynamicCast<TrainingApplication>(ranks.Get(gpu));
        if (!application->IsFinished())
        {
            seen.unfinished = "rank " + std::to_string(gpu) + " has not ended";
        }
        const auto statistics = rails.GetNic(gpu)->GetQueuePairStatistics();
        posted += statistics.bytesPosted;
        delivered += statistics.bytesDelivered;
    }
    seen.allDelivered = posted > 0 && posted == delivered;
    for (uint32_t rail = 0; rail < 2; ++rail)
    {
        seen.lost += rails.GetOcs(rail)->GetFramesLost();
    }
    for (const auto& controller : opus.GetControllers())
    {
        const auto stats = controller->GetStats();
        seen.reconfigurations += stats.reconfigurations;
        seen.circuitsMade += stats.circuitsMade;
        seen.refusals += stats.refusals;
        seen.end = Max(seen.end, controller->GetLastServed());
    }
    seen.crashes = opus.GetCrashStats().crashes;
    Simulator::Destroy();
    return seen;
}

/** Base of the cases, with the checks of all runs. */
class OpusFabricTestCase : public PicosecondTestCase
{
  public:
    /** @param name of the case */
    explicit OpusFabricTestCase(const std::string& name)
        : PicosecondTestCase(name)
    {
    }

  protected:
    /** @param job results of a run @param what name of the run */
    void CheckComplete(const FabricJob& job, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(job.unfinished, "", what);
        NS_TEST_EXPECT_MSG_EQ(job.allDelivered, true, "all bytes; " << what);
        NS_TEST_EXPECT_MSG_EQ(job.refusals, 0u, "no group is refused; " << what);
    }
};

/** A job on switches that block: slower, complete, and the same in packets and bursts. */
class BlockingJobTestCase : public OpusFabricTestCase
{
  public:
    BlockingJobTestCase()
        : OpusFabricTestCase("A job on switches that block is complete, in packets as in bursts")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool provisioning : {true, false})
        {
            FabricSetUp setUp;
            setUp.provisioning = provisioning;
            const FabricJob free = RunFabricJob(setUp);
            setUp.tracks = 2; // enough for each group alone
            const FabricJob blocked = RunFabricJob(setUp);
            setUp.fidelity = "Packet";
            const FabricJob packets = RunFabricJob(setUp);
            CheckComplete(free, "any matching");
            CheckComplete(blocked, "two tracks");
            CheckComplete(packets, "two tracks, packets");
            NS_TEST_EXPECT_MSG_EQ(blocked.lost + packets.lost, 0u, "nothing is lost at a switch");
            NS_TEST_EXPECT_MSG_EQ(blocked.end, packets.end, "to the picosecond");
            NS_TEST_EXPECT_MSG_EQ(blocked.circuitsMade, packets.circuitsMade, "the same circuits");
            NS_TEST_EXPECT_MSG_GT(blocked.end, free.end, "to wait for room takes time");
        }
    }
};

/** Light paths cannot be learned. */
class FabricCrashTestCase : public OpusFabricTestCase
{
  public:
    FabricCrashTestCase()
        : OpusFabricTestCase("A controller that begins anew lets switches that block begin anew")
    {
    }

  private:
    void DoRun() override
    {
        FabricSetUp quiet;
        quiet.tracks = 2;
        const Time end = RunFabricJob(quiet).end;
        for (int64_t eighth = 1; eighth < 8; ++eighth)
        {
            FabricSetUp setUp = quiet;
            setUp.crash = end * eighth / 8;
            setUp.hasStandby = eighth % 2 == 0;
            const FabricJob job = RunFabricJob(setUp);
            const std::string what = "crash after " + std::to_string(eighth) + " eighths";
            CheckComplete(job, what);
            // Frames may be lost, because nobody knows the light paths: the switches begin dark.
            NS_TEST_EXPECT_MSG_EQ(job.crashes, 1u, what);
        }
    }
};

/** A spare is idle, and the circuits of held leases are made there again. */
class FabricSpareTestCase : public OpusFabricTestCase
{
  public:
    FabricSpareTestCase()
        : OpusFabricTestCase("A rail of a switch that blocks moves to a spare that blocks")
    {
    }

  private:
    void DoRun() override
    {
        FabricSetUp quiet;
        quiet.tracks = 2;
        const Time end = RunFabricJob(quiet).end;
        for (int64_t eighth = 1; eighth < 8; ++eighth)
        {
            FabricSetUp setUp = quiet;
            setUp.failure = end * eighth / 8;
            CheckComplete(RunFabricJob(setUp),
                          "failure after " + std::to_string(eighth) + " eighths");
        }
    }
};

/** Groups that can never be served are refused in words. */
class FabricRefusalTestCase : public OpusFabricTestCase
{
  public:
    FabricRefusalTestCase()
        : OpusFabricTestCase("Groups that do not even fit an idle switch are refused in words")
    {
    }

  private:
    void Refused(uint32_t, uint64_t, const std::string& error)
    {
        m_errors.push_back(error);
    }

    /** Four ranks ask for their ring. @param isTold whether the controller knows the fabric */
    void Ask(bool isTold)
    {
        m_errors.clear();
        RailClusterHelper helper;
        helper.SetDomains(4, 1);
        const auto fabric = TrackFabric::Make(8, 1);
        if (isTold)
        {
            helper.SetOcsAttribute("Fabric", PointerValue(fabric));
        }
        const RailCluster cluster = helper.InstallPhotonic();
        OpusHelper opus;
        opus.Install(cluster);
        CollectiveHelper::Install(cluster);
        if (!isTold)
        {
            cluster.GetOcs(0)->SetFabric(fabric);
        }
        const ProcessGroup group{0, {0, 1, 2, 3}};
        CollectiveHelper::Join(cluster, group);
        CollectiveCall call;
        call.kind = CollectiveKind::ALL_REDUCE;
        call.bytes = 1 << 16;
        CollectiveCalls calls;
        calls.Add(cluster, group, call);
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            opus.GetShim(rank)->TraceConnectWithoutContext(
                "Refused",
                MakeCallback(&FabricRefusalTestCase::Refused, this));
        }
        const std::string error = opus.GetController(0)->GetJobs().Plan(0, group.ranks).error;
        const std::string wanted =
            "even alone, the circuits do not fit switch 0: there is no way for circuit";
        NS_TEST_EXPECT_MSG_EQ((error.rfind(wanted, 0) == 0), isTold, "got \"" << error << "\"");
        NS_TEST_EXPECT_MSG_EQ(calls.Run(1).has_value(), false, "nobody can go");
        NS_TEST_ASSERT_MSG_EQ(m_errors.size(), 4u, "all ranks are told");
        NS_TEST_EXPECT_MSG_EQ((m_errors[0].find("no way for circuit") != std::string::npos),
                              true,
                              "got \"" << m_errors[0] << "\"");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetOcs(0)->GetCircuits().empty(), true, "nothing was made");
        Simulator::Destroy();
    }

    void DoRun() override
    {
        Ask(true);
        Ask(false);
    }

    std::vector<std::string> m_errors;
};

/** Matchings in turn, as many as the switch needs. */
class MeshAllToAllTestCase : public PicosecondTestCase
{
  public:
    MeshAllToAllTestCase()
        : PicosecondTestCase("An AllToAll over matchings in turn, on switches that block as well")
    {
    }

  private:
    static constexpr uint32_t GPUS = 8;
    static constexpr uint64_t BYTES = GPUS * 200000;

    /** @param fabric of the switch; null: none @param detail of NICs @return its duration */
    Time Run(Ptr<CircuitFabric> fabric, const std::string& fidelity)
    {
        RailClusterHelper helper;
        helper.SetDomains(GPUS, 1);
        helper.SetNic(1, DataRate("100Gbps"));
        helper.SetNicAttribute("Fidelity", StringValue(fidelity));
        if (fabric)
        {
            helper.SetOcsAttribute("Fabric", PointerValue(fabric));
        }
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(10)));
        RailCluster cluster = helper.InstallPhotonic();
        RotorHelper rotor;
        rotor.SetPortRate(DataRate("100Gbps"));
        rotor.SetSlotTime(MicroSeconds(50));
        rotor.Install(cluster);
        m_matchings = cluster.GetRotation()->size();
        CollectiveHelper::Install(cluster);
        ProcessGroup group{0, {}};
        for (uint32_t gpu = 0; gpu < GPUS; ++gpu)
        {
            group.ranks.push_back(gpu);
            cluster.GetGpu(gpu)->AggregateObject(CreateObject<AlwaysConnected>());
        }
        CollectiveAlgorithms algorithms;
        algorithms.Choose(CollectiveKind::ALL_TO_ALL, "direct");
        CollectiveHelper::Join(cluster, group, algorithms);
        CollectiveCall call;
        call.kind = CollectiveKind::ALL_TO_ALL;
        call.bytes = BYTES;
        CollectiveCalls calls;
        calls.Add(cluster, group, call);
        const auto time = calls.Run(1);
        NS_TEST_EXPECT_MSG_EQ(time.has_value(), true, "it ends");
        uint64_t delivered = 0;
        for (uint32_t gpu = 0; gpu < GPUS; ++gpu)
        {
            delivered += cluster.GetNic(gpu)->GetQueuePairStatistics().bytesDelivered;
        }
        NS_TEST_EXPECT_MSG_EQ(delivered, BYTES * (GPUS - 1), "each to each other");
        Simulator::Destroy();
        return time.value_or(Time());
    }

    void DoRun() override
    {
        const Time free = Run(nullptr, "Burst");
        NS_TEST_EXPECT_MSG_EQ(m_matchings, GPUS - 1, "the fewest");
        const Time blocked = Run(TrackFabric::Make(GPUS, 2), "Burst");
        NS_TEST_EXPECT_MSG_GT(m_matchings, GPUS - 1, "more, as not all fits");
        NS_TEST_EXPECT_MSG_GT(blocked, free, "and they take longer");
        NS_TEST_EXPECT_MSG_EQ(Run(TrackFabric::Make(GPUS, 2), "Packet"), blocked, "packets");
        auto mesh = CreateObject<PipSwitchFabric>();
        mesh->SetAttribute("Rows", UintegerValue(3));
        mesh->SetAttribute("Columns", UintegerValue(3));
        mesh->SetAttribute("Ports", UintegerValue(GPUS));
        const Time onMesh = Run(mesh, "Burst");
        NS_TEST_EXPECT_MSG_EQ(Run(mesh, "Packet"), onMesh, "packets on a mesh");
        NS_TEST_EXPECT_MSG_EQ(m_matchings, GPUS - 1, "the mesh has a plan of the fewest");
    }

    std::size_t m_matchings{0}; //!< of the last run
};

/** The technology by its name. */
class MeshJobTestCase : public TestCase
{
  public:
    MeshJobTestCase()
        : TestCase("A training job on a PipSwitch, with each policy")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t longer = 0;
        for (const std::string policy : {"provisioned", "on-demand", "rotor", "one-topology"})
        {
            const std::vector<std::string> flags{"--reconfigDelay=50us", "--policy=" + policy};
            auto meshFlags = flags;
            meshFlags.insert(meshFlags.end(),
                             {"--ocs=pip-switch",
                              "--ns3::PipSwitchFabric::Rows=4",
                              "--ns3::PipSwitchFabric::Columns=4"});
            const RunSummary any = RunJob(SmallJob(flags));
            const RunSummary mesh = RunJob(SmallJob(meshFlags));
            auto packetFlags = meshFlags;
            packetFlags.emplace_back("--fidelity=packet");
            const RunSummary packets = RunJob(SmallJob(packetFlags));
            NS_TEST_EXPECT_MSG_EQ(mesh.CheckInvariants(), "", policy);
            NS_TEST_EXPECT_MSG_EQ(mesh.rails.bytesPosted, any.rails.bytesPosted, policy);
            NS_TEST_EXPECT_MSG_EQ(mesh.iterations.back().duration,
                                  packets.iterations.back().duration,
                                  "packet by packet; " << policy);
            // Its light paths are longer than none; of a rotor that is lost in a slot.
            NS_TEST_EXPECT_MSG_GT_OR_EQ(mesh.iterations.back().duration,
                                        any.iterations.back().duration,
                                        policy);
            longer += mesh.iterations.back().duration > any.iterations.back().duration ? 1 : 0;
        }
        Config::Reset();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(longer, 3u, "of four");
    }
};

/**
 * @ingroup tests
 * Opus on switches that block.
 */
class OpusFabricTestSuite : public TestSuite
{
  public:
    OpusFabricTestSuite()
        : TestSuite("photonic-rails-opus-fabric", Type::SYSTEM)
    {
        AddTestCase(new BlockingJobTestCase);
        AddTestCase(new FabricCrashTestCase);
        AddTestCase(new FabricSpareTestCase);
        AddTestCase(new FabricRefusalTestCase);
        AddTestCase(new MeshAllToAllTestCase);
        AddTestCase(new MeshJobTestCase);
    }
};

OpusFabricTestSuite g_opusFabric; //!< the suite

} // namespace
