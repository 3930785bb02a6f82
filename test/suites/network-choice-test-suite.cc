// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Networks chosen by rule: small calls over the hosts, bulk over circuits, and what rails cannot
 * join over the hosts too.
 */

#include "lambda-call.h"
#include "network-time.h"
#include "picosecond-test-case.h"

#include "ns3/abort.h"
#include "ns3/collective-helper.h"
#include "ns3/command-line.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/training-experiment.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint64_t THRESHOLD = 1 << 20;
constexpr uint64_t SMALL = 64 << 10;
constexpr uint64_t BULK = 2 << 20;

/// Counters of the NICs of one network.
struct Bytes
{
    uint64_t posted{0};
    uint64_t delivered{0};

    void Add(Ptr<RdmaNic> nic)
    {
        posted += nic->GetQueuePairStatistics().bytesPosted;
        delivered += nic->GetQueuePairStatistics().bytesDelivered;
    }
};

/// GPUs on photonic rails under Opus, and a host network.
class OpusCluster
{
  public:
    /**
     * @param domains scale-up domains
     * @param perDomain GPUs of each
     * @param hasScaleUp domains are networks
     * @param threshold of the shims
     */
    OpusCluster(uint32_t domains, uint32_t perDomain, bool hasScaleUp, uint64_t threshold)
    {
        helper.SetDomains(domains, perDomain);
        helper.SetNic(2, DataRate("100Gbps"));
        helper.SetHostNetwork(DataRate("100Gbps"));
        if (hasScaleUp)
        {
            helper.SetScaleUp("a100");
        }
        cluster = helper.InstallPhotonic();
        opus.SetShimAttribute("HostThreshold", UintegerValue(threshold));
        opus.Install(cluster);
        CollectiveHelper::Install(cluster);
        for (uint32_t rail = 0; rail < perDomain; ++rail)
        {
            cluster.GetOcs(rail)->TraceConnectWithoutContext(
                "ReconfigurationStart",
                ToCallback<Ptr<const OpticalCircuitSwitch>, const CircuitSet&, const CircuitSet&>(
                    [this](Ptr<const OpticalCircuitSwitch>, const CircuitSet&, const CircuitSet&) {
                        ++reconfigurations;
                    }));
        }
    }

    ~OpusCluster()
    {
        Simulator::Destroy();
    }

    /// One after the other on all ranks of their groups.
    void Run(const std::vector<ProcessGroup>& groups, const std::vector<CollectiveCall>& calls)
    {
        m_calls = calls;
        m_groups = groups;
        m_ended.assign(cluster.GetNGpus(), 0);
        for (uint32_t rank = 0; rank < cluster.GetNGpus(); ++rank)
        {
            ScheduleCall(Time(0), [this, rank] { Next(rank, 0); });
        }
        Simulator::Run();
        for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
        {
            rails.Add(cluster.GetNic(gpu));
            hosts.Add(cluster.GetHostNic(gpu));
            requested += opus.GetShim(gpu)->GetStats().requested;
            mispredicted += opus.GetShim(gpu)->GetStats().mispredicted;
        }
    }

    /// @return calls that have ended on all ranks together
    uint32_t CountEnded() const
    {
        uint32_t sum = 0;
        for (const uint32_t ended : m_ended)
        {
            sum += ended;
        }
        return sum;
    }

    RailClusterHelper helper;
    RailCluster cluster;
    OpusHelper opus;
    Bytes rails;
    Bytes hosts;
    uint64_t requested{0};
    uint64_t mispredicted{0};
    uint32_t reconfigurations{0};
    Time last;  //!< when the last call ended
    Time pause; //!< between the calls of a rank

