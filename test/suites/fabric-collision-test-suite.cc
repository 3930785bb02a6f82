// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Collisions of flows in fabrics with several shortest paths: which links they share follows from
 * the flow hash of each switch, and how long they take from the link that most of them share.
 */

#include "rdma-hosts.h"

#include "ns3/fabric-installer.h"
#include "ns3/fabric-topology.h"
#include "ns3/switch-forwarding.h"

#include <map>
#include <numeric>
#include <random>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// From whom to whom, by GPU.
using Flows = std::vector<std::pair<uint32_t, uint32_t>>;
/// How many flows each port of each switch sends.
using Loads = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

constexpr uint64_t MESSAGE_BYTES = 1 << 20;
constexpr uint64_t MESSAGE_PACKETS = MESSAGE_BYTES / 4096;

/// Count the packets that a port sends, but not acknowledgements.
void
CountData(uint64_t* count, Ptr<const Packet> frame)
{
    *count += frame->GetSize() > 1000 ? 1 : 0;
}

/// @return the most flows that share a port
uint64_t
GetHighest(const Loads& loads)
{
    uint64_t highest = 0;
    for (const auto& [port, load] : loads)
    {
        highest = std::max(highest, load);
    }
    return highest;
}

/// GPUs with a port each on a fabric, and a message for each of some flows.
class FlowRun
{
  public:
    /// The places of the hosts and the limits of the switches.
    struct Setup
    {
        RailFabric fabric;
        uint32_t domains;
        uint32_t gpus;
        uint32_t radix;
        uint32_t down;
    };

    /// Send all messages at once, and wait.
    FlowRun(const Setup& setup, const Flows& flows, uint32_t seed)
    {
        RdmaHosts hosts(setup.domains * setup.gpus);
        auto& helper = hosts.helper;
        helper.SetDomains(setup.domains, setup.gpus);
        helper.SetSwitchRadix(setup.radix);
        helper.SetOversubscription(setup.down, 1);
        helper.SetEcmpSeed(seed);
        // Queues in the switches only: the window never stops a NIC.
        helper.SetQueuePairAttribute("Window", UintegerValue(1 << 30));
        // Memory for all of it: pauses would hold up flows that share no link.
        helper.SetSwitchAttribute("BufferSize", UintegerValue(1 << 30));
        m_topology = helper.GetPlan(setup.fabric.GetElectrical()).topology;
        hosts.cluster = helper.Install(setup.fabric);
        for (uint32_t host = 0; host < m_topology.hosts.size(); ++host)
        {
            const auto& [gpu, port] = m_topology.hosts[host];
            m_hosts[hosts.cluster.GetNic(gpu)->GetPorts()->at(port).second.Get()] = host;
        }
        for (uint32_t number = 0; number < m_topology.switches.size(); ++number)
        {
            Ptr<Node> node = hosts.cluster.GetSwitches()[number].node;
            for (uint32_t port = 0; port < node->GetNDevices(); ++port)
            {
                node->GetDevice(port)->TraceConnectWithoutContext(
                    "PhyTxBegin",
                    MakeBoundCallback(&CountData, &m_sent[{number, port}]));
            }
        }
        for (const auto& [from, to] : flows)
        {
            hosts.cluster.GetNic(from)->GetPort(0)->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeCallback(&FlowRun::Learn, this));
            hosts.Connect(from, to, {0}).first->Post(MESSAGE_BYTES, from);
        }
        Simulator::Run();
        for (const auto& log : hosts.logs)
        {
            for (const auto& event : log.received)
            {
                ++m_received;
                m_last = std::max(m_last, event.at);
            }
        }
    }

    /// @return messages that have arrived
    std::size_t GetReceived() const
    {
        return m_received;
    }

    /// @return when the last one did
    Time GetLast() const
    {
        return m_last;
    }

    /// @return flows by port, as the packets went
    Loads GetLoads() const
    {
        Loads loads;
        for (const auto& [port, packets] : m_sent)
        {
            if (packets > 0)
            {
                loads[port] = packets / MESSAGE_PACKETS;
            }
        }
        return loads;
    }

    /**
     * @param tier of switches
     * @return number of its ports to the next tier that have sent data
     */
    uint32_t CountUplinksUsed(uint32_t tier) const
    {
        const FabricRouting routing(m_topology);
        uint32_t used = 0;
        for (const auto& [port, load] : GetLoads())
        {
            const uint32_t peer = routing.GetPorts(port.first)[port.second].peer;
            const bool isUp = m_topology.IsSwitch(peer) &&
                              m_topology.switches[peer - m_topology.GetEnd(0)].tier == tier + 1;
            used += isUp && m_topology.switches[port.first].tier == tier ? 1 : 0;
        }
        return used;
    }

    /// @return flows by port, as the hash says with the seeds that follow from a base
    Loads Predict(uint32_t base) const
    {
        const FabricRouting routing(m_topology);
        Loads loads;
        for (const auto& [addresses, flow] : m_flows)
        {
            const uint32_t host = m_hosts.at(flow.destination);
            uint32_t end = m_topology.GetEnd(routing.GetFirstSwitch(m_hosts.at(flow.source)));
            while (m_topology.IsSwitch(end))
            {
                const uint32_t at = end - m_topology.GetEnd(0);
                const auto& ports = routing.Find(at, host)->ports;
                const uint32_t port =
                    ports[SwitchRoutes::Choose(flow,
                                               FabricInstaller::GetSwitchSeed(base, at),
                                               static_cast<uint32_t>(ports.size()))];
                ++loads[{at, port}];
                end = routing.GetPorts(at)[port].peer;
            }
        }
        return loads;
    }

    /// @return a base with which so many flows share a port at most, and no more
    uint32_t FindSeed(uint64_t highest) const
    {
        uint32_t base = 1;
        while (GetHighest(Predict(base)) != highest)
        {
            ++base;
        }
        return base;
    }

  private:
    /// Remember the fields that identify a flow.
    void Learn(Ptr<const Packet> frame)
    {
        RoceHeader header;
        if (frame->GetSize() > 1000 && frame->PeekHeader(header) > 0)
        {
            const FlowTuple flow{header.sourceIp.Get(),
                                 header.destinationIp.Get(),
                                 header.sourcePort,
                                 RoceHeader::UDP_PORT,
                                 17};
            m_flows[{flow.source, flow.destination}] = flow;
        }
    }

    FabricTopology m_topology;
    std::map<uint32_t, uint32_t> m_hosts; //!< by IP address
    Loads m_sent;                         //!< packets
    std::map<std::pair<uint32_t, uint32_t>, FlowTuple> m_flows;
    std::size_t m_received{0};
    Time m_last;
};

