// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Fabrics of electrical switches: reachability, and the time of one packet.
 */

#include "rdma-hosts.h"

#include "ns3/config.h"
#include "ns3/electrical-switch.h"
#include "ns3/uinteger.h"

#include <set>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// @return all electrical fabrics
std::vector<RailFabric>
GetElectricalFabrics()
{
    return {"electrical", "leaf-spine", "rail-only", "fat-tree"};
}

/// @return frames that found no route, in all switches
uint64_t
CountUnroutable(const RailCluster& cluster)
{
    uint64_t frames = 0;
    for (const auto& one : cluster.GetSwitches())
    {
        frames += one.device->GetUnroutable();
    }
    return frames;
}

/** A message between every two GPUs. */
class AllPairsTestCase : public PicosecondTestCase
{
  public:
    AllPairsTestCase()
        : PicosecondTestCase("Messages arrive where the fabric is said to reach, and only there")
    {
    }

  private:
    void CheckFabric(RailFabric fabric, uint32_t radix, uint32_t ports, uint32_t tiers)
    {
        constexpr uint32_t domains = 6;
        constexpr uint32_t gpus = 2;
        const std::string name = fabric.GetName() + " " + std::to_string(radix);
        RdmaHosts hosts(domains * gpus, ports);
        hosts.helper.SetDomains(domains, gpus);
        hosts.helper.SetSwitchRadix(radix);
        hosts.helper.SetQueuePairAttribute("RetryLimit", UintegerValue(1));
        hosts.cluster = hosts.helper.Install(fabric);
        uint32_t highest = 0;
        std::set<std::string> names;
        for (const auto& one : hosts.cluster.GetSwitches())
        {
            highest = std::max(highest, one.tier);
            names.insert(one.name);
            NS_TEST_EXPECT_MSG_EQ((one.node->GetNDevices() <= radix), true, name << one.name);
            NS_TEST_EXPECT_MSG_EQ(one.node->GetObject<ElectricalSwitch>(), one.device, name);
        }
        NS_TEST_EXPECT_MSG_EQ(highest, tiers, name);
        NS_TEST_EXPECT_MSG_EQ(names.size(), hosts.cluster.GetSwitches().size(), name);

        std::vector<uint32_t> portList(ports);
        for (uint32_t port = 0; port < ports; ++port)
        {
            portList[port] = port;
        }
        std::vector<uint64_t> due(domains * gpus, 0);
        uint64_t lost = 0;
        const auto count = static_cast<uint32_t>(due.size());
        for (uint32_t from = 0; from < count; ++from)
        {
            for (uint32_t to = 0; to < count; ++to)
            {
                if (from == to)
                {
                    continue;
                }
                const uint64_t bytes = 5000 + 100 * from + to;
                hosts.Connect(from, to, portList).first->Post(bytes, from * count + to);
                const bool reached = hosts.cluster.IsReachable(from, to);
                due[to] += reached ? bytes : 0;
                lost += reached ? 0 : bytes;
            }
        }
        Simulator::Run();
        for (uint32_t to = 0; to < count; ++to)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[to].GetBytesReceived(), due[to], name << " " << to);
            const auto statistics = hosts.cluster.GetNic(to)->GetStatistics();
            NS_TEST_EXPECT_MSG_EQ(statistics.misdelivered, 0, name << " " << to);
        }
        NS_TEST_EXPECT_MSG_EQ((CountUnroutable(hosts.cluster) > 0), (lost > 0), name);
    }

    void DoRun() override
    {
        for (const uint32_t ports : {1, 2})
        {
            CheckFabric("electrical", 12, ports, 1);
            CheckFabric("leaf-spine", 8, ports, 2);
            CheckFabric("leaf-spine", 2 * ports + 2, ports, 3);
            CheckFabric("rail-only", 12, ports, 1);
            CheckFabric("rail-only", 5, ports, ports == 1 ? 2 : 3);
            CheckFabric("fat-tree", 6, ports, ports + 1);
            Config::SetDefault("ns3::FatTreeFabric::Arity", UintegerValue(6));
            CheckFabric("fat-tree", 6, ports, 3);
            Config::Reset();
        }
    }
};

