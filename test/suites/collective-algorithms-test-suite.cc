// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Every algorithm on electrical fabrics, rings on circuits that Opus lends, and two levels on
 * circuits that are set up before: all calls end, and every NIC has carried the bytes that the
 * schedules say, no more and no less.
 */

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/collective-helper.h"
#include "ns3/connector-installer.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-relay.h"
#include "ns3/simulator.h"
#include "ns3/static-policy.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

using Algorithm = Variant<CollectiveAlgorithm>;

/** Where a group lies. */
struct Place
{
    RailFabric fabric;      //!< between domains
    uint32_t domains;       //!< scale-up domains
    uint32_t gpusPerDomain; //!< GPUs of each
    bool hasScaleUp;        //!< domains are networks
    bool isLent{false};     //!< circuits are lent by Opus, even with scale-up networks

    /** @return its name */
    std::string GetName() const
    {
        return std::to_string(domains) + "x" + std::to_string(gpusPerDomain) + " GPUs, " +
               fabric.GetName() + (hasScaleUp ? " and scale-up" : "") + (isLent ? ", lent" : "");
    }
};

/** Bytes that went through the two NICs of a GPU. */
struct NicBytes
{
    uint64_t railPosted{0};
    uint64_t railDelivered{0};
    uint64_t scaleUpPosted{0};
    uint64_t scaleUpDelivered{0};
};

/** All GPUs of a cluster as one group, and the expected bytes of its calls. */
class GroupOfAll
{
  public:
    /**
     * @param place where it lies
     * @param algorithms algorithms of its collectives
     */
    GroupOfAll(const Place& place, const CollectiveAlgorithms& algorithms)
        : m_algorithms(algorithms)
    {
        RailClusterHelper helper;
        helper.SetDomains(place.domains, place.gpusPerDomain);
        helper.SetNic(2, DataRate("100Gbps"));
        if (place.hasScaleUp)
        {
            helper.SetScaleUp("nvlink4");
        }
        cluster = helper.Install(place.fabric);
        group.id = 4;
        group.ranks.resize(cluster.GetNGpus());
        std::iota(group.ranks.begin(), group.ranks.end(), 0U);
        m_expected.resize(cluster.GetNGpus());
        shape = CollectiveHelper::GetShape(cluster, group);
        error = CollectiveHelper::Check(cluster, group, algorithms);
        if (cluster.IsPhotonic() && place.hasScaleUp && !place.isLent)
        {
            StaticCircuitsHelper::LightRings(cluster);
            Simulator::Run(); // until there is light
        }
        else if (cluster.IsPhotonic())
        {
            opus.Install(cluster);
        }
        if (error.empty())
        {
            CollectiveHelper::Install(cluster);
            for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
            {
                // Small, so that messages have several.
                auto engine = cluster.GetGpu(gpu)->GetObject<CollectiveEngine>();
                engine->SetAttribute("ChunkBytes", UintegerValue(30000));
            }
            CollectiveHelper::Join(cluster, group, algorithms);
        }
    }

    ~GroupOfAll()
    {
        Simulator::Destroy();
    }

    /** @return a call on the group */
    CollectiveCall MakeCall(CollectiveKind kind, uint64_t bytes, uint32_t peer = 0) const
    {
        return {kind, group.id, bytes, peer, nullptr};
    }

    /** Let a rank make a call at some time. */
    void RunAt(Time at, uint32_t rank, const CollectiveCall& call)
    {
        ++made;
        auto engine = cluster.GetGpu(rank)->GetObject<CollectiveEngine>();
        ScheduleCall(at, [this, engine, call] {
            engine->Run(call, ToCallback([this] {
                            ++ended;
                            lastEnd = Simulator::Now();
                        }));
        });
    }

