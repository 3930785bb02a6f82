// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The network of hosts: time of a message to the picosecond, GPUs that share the NIC of their host,
 * and incast without loss.
 */

#include "rdma-hosts.h"

#include <numeric>

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint32_t DOMAINS = 6;
constexpr uint32_t PER_DOMAIN = 4;

/// Six domains of four GPUs, and a host network.
class HostedCluster : public RdmaHosts
{
  public:
    /**
     * @param nicRate of a host's NIC
     * @param radix of the switches between hosts
     */
    HostedCluster(const std::string& nicRate, uint32_t radix)
        : RdmaHosts(DOMAINS * PER_DOMAIN, 2)
    {
        spec.nicRate = DataRate(nicRate);
        spec.radix = radix;
        helper.SetDomains(DOMAINS, PER_DOMAIN);
        helper.SetHostNetwork(spec);
        helper.SetHostNetworkSwitchAttribute("HopLatency", TimeValue(HOP));
        cluster = helper.InstallPhotonic();
    }

    /// Post a message over the host network.
    void Post(uint32_t from, uint32_t to, uint64_t bytes)
    {
        ConnectNics(from, cluster.GetHostNic(from), to, cluster.GetHostNic(to))
            .first->Post(bytes, from);
    }

    /// Counters of all host NICs, and drops of all hosts and switches.
    struct Sum
    {
        uint64_t posted{0};
        uint64_t delivered{0};
        uint64_t retransmissions{0};
        uint64_t onRails{0};
        uint64_t dropped{0};
        uint64_t pauses{0};
        uint64_t resumes{0};
        uint64_t buffered{0};
    };

    Sum Count() const
    {
        Sum sum;
        for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
        {
            const auto host = cluster.GetHostNic(gpu)->GetQueuePairStatistics();
            sum.posted += host.bytesPosted;
            sum.delivered += host.bytesDelivered;
            sum.retransmissions += host.retransmissions;
            sum.onRails += cluster.GetNic(gpu)->GetQueuePairStatistics().dataPacketsSent;
        }
        for (const auto& one : cluster.GetHostSwitches())
        {
            const auto seen = one.device->GetStatistics();
            sum.dropped += std::accumulate(seen.dropped.begin(), seen.dropped.end(), uint64_t{0});
            sum.pauses += seen.pausesSent;
            sum.resumes += seen.resumesSent;
            sum.buffered += seen.enqueued > 0 ? one.device->GetBuffer().GetUsed() : 0;
        }
        return sum;
    }

    static const Time HOP;
    HostNetworkSpec spec;
};

const Time HostedCluster::HOP = NanoSeconds(300);

/** One message over known links. */
class HostMessageTestCase : public PicosecondTestCase
{
  public:
    HostMessageTestCase()
        : PicosecondTestCase("A message takes the time of its links, store and forward at each")
    {
    }

  private:
    /**
     * Frames leave every link one after the other, and each when it has arrived in full and the
     * switch's latency has passed.
     */
    void CheckMessage(uint32_t from, uint32_t to, uint64_t bytes, uint32_t radix, uint32_t cables)
    {
        HostedCluster hosts("100Gbps", radix);
        hosts.Post(from, to, bytes);
        Simulator::Run();
        std::vector<std::pair<DataRate, Time>> links(cables,
                                                     {hosts.spec.nicRate, hosts.spec.cableDelay});
        links.insert(links.begin(), {hosts.spec.gpuRate, hosts.spec.gpuDelay});
        links.emplace_back(hosts.spec.gpuRate, hosts.spec.gpuDelay);
        std::vector<Time> free(links.size());
        Time arrival;
        const uint64_t packets = std::max<uint64_t>(1, (bytes + 4095) / 4096);
        for (uint64_t i = 0; i < packets; ++i)
        {
            const auto payload = static_cast<uint32_t>(std::min<uint64_t>(4096, bytes - i * 4096));
            const uint32_t frame = FIXED_BYTES + (i == 0 ? 16 : 0) + (i + 1 == packets ? 4 : 0) +
                                   (payload + 3) / 4 * 4;
            arrival = Time();
            for (std::size_t link = 0; link < links.size(); ++link)
            {
                const auto& [rate, delay] = links[link];
                const Time ready = link == 0 ? Time() : arrival + HostedCluster::HOP;
                const Time duration =
                    PicoSeconds(uint64_t{frame} * 8 * 1000000000000 / rate.GetBitRate());
                free[link] = std::max(free[link], ready) + duration;
                arrival = free[link] + delay;
            }
        }
        const auto& log = hosts.logs[to].received;
        NS_TEST_ASSERT_MSG_EQ(log.size(), 1, bytes);
        NS_TEST_EXPECT_MSG_EQ(log[0].at, arrival, bytes << " bytes to " << to);
        const auto sum = hosts.Count();
        NS_TEST_EXPECT_MSG_EQ(sum.delivered, bytes, "delivered");
        NS_TEST_EXPECT_MSG_EQ(sum.retransmissions + sum.dropped, 0, "nothing lost");
        NS_TEST_EXPECT_MSG_EQ(sum.onRails, 0, "nothing on the rails");
    }