  private:
    /// Make the first call from a place on that is this rank's.
    void Next(uint32_t rank, std::size_t place)
    {
        const auto isMine = [this, rank](const CollectiveCall& call) {
            return m_groups[call.groupId].GetIndex(rank) < m_groups[call.groupId].GetSize();
        };
        while (place < m_calls.size() && !isMine(m_calls[place]))
        {
            ++place;
        }
        if (place < m_calls.size())
        {
            cluster.GetGpu(rank)->GetObject<CollectiveEngine>()->Run(
                m_calls[place],
                ToCallback<>([this, rank, place] {
                    ++m_ended[rank];
                    last = Simulator::Now();
                    if (pause.IsZero())
                    {
                        Next(rank, place + 1);
                        return;
                    }
                    ScheduleCall(pause, [this, rank, place] { Next(rank, place + 1); });
                }));
        }
    }

    std::vector<ProcessGroup> m_groups; //!< by id
    std::vector<CollectiveCall> m_calls;
    std::vector<uint32_t> m_ended; //!< by rank
};

/// @return a call
CollectiveCall
MakeCall(CollectiveKind kind, uint32_t group, uint64_t bytes)
{
    CollectiveCall call;
    call.kind = kind;
    call.groupId = group;
    call.bytes = bytes;
    return call;
}

/** Small and large calls of two groups that need the same ports. */
class VolumeTestCase : public PicosecondTestCase
{
  public:
    VolumeTestCase()
        : PicosecondTestCase("Small calls change no circuits, bulk does")
    {
    }

  private:
    static constexpr uint32_t ROUNDS = 3;

    /// All four ranks gather, pairs reduce.
    static std::vector<ProcessGroup> GetGroups()
    {
        return {{0, {0, 1, 2, 3}}, {1, {0, 1}}, {2, {2, 3}}};
    }

    /// Bulk on the ring, then something on each of the pairs, several times.
    static void Run(OpusCluster& cluster, uint64_t ofPairs)
    {
        std::vector<CollectiveCall> calls;
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            calls.push_back(MakeCall(CollectiveKind::ALL_GATHER, 0, BULK));
            calls.push_back(MakeCall(CollectiveKind::ALL_REDUCE, 1, ofPairs));
            calls.push_back(MakeCall(CollectiveKind::ALL_REDUCE, 2, ofPairs));
            calls.push_back(MakeCall(CollectiveKind::ALL_REDUCE, 0, SMALL));
        }
        for (const auto& group : GetGroups())
        {
            CollectiveHelper::Join(cluster.cluster, group);
        }
        cluster.Run(GetGroups(), calls);
    }

    void DoRun() override
    {
        // AllGather of n inputs to n - 1 others; AllReduce twice (n - 1) / n of its input a rank.
        const uint64_t gather = ROUNDS * 4 * 3 * BULK;
        const auto pairs = [](uint64_t bytes) { return ROUNDS * 4 * bytes; };
        const uint64_t ring = ROUNDS * 2 * 3 * SMALL;
        {
            OpusCluster cluster(4, 1, false, THRESHOLD);
            Run(cluster, SMALL);
            NS_TEST_EXPECT_MSG_EQ(cluster.CountEnded(), ROUNDS * 4 * 3, "calls");
            NS_TEST_EXPECT_MSG_EQ(cluster.rails.posted, gather, "bulk");
            NS_TEST_EXPECT_MSG_EQ(cluster.hosts.posted, pairs(SMALL) + ring, "small");
            NS_TEST_EXPECT_MSG_EQ(cluster.rails.delivered, cluster.rails.posted, "rails");
            NS_TEST_EXPECT_MSG_EQ(cluster.hosts.delivered, cluster.hosts.posted, "hosts");
            NS_TEST_EXPECT_MSG_EQ(cluster.requested, 4, "each rank asks for the ring once");
            NS_TEST_EXPECT_MSG_EQ(cluster.reconfigurations, 1, "and keeps it");
        }
        for (const uint64_t threshold : {uint64_t{0}, SMALL})
        {
            OpusCluster cluster(4, 1, false, threshold);
            Run(cluster, SMALL);
            NS_TEST_EXPECT_MSG_EQ(cluster.CountEnded(), ROUNDS * 4 * 3, "calls");
            NS_TEST_EXPECT_MSG_EQ(cluster.hosts.posted, 0, "nothing is below the threshold");
            NS_TEST_EXPECT_MSG_EQ(cluster.rails.posted, gather + pairs(SMALL) + ring, "rails");
            NS_TEST_EXPECT_MSG_GT(cluster.reconfigurations, 2 * ROUNDS - 1, "to and fro");
        }
        {
            OpusCluster cluster(4, 1, false, THRESHOLD);
            Run(cluster, BULK);
            NS_TEST_EXPECT_MSG_EQ(cluster.hosts.posted, ring, "small calls only");
            NS_TEST_EXPECT_MSG_EQ(cluster.rails.posted, gather + pairs(BULK), "bulk");
            NS_TEST_EXPECT_MSG_GT(cluster.reconfigurations, 2 * ROUNDS - 1, "to and fro");
        }
    }
};

