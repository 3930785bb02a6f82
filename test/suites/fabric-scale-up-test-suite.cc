// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Scale-up domains as networks: time of a message, load, and reachability.
 */

#include "rdma-hosts.h"

#include "ns3/compute-model.h"
#include "ns3/scale-up-generation.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/** One message in an idle domain. */
class ScaleUpMessageTestCase : public PicosecondTestCase
{
  public:
    ScaleUpMessageTestCase()
        : PicosecondTestCase("A message takes the time of its packets at the generation's rate")
    {
    }

  private:
    void CheckGeneration(const std::string& gpu)
    {
        const auto* generation = ScaleUpGeneration::Find(gpu);
        for (const uint64_t bytes : {0, 1, 4096, 4097, 256 * 1024, 16 << 20})
        {
            RdmaHosts hosts(8, 2);
            hosts.helper.SetDomains(2, 4);
            hosts.helper.SetScaleUp(gpu);
            hosts.cluster = hosts.helper.InstallPhotonic();
            hosts.ConnectScaleUp(1, 3).first->Post(bytes, 1);
            Simulator::Run();
            // As through the switch of a rail; acknowledgements come in time for the window.
            auto port = hosts.cluster.GetScaleUpNic(1)->GetPort(0);
            const Time cable = PicoSeconds(generation->cableDelayPicoseconds);
            const Time hop = PicoSeconds(generation->hopLatencyPicoseconds);
            const uint64_t packets = std::max<uint64_t>(1, (bytes + 4095) / 4096);
            Time in;
            Time out;
            for (uint64_t i = 0; i < packets; ++i)
            {
                const auto payload =
                    static_cast<uint32_t>(std::min<uint64_t>(4096, bytes - i * 4096));
                const uint32_t headers = 58 + (i == 0 ? 16 : 0) + (i + 1 == packets ? 4 : 0);
                const Time packet = port->GetFrameTime(headers + (payload + 3) / 4 * 4);
                in += packet;
                out = std::max(out, in + cable + hop) + packet;
            }
            NS_TEST_ASSERT_MSG_EQ(hosts.logs[3].received.size(), 1, gpu << " " << bytes);
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[3].received[0].at, out + cable, gpu << " " << bytes);
            if (bytes == 16 << 20)
            {
                // The closed form of ScaleUpModel has no headers: 4096 of 4178 bytes are payload.
                const double ideal =
                    static_cast<double>(bytes) / GpuSpec::Find(gpu)->scaleUpBandwidth;
                NS_TEST_EXPECT_MSG_EQ_TOL(out.GetSeconds() / ideal, 4178.0 / 4096, 0.02, gpu);
            }
        }
    }

    void DoRun() override
    {
        for (const auto& gpu : GpuSpec::GetNames())
        {
            CheckGeneration(gpu);
        }
    }
};

/** Many messages in a domain. */
class ScaleUpLoadTestCase : public PicosecondTestCase
{
  public:
    ScaleUpLoadTestCase()
        : PicosecondTestCase("A domain's switch blocks nothing and loses nothing")
    {
    }

