// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The management network: what is said at one instant, in which frames and at which time it
 * arrives.
 */

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/inet-socket-address.h"
#include "ns3/management-network-helper.h"
#include "ns3/management-port.h"
#include "ns3/management-switch.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Base of the cases: three nodes in a star. */
class ManagementNetworkTestCase : public PicosecondTestCase
{
  public:
    /** @param name what is tested */
    explicit ManagementNetworkTestCase(const std::string& name)
        : PicosecondTestCase(name)
    {
    }

  protected:
    static constexpr uint16_t PORT = 9;             //!< of all nodes
    static constexpr uint32_t RELEASE_BYTES = 36;   //!< of a release on the wire
    static constexpr uint32_t HEADERS = 2 + 20 + 8; //!< PPP, IPv4, UDP

    /** Build the star. */
    void Build()
    {
        m_network.SetRate(DataRate("8Gbps")); // a byte lasts 1 ns
        m_network.SetLatency(MicroSeconds(10));
        m_nodes.Create(3);
        for (uint32_t i = 0; i < 3; ++i)
        {
            m_addresses.push_back(InetSocketAddress(m_network.Attach(m_nodes.Get(i)), PORT));
            GetPort(i)->Listen(PORT,
                               ToCallback<const Address&, const OpusMessage&>(
                                   [this, i](const Address& from, const OpusMessage& message) {
                                       m_heard[i].emplace_back(message.rank, Simulator::Now());
                                       m_from[i] = from;
                                   }));
        }
    }

    /** @param node its index @return its port */
    Ptr<ManagementPort> GetPort(uint32_t node)
    {
        return m_nodes.Get(node)->GetObject<ManagementPort>();
    }

    /** Say something. @param from index of a node @param to index of a node @param rank is said */
    void Say(uint32_t from, uint32_t to, uint32_t rank)
    {
        OpusMessage message(OpusMessageType::RELEASE);
        message.rank = rank;
        GetPort(from)->Send(PORT, m_addresses[to], message);
    }

    /** @param bytes of messages in a frame @return when it arrives, if sent at once into silence */
    Time GetArrival(uint32_t bytes)
    {
        return MicroSeconds(10) + 2 * NanoSeconds(HEADERS + bytes);
    }

    using Heard = std::vector<std::pair<uint32_t, Time>>; //!< ranks, and when

    ManagementNetworkHelper m_network;
    NodeContainer m_nodes;
    std::vector<Address> m_addresses;
    std::array<Heard, 3> m_heard;
    std::array<Address, 3> m_from;
};

/** What is said at one instant to one node is one frame. */
class ManagementBatchTestCase : public ManagementNetworkTestCase
{
  public:
    ManagementBatchTestCase()
        : ManagementNetworkTestCase("Messages of an instant share a frame for each receiver")
    {
    }

  private:
    void DoRun() override
    {
        Build();
        Say(0, 1, 1);
        Say(0, 2, 2);
        Say(0, 1, 3);
        ScheduleCall(MicroSeconds(50), [this] { Say(0, 1, 4); });
        Simulator::Run();
        const Time both = GetArrival(2 * RELEASE_BYTES);
        const Time later = MicroSeconds(50) + GetArrival(RELEASE_BYTES);
        NS_TEST_EXPECT_MSG_EQ((m_heard[1] == Heard{{1, both}, {3, both}, {4, later}}),
                              true,
                              "in order, at the times of two frames");
        // Behind the frame to the other node on the link that both share.
        const Time second = GetArrival(RELEASE_BYTES) + NanoSeconds(HEADERS + 2 * RELEASE_BYTES);
        NS_TEST_EXPECT_MSG_EQ((m_heard[2] == Heard{{2, second}}), true, "to the other node");
        NS_TEST_EXPECT_MSG_EQ((m_from[1] == m_addresses[0]), true, "the sender's address");
    }
};

/** More than a frame holds. */
class ManagementFramesTestCase : public ManagementNetworkTestCase
{
  public:
    ManagementFramesTestCase()
        : ManagementNetworkTestCase("Messages go on in the next frame")
    {
    }

  private:
    void DoRun() override
    {
        Build();
        const uint32_t perFrame = ManagementPort::MAX_PAYLOAD / RELEASE_BYTES;
        NS_TEST_ASSERT_MSG_NE(perFrame * RELEASE_BYTES, ManagementPort::MAX_PAYLOAD, "one is cut");
        for (uint32_t rank = 0; rank <= perFrame; ++rank)
        {
            Say(2, 0, rank);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_heard[0].size(), perFrame + 1, "all have arrived");
        const Time first = GetArrival(ManagementPort::MAX_PAYLOAD);
        const uint32_t rest = (perFrame + 1) * RELEASE_BYTES - ManagementPort::MAX_PAYLOAD;
        for (uint32_t i = 0; i <= perFrame; ++i)
        {
            const Time expected = i < perFrame ? first : first + NanoSeconds(HEADERS + rest);
            NS_TEST_EXPECT_MSG_EQ(m_heard[0][i].first, i, "in order");
            NS_TEST_EXPECT_MSG_EQ(m_heard[0][i].second, expected, "message " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(GetPort(0)->GetMalformed(), 0u, "nothing is malformed");
    }
};

/** Nobody is there, or nobody listens any more. */
class ManagementNobodyTestCase : public ManagementNetworkTestCase
{
  public:
    ManagementNobodyTestCase()
        : ManagementNetworkTestCase("What is said to nobody is dropped")
    {
    }

  private:
    void DoRun() override
    {
        Build();
        m_addresses[1] = InetSocketAddress(Ipv4Address("172.16.9.9"), PORT);
        Say(0, 1, 1);
        GetPort(2)->Listen(PORT, ManagementPort::ReceiveCallback());
        Say(0, 2, 2);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_heard[1].empty() && m_heard[2].empty(), true, "nobody hears it");
        NS_TEST_EXPECT_MSG_EQ(m_network.GetSwitch()->GetObject<ManagementSwitch>()->GetDropped(),
                              1u,
                              "the switch does not know the address");
        NS_TEST_EXPECT_MSG_EQ(GetPort(2)->GetMalformed(), 0u, "nothing is malformed");
    }
};

/**
 * @ingroup tests
 * The management network.
 */
class ManagementNetworkTestSuite : public TestSuite
{
  public:
    ManagementNetworkTestSuite()
        : TestSuite("photonic-rails-management-network", Type::UNIT)
    {
        AddTestCase(new ManagementBatchTestCase);
        AddTestCase(new ManagementFramesTestCase);
        AddTestCase(new ManagementNobodyTestCase);
    }
};

ManagementNetworkTestSuite g_managementNetworkTestSuite; //!< the instance

} // namespace