/// @return how long messages take that share a link, one of so many on the way
Time
GetSharedTime(uint64_t flows, uint32_t links)
{
    const auto packets = PacketTimes(MESSAGE_BYTES);
    const Time hop = packets[1] + NanoSeconds(100) + NanoSeconds(500);
    return Sum(packets, packets.size()) * static_cast<int64_t>(flows) + hop * (links - 1) +
           NanoSeconds(100);
}

/** Base of the cases: runs flows and compares. */
class FlowTestCase : public PicosecondTestCase
{
  public:
    using PicosecondTestCase::PicosecondTestCase;

  protected:
    /// Check that everything arrives, where the hash says, as late as the fullest link says.
    void CheckRun(const FlowRun& run, std::size_t flows, uint32_t seed, uint32_t links)
    {
        NS_TEST_ASSERT_MSG_EQ(run.GetReceived(), flows, "messages");
        const Loads loads = run.GetLoads();
        NS_TEST_EXPECT_MSG_EQ((loads == run.Predict(seed)), true, "as the hash says");
        const uint64_t highest = GetHighest(loads);
        const double ratio =
            run.GetLast().GetSeconds() / GetSharedTime(highest, links).GetSeconds();
        // Acknowledgements share the links: 1 of 82 bytes for 32 packets of 4178 and each flow.
        NS_TEST_EXPECT_MSG_EQ_TOL(ratio, 1.0, 0.01, highest << " flows share a link");
    }
};

/** Neighbours only. */
class CollisionRingTestCase : public FlowTestCase
{
  public:
    CollisionRingTestCase()
        : FlowTestCase("Rings inside a leaf and on a rail of one switch have no collisions")
    {
    }

  private:
    void DoRun() override
    {
        // Four leaves of 8, 2:1; each leaf a ring. Two rails of 8; each rail a ring.
        Flows inLeaf;
        for (uint32_t gpu = 0; gpu < 32; ++gpu)
        {
            inLeaf.emplace_back(gpu, gpu / 8 * 8 + (gpu + 1) % 8);
        }
        Flows onRail;
        for (uint32_t gpu = 0; gpu < 16; ++gpu)
        {
            onRail.emplace_back(gpu, (gpu + 2) % 16);
        }
        const FlowRun leaf({"leaf-spine", 32, 1, 12, 2}, inLeaf, 0);
        CheckRun(leaf, 32, 0, 2);
        NS_TEST_EXPECT_MSG_EQ(GetHighest(leaf.GetLoads()), 1, "no link is shared");
        NS_TEST_EXPECT_MSG_EQ(leaf.GetLoads().size(), 32, "no spine is asked");
        for (const auto fabric : {"electrical", "rail-only"})
        {
            const FlowRun rail({fabric, 8, 2, 8, 1}, onRail, 0);
            CheckRun(rail, 16, 0, 2);
            NS_TEST_EXPECT_MSG_EQ(GetHighest(rail.GetLoads()), 1, "no link is shared");
        }
    }
};