    /** Expect the bytes of a collective. */
    void ExpectCollective(const CollectiveCall& call)
    {
        for (uint32_t i = 0; i < shape.size; ++i)
        {
            RankContext part;
            part.call = call;
            part.shape = shape;
            part.index = i;
            part.root = call.peer; // or the straggler, or nobody
            part.rates = CollectiveHelper::GetRates(cluster);
            part.chunkBytes = cluster.GetGpu(i)->GetObject<CollectiveEngine>()->GetChunkBytes();
            const auto schedule = m_algorithms.Get(call.kind)->MakeSchedule(part);
            for (const auto& send : schedule.GetSends())
            {
                ExpectMessage(i, send.peer, send.data.bytes);
            }
        }
    }

    /** Expect the bytes of a message. */
    void ExpectMessage(uint32_t from, uint32_t to, uint64_t bytes)
    {
        const ConnectorInstaller connector(cluster);
        const auto way = connector.GetWay(from, to);
        const bool isRelayed = way == ConnectorInstaller::RELAYED;
        const uint32_t proxy = isRelayed ? connector.GetProxy(from, to) : 0;
        if (way != ConnectorInstaller::FABRIC)
        {
            m_expected[from].scaleUpPosted += bytes;
            m_expected[isRelayed ? proxy : to].scaleUpDelivered += bytes;
        }
        if (way != ConnectorInstaller::SCALE_UP)
        {
            m_expected[isRelayed ? proxy : from].railPosted += bytes;
            m_expected[to].railDelivered += bytes;
        }
        relayed += isRelayed ? bytes : 0;
    }

    /** @return an empty string, or the NIC with an unexpected number of bytes */
    std::string Compare() const
    {
        std::ostringstream wrong;
        uint64_t passedOn = 0;
        for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
        {
            NicBytes seen;
            const auto rail = cluster.GetNic(gpu)->GetQueuePairStatistics();
            seen.railPosted = rail.bytesPosted;
            seen.railDelivered = rail.bytesDelivered;
            if (auto nic = cluster.GetScaleUpNic(gpu))
            {
                const auto scaleUp = nic->GetQueuePairStatistics();
                seen.scaleUpPosted = scaleUp.bytesPosted;
                seen.scaleUpDelivered = scaleUp.bytesDelivered;
            }
            const auto compare = [&wrong, gpu](const char* what, uint64_t is, uint64_t shouldBe) {
                if (is != shouldBe)
                {
                    wrong << "GPU " << gpu << ": " << what << " " << is << ", not " << shouldBe
                          << "; ";
                }
            };
            const NicBytes& wanted = m_expected[gpu];
            compare("posted to the rail", seen.railPosted, wanted.railPosted);
            compare("delivered by the rail", seen.railDelivered, wanted.railDelivered);
            compare("posted to scale-up", seen.scaleUpPosted, wanted.scaleUpPosted);
            compare("delivered by scale-up", seen.scaleUpDelivered, wanted.scaleUpDelivered);
            auto relay = cluster.GetGpu(gpu)->GetObject<RdmaRelay>();
            passedOn += relay ? relay->GetStatistics().bytes : 0;
        }
        if (passedOn != relayed)
        {
            wrong << "relays passed on " << passedOn << ", not " << relayed;
        }
        return wrong.str();
    }

    RailCluster cluster;
    OpusHelper opus; //!< of photonic rails without scale-up networks
    ProcessGroup group;
    GroupShape shape;
    std::string error;   //!< why the group cannot be
    uint64_t made{0};    //!< calls made
    uint64_t ended{0};   //!< calls ended
    Time lastEnd;        //!< when the last of them did
    uint64_t relayed{0}; //!< bytes that relays should pass on

  private:
    CollectiveAlgorithms m_algorithms;
    std::vector<NicBytes> m_expected;
};

/** Sizes of an AllToAllv of which about a third are zero. */
Ptr<const AllToAllSizes>
MakeUnevenSizes(uint32_t ranks, std::mt19937& random)
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < ranks * ranks; ++i)
    {
        bytes.push_back(random() % 3 == 0 ? 0 : random() % 50000);
    }
    return Create<AllToAllSizes>(ranks, bytes);
}

