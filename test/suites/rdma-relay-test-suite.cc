// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Messages from one host to another through a third, which has a circuit to each.
 */

#include "rdma-hosts.h"

#include "ns3/collective-connector.h"
#include "ns3/rdma-relay.h"
#include "ns3/test.h"

#include <cmath>
#include <map>
#include <memory>
#include <random>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Host 0 sends to host 2 through host 1. */
class RelayedHosts : public RdmaHosts
{
  public:
    /**
     * @param chunkBytes size of a chunk
     * @param slots chunks on their way at most
     */
    RelayedHosts(uint64_t chunkBytes, uint32_t slots)
        : RdmaHosts(3, 2),
          m_chunkBytes(chunkBytes),
          m_slots(slots)
    {
    }

    /** Connect. */
    void BuildRelay()
    {
        Build({{0, 2}, {3, 5}});
        const auto first = Connect(0, 1, {0});
        const auto second = Connect(1, 2, {1});
        relay = CreateObject<RdmaRelay>();
        relay->AddPath(first.second, second.first);
        cluster.GetGpu(1)->AggregateObject(relay);
        connector = std::make_unique<RelayConnector>(first.first, nullptr, m_chunkBytes, m_slots);
        connector->SetCallbacks(
            ToCallback<uint32_t, bool>([this](uint32_t immediate, bool delivered) {
                sent.push_back({Simulator::Now(), immediate, delivered ? 1U : 0U});
            }),
            CollectiveConnector::ReceivedCallback());
    }

    /** @return bytes received by the destination, by immediate value */
    std::map<uint32_t, uint64_t> GetReceived() const
    {
        std::map<uint32_t, uint64_t> bytes;
        for (const auto& event : logs[2].received)
        {
            bytes[event.immediate] += event.value;
        }
        return bytes;
    }

    std::unique_ptr<RelayConnector> connector; //!< at host 0
    Ptr<RdmaRelay> relay;                      //!< at host 1
    std::vector<EndLog::Event> sent;           //!< what the connector has reported

  private:
    uint64_t m_chunkBytes;
    uint32_t m_slots;
};

/** Both hops work at the same time. */
class RelayTimeTestCase : public PicosecondTestCase
{
  public:
    RelayTimeTestCase()
        : PicosecondTestCase("A relayed message takes a chunk longer than a direct one")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t chunk = 64 << 10;
        for (const uint32_t chunks : {1U, 2U, 20U})
        {
            RelayedHosts hosts(chunk, 8);
            hosts.BuildRelay();
            hosts.connector->Post(chunks * chunk, 77, true);
            Simulator::Run();
            const auto packets = PacketTimes(chunk);
            const Time one = Sum(packets, packets.size());
            // The reports are acknowledged between data, but for those of the last two chunks.
            const Time acks = (std::max(chunks, 2U) - 2) * AckTime();
            const Time arrived = hosts.start + (chunks + 1) * one + acks + 2 * PathDelay();
            NS_TEST_ASSERT_MSG_EQ(hosts.logs[2].received.size(), chunks, "a piece per chunk");
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[2].received.back().at, arrived, chunks << " chunks");
            NS_TEST_ASSERT_MSG_EQ(hosts.sent.size(), 1, "one report");
            // The acknowledgement of the second hop, then a report without data on the first.
            const Time known =
                arrived + AckTime() + PathDelay() + PacketTimes(0).front() + PathDelay();
            NS_TEST_EXPECT_MSG_EQ(hosts.sent[0].at, known, chunks << " chunks, at the source");
            NS_TEST_EXPECT_MSG_EQ(hosts.sent[0].value, 1, "delivered");
            // The second chunk comes in while the acknowledgement of the first comes back.
            NS_TEST_EXPECT_MSG_EQ(hosts.relay->GetStatistics().peakBytesBuffered,
                                  std::min<uint64_t>(chunks, 2) * chunk,
                                  "in memory");
        }
    }
};