/** All traffic crosses an oversubscribed tier. */
class OversubscribedTestCase : public FlowTestCase
{
  public:
    OversubscribedTestCase()
        : FlowTestCase("2:1 halves the throughput between leaves; collisions divide it further")
    {
    }

  private:
    void DoRun() override
    {
        // Two leaves of 4 hosts and 2 uplinks: every host sends to its twin in the other leaf.
        const FlowRun::Setup setup{"leaf-spine", 8, 1, 6, 2};
        Flows flows;
        for (uint32_t gpu = 0; gpu < 8; ++gpu)
        {
            flows.emplace_back(gpu, (gpu + 4) % 8);
        }
        const FlowRun probe(setup, flows, 0);
        CheckRun(probe, 8, 0, 4);
        for (const uint64_t highest : {2, 3, 4})
        {
            const uint32_t seed = probe.FindSeed(highest);
            const FlowRun run(setup, flows, seed);
            CheckRun(run, 8, seed, 4);
            // Without the latency of four links, which does not grow.
            const Time latency = GetSharedTime(0, 4);
            const double slowdown = (run.GetLast() - latency).GetSeconds() /
                                    (GetSharedTime(1, 4) - latency).GetSeconds();
            NS_TEST_EXPECT_MSG_EQ_TOL(slowdown, static_cast<double>(highest), 0.03, "slower");
        }
    }
};

/** Permutations of all hosts. */
class CollisionPermutationTestCase : public FlowTestCase
{
  public:
    CollisionPermutationTestCase()
        : FlowTestCase("Permutations take as long as the link that most flows share")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(11);
        for (uint32_t seed = 0; seed < 3; ++seed)
        {
            // At random, or to the next leaf or edge switch.
            std::vector<uint32_t> to(32);
            std::iota(to.begin(), to.end(), 0);
            std::shuffle(to.begin(), to.end(), random);
            Flows scattered;
            Flows shifted;
            for (uint32_t gpu = 0; gpu < 32; ++gpu)
            {
                if (to[gpu] != gpu)
                {
                    scattered.emplace_back(gpu, to[gpu]);
                }
                shifted.emplace_back(gpu, (gpu + 8) % 32);
            }
            for (const auto& flows : {scattered, shifted})
            {
                const FlowRun leafSpine({"leaf-spine", 16, 2, 12, 2}, flows, seed);
                CheckRun(leafSpine, flows.size(), seed, 4);
                const FlowRun fatTree({"fat-tree", 16, 2, 6, 1}, flows, seed);
                CheckRun(fatTree, flows.size(), seed, 6);
            }
        }
    }
};

/** Switches hash in ways of their own. */
class PolarisationTestCase : public FlowTestCase
{
  public:
    PolarisationTestCase()
        : FlowTestCase("Flows that an edge switch sends to one aggregation switch part there again")
    {
    }

  private:
    void DoRun() override
    {
        // Pods of 2 edge and 2 aggregation switches, with 2 uplinks each. With equal hashes, flows
        // that have met on an aggregation switch would all take the same uplink of it.
        Flows flows;
        for (uint32_t from = 0; from < 4; ++from)
        {
            for (uint32_t to = 4; to < 16; ++to)
            {
                flows.emplace_back(from, to);
            }
        }
        for (uint32_t seed = 0; seed < 3; ++seed)
        {
            const FlowRun run({"fat-tree", 16, 1, 4, 1}, flows, seed);
            NS_TEST_ASSERT_MSG_EQ(run.GetReceived(), flows.size(), "messages");
            NS_TEST_EXPECT_MSG_EQ(run.CountUplinksUsed(1), 4, "of the pod's edge switches");
            NS_TEST_EXPECT_MSG_EQ(run.CountUplinksUsed(2), 4, "of its aggregation switches");
        }
    }
};

/** Suite of collisions. */
class FabricCollisionTestSuite : public TestSuite
{
  public:
    FabricCollisionTestSuite()
        : TestSuite("photonic-rails-fabric-collision", Type::UNIT)
    {
        AddTestCase(new CollisionRingTestCase);
        AddTestCase(new OversubscribedTestCase);
        AddTestCase(new CollisionPermutationTestCase);
        AddTestCase(new PolarisationTestCase);
    }
};

FabricCollisionTestSuite g_fabricCollisionTestSuite; //!< the instance

} // namespace