    void DoRun() override
    {
        for (const uint64_t bytes : {0, 1, 4096, 4097, 65536})
        {
            CheckMessage(0, 5, bytes, 64, 2);  // host, switch, host
            CheckMessage(9, 10, bytes, 64, 0); // one host
            CheckMessage(3, 20, bytes, 4, 4);  // two leaves and a spine
        }
    }
};

/** The NIC of a host is shared by its GPUs. */
class HostSharingTestCase : public PicosecondTestCase
{
  public:
    HostSharingTestCase()
        : PicosecondTestCase("The GPUs of a domain share the NIC of their host")
    {
    }

  private:
    /// @return when the last of as many messages between different GPUs has arrived
    Time GetEnd(uint32_t senders)
    {
        constexpr uint64_t bytes = 4 << 20;
        HostedCluster hosts("100Gbps", 64);
        for (uint32_t gpu = 0; gpu < senders; ++gpu)
        {
            hosts.Post(gpu, PER_DOMAIN + gpu, bytes);
        }
        Simulator::Run();
        Time last;
        for (uint32_t gpu = 0; gpu < senders; ++gpu)
        {
            const auto& log = hosts.logs[PER_DOMAIN + gpu].received;
            NS_TEST_EXPECT_MSG_EQ(log.size(), 1, "all arrive");
            last = log.empty() ? last : std::max(last, log[0].at);
        }
        const auto sum = hosts.Count();
        NS_TEST_EXPECT_MSG_EQ(sum.delivered, senders * bytes, "delivered");
        NS_TEST_EXPECT_MSG_EQ(sum.posted, sum.delivered, "posted");
        NS_TEST_EXPECT_MSG_EQ(sum.retransmissions + sum.dropped, 0, "nothing lost");
        return last;
    }

    void DoRun() override
    {
        const double ideal = 8.0 * (4 << 20) / 100e9 * 4178 / 4096;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetEnd(1).GetSeconds() / ideal, 1.01, 0.01, "one GPU");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetEnd(4).GetSeconds() / (4 * ideal), 1.005, 0.005, "four");
    }
};

/** All GPUs of two domains send to the GPUs of one. */
class HostIncastTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param nicRate of a host's NIC: the place of the narrowest link decides which nodes are
     * paused
     * @param bufferBytes of each switch
     */
    HostIncastTestCase(const std::string& nicRate, uint64_t bufferBytes)
        : PicosecondTestCase("Incast over NICs of " + nicRate + " loses nothing"),
          m_nicRate(nicRate),
          m_bufferBytes(bufferBytes)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 2 << 20;
        HostedCluster hosts(m_nicRate, 64);
        for (const auto& one : hosts.cluster.GetHostSwitches())
        {
            one.device->SetAttribute("BufferSize", UintegerValue(m_bufferBytes));
        }
        NS_TEST_ASSERT_MSG_EQ(hosts.cluster.CheckSwitches(), "", "memory");
        uint64_t posted = 0;
        for (uint32_t from = 0; from < 2 * PER_DOMAIN; ++from)
        {
            for (uint32_t to = 2 * PER_DOMAIN; to < 3 * PER_DOMAIN; ++to)
            {
                hosts.Post(from, to, bytes);
                posted += bytes;
            }
        }
        Simulator::Run();
        const auto sum = hosts.Count();
        NS_TEST_EXPECT_MSG_EQ(sum.posted, posted, "posted");
        NS_TEST_EXPECT_MSG_EQ(sum.delivered, posted, "delivered");
        NS_TEST_EXPECT_MSG_EQ(sum.dropped, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(sum.retransmissions, 0, "nothing is repeated");
        NS_TEST_EXPECT_MSG_GT(sum.pauses, 0, "by pauses");
        NS_TEST_EXPECT_MSG_EQ(sum.pauses, sum.resumes, "that end");
        NS_TEST_EXPECT_MSG_EQ(sum.buffered, 0, "the memory is empty again");
    }

    std::string m_nicRate;
    uint64_t m_bufferBytes;
};

/** Suite of the host network. */
class HostNetworkTestSuite : public TestSuite
{
  public:
    HostNetworkTestSuite()
        : TestSuite("photonic-rails-host-network", Type::UNIT)
    {
        AddTestCase(new HostMessageTestCase);
        AddTestCase(new HostSharingTestCase);
        AddTestCase(new HostIncastTestCase("100Gbps", 2000000));
        AddTestCase(new HostIncastTestCase("400Gbps", 3000000));
    }
};

HostNetworkTestSuite g_hostNetworkTestSuite; //!< the instance

} // namespace