/** Hosts are the same whatever joins them. */
class SameHostsTestCase : public PicosecondTestCase
{
  public:
    SameHostsTestCase()
        : PicosecondTestCase("Hosts, NICs and their rates are the same on every fabric")
    {
    }

  private:
    void DoRun() override
    {
        auto fabrics = GetElectricalFabrics();
        fabrics.emplace_back("photonic");
        for (const auto& fabric : fabrics)
        {
            const std::string name = fabric.GetName();
            NS_TEST_EXPECT_MSG_EQ((RailFabric::Find(name) == fabric), true, name);
            RailClusterHelper helper;
            helper.SetDomains(6, 3);
            helper.SetNic(2, DataRate("200Gbps"));
            const RailCluster cluster = helper.Install(fabric);
            NS_TEST_EXPECT_MSG_EQ((cluster.GetFabric() == fabric), true, name);
            NS_TEST_EXPECT_MSG_EQ(cluster.IsPhotonic(), (fabric == "photonic"), name);
            NS_TEST_EXPECT_MSG_EQ(cluster.GetNGpus(), 18, name);
            NS_TEST_EXPECT_MSG_EQ(cluster.GetNicPortCount(), 2, name);
            NS_TEST_EXPECT_MSG_EQ(cluster.HasScaleUpNetwork(), false, name);
            NS_TEST_EXPECT_MSG_EQ(!cluster.GetScaleUpNic(0), true, name);
            std::set<Ipv4Address> addresses;
            for (uint32_t gpu = 0; gpu < 18; ++gpu)
            {
                NS_TEST_EXPECT_MSG_EQ(cluster.GetGpu(gpu)->GetId(), gpu, name);
                NS_TEST_EXPECT_MSG_EQ(cluster.GetDomain(gpu), gpu / 3, name);
                NS_TEST_EXPECT_MSG_EQ(cluster.GetRailOf(gpu), gpu % 3, name);
                for (uint32_t port = 0; port < 2; ++port)
                {
                    auto nic = cluster.GetNic(gpu);
                    NS_TEST_EXPECT_MSG_EQ(nic->GetPort(port)->GetDataRate(),
                                          DataRate("200Gbps"),
                                          name);
                    addresses.insert(nic->CreateQueuePair(port)->GetEndpoint().ip);
                }
            }
            NS_TEST_EXPECT_MSG_EQ(addresses.size(), 36, name);
            NS_TEST_EXPECT_MSG_EQ((*addresses.begin() == Ipv4Address("10.0.0.1")), true, name);
            // Subnets of 16 addresses for 12 ports of a rail each, or one for all ports.
            const Ipv4Address last(cluster.GetFabric().JoinsRails() ? "10.0.0.36" : "10.0.0.44");
            NS_TEST_EXPECT_MSG_EQ((*addresses.rbegin() == last), true, name);
            NS_TEST_EXPECT_MSG_EQ(RailClusterHelper::AssignStreams(cluster, 5),
                                  static_cast<int64_t>(cluster.GetSwitches().size()),
                                  name);
            Simulator::Destroy();
        }
        NS_TEST_EXPECT_MSG_EQ(RailFabric::Find("ring").has_value(), false, "no such fabric");
    }
};

/** One packet over one, three and five switches. */
class PacketLatencyTestCase : public PicosecondTestCase
{
  public:
    PacketLatencyTestCase()
        : PicosecondTestCase("One packet over 2, 4 and 6 links takes what each of them takes")
    {
    }

