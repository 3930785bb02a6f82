// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The management network: what is said at one instant, in which frames and at which time it
 * arrives.
 */

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/host-link.h"
#include "ns3/inet-socket-address.h"
#include "ns3/management-channel.h"
#include "ns3/management-network-helper.h"
#include "ns3/management-port.h"
#include "ns3/management-switch.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <array>
#include <optional>
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
    /** @param name of the case */
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
                                       m_heard[i].emplace_back(message.GetRank()->rank,
                                                               Simulator::Now());
                                       m_from[i] = from;
                                   }));
        }
    }

    /** @param node its index @return its port */
    Ptr<ManagementPort> GetPort(uint32_t node)
    {
        return m_nodes.Get(node)->GetObject<ManagementPort>();
    }

    /** Send a message. @param from index of a node @param to index of a node @param rank in it */
    void Say(uint32_t from, uint32_t to, uint32_t rank)
    {
        OpusRelease message;
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

/** Messages sent at one instant to one node are one frame. */
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

/** A node sends in the name of another node, or over any number of flows. */
class ForgedFramesTestCase : public ManagementNetworkTestCase
{
  public:
    /** @param isReliable whether frames have a ChannelHeader */
    explicit ForgedFramesTestCase(bool isReliable)
        : ManagementNetworkTestCase("Forged frames are dropped, and flows are limited" +
                                    std::string(isReliable ? ", reliable" : "")),
          m_isReliable(isReliable)
    {
    }

  private:
    /** Send a message of a rank from node 1. @param from address and port of its sender */
    void Forge(FrameQueue& queue, const InetSocketAddress& from, uint32_t rank)
    {
        OpusRelease message;
        message.rank = rank;
        const Ptr<Packet> payload = Create<Packet>();
        payload->AddHeader(OpusMessage(message));
        std::array<uint8_t, ChannelHeader::SIZE> front{};
        ChannelHeader().Write(front.data());
        const Ptr<Packet> frame =
            Create<Packet>(front.data(), m_isReliable ? ChannelHeader::SIZE : 0);
        frame->AddAtEnd(payload);
        queue.Send(frame, from, InetSocketAddress::ConvertFrom(m_addresses[0]));
    }

    void DoRun() override
    {
        m_network.SetPortAttribute("Reliable", BooleanValue(m_isReliable));
        Build();
        FrameQueue queue(m_nodes.Get(1)->GetDevice(0));
        Forge(queue, InetSocketAddress::ConvertFrom(m_addresses[2]), 1);
        const auto own = InetSocketAddress::ConvertFrom(m_addresses[1]).GetIpv4();
        for (uint16_t port = 100; port < 100 + 3 * ManagementPort::MAX_FLOWS; ++port)
        {
            Forge(queue, InetSocketAddress(own, port), 2);
        }
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_network.GetSwitch()->GetObject<ManagementSwitch>()->GetForged(),
                              1u,
                              "in the name of another node");
        NS_TEST_EXPECT_MSG_EQ(m_heard[0].size(), ManagementPort::MAX_FLOWS, "flows of a node");
        NS_TEST_EXPECT_MSG_EQ(GetPort(0)->GetRefused(), 2 * ManagementPort::MAX_FLOWS, "others");
    }

    bool m_isReliable;
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

/** Reliable ports without a loss. */
class ReliableTimesTestCase : public ManagementNetworkTestCase
{
  public:
    ReliableTimesTestCase()
        : ManagementNetworkTestCase("Reliable ports change no time but that of a longer header")
    {
    }

  private:
    void DoRun() override
    {
        m_network.SetPortAttribute("Reliable", BooleanValue(true));
        Build();
        Say(0, 1, 1);
        Say(0, 1, 2);
        ScheduleCall(MicroSeconds(50), [this] { Say(1, 0, 3); });
        ScheduleCall(MilliSeconds(5), [this] { Say(0, 1, 4); });
        Simulator::Run();
        const uint32_t header = ChannelHeader::SIZE;
        const Time both = GetArrival(header + 2 * RELEASE_BYTES);
        const Time back = MicroSeconds(50) + GetArrival(header + RELEASE_BYTES);
        const Time later = MilliSeconds(5) + GetArrival(header + RELEASE_BYTES);
        NS_TEST_EXPECT_MSG_EQ((m_heard[1] == Heard{{1, both}, {2, both}, {4, later}}), true, "to");
        NS_TEST_EXPECT_MSG_EQ((m_heard[0] == Heard{{3, back}}), true, "and back");
        const auto near = GetPort(0)->GetChannelStats();
        const auto far = GetPort(1)->GetChannelStats();
        NS_TEST_EXPECT_MSG_EQ(near.repeated + far.repeated + near.timeouts + far.timeouts,
                              0u,
                              "nothing is sent again");
        NS_TEST_EXPECT_MSG_EQ(far.pureAcks,
                              1u,
                              "the first rides on the message back, the last not");
        NS_TEST_EXPECT_MSG_EQ(near.pureAcks, 1u, "of the message back");
    }
};

/** Frames are lost, and overtake each other. */
class ReliableLossTestCase : public ManagementNetworkTestCase
{
  public:
    /** @param loss share of frames @param delays whether they take extra times */
    ReliableLossTestCase(double loss, bool delays)
        : ManagementNetworkTestCase("Every message once and in order, " + std::to_string(loss) +
                                    " lost" + (delays ? ", with extra delays" : "")),
          m_loss(loss),
          m_delays(delays)
    {
    }

  private:
    static constexpr uint32_t MESSAGES = 400; //!< each way

    void DoRun() override
    {
        m_network.SetPortAttribute("Reliable", BooleanValue(true));
        m_network.SetLoss(m_loss, 100);
        if (m_delays)
        {
            auto delay = CreateObject<ExponentialRandomVariable>();
            delay->SetAttribute("Mean", DoubleValue(200e-6));
            delay->SetStream(200);
            m_network.SetExtraDelay(delay);
        }
        Build();
        for (uint32_t i = 0; i < MESSAGES; ++i)
        {
            ScheduleCall(MicroSeconds(37 * i), [this, i] { Say(0, 1, i); });
            ScheduleCall(MicroSeconds(61 * i), [this, i] { Say(1, 0, i); });
        }
        Simulator::Run();
        for (uint32_t node : {0, 1})
        {
            NS_TEST_ASSERT_MSG_EQ(m_heard[node].size(), MESSAGES, "all arrive");
            for (uint32_t i = 0; i < MESSAGES; ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(m_heard[node][i].first, i, "in order, each once");
            }
            const auto stats = GetPort(node)->GetChannelStats();
            const bool isAgain = stats.repeated > 0;
            NS_TEST_EXPECT_MSG_EQ(isAgain || m_loss < 0.1, true, "what is lost is sent again");
            NS_TEST_EXPECT_MSG_EQ(stats.lost, 0u, "nobody is given up");
        }
    }

    double m_loss;
    bool m_delays;
};

/** One end is a process that ends and begins anew. */
class ReliableEpochTestCase : public ManagementNetworkTestCase
{
  public:
    ReliableEpochTestCase()
        : ManagementNetworkTestCase("With a process that begins anew both streams begin anew")
    {
    }

  private:
    void Listen()
    {
        GetPort(1)->Listen(PORT,
                           ToCallback<const Address&, const OpusMessage&>(
                               [this](const Address&, const OpusMessage& message) {
                                   m_told.push_back(message.GetRank()->rank);
                               }));
    }

    void DoRun() override
    {
        m_network.SetPortAttribute("Reliable", BooleanValue(true));
        Build();
        Listen();
        for (uint32_t i = 0; i < 3; ++i)
        {
            Say(0, 1, i);
            Say(1, 0, 10 + i);
        }
        ScheduleCall(MicroSeconds(500), [this] { GetPort(1)->Close(PORT); });
        ScheduleCall(MicroSeconds(600), [this] { Say(0, 1, 3); }); // nobody hears it
        const Time back = MilliSeconds(20);
        ScheduleCall(back, [this] {
            GetPort(1)->Reopen(PORT, 1);
            Say(1, 0, 13);
            Listen();
        });
        const Time told = back + GetArrival(ChannelHeader::SIZE + RELEASE_BYTES);
        ScheduleCall(told + TimeStep(1), [this] { Say(0, 1, 4); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_told == std::vector<uint32_t>{0, 1, 2, 4}),
                              true,
                              "what was said before is forgotten");
        NS_TEST_ASSERT_MSG_EQ(m_heard[0].size(), 4u, "each once");
        NS_TEST_EXPECT_MSG_EQ(m_heard[0][3].first, 13u, "the new one last");
        NS_TEST_EXPECT_MSG_EQ(m_heard[0][3].second, told, "at once");
    }

    std::vector<uint32_t> m_told;
};

/** One node takes the place of another, which does not know it. */
class ReliablePlaceTestCase : public ManagementNetworkTestCase
{
  public:
    /** @param isAllowed whether the other end knows that it may */
    explicit ReliablePlaceTestCase(bool isAllowed)
        : ManagementNetworkTestCase(isAllowed ? "Who speaks for an older epoch is refused"
                                              : "Nobody takes a place that is not given to him"),
          m_isAllowed(isAllowed)
    {
    }

  private:
    void Step(const Address& /* from */, uint32_t epoch)
    {
        m_deposed = epoch == 1;
        GetPort(1)->Close(PORT);
    }

    void TakeOver()
    {
        const auto place = InetSocketAddress::ConvertFrom(m_addresses[1]).GetIpv4();
        GetPort(2)->Reopen(PORT, 1, place.Get());
        Say(2, 0, 12);
    }

    void DoRun() override
    {
        m_network.SetPortAttribute("Reliable", BooleanValue(true));
        Build();
        if (m_isAllowed)
        {
            GetPort(0)->AddAlternate(InetSocketAddress::ConvertFrom(m_addresses[1]).GetIpv4(),
                                     InetSocketAddress::ConvertFrom(m_addresses[2]).GetIpv4());
        }
        GetPort(1)->SetDeposed(PORT, MakeCallback(&ReliablePlaceTestCase::Step, this));
        Say(1, 0, 10);
        Say(1, 0, 11);
        ScheduleCall(MilliSeconds(1), [this] { TakeOver(); });
        ScheduleCall(MilliSeconds(2), [this] {
            Say(1, 0, 20); // where the other has said 12
            Say(1, 0, 21);
        });
        ScheduleCall(MilliSeconds(3), [this] { Say(0, 1, 30); });
        Simulator::Run();
        std::vector<uint32_t> told;
        for (const auto& [number, time] : m_heard[0])
        {
            told.push_back(number);
        }
        const std::vector<uint32_t> replaced{10, 11, 12};
        const std::vector<uint32_t> undisturbed{10, 11, 20, 21};
        NS_TEST_EXPECT_MSG_EQ((told == (m_isAllowed ? replaced : undisturbed)), true, "is heard");
        NS_TEST_EXPECT_MSG_EQ(m_deposed, m_isAllowed, "the first learns it");
        NS_TEST_EXPECT_MSG_EQ((GetPort(0)->GetRefused() > 0), true, "frames are refused");
        NS_TEST_EXPECT_MSG_EQ(m_heard[2].size(), (m_isAllowed ? 1u : 0u), "what is said to it now");
        NS_TEST_EXPECT_MSG_EQ(m_heard[1].size(), (m_isAllowed ? 0u : 1u), "and to the first");
        NS_TEST_EXPECT_MSG_EQ((m_from[0] == m_addresses[1]), true, "the name remains");
    }

    bool m_isAllowed;
    bool m_deposed{false};
};

/** A channel that is gone, while its timers run. */
class ChannelGoneTestCase : public PicosecondTestCase
{
  public:
    ChannelGoneTestCase()
        : PicosecondTestCase("A channel that is gone sends nothing, and its timers do not expire")
    {
    }

  private:
    /** Counts frames by whether they have messages. */
    class FrameCounter : public ManagementChannel::Carrier
    {
      public:
        void Carry(const ManagementChannel& /* channel */,
                   const ChannelHeader& /* header */,
                   const std::vector<uint8_t>& bytes) override
        {
            ++(bytes.empty() ? acknowledgements : frames);
        }

        uint32_t acknowledgements{0};
        uint32_t frames{0};
    };

    /** @return the frames of a channel that is gone, or is not, when its timers expire */
    FrameCounter Run(bool goes)
    {
        FrameCounter counter;
        const ManagementChannel::Times times{MicroSeconds(10),
                                             MilliSeconds(1),
                                             MilliSeconds(1),
                                             MilliSeconds(1),
                                             MilliSeconds(3)};
        // The memory stays, so that a timer of a channel that is gone would send.
        std::optional<ManagementChannel> channel;
        channel.emplace(counter, ManagementChannel::Flow{1, 2, 3}, times, 0);
        channel->Append(OpusRelease());
        channel->Flush(); // waits for an acknowledgement
        ReliableSender peer;
        peer.Append(OpusRelease());
        const auto segment = peer.Send(1000, Simulator::Now());
        channel->Receive(ChannelHeader(), segment.bytes.data(), segment.bytes.size());
        ScheduleCall(MicroSeconds(5), [&] {
            if (goes)
            {
                channel.reset();
            }
        });
        Simulator::Run();
        channel.reset();
        return counter;
    }

    void DoRun() override
    {
        const FrameCounter stays = Run(false);
        NS_TEST_EXPECT_MSG_EQ(stays.acknowledgements, 1u, "of the message of the peer");
        NS_TEST_EXPECT_MSG_GT(stays.frames, 1u, "the message is sent again");
        const FrameCounter goes = Run(true);
        NS_TEST_EXPECT_MSG_EQ(goes.acknowledgements, 0u, "no acknowledgement");
        NS_TEST_EXPECT_MSG_EQ(goes.frames, 1u, "the message is sent once");
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
        AddTestCase(new ChannelGoneTestCase);
        AddTestCase(new ManagementBatchTestCase);
        AddTestCase(new ManagementFramesTestCase);
        AddTestCase(new ManagementNobodyTestCase);
        AddTestCase(new ForgedFramesTestCase(false));
        AddTestCase(new ForgedFramesTestCase(true));
        AddTestCase(new ReliableTimesTestCase);
        for (double loss : {0.0, 1e-3, 0.1, 0.3})
        {
            for (bool delays : {false, true})
            {
                if (loss > 0 || delays)
                {
                    AddTestCase(new ReliableLossTestCase(loss, delays));
                }
            }
        }
        AddTestCase(new ReliableEpochTestCase);
        AddTestCase(new ReliablePlaceTestCase(true));
        AddTestCase(new ReliablePlaceTestCase(false));
    }
};

ManagementNetworkTestSuite g_managementNetworkTestSuite; //!< the instance

} // namespace
