// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Connectors over circuits that stay: which circuits carry a message, and through which GPUs.
 */

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/connector-installer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-relay.h"
#include "ns3/simulator.h"
#include "ns3/static-policy.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Bytes of the shortest message. Headers and reports of all messages are far fewer.
constexpr uint64_t UNIT = 100000;
/// Less than the shortest message, so that relays forward in several pieces.
constexpr uint64_t CHUNK = 30000;

/**
 * Five GPUs of one rail in a row. Port 0 of GPU 0 leads to GPU 1, ports 1 to 3 of GPU 1 to ports
 * 0 to 2 of GPU 2, port 3 of GPU 2 to GPU 3, and ports 1 and 2 of GPU 3 to ports 0 and 1 of GPU 4.
 */
class GpuRow
{
  public:
    GpuRow()
    {
        RailClusterHelper helper;
        helper.SetDomains(5, 1);
        helper.SetNic(4, DataRate("100Gbps"));
        cluster = helper.InstallPhotonic();
        auto circuits = std::make_shared<StaticCircuits>(5, 4);
        const std::vector<uint32_t> parallel{1, 3, 1, 2};
        for (uint32_t gpu = 0; gpu < parallel.size(); ++gpu)
        {
            for (uint32_t i = 0; i < parallel[gpu]; ++i)
            {
                circuits->Join(gpu, gpu + 1, 0, 4);
            }
        }
        cluster.SetStaticCircuits(circuits);
        StaticCircuitsHelper::Light(cluster);
        Simulator::Run(); // until there is light
    }

    ~GpuRow()
    {
        Simulator::Destroy();
    }

    /// A message on a connector of its own.
    struct Message
    {
        ConnectorInstaller::ConnectorPair ends; //!< sender and receiver
        uint64_t received{0};                   //!< bytes
        Time lastReceived;                      //!< arrival of the last byte
        uint32_t delivered{0};                  //!< reports to the sender
        Time reported;                          //!< time of the last report
    };

    /// Connect two GPUs and send a message of so many units.
    std::shared_ptr<Message> Send(uint32_t from,
                                  uint32_t to,
                                  uint64_t units,
                                  CollectiveConnectorKind kind = CONNECTOR_DIRECT)
    {
        // The connectors' callbacks do not own the message, which owns the connectors.
        auto message = m_messages.emplace_back(std::make_shared<Message>());
        message->ends = ConnectorInstaller(cluster).Connect(from, to, kind, CHUNK);
        message->ends.first->SetCallbacks(
            ToCallback<uint32_t, bool>([message = message.get()](uint32_t, bool delivered) {
                message->delivered += delivered ? 1 : 0;
                message->reported = Simulator::Now();
            }),
            ToCallback<uint32_t, uint64_t>([](uint32_t, uint64_t) {}));
        message->ends.second->SetCallbacks(
            ToCallback<uint32_t, bool>([](uint32_t, bool) {}),
            ToCallback<uint32_t, uint64_t>([message = message.get()](uint32_t, uint64_t bytes) {
                message->received += bytes;
                message->lastReceived = Simulator::Now();
            }));
        message->ends.first->Post(units * UNIT, 7, true);
        return message;
    }

    /// @return units that each port of a GPU has sent @param gpu the GPU
    std::string CountSent(uint32_t gpu) const
    {
        std::string text;
        for (uint32_t port = 0; port < cluster.GetNicPortCount(); ++port)
        {
            const auto units = cluster.GetNic(gpu)->GetPort(port)->GetBytesSent() / UNIT;
            text += (text.empty() ? "" : " ") + std::to_string(units);
        }
        return text;
    }

    /// @return units that a GPU has forwarded @param gpu the GPU
    uint64_t CountForwarded(uint32_t gpu) const
    {
        auto relay = cluster.GetGpu(gpu)->GetObject<RdmaRelay>();
        return relay ? relay->GetStatistics().bytes / UNIT : 0;
    }

    RailCluster cluster;

  private:
    std::vector<std::shared_ptr<Message>> m_messages; //!< until the simulation is destroyed
};

/// Messages between GPUs that no circuit joins.
class ForwardedRouteTestCase : public PicosecondTestCase
{
  public:
    ForwardedRouteTestCase()
        : PicosecondTestCase("Routes share parallel circuits, and the last GPU's report counts")
    {
    }