  private:
    /// Everybody to everybody's next, or everybody to the first.
    void CheckLoad(bool incast)
    {
        constexpr uint32_t gpus = 8;
        constexpr uint64_t bytes = 4 << 20;
        RdmaHosts hosts(gpus);
        hosts.helper.SetDomains(1, gpus);
        hosts.helper.SetScaleUp("nvlink4");
        hosts.cluster = hosts.helper.InstallPhotonic();
        for (uint32_t gpu = 1; gpu < gpus; ++gpu)
        {
            hosts.ConnectScaleUp(gpu, incast ? 0 : (gpu + 1) % gpus).first->Post(bytes, gpu);
        }
        Simulator::Run();
        std::size_t received = 0;
        Time last;
        for (uint32_t gpu = 0; gpu < gpus; ++gpu)
        {
            const auto statistics = hosts.cluster.GetScaleUpNic(gpu)->GetQueuePairStatistics();
            NS_TEST_EXPECT_MSG_EQ(statistics.retransmissions, 0, "nothing lost");
            received += hosts.logs[gpu].received.size();
            for (const auto& event : hosts.logs[gpu].received)
            {
                last = std::max(last, event.at);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(received, gpus - 1, "messages");
        const double ideal = (incast ? gpus - 1 : 1) * (bytes / 370.8e9) * 4178 / 4096;
        NS_TEST_EXPECT_MSG_EQ_TOL(last.GetSeconds() / ideal, 1.01, 0.01, "at the line rate");
    }

    void DoRun() override
    {
        CheckLoad(false);
        CheckLoad(true);
    }
};

/** Domains and rails are apart. */
class ScaleUpSeparationTestCase : public PicosecondTestCase
{
  public:
    ScaleUpSeparationTestCase()
        : PicosecondTestCase("Domains reach their own GPUs only, and leave the rails alone")
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(8, 2);
        hosts.helper.SetDomains(2, 4);
        hosts.helper.SetScaleUp("nvlink4");
        hosts.helper.SetScaleUpQueuePairAttribute("RetryLimit", UintegerValue(1));
        hosts.cluster = hosts.helper.InstallElectrical();
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.HasScaleUpNetwork(), true, "built");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetSwitches().size(), 4 + 2, "rails and domains");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetSwitches()[5].name, "domain 1 nvlink4", "name");
        NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNicPorts().GetN(), 16, "ports on rails only");
        for (uint32_t gpu = 0; gpu < 8; ++gpu)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetNic(gpu)->GetNPorts(), 2, "on the rail");
            NS_TEST_EXPECT_MSG_EQ(hosts.cluster.GetScaleUpNic(gpu)->GetNPorts(),
                                  1,
                                  "in the domain");
        }
        for (uint32_t from = 0; from < 8; ++from)
        {
            for (uint32_t to = 0; to < 8; ++to)
            {
                if (from != to)
                {
                    hosts.ConnectScaleUp(from, to).first->Post(1000, from * 8 + to);
                }
            }
        }
        Simulator::Run();
        for (uint32_t to = 0; to < 8; ++to)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[to].GetBytesReceived(), 3 * 1000, "from the domain");
        }
    }
};

/** Spare GPUs, which have the last numbers, in their domains. */
class ScaleUpSparesTestCase : public PicosecondTestCase
{
  public:
    ScaleUpSparesTestCase()
        : PicosecondTestCase("A spare GPU reaches the GPUs of its domain, and no others")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t domains = 3;
        constexpr uint32_t gpus = domains * (2 + 2);
        RdmaHosts hosts(gpus, 2);
        hosts.helper.SetDomains(domains, 2);
        hosts.helper.SetSpareGpus(2, MilliSeconds(1));
        hosts.helper.SetScaleUp("nvlink4");
        hosts.helper.SetScaleUpQueuePairAttribute("RetryLimit", UintegerValue(1));
        hosts.cluster = hosts.helper.InstallPhotonic();
        NS_TEST_ASSERT_MSG_EQ(hosts.cluster.GetNAllGpus(), gpus, "with spares");
        for (uint32_t from = 0; from < gpus; ++from)
        {
            const auto nic = hosts.cluster.GetScaleUpNic(from);
            NS_TEST_ASSERT_MSG_EQ((nic != nullptr), true, "GPU " << from);
            NS_TEST_EXPECT_MSG_EQ(nic->GetPort(0)->GetNode(),
                                  hosts.cluster.GetGpu(from),
                                  "GPU " << from);
            for (uint32_t to = 0; to < gpus; ++to)
            {
                if (from != to)
                {
                    hosts.ConnectScaleUp(from, to).first->Post(1000, from * gpus + to);
                }
            }
        }
        Simulator::Run();
        for (uint32_t to = 0; to < gpus; ++to)
        {
            // GPUs 0 and 1 and spares 6 and 7 are in domain 0, and so on.
            const uint32_t domain = to % 6 / 2;
            for (const auto& message : hosts.logs[to].received)
            {
                const uint32_t from = message.immediate / gpus;
                NS_TEST_EXPECT_MSG_EQ(from % 6 / 2, domain, "to GPU " << to);
            }
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[to].GetBytesReceived(), 3 * 1000, "to GPU " << to);
        }
    }
};

/** Suite of scale-up networks. */
class FabricScaleUpTestSuite : public TestSuite
{
  public:
    FabricScaleUpTestSuite()
        : TestSuite("photonic-rails-fabric-scale-up", Type::UNIT)
    {
        AddTestCase(new ScaleUpMessageTestCase);
        AddTestCase(new ScaleUpLoadTestCase);
        AddTestCase(new ScaleUpSeparationTestCase);
        AddTestCase(new ScaleUpSparesTestCase);
    }
};

FabricScaleUpTestSuite g_fabricScaleUpTestSuite; //!< the instance

} // namespace