/** Messages of many sizes, with and without losses. */
class RelayBytesTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param lossyHost host that loses frames, or 3 for none
     * @param loss share of the frames
     */
    RelayBytesTestCase(uint32_t lossyHost, double loss)
        : PicosecondTestCase("Relayed bytes arrive once, loss at host " +
                             std::to_string(lossyHost)),
          m_lossyHost(lossyHost),
          m_loss(loss)
    {
    }

  private:
    static constexpr uint64_t CHUNK = 10000;
    static constexpr uint32_t SLOTS = 3;

    void DoRun() override
    {
        RelayedHosts hosts(CHUNK, SLOTS);
        hosts.BuildRelay();
        std::mt19937 random(7);
        for (const uint32_t port : {0U, 1U})
        {
            if (m_lossyHost < 3)
            {
                hosts.Lose(m_lossyHost, port, [this, &random](uint32_t, const RoceHeader&) {
                    return static_cast<double>(random()) < m_loss * std::pow(2.0, 32);
                });
            }
        }
        std::map<uint32_t, uint64_t> posted;
        for (const uint64_t bytes : {uint64_t{0},
                                     uint64_t{1},
                                     CHUNK - 1,
                                     CHUNK,
                                     CHUNK + 1,
                                     2 * CHUNK,
                                     uint64_t{999999},
                                     uint64_t{0},
                                     uint64_t{5}})
        {
            const auto immediate = static_cast<uint32_t>(posted.size()) << 20;
            posted[immediate] = bytes;
            hosts.connector->Post(bytes, immediate, true);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((hosts.GetReceived() == posted), true, "what arrived");
        NS_TEST_ASSERT_MSG_EQ(hosts.sent.size(), posted.size(), "one report per message");
        for (uint32_t i = 0; i < posted.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.sent[i].immediate, i << 20, "in order");
            NS_TEST_EXPECT_MSG_EQ(hosts.sent[i].value, 1, "delivered");
        }
        const auto& statistics = hosts.relay->GetStatistics();
        NS_TEST_EXPECT_MSG_EQ(statistics.bytes, hosts.logs[2].GetBytesReceived(), "passed on");
        NS_TEST_EXPECT_MSG_EQ(statistics.pieces, hosts.logs[2].received.size(), "pieces");
        NS_TEST_EXPECT_MSG_EQ(statistics.bytesBuffered, 0, "nothing is left");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(statistics.peakBytesBuffered, SLOTS * CHUNK, "bounded memory");
        const uint64_t again =
            hosts.GetStatistics(0).retransmissions + hosts.GetStatistics(1).retransmissions;
        NS_TEST_EXPECT_MSG_EQ((again > 0), (m_lossyHost < 3), "retransmissions");
    }

    uint32_t m_lossyHost;
    double m_loss;
};

/** A hop dies. */
class RelayFailureTestCase : public PicosecondTestCase
{
  public:
    /** @param deadHost host that loses all frames from some time on */
    explicit RelayFailureTestCase(uint32_t deadHost)
        : PicosecondTestCase("The source hears of a failure, no frame reaches host " +
                             std::to_string(deadHost)),
          m_deadHost(deadHost)
    {
    }

  private:
    void DoRun() override
    {
        RelayedHosts hosts(10000, 4);
        hosts.helper.SetQueuePairAttribute("RetryLimit", UintegerValue(2));
        hosts.BuildRelay();
        hosts.Lose(m_deadHost, m_deadHost == 1 ? 0 : 1, [](uint32_t number, const RoceHeader&) {
            return number >= 20;
        });
        hosts.connector->Post(20000, 1, true);
        hosts.connector->Post(1000000, 2, true);
        hosts.connector->Post(5, 3, true);
        Simulator::Run();
        hosts.connector->Post(5, 4, true);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(hosts.sent.size(), 4, "each message is reported once");
        NS_TEST_EXPECT_MSG_EQ(hosts.sent[0].value, 1, "the first arrived");
        for (uint32_t i = 1; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.sent[i].immediate, i + 1, "in order");
            NS_TEST_EXPECT_MSG_EQ(hosts.sent[i].value, 0, "the others failed");
        }
        const auto& statistics = hosts.relay->GetStatistics();
        NS_TEST_EXPECT_MSG_EQ((statistics.failedPieces > 0), (m_deadHost == 2), "of the relay");
    }

    uint32_t m_deadHost;
};

/** A connector is paused and goes on. */
class RelayPauseTestCase : public PicosecondTestCase
{
  public:
    RelayPauseTestCase()
        : PicosecondTestCase("A paused connector drains both hops and goes on")
    {
    }