/** One collective by one algorithm. */
class AlgorithmTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param kind the collective
     * @param algorithm that carries it out
     * @param place the group
     */
    AlgorithmTestCase(CollectiveKind kind, Algorithm algorithm, const Place& place)
        : PicosecondTestCase(algorithm->GetName() + " " + ToString(kind) + ", " + place.GetName()),
          m_kind(kind),
          m_algorithm(algorithm),
          m_place(place)
    {
    }

  private:
    void DoRun() override
    {
        CollectiveAlgorithms algorithms;
        algorithms.Choose(m_kind, m_algorithm);
        GroupOfAll all(m_place, algorithms);
        NS_TEST_ASSERT_MSG_EQ(all.error, "", GetName());
        std::vector<CollectiveCall> calls;
        for (const uint64_t bytes : {0, 1, 7, 12289, 200003})
        {
            calls.push_back(all.MakeCall(m_kind, bytes, calls.size() % all.shape.size));
        }
        if (m_kind == CollectiveKind::ALL_TO_ALL)
        {
            std::mt19937 random(3);
            calls.push_back(all.MakeCall(m_kind, 0));
            calls.back().sizes = MakeUnevenSizes(all.shape.size, random);
        }
        for (const auto& call : calls)
        {
            all.ExpectCollective(call);
            for (uint32_t rank = 0; rank < all.shape.size; ++rank)
            {
                all.RunAt(MicroSeconds(5 * rank), rank, call);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(all.ended, all.made, "calls that ended");
        NS_TEST_EXPECT_MSG_EQ(all.Compare(), "", "bytes");
    }

    CollectiveKind m_kind;
    Algorithm m_algorithm;
    Place m_place;
};

/** All kinds by algorithms drawn at random, and messages between ranks, all at once. */
class MixedTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param seed of the draw
     * @param place the group
     */
    MixedTestCase(uint32_t seed, const Place& place)
        : PicosecondTestCase("Everything at once, seed " + std::to_string(seed) + ", " +
                             place.GetName()),
          m_random(seed),
          m_place(place)
    {
    }

  private:
    /** @return a number below a bound */
    uint32_t Draw(uint32_t bound)
    {
        return static_cast<uint32_t>(m_random() % bound);
    }

    CollectiveAlgorithms DrawAlgorithms(const GroupShape& shape)
    {
        CollectiveAlgorithms algorithms;
        for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
        {
            std::vector<Algorithm> possible;
            for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
            {
                if (algorithm->Check(kind, shape).empty())
                {
                    possible.push_back(algorithm);
                }
            }
            algorithms.Choose(kind, possible[Draw(possible.size())]);
        }
        return algorithms;
    }

    /** Messages both ways between two ranks, by sizes drawn at random. */
    void AddMessages(GroupOfAll& all, uint32_t from, uint32_t to)
    {
        for (uint32_t i = 0; i < 2; ++i)
        {
            const uint64_t bytes = Draw(100000);
            all.RunAt(NanoSeconds(Draw(100000) + 200000 * i),
                      from,
                      all.MakeCall(CollectiveKind::SEND, bytes, to));
            all.RunAt(NanoSeconds(Draw(100000) + 200000 * i),
                      to,
                      all.MakeCall(CollectiveKind::RECV, bytes, from));
            all.ExpectMessage(from, to, bytes);
        }
    }

    void DoRun() override
    {
        const GroupShape shape{m_place.domains * m_place.gpusPerDomain, m_place.gpusPerDomain};
        const auto algorithms = DrawAlgorithms(shape);
        GroupOfAll all(m_place, algorithms);
        NS_TEST_ASSERT_MSG_EQ(all.error, "", GetName());
        NS_TEST_ASSERT_MSG_EQ(all.shape.perDomain, shape.perDomain, "shape");
        std::vector<Time> next(shape.size);
        for (uint32_t i = 0; i < 12; ++i)
        {
            const auto kind = CollectiveAlgorithms::GetKinds()[Draw(6)];
            auto call = all.MakeCall(kind, Draw(4) == 0 ? Draw(3) : Draw(150000), Draw(shape.size));
            if (kind == CollectiveKind::ALL_TO_ALL && Draw(2) == 0)
            {
                call.sizes = MakeUnevenSizes(shape.size, m_random);
            }
            all.ExpectCollective(call);
            for (uint32_t rank = 0; rank < shape.size; ++rank)
            {
                next[rank] += NanoSeconds(Draw(20000));
                all.RunAt(next[rank], rank, call);
            }
        }
        for (uint32_t rank = 0; rank < shape.size; ++rank)
        {
            std::set<uint32_t> peers;
            for (const auto& id : algorithms.GetConnectors(shape, rank))
            {
                peers.insert(id.peer);
            }
            for (const uint32_t peer : peers)
            {
                AddMessages(all, rank, peer);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(all.ended, all.made, "calls that ended");
        NS_TEST_EXPECT_MSG_EQ(all.Compare(), "", "bytes");
    }

    std::mt19937 m_random;
    Place m_place;
};

/** Two levels on photonic rails and on the same rails with a packet switch. */
class TwoLevelsTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each
     */
    TwoLevelsTestCase(uint32_t domains, uint32_t gpusPerDomain)
        : PicosecondTestCase("Two levels on circuits, " + std::to_string(domains) + "x" +
                             std::to_string(gpusPerDomain) + " GPUs"),
          m_domains(domains),
          m_gpusPerDomain(gpusPerDomain)
    {
    }

  private:
    /** @return duration of an AllReduce */
    Time RunAllReduce(RailFabric fabric)
    {
        CollectiveAlgorithms algorithms;
        algorithms.Choose(CollectiveKind::ALL_REDUCE, "hierarchical");
        GroupOfAll all({fabric, m_domains, m_gpusPerDomain, true}, algorithms);
        NS_TEST_EXPECT_MSG_EQ(all.error, "", GetName());
        if (!all.error.empty())
        {
            return Time();
        }
        // Pieces of whole packets in both directions.
        const uint64_t bytes = uint64_t{16} * 4096 * all.shape.size;
        const auto call = all.MakeCall(CollectiveKind::ALL_REDUCE, bytes);
        all.ExpectCollective(call);
        for (uint32_t rank = 0; rank < all.shape.size; ++rank)
        {
            all.RunAt(Time(), rank, call);
        }
        const Time start = Simulator::Now();
        Simulator::Run();
        const Time time = all.lastEnd - start;
        AddMessages(all);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(all.ended, all.made, "calls that ended");
        NS_TEST_EXPECT_MSG_EQ(all.Compare(), "", "bytes");
        return time;
    }

    /** Messages to both neighbours along the rail and to one in the domain. */
    void AddMessages(GroupOfAll& all)
    {
        const uint32_t size = all.shape.size;
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            const uint32_t first = rank - rank % m_gpusPerDomain;
            const std::set<uint32_t> peers{(rank + m_gpusPerDomain) % size,
                                           (rank + size - m_gpusPerDomain) % size,
                                           first + (rank + 1) % m_gpusPerDomain};
            for (const uint32_t peer : peers)
            {
                const uint64_t bytes = 50001 + rank;
                all.RunAt(Time(), rank, all.MakeCall(CollectiveKind::SEND, bytes, peer));
                all.RunAt(Time(), peer, all.MakeCall(CollectiveKind::RECV, bytes, rank));
                all.ExpectMessage(rank, peer, bytes);
            }
        }
    }

    void DoRun() override
    {
        const Time circuits = RunAllReduce("photonic");
        const Time packets = RunAllReduce("electrical");
        // In each step a switch adds its latency and the time of the first packet, which it stores.
        const Time step = NanoSeconds(500) + DataRate("100Gbps").CalculateBytesTxTime(4194);
        const Time least = step * static_cast<int64_t>(2 * (m_domains - 1));
        const double ratio = (packets - circuits).GetSeconds() / least.GetSeconds();
        NS_TEST_EXPECT_MSG_EQ((ratio >= 1.0 && ratio < 1.15),
                              true,
                              circuits << " on circuits, " << packets << " through switches");
    }

    uint32_t m_domains;
    uint32_t m_gpusPerDomain;
};

