// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Queue pairs whose ports break move to those that are left.
 */

#include "lambda-call.h"
#include "rdma-hosts.h"

#include "ns3/path-migration.h"

#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// The two connectors of a pair of hosts, whose ports are joined by circuits as Opus does.
class Pair
{
  public:
    /**
     * @param ports NIC ports of each host
     * @param detail of the NICs
     * @param recovery of the queue pairs
     */
    Pair(uint32_t ports, const std::string& fidelity, const std::string& recovery)
        : m_hosts(2, ports),
          m_ports(ports)
    {
        m_hosts.Build(GetCircuits({}, {}));
        for (uint32_t host = 0; host < 2; ++host)
        {
            GetNic(host)->SetAttribute("Fidelity", StringValue(fidelity));
            GetNic(host)->SetQueuePairAttribute("LossRecovery", StringValue(recovery));
        }
        const auto ring = RdmaHelper::GetRingPorts(ports);
        connectors = {RdmaHelper::Connect(GetNic(0), ring.next, GetNic(1), ring.previous),
                      RdmaHelper::Connect(GetNic(0), ring.previous, GetNic(1), ring.next)};
        for (uint32_t connector = 0; connector < 2; ++connector)
        {
            Watch(connector, 0, connectors[connector].first);
            Watch(connector, 1, connectors[connector].second);
        }
    }

    Ptr<RdmaNic> GetNic(uint32_t host) const
    {
        return m_hosts.cluster.GetNic(host);
    }

    Time GetStart() const
    {
        return m_hosts.start;
    }

    /// A transceiver fails without a report.
    void Break(uint32_t host, uint32_t port)
    {
        GetNic(host)->GetPort(port)->SetFailed(true);
    }

    /// A host is told of a port.
    void Tell(uint32_t host, uint32_t hostOfPort, uint32_t port)
    {
        m_failed[host].insert(GetNic(hostOfPort)->GetPort(port)->GetMacAddress());
        GetNic(host)->SetFailedPorts(m_failed[host]);
    }

    /// Circuits as they are with some broken ports become those with others.
    void Switch(const PathMigration::Ports& broken, const PathMigration::Ports& brokenOfPeer)
    {
        const CircuitSet before = m_hosts.cluster.GetOcs(0)->GetCircuits();
        const CircuitSet after = GetCircuits(broken, brokenOfPeer);
        CircuitSet drop;
        CircuitSet make;
        const auto without = [](const CircuitSet& some, const CircuitSet& others) {
            CircuitSet rest;
            for (const Circuit& one : some)
            {
                if (std::find(others.begin(), others.end(), one) == others.end())
                {
                    rest.push_back(one);
                }
            }
            return rest;
        };
        m_hosts.Switch(without(before, after), without(after, before));
    }

    std::vector<RdmaHelper::ConnectionPair> connectors;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t>
        bytes;        //!< that have arrived: connector and host
    uint32_t sent{0}; //!< messages delivered
    Time lastArrival;
    std::string text; //!< all that has been reported

  private:
    CircuitSet GetCircuits(const PathMigration::Ports& broken,
                           const PathMigration::Ports& brokenOfPeer) const
    {
        CircuitSet circuits;
        for (const auto& [a, b] : PathMigration::GetPair(m_ports, broken, brokenOfPeer))
        {
            circuits.push_back({a, m_ports + b});
        }
        return circuits;
    }

    void Watch(uint32_t connector, uint32_t host, Ptr<RdmaConnection> connection)
    {
        connection->SetSentCallback(ToCallback<uint32_t, bool>([this](uint32_t, bool delivered) {
            sent += delivered ? 1 : 0;
            text += " s" + std::to_string(Simulator::Now().GetPicoSeconds());
        }));
        connection->SetReceivedCallback(
            ToCallback<uint32_t, uint64_t>([this, connector, host](uint32_t, uint64_t some) {
                bytes[{connector, host}] += some;
                lastArrival = Simulator::Now();
                text += " r" + std::to_string(Simulator::Now().GetPicoSeconds());
            }));
    }

    RdmaHosts m_hosts;
    std::array<std::set<Mac48Address>, 2> m_failed; //!< ports that a host was told of
    uint32_t m_ports;
};