/** One call of two ranks takes the time of its packets on the host network. */
class CallTimeTestCase : public PicosecondTestCase
{
  public:
    CallTimeTestCase()
        : PicosecondTestCase("A message on the host network, to the picosecond")
    {
    }

  private:
    void DoRun() override
    {
        const NetworkTimeOnly networkTime;
        const std::vector<ProcessGroup> groups{{0, {0, 1}}};
        OpusCluster cluster(2, 1, false, THRESHOLD);
        CollectiveHelper::Join(cluster.cluster, groups[0]);
        // A rank has two halves to send, each a packet, and sends them one after the other.
        cluster.Run(groups, {MakeCall(CollectiveKind::ALL_GATHER, 0, 8192)});
        const HostNetworkSpec spec;
        const uint64_t frame = 14 + 20 + 8 + 12 + 4 + 24 + 16 + 4 + 4096;
        const uint64_t acknowledgement = 14 + 20 + 8 + 12 + 4 + 24 + 4;
        const auto onGpu = [](uint64_t bytes) { return PicoSeconds(bytes * 40); };
        const auto onNic = [](uint64_t bytes) { return PicoSeconds(bytes * 80); };
        // The NIC of the host is the bottleneck; the acknowledgement finds nothing in its way.
        const Time way = 2 * spec.gpuDelay + 2 * spec.cableDelay + 3 * NanoSeconds(500);
        const auto alone = [&](uint64_t bytes) {
            return way + 2 * onGpu(bytes) + 2 * onNic(bytes);
        };
        NS_TEST_EXPECT_MSG_EQ(cluster.CountEnded(), 2, "ended");
        NS_TEST_EXPECT_MSG_EQ(cluster.last,
                              alone(frame) + onNic(frame) + alone(acknowledgement),
                              "the second half, and its acknowledgement");
        NS_TEST_EXPECT_MSG_EQ(cluster.requested, 0, "no circuits");
    }
};

/** Groups that rails cannot join. */
class UnservedTestCase : public PicosecondTestCase
{
  public:
    UnservedTestCase()
        : PicosecondTestCase("What rails cannot join takes the host network whatever its size")
    {
    }

  private:
    void CheckGroup(const CollectiveAlgorithms& algorithms)
    {
        const std::vector<ProcessGroup> groups{{0, {0, 1, 2, 3}}};
        OpusCluster cluster(2, 2, false, 0);
        NS_TEST_EXPECT_MSG_NE(CollectiveHelper::CheckFabric(cluster.cluster, groups[0], algorithms),
                              "",
                              "rails cannot");
        NS_TEST_ASSERT_MSG_EQ(CollectiveHelper::Check(cluster.cluster, groups[0], algorithms),
                              "",
                              "hosts can");
        CollectiveHelper::Join(cluster.cluster, groups[0], algorithms);
        cluster.Run(groups, {MakeCall(CollectiveKind::ALL_REDUCE, 0, BULK)});
        NS_TEST_EXPECT_MSG_EQ(cluster.CountEnded(), 4, "ended");
        NS_TEST_EXPECT_MSG_EQ(cluster.rails.posted, 0, "nothing on rails");
        NS_TEST_EXPECT_MSG_EQ(cluster.requested, 0, "nobody asks");
        NS_TEST_EXPECT_MSG_EQ(cluster.hosts.posted, 2 * 3 * BULK, "all on the hosts");
        NS_TEST_EXPECT_MSG_EQ(cluster.hosts.delivered, cluster.hosts.posted, "hosts");
    }