  private:
    void DoRun() override
    {
        RelayedHosts hosts(10000, 4);
        hosts.BuildRelay();
        hosts.connector->Post(1000000, 1, true);
        Time drained;
        uint64_t received = 0;
        ScheduleCall(MicroSeconds(2), [&] {
            hosts.connector->Pause(ToCallback([&] {
                drained = Simulator::Now();
                received = hosts.logs[2].GetBytesReceived();
            }));
        });
        ScheduleCall(MicroSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[2].GetBytesReceived(), received, "it stands still");
            NS_TEST_EXPECT_MSG_EQ(hosts.relay->GetStatistics().bytesBuffered, 0, "drained");
            hosts.connector->Resume();
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(drained, hosts.start + MicroSeconds(2), "not at once");
        NS_TEST_EXPECT_MSG_LT(drained, hosts.start + MicroSeconds(5), "but soon");
        NS_TEST_EXPECT_MSG_LT(received, 1000000, "in the middle");
        NS_TEST_ASSERT_MSG_EQ(hosts.sent.size(), 1, "it is finished");
        NS_TEST_EXPECT_MSG_EQ(hosts.logs[2].GetBytesReceived(), 1000000, "all of it");
    }
};

/** Host 0 sends to the last host through all others, one circuit after the other. */
class RelayChainTestCase : public PicosecondTestCase
{
  public:
    /** @param hosts in a row */
    explicit RelayChainTestCase(uint32_t hosts)
        : PicosecondTestCase("A row of " + std::to_string(hosts) + " hosts passes a message on"),
          m_hosts(hosts)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t chunk = 64 << 10;
        RdmaHosts hosts(m_hosts, 2);
        CircuitSet circuits;
        for (uint32_t host = 0; host + 1 < m_hosts; ++host)
        {
            circuits.push_back({2 * host + (host == 0 ? 0 : 1), 2 * host + 2});
        }
        hosts.Build(circuits);
        std::vector<RdmaHelper::ConnectionPair> hops;
        for (uint32_t host = 0; host + 1 < m_hosts; ++host)
        {
            hops.push_back(RdmaHelper::Connect(hosts.cluster.GetNic(host),
                                               {host == 0 ? 0U : 1U},
                                               hosts.cluster.GetNic(host + 1),
                                               {0}));
        }
        for (uint32_t i = 0; i + 1 < hops.size(); ++i)
        {
            auto relay = CreateObject<RdmaRelay>();
            relay->AddPath(hops[i].second,
                           hops[i + 1].first,
                           i + 2 < hops.size() ? RdmaRelay::RELAY : RdmaRelay::DESTINATION);
            hosts.cluster.GetGpu(i + 1)->AggregateObject(relay);
        }
        uint64_t received = 0;
        hops.back().second->SetReceivedCallback(
            ToCallback<uint32_t, uint64_t>([&received](uint32_t immediate, uint64_t bytes) {
                received += immediate == 5 ? bytes : 0;
            }));
        RelayConnector connector(hops.front().first, nullptr, chunk);
        std::vector<EndLog::Event> sent;
        connector.SetCallbacks(
            ToCallback<uint32_t, bool>([&](uint32_t immediate, bool delivered) {
                sent.push_back({Simulator::Now(), immediate, delivered ? 1U : 0U});
            }),
            CollectiveConnector::ReceivedCallback());
        connector.Post(chunk, 5, true);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 1, "one report");
        NS_TEST_EXPECT_MSG_EQ(received, chunk, "all bytes, once");
        NS_TEST_EXPECT_MSG_EQ(sent[0].value, 1, "delivered");
        // A chunk is stored whole at every hop; then the last acknowledgement and a report a hop.
        const auto packets = PacketTimes(chunk);
        const int64_t count = m_hosts - 1;
        const Time forth = count * (Sum(packets, packets.size()) + PathDelay());
        const Time back =
            AckTime() + PathDelay() + (count - 1) * (PacketTimes(0).front() + PathDelay());
        NS_TEST_EXPECT_MSG_EQ(sent[0].at, hosts.start + forth + back, "hop by hop");
    }

    uint32_t m_hosts;
};

/**
 * @ingroup tests
 * Relays.
 */
class RdmaRelayTestSuite : public TestSuite
{
  public:
    RdmaRelayTestSuite()
        : TestSuite("photonic-rails-rdma-relay", Type::SYSTEM)
    {
        AddTestCase(new RelayTimeTestCase);
        AddTestCase(new RelayBytesTestCase(3, 0));
        for (const uint32_t host : {0U, 1U, 2U})
        {
            AddTestCase(new RelayBytesTestCase(host, 0.02));
        }
        AddTestCase(new RelayFailureTestCase(1));
        AddTestCase(new RelayFailureTestCase(2));
        AddTestCase(new RelayPauseTestCase);
        for (const uint32_t hosts : {3U, 4U, 7U})
        {
            AddTestCase(new RelayChainTestCase(hosts));
        }
    }
};

RdmaRelayTestSuite g_rdmaRelayTestSuite; //!< the instance

} // namespace