/** Two connectors share the one circuit that is left. */
class TwiceAsLongTestCase : public PicosecondTestCase
{
  public:
    TwiceAsLongTestCase()
        : PicosecondTestCase("With one of two ports transfers take twice as long")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t MESSAGE = 1000 * 4096;
        const auto packets = PacketTimes(MESSAGE);
        const Time once = Sum(packets, packets.size());
        for (const std::string fidelity : {"Burst", "Packet"})
        {
            for (const bool isBroken : {false, true})
            {
                Pair pair(2, fidelity, "GoBackN");
                if (isBroken)
                {
                    pair.Break(0, 0);
                    pair.Tell(0, 0, 0);
                    pair.Tell(1, 0, 0);
                }
                pair.connectors[0].first->Post(MESSAGE, 1);
                pair.connectors[1].first->Post(MESSAGE, 2);
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(pair.lastArrival - pair.GetStart(),
                                      once * int64_t{isBroken ? 2 : 1} + PathDelay(),
                                      fidelity << ", broken " << isBroken);
                NS_TEST_EXPECT_MSG_EQ(pair.sent, 2, "acknowledged");
                NS_TEST_EXPECT_MSG_EQ(pair.GetNic(0)->GetQueuePairStatistics().retransmissions,
                                      0,
                                      "nothing was lost");
            }
        }
    }
};

/** Ports break at random moments, and the two ends detect it at different times. */
class RandomTestCase : public PicosecondTestCase
{
  public:
    RandomTestCase()
        : PicosecondTestCase("All is delivered once whenever ports break and ends are told")
    {
    }

  private:
    struct Outcome
    {
        std::string text;
        uint64_t retransmissions{0};
    };

    Outcome RunOne(uint32_t seed, const std::string& fidelity)
    {
        std::mt19937 random(seed);
        const uint32_t ports = seed % 2 == 0 ? 2 : 4;
        Pair pair(ports, fidelity, seed % 3 == 0 ? "SelectiveRepeat" : "GoBackN");
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> posted;
        uint32_t messages = 0;
        for (uint32_t i = 0; i < 12; ++i)
        {
            const uint32_t connector = random() % 2;
            const uint32_t host = random() % 2;
            const uint64_t bytes = 1 + random() % 1000000;
            const auto& ends = pair.connectors[connector];
            const auto connection = host == 0 ? ends.second : ends.first;
            posted[{connector, host}] += bytes;
            ++messages;
            ScheduleCall(NanoSeconds(random() % 100000),
                         [connection, bytes, i] { connection->Post(bytes, i); });
        }
        auto broken = std::make_shared<std::array<PathMigration::Ports, 2>>();
        for (uint32_t fault = 0; fault < 1 + random() % 2; ++fault)
        {
            const uint32_t host = random() % 2;
            const auto port = static_cast<uint32_t>(random() % ports);
            // One port of each end stays whole.
            (*broken)[host].insert(port);
            if ((*broken)[host].size() == ports)
            {
                (*broken)[host].erase(port);
                continue;
            }
            const auto all = *broken;
            const Time at = NanoSeconds(random() % 120000);
            const Time told = MicroSeconds(200 + 300 * fault);
            ScheduleCall(at, [&pair, host, port] { pair.Break(host, port); });
            ScheduleCall(told, [&pair, all] { pair.Switch(all[0], all[1]); });
            for (uint32_t end = 0; end < 2; ++end)
            {
                ScheduleCall(told + NanoSeconds(random() % 100000),
                             [&pair, end, host, port] { pair.Tell(end, host, port); });
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((pair.bytes == posted), true, seed << ": bytes that arrive");
        NS_TEST_EXPECT_MSG_EQ(pair.sent, messages, seed << ": messages acknowledged");
        return {pair.text,
                pair.GetNic(0)->GetQueuePairStatistics().retransmissions +
                    pair.GetNic(1)->GetQueuePairStatistics().retransmissions};
    }

    void DoRun() override
    {
        uint32_t repeated = 0;
        for (uint32_t seed = 0; seed < 200; ++seed)
        {
            const Outcome bursts = RunOne(seed, "Burst");
            const Outcome packets = RunOne(seed, "Packet");
            NS_TEST_EXPECT_MSG_EQ(bursts.text, packets.text, seed << ": bursts and packets");
            NS_TEST_EXPECT_MSG_EQ(bursts.retransmissions, packets.retransmissions, seed);
            repeated += bursts.retransmissions > 0 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(repeated, 60u, "faults hit traffic");
    }
};

/** Suite of queue pairs that move. */
class RdmaMigrationTestSuite : public TestSuite
{
  public:
    RdmaMigrationTestSuite()
        : TestSuite("photonic-rails-rdma-migration", Type::UNIT)
    {
        AddTestCase(new TwiceAsLongTestCase);
        AddTestCase(new RandomTestCase);
    }
};

RdmaMigrationTestSuite g_rdmaMigrationTestSuite; //!< the instance

} // namespace