  private:
    void DoRun() override
    {
        GpuRow row;
        const ConnectorInstaller installer(row.cluster);
        NS_TEST_EXPECT_MSG_EQ(installer.GetWay(1, 2), ConnectorInstaller::FABRIC, "neighbours");
        NS_TEST_EXPECT_MSG_EQ(installer.GetWay(4, 0), ConnectorInstaller::FORWARDED, "the ends");
        const std::vector<std::shared_ptr<GpuRow::Message>> messages{row.Send(0, 4, 1),
                                                                     row.Send(1, 4, 2),
                                                                     row.Send(0, 3, 4)};
        Simulator::Run();
        for (std::size_t i = 0; i < messages.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(messages[i]->received, UNIT << i, "message " << i);
            NS_TEST_EXPECT_MSG_EQ(messages[i]->delivered, 1u, "message " << i);
            // A relay that reports before the GPU behind it does would be earlier.
            NS_TEST_EXPECT_MSG_GT(messages[i]->reported,
                                  messages[i]->lastReceived,
                                  "message " << i << ": reported when it has arrived");
        }
        // Of three routes from GPU 1 to GPU 2, each has a circuit of its own.
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(0), "5 0 0 0", "to GPU 1");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(1), "0 4 1 2", "to GPU 2");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(2), "0 0 0 7", "to GPU 3");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(3), "0 1 2 0", "to GPU 4");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(4), "0 0 0 0", "reports alone");
        NS_TEST_EXPECT_MSG_EQ(row.CountForwarded(0), 0u, "GPU 0 forwards nothing");
        NS_TEST_EXPECT_MSG_EQ(row.CountForwarded(1), 5u, "forwarded by GPU 1");
        NS_TEST_EXPECT_MSG_EQ(row.CountForwarded(2), 7u, "forwarded by GPU 2");
        NS_TEST_EXPECT_MSG_EQ(row.CountForwarded(3), 3u, "forwarded by GPU 3");
    }
};

/// The way back of a forwarded connector.
class ForwardedBackTestCase : public PicosecondTestCase
{
  public:
    ForwardedBackTestCase()
        : PicosecondTestCase("A route has the same circuits in both directions")
    {
    }

  private:
    void DoRun() override
    {
        GpuRow row;
        const auto message = row.Send(0, 4, 1);
        uint64_t received = 0;
        message->ends.first->SetCallbacks(
            ToCallback<uint32_t, bool>([](uint32_t, bool) {}),
            ToCallback<uint32_t, uint64_t>(
                [&received](uint32_t, uint64_t bytes) { received += bytes; }));
        message->ends.second->Post(2 * UNIT, 8, true);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(message->received, UNIT, "forth");
        NS_TEST_EXPECT_MSG_EQ(received, 2 * UNIT, "back");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(4), "2 0 0 0", "to GPU 3");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(3), "2 1 0 0", "to GPU 2 and GPU 4");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(2), "0 2 0 1", "to GPU 1 and GPU 3");
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(1), "2 0 1 0", "to GPU 0 and GPU 2");
    }
};

/// GPUs that several circuits join.
class StaticConnectorTestCase : public PicosecondTestCase
{
  public:
    StaticConnectorTestCase()
        : PicosecondTestCase("A direct connector has all circuits, those of a ring of two a part")
    {
    }

  private:
    /// Send a message between neighbours, and see which ports of the sender carry it.
    void Expect(uint32_t from, uint32_t to, CollectiveConnectorKind kind, const std::string& sent)
    {
        GpuRow row;
        const auto message = row.Send(from, to, 6, kind);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(message->received, 6 * UNIT, "from GPU " << from);
        NS_TEST_EXPECT_MSG_EQ(row.CountSent(from), sent, "from GPU " << from << ", " << kind);
    }

    void DoRun() override
    {
        Expect(1, 2, CONNECTOR_DIRECT, "0 2 2 2");
        Expect(4, 3, CONNECTOR_DIRECT, "3 3 0 0");
        // Each of the two follows the other on the ring: on circuits of its own.
        Expect(3, 4, CONNECTOR_NEXT, "0 6 0 0");
        Expect(4, 3, CONNECTOR_PREVIOUS, "6 0 0 0");
        Expect(4, 3, CONNECTOR_NEXT, "0 6 0 0");
        Expect(3, 4, CONNECTOR_PREVIOUS, "0 0 6 0");
        // The larger part of three.
        Expect(1, 2, CONNECTOR_NEXT, "0 6 0 0");
        Expect(1, 2, CONNECTOR_PREVIOUS, "0 0 3 3");
        // A single circuit serves both directions.
        Expect(0, 1, CONNECTOR_NEXT, "6 0 0 0");
        Expect(0, 1, CONNECTOR_PREVIOUS, "6 0 0 0");
    }
};

/**
 * @ingroup tests
 * Connectors over circuits that stay.
 */
class StaticConnectorsTestSuite : public TestSuite
{
  public:
    StaticConnectorsTestSuite()
        : TestSuite("photonic-rails-static-connectors", Type::SYSTEM)
    {
        AddTestCase(new ForwardedRouteTestCase);
        AddTestCase(new ForwardedBackTestCase);
        AddTestCase(new StaticConnectorTestCase);
    }
};

StaticConnectorsTestSuite g_staticConnectorsTestSuite; //!< the instance

} // namespace