/** An AllGather with a connector to a rank that its group does not have; it is not registered. */
class FarAlgorithm : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override
    {
        return "far";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_GATHER;
    }

    uint64_t GetMostReceives(CollectiveKind, const GroupShape&) const override
    {
        return 1;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext&) const override
    {
        return {};
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        return {{(index + peer) % (2 * shape.size), CONNECTOR_DIRECT}};
    }

    CollectiveCost DoGetCost(const RankContext&) const override
    {
        return {};
    }

    uint32_t peer{0}; //!< as seen from the first rank
};

/** Groups that cannot be connected are refused in a line. */
class AlgorithmRefusalTestCase : public PicosecondTestCase
{
  public:
    AlgorithmRefusalTestCase()
        : PicosecondTestCase("What cannot be connected is refused")
    {
    }

  private:
    /** Check the error for a group of certain ranks. */
    void Expect(const RailCluster& cluster,
                const std::vector<uint32_t>& ranks,
                const CollectiveAlgorithms& algorithms,
                const std::string& part)
    {
        const auto error = CollectiveHelper::Check(cluster, {7, ranks}, algorithms);
        NS_TEST_EXPECT_MSG_EQ((part.empty() ? error.empty() : error.find(part) != error.npos),
                              true,
                              "'" << error << "' instead of '" << part << "'");
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line");
    }