  private:
    void CheckPair(RailFabric fabric, uint32_t to, uint32_t links)
    {
        RdmaHosts hosts(16);
        hosts.helper.SetDomains(16, 1);
        hosts.helper.SetSwitchRadix(4);
        hosts.helper.SetFabricLinkRate(DataRate("400Gbps"));
        hosts.helper.SetFabricDelay(NanoSeconds(250), NanoSeconds(1500));
        hosts.helper.SetFiberAttribute("Delay", TimeValue(NanoSeconds(15)));
        hosts.helper.SetSwitchAttribute("HopLatency", TimeValue(NanoSeconds(300)));
        hosts.cluster = hosts.helper.Install(fabric);
        hosts.Connect(0, to, {0}).first->Post(3000, 1);
        Simulator::Run();
        Time expected = PacketTimes(3000)[0] * links + NanoSeconds(300) * (links - 1);
        expected += 2 * NanoSeconds(15);
        expected += links > 2 ? 2 * NanoSeconds(250) : Time(0);
        expected += links > 4 ? 2 * NanoSeconds(1500) : Time(0);
        NS_TEST_ASSERT_MSG_EQ(hosts.logs[to].received.size(), 1, "host " << to);
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[to].received[0].at, expected, links << " links");
    }

    void DoRun() override
    {
        for (const auto fabric : {"fat-tree", "leaf-spine"})
        {
            // Two hosts on a switch and two switches in a pod, with a radix of 4.
            CheckPair(fabric, 1, 2);
            CheckPair(fabric, 2, 4);
            CheckPair(fabric, 15, 6);
        }
    }
};

/** Fabrics that cannot be built. */
class RefusedTestCase : public PicosecondTestCase
{
  public:
    RefusedTestCase()
        : PicosecondTestCase("What cannot be built is refused with one line")
    {
    }

  private:
    void DoRun() override
    {
        RailClusterHelper helper;
        helper.SetDomains(40, 8);
        helper.SetNic(2, DataRate("400Gbps"));
        for (const auto& fabric : GetElectricalFabrics())
        {
            NS_TEST_EXPECT_MSG_EQ(helper.Check(fabric), "", fabric.GetName());
        }
        helper.SetSwitchRadix(64);
        NS_TEST_EXPECT_MSG_EQ(helper.Check("electrical"),
                              "a rail of 40 GPUs with 2 ports each needs 80 ports of a switch, but "
                              "its radix is 64",
                              "over the radix");
        helper.SetSwitchRadix(3);
        for (const auto& [fabric, radix] :
             {std::pair("leaf-spine", "16"), std::pair("rail-only", "8")})
        {
            NS_TEST_EXPECT_MSG_EQ(helper.Check(fabric),
                                  "a leaf with a radix of 3 has 1 ports for hosts at 1 ports down "
                                  "to 1 up, but a NIC needs 2; allowed for instance: a radix of " +
                                      std::string(radix),
                                  "too small");
        }
        helper.SetSwitchRadix(8);
        Config::SetDefault("ns3::FatTreeFabric::Arity", UintegerValue(8));
        NS_TEST_EXPECT_MSG_EQ(helper.Check("fat-tree"),
                              "a fat-tree with k = 8 has room for 128 NIC ports at 1:1, not for "
                              "640; allowed: k from 14, and as large a radix",
                              "too many");
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(helper.Check("photonic"), "", "no electrical switch");
        helper.SetOversubscription(0, 1);
        NS_TEST_EXPECT_MSG_EQ(helper.Check("leaf-spine"),
                              "an oversubscription of 0:1 is none: both numbers must be from 1 to "
                              "1000",
                              "ratio");
        NS_TEST_EXPECT_MSG_EQ(helper.SetScaleUp("ethernet"), false, "no such generation");
        NS_TEST_EXPECT_MSG_EQ(helper.SetScaleUp("nvlink3"), true, "a generation");
        helper.SetDomains(2, 9);
        NS_TEST_EXPECT_MSG_EQ(helper.Check("photonic"),
                              "a scale-up domain of nvlink3 has at most 8 GPUs, not 9",
                              "too large");
    }
};

/** Suite of fabrics. */
class FabricTestSuite : public TestSuite
{
  public:
    FabricTestSuite()
        : TestSuite("photonic-rails-fabric", Type::UNIT)
    {
        AddTestCase(new AllPairsTestCase);
        AddTestCase(new SameHostsTestCase);
        AddTestCase(new PacketLatencyTestCase);
        AddTestCase(new RefusedTestCase);
    }
};

FabricTestSuite g_fabricTestSuite; //!< the instance

} // namespace
