// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * No hang: whatever is lost, every message is delivered or reported as failed in bounded time.
 */

#include "rdma-hosts.h"
#include "rdma-migration.h"

#include <algorithm>
#include <memory>
#include <random>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Random losses of data, acknowledgements and CNPs, under a watchdog. */
class WatchdogTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param selective selective repeat instead of go-back-N
     * @param control TypeId of the congestion control, or empty
     * @param rate probability that a frame is lost
     * @param seeds number of runs
     */
    WatchdogTestCase(bool selective, const std::string& control, double rate, uint32_t seeds)
        : PicosecondTestCase(
              "Never a hang: " + std::string(selective ? "selective repeat" : "go-back-N") + ", " +
              (control.empty() ? "no control" : control) + ", loss rate " + std::to_string(rate)),
          m_selective(selective),
          m_control(control),
          m_rate(rate),
          m_seeds(seeds)
    {
    }

  private:
    static constexpr uint32_t MESSAGES = 12;

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= m_seeds; ++seed)
        {
            RunOne(seed);
        }
        std::cout << "# " << GetName() << ": " << m_seeds << " seeds, " << m_packets
                  << " data packets, " << m_lostData << " lost, " << m_lostAcks
                  << " acknowledgements lost, " << m_lostCnps << " of " << m_cnps << " CNPs lost, "
                  << m_repeats << " repeated, " << m_timeouts << " time-outs, " << m_failed
                  << " messages failed, longest " << m_longest.As(Time::MS) << "\n";
        NS_TEST_EXPECT_MSG_GT(m_packets, 20 * m_seeds, "data has been sent");
        NS_TEST_EXPECT_MSG_EQ(m_failed, (m_rate < 0.5 ? 0 : 3 * MESSAGES * m_seeds), "failures");
        NS_TEST_EXPECT_MSG_GT(m_lostData, 0, "data has been lost");
        if (m_rate < 1)
        {
            const Time bound = m_rate < 0.1 ? MilliSeconds(100) : Seconds(4);
            NS_TEST_EXPECT_MSG_LT(m_longest, bound, "until a message was reported");
        }
        if (m_rate >= 1e-2)
        {
            NS_TEST_EXPECT_MSG_EQ((m_lostAcks > 0 || m_rate == 1), true, "and acknowledgements");
            NS_TEST_EXPECT_MSG_GT(m_timeouts, 0, "the timer was needed");
        }
        if (m_control == "ns3::RdmaDcqcn" && m_rate < 1)
        {
            NS_TEST_EXPECT_MSG_GT(m_cnps, 0, "CNPs");
        }
    }

    /// Three hosts on a switch, each sends to the next.
    void RunOne(uint32_t seed)
    {
        RdmaHosts hosts(3);
        hosts.UseShortTimeouts();
        hosts.helper.SetQueuePairAttribute(
            "LossRecovery",
            StringValue(m_selective ? "SelectiveRepeat" : "GoBackN"));
        hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue(m_control));
        hosts.helper.SetQueuePairAttribute("AckInterval", UintegerValue(1 + seed % 40));
        hosts.helper.SetQueuePairAttribute("Window", UintegerValue(4096 << seed % 9));
        hosts.Build({}, false);
        std::mt19937 random(seed);
        std::bernoulli_distribution loss(m_rate);
        std::bernoulli_distribution mark(seed % 2 == 0 ? 0 : 0.05);
        const auto decide = [&](const RoceHeader& header) {
            Migration::Fate fate;
            fate.lost = loss(random);
            fate.marked = mark(random);
            const bool ack = header.opcode == RoceHeader::ACKNOWLEDGE;
            const bool cnp = header.opcode == RoceHeader::CONGESTION_NOTIFICATION;
            m_lostAcks += fate.lost && ack ? 1 : 0;
            m_lostCnps += fate.lost && cnp ? 1 : 0;
            m_lostData += fate.lost && !ack && !cnp ? 1 : 0;
            return fate;
        };
        std::vector<std::unique_ptr<Migration>> migrations;
        std::vector<RdmaHelper::ConnectionPair> pairs;
        for (uint32_t host = 0; host < 3; ++host)
        {
            migrations.push_back(
                std::make_unique<Migration>(hosts.cluster.GetNic(host), 0, decide));
        }
        const uint32_t most = m_rate < 1e-3 ? 400000 : 60000; // so that something is lost
        uint64_t bytes = 0;
        for (uint32_t host = 0; host < 3; ++host)
        {
            pairs.push_back(hosts.Connect(host, (host + 1) % 3, {0}));
            for (uint32_t message = 0; message < MESSAGES; ++message)
            {
                const uint64_t size = random() % 3 == 0 ? random() % 3 : random() % most;
                bytes += size;
                pairs.back().first->Post(size, host << 8 | message);
            }
        }
        Simulator::Stop(Seconds(30)); // the watchdog
        Simulator::Run();
        for (uint32_t host = 0; host < 3; ++host)
        {
            Check(hosts, host, seed);
        }
        const auto total = Total(hosts);
        if (m_rate < 0.5)
        {
            NS_TEST_EXPECT_MSG_EQ(total.bytesDelivered, bytes, "once, seed " << seed);
        }
        m_packets += total.dataPacketsSent;
        m_repeats += total.retransmissions;
        m_timeouts += total.timeouts;
        m_cnps += total.cnpsSent;
    }

    /// @return the counts of all hosts
    static RdmaQueuePair::Statistics Total(const RdmaHosts& hosts)
    {
        RdmaQueuePair::Statistics total;
        for (uint32_t host = 0; host < 3; ++host)
        {
            const auto one = hosts.GetStatistics(host);
            total.dataPacketsSent += one.dataPacketsSent;
            total.retransmissions += one.retransmissions;
            total.timeouts += one.timeouts;
            total.cnpsSent += one.cnpsSent;
            total.bytesDelivered += one.bytesDelivered;
        }
        return total;
    }

    /// Everything that a host has posted is reported, in order, and true.
    void Check(const RdmaHosts& hosts, uint32_t host, uint32_t seed)
    {
        const auto& sent = hosts.logs[host].sent;
        NS_TEST_ASSERT_MSG_EQ(sent.size(), MESSAGES, "reported, seed " << seed);
        std::size_t delivered = 0;
        for (uint32_t message = 0; message < MESSAGES; ++message)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[message].immediate, (host << 8 | message), "in order");
            m_failed += sent[message].value == 0 ? 1 : 0;
            delivered += sent[message].value;
            m_longest = std::max(m_longest, sent[message].at - hosts.start);
        }
        const auto& received = hosts.logs[(host + 1) % 3].received;
        NS_TEST_EXPECT_MSG_EQ((received.size() >= delivered), true, "what is reported is true");
    }

    bool m_selective;
    std::string m_control;
    double m_rate; //!< probability
    uint32_t m_seeds;
    uint64_t m_packets{0};
    uint64_t m_repeats{0};
    uint64_t m_timeouts{0};
    uint64_t m_cnps{0};
    uint64_t m_lostData{0};
    uint64_t m_lostAcks{0};
    uint64_t m_lostCnps{0};
    uint64_t m_failed{0};
    Time m_longest; //!< until a message was reported
};

/** Suite of watchdogs. */
class RdmaWatchdogTestSuite : public TestSuite
{
  public:
    RdmaWatchdogTestSuite()
        : TestSuite("photonic-rails-rdma-watchdog", Type::UNIT)
    {
        for (const char* control : {"", "ns3::RdmaDcqcn", "ns3::RdmaSwift"})
        {
            for (const bool selective : {false, true})
            {
                // A thousand seeds for each of the two loss rates.
                const uint32_t seeds = *control == '\0' ? 250 : 125;
                AddTestCase(new WatchdogTestCase(selective, control, 1e-4, seeds));
                AddTestCase(new WatchdogTestCase(selective, control, 1e-2, seeds));
                AddTestCase(new WatchdogTestCase(selective, control, 0.2, 10));
                AddTestCase(new WatchdogTestCase(selective, control, 1, 1));
            }
        }
    }
};

RdmaWatchdogTestSuite g_rdmaWatchdogTestSuite; //!< the instance

} // namespace