    void DoRun() override
    {
        const auto rings = CollectiveAlgorithms::Rings();
        CheckGroup(rings);
        {
            // With a network inside domains messages change the rail there.
            OpusCluster cluster(2, 2, true, 0);
            NS_TEST_EXPECT_MSG_EQ(
                CollectiveHelper::CheckFabric(cluster.cluster, {0, {0, 1, 2, 3}}, rings),
                "",
                "rails can");
        }
        // Trees need connectors between ranks that are no neighbours on a ring.
        CollectiveAlgorithms trees;
        trees.Choose(CollectiveKind::ALL_REDUCE, "tree");
        CheckGroup(trees);
    }
};

/// Parse the flags of a job into settings. @return an empty string, or the error
std::string
ReadJobFlags(TrainingSettings& settings, const std::vector<std::string>& flags)
{
    std::vector<std::string> arguments{"test",
                                       "--symmetry=none",
                                       "--model=debugmodel",
                                       "--seqLen=128"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    CommandLine cmd;
    settings.AddFlags(cmd);
    cmd.Parse(arguments);
    return settings.Check();
}

/** Jobs on photonic rails. */
class JobTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param name of the job
     * @param flags of it
     * @param needsHosts photonic rails refuse it without a host network, as nothing joins domains
     */
    JobTestCase(const std::string& name, std::vector<std::string> flags, bool needsHosts)
        : PicosecondTestCase(name),
          m_flags(std::move(flags)),
          m_needsHosts(needsHosts)
    {
    }

  private:
    void DoRun() override
    {
        TrainingSettings alone;
        std::string error = ReadJobFlags(alone, m_flags);
        NS_TEST_EXPECT_MSG_EQ((error.find("cannot join") != std::string::npos),
                              m_needsHosts,
                              error);
        m_flags.emplace_back("--hostNetwork=100Gbps");
        m_flags.emplace_back("--hostThreshold=4K");
        TrainingSettings settings;
        error = ReadJobFlags(settings, m_flags);
        NS_TEST_ASSERT_MSG_EQ(error, "", "refused");
        const JobDescription description = settings.MakeDescription();
        NS_TEST_EXPECT_MSG_EQ(description.remarks.size(), 0, "remarks");
        const RunSummary run = TrainingExperiment(settings).Run(nullptr);
        NS_TEST_ASSERT_MSG_EQ(run.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_EXPECT_MSG_EQ(MakeJson(run.collectives).ToText(),
                              MakeJson(description.classes[0].volumes).ToText(),
                              "collectives of rank 0");
        NS_TEST_EXPECT_MSG_EQ(run.rails.bytesPosted,
                              settings.iterations.Get() * description.sent.rails,
                              "what is not on the rails is not described as theirs");
        NS_TEST_EXPECT_MSG_GT(run.hosts.bytesPosted, 0, "small calls");
        NS_TEST_EXPECT_MSG_EQ(run.hosts.retransmissions, 0, "nothing is repeated");
        NS_TEST_EXPECT_MSG_GT(run.rails.bytesPosted, 0, "bulk");
        if (!m_needsHosts)
        {
            CheckDifference(run, TrainingExperiment(alone).Run(nullptr));
        }
    }

    /// Compare with a run on the rails alone.
    void CheckDifference(const RunSummary& run, const RunSummary& alone)
    {
        NS_TEST_ASSERT_MSG_EQ(alone.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_EXPECT_MSG_EQ(alone.hosts.packetsSent, 0, "no host network");
        NS_TEST_EXPECT_MSG_LT(run.iterations.back().reconfigurations,
                              alone.iterations.back().reconfigurations,
                              "fewer changes");
        NS_TEST_EXPECT_MSG_LT(run.iterations.back().duration,
                              alone.iterations.back().duration,
                              "which saves time");
        NS_TEST_EXPECT_MSG_LT(run.phases[0].size(), alone.phases[0].size(), "fewer phases");
    }

    std::vector<std::string> m_flags;
    bool m_needsHosts;
};

/** The predictions of the shims when small calls come between. */
class PredictionTestCase : public PicosecondTestCase
{
  public:
    PredictionTestCase()
        : PicosecondTestCase("Small calls do not disturb predictions")
    {
    }

  private:
    void DoRun() override
    {
        // As a training step: gather, a small call on another group, reduce, a scalar for all.
        const std::vector<ProcessGroup> groups{{0, {0, 1, 2, 3}}, {1, {0, 1}}, {2, {2, 3}}};
        OpusCluster cluster(4, 1, false, THRESHOLD);
        std::vector<CollectiveCall> calls;
        for (uint32_t iteration = 0; iteration < 6; ++iteration)
        {
            calls.push_back(MakeCall(CollectiveKind::ALL_GATHER, 0, BULK));
            // Another number of small calls every time, which no profile could learn.
            for (uint32_t i = 0; i < iteration; ++i)
            {
                calls.push_back(MakeCall(CollectiveKind::ALL_REDUCE, 1 + i % 2, SMALL + i));
            }
            calls.push_back(MakeCall(CollectiveKind::REDUCE_SCATTER, 1, BULK));
            calls.push_back(MakeCall(CollectiveKind::REDUCE_SCATTER, 2, BULK));
            calls.push_back(MakeCall(CollectiveKind::ALL_REDUCE, 0, SMALL));
        }
        for (const auto& group : groups)
        {
            CollectiveHelper::Join(cluster.cluster, group);
        }
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            cluster.opus.GetShim(rank)->SetAttribute("DetectIterations", BooleanValue(true));
        }
        cluster.pause = MilliSeconds(1); // a gap in which asking ahead of time hides something
        cluster.Run(groups, calls);
        uint64_t speculative = 0;
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            speculative += cluster.opus.GetShim(rank)->GetStats().speculative;
        }
        NS_TEST_EXPECT_MSG_GT(speculative, 4 * 5, "phases are predicted");
        NS_TEST_EXPECT_MSG_EQ(cluster.mispredicted, 0, "rightly");
        NS_TEST_EXPECT_MSG_EQ(cluster.rails.delivered, cluster.rails.posted, "rails");
        NS_TEST_EXPECT_MSG_EQ(cluster.hosts.delivered, cluster.hosts.posted, "hosts");
    }
};

/** Suite of the choice of networks. */
class NetworkChoiceTestSuite : public TestSuite
{
  public:
    NetworkChoiceTestSuite()
        : TestSuite("photonic-rails-network-choice", Type::SYSTEM)
    {
        AddTestCase(new VolumeTestCase);
        AddTestCase(new CallTimeTestCase);
        AddTestCase(new UnservedTestCase);
        AddTestCase(new PredictionTestCase);
        AddTestCase(new JobTestCase(
            "Megatron-LM on photonic rails",
            {"--framework=megatron-lm", "--scaleUp=none", "--tp=4", "--fsdp=2", "--pp=2"},
            true));
        AddTestCase(new JobTestCase("TorchTitan on photonic rails",
                                    {"--tp=4", "--fsdp=2", "--pp=2", "--policy=on-demand"},
                                    false));
        AddTestCase(
            new JobTestCase("FSDP across rails",
                            {"--tp=2", "--fsdp=4", "--pp=2", "--dpReplicate=2", "--scaleUp=none"},
                            true));
    }
};

NetworkChoiceTestSuite g_networkChoiceTestSuite; //!< the instance

} // namespace