    void DoRun() override
    {
        const auto rings = CollectiveAlgorithms::Rings();
        RailClusterHelper helper;
        helper.SetDomains(4, 2);
        {
            const auto rails = helper.InstallElectrical();
            Expect(rails, {0, 2, 4}, rings, "");
            Expect(rails, {0, 8}, rings, "rank 8 of a cluster of 8 GPUs");
            auto far = CreateObject<FarAlgorithm>();
            CollectiveAlgorithms fars;
            fars.Choose(CollectiveKind::ALL_GATHER,
                        Variant<CollectiveAlgorithm>(Ptr<const CollectiveAlgorithm>(far)));
            Expect(rails, {0, 2}, fars, "rank 0 has a connector to rank 0, which is itself");
            far->peer = 2;
            Expect(rails, {0, 2}, fars, "connector to rank 2, but the group has ranks 0 to 1");
            Expect(rails, {0, 1}, rings, "GPUs 0 and 1 cannot reach each other");
            Expect(rails, {0, 3}, rings, "GPUs 0 and 3 cannot reach each other");
            const auto tree = helper.InstallElectrical("leaf-spine");
            Expect(tree, {0, 1, 2, 3}, rings, "");
            NS_TEST_EXPECT_MSG_EQ(CollectiveHelper::GetShape(tree, {0, {0, 1, 4, 5}}).perDomain,
                                  2,
                                  "two of each domain");
            NS_TEST_EXPECT_MSG_EQ(CollectiveHelper::GetShape(tree, {0, {0, 4, 1, 5}}).perDomain,
                                  1,
                                  "domains alternate");
            NS_TEST_EXPECT_MSG_EQ(CollectiveHelper::GetShape(tree, {0, {0, 1, 4}}).perDomain,
                                  1,
                                  "not as many in each");
        }
        Simulator::Destroy();
        helper.SetScaleUp("nvlink4");
        {
            const auto circuits = helper.InstallPhotonic();
            Expect(circuits, {0, 2, 4}, rings, "");
            Expect(circuits, {0, 1}, rings, "");
            Expect(circuits, {0, 3}, rings, "");
            Expect(circuits, {0, 1, 3, 2}, rings, "");
            Expect(circuits, {0, 2, 1, 3}, rings, "must follow each other");
            const auto rails = helper.InstallElectrical("rail-only");
            Expect(rails, {0, 3}, rings, "");
        }
        Simulator::Destroy();
        ExpectTwoLevels(helper);
    }

    /** Two levels need a scale-up network and domains that lie alike. */
    void ExpectTwoLevels(RailClusterHelper& helper)
    {
        CollectiveAlgorithms levels;
        levels.Choose(CollectiveKind::ALL_REDUCE, "hierarchical");
        CollectiveAlgorithms relayed;
        relayed.Choose(CollectiveKind::ALL_TO_ALL, "pxn");
        const auto circuits = helper.InstallPhotonic();
        Expect(circuits, {0, 1, 2, 3, 4, 5, 6, 7}, levels, "");
        Expect(circuits, {0, 1}, levels, "");
        Expect(circuits, {0, 2, 4}, levels, "");
        Expect(circuits, {0, 1, 3, 2}, levels, "none for GPUs 0 and 3");
        Expect(circuits, {0, 1, 2, 3}, relayed, "none for GPUs 0 and 2");
        OpusHelper opus;
        opus.Install(circuits);
        Expect(circuits, {0, 1, 2, 3}, levels, "");
        Expect(circuits, {0, 1}, levels, "");
        Expect(circuits, {0, 2, 4}, levels, "");
        Simulator::Destroy();
    }
};

/**
 * @ingroup tests
 * Algorithms of collectives over electrical fabrics.
 */
class CollectiveAlgorithmsTestSuite : public TestSuite
{
  public:
    CollectiveAlgorithmsTestSuite()
        : TestSuite("photonic-rails-collective-algorithms", Type::SYSTEM)
    {
        AddTestCase(new AlgorithmRefusalTestCase);
        std::vector<Place> places;
        for (uint32_t size = 2; size <= 8; ++size)
        {
            places.push_back({"electrical", size, 1, false});
        }
        for (const uint32_t perDomain : {2U, 4U})
        {
            places.push_back({"electrical", 8 / perDomain, perDomain, true});
        }
        places.push_back({"electrical", 1, 8, true});
        places.push_back({"leaf-spine", 2, 4, false});
        for (const uint32_t size : {2U, 3U, 5U})
        {
            AddRings({"photonic", size, 1, false});
        }
        for (const auto& place : places)
        {
            AddAlgorithms(place);
        }
        for (const auto& [domains, perDomain] :
             std::vector<std::pair<uint32_t, uint32_t>>{{2, 2}, {3, 2}, {2, 4}, {4, 4}, {5, 3}})
        {
            for (const auto kind : {CollectiveKind::ALL_REDUCE,
                                    CollectiveKind::ALL_GATHER,
                                    CollectiveKind::REDUCE_SCATTER})
            {
                AddTestCase(new AlgorithmTestCase(kind,
                                                  "hierarchical",
                                                  {"photonic", domains, perDomain, true}));
                AddTestCase(new AlgorithmTestCase(kind,
                                                  "hierarchical",
                                                  {"photonic", domains, perDomain, true, true}));
            }
            AddTestCase(new TwoLevelsTestCase(domains, perDomain));
        }
        for (uint32_t seed = 0; seed < 20; ++seed)
        {
            AddTestCase(new MixedTestCase(seed, places[seed % places.size()]));
        }
    }

  private:
    void AddRings(const Place& place)
    {
        for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
        {
            AddTestCase(new AlgorithmTestCase(kind, "ring", place));
        }
    }

    void AddAlgorithms(const Place& place)
    {
        const GroupShape shape{place.domains * place.gpusPerDomain, place.gpusPerDomain};
        for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
        {
            for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
            {
                if (algorithm->Check(kind, shape).empty())
                {
                    AddTestCase(new AlgorithmTestCase(kind, algorithm, place));
                }
            }
        }
    }
};

CollectiveAlgorithmsTestSuite g_collectiveAlgorithmsTestSuite; //!< the instance

} // namespace
