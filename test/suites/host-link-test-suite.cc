// SPDX-License-Identifier: GPL-2.0-only

// The link between a GPU and its host: messages of any size in frames of 1500 bytes.

#include "picosecond-test-case.h"

#include "ns3/data-rate.h"
#include "ns3/host-link.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <numeric>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Messages that take many frames, one, and a part of one arrive as they were sent, in order.
class LongMessagesTestCase : public PicosecondTestCase
{
  public:
    LongMessagesTestCase()
        : PicosecondTestCase("messages longer than a frame")
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes(2);
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
        helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
        const NetDeviceContainer devices = helper.Install(nodes);
        devices.Get(0)->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&LongMessagesTestCase::FrameSent, this));
        HostLink gpu(devices.Get(0), 3, MakeCallback(&LongMessagesTestCase::Received, this));
        HostLink host(devices.Get(1), 5, MakeCallback(&LongMessagesTestCase::Received, this));
        for (const uint32_t ranks : {20000U, 1U, 400U})
        {
            OpusRequest request;
            request.rank = ranks;
            request.ranks.resize(ranks);
            std::iota(request.ranks.begin(), request.ranks.end(), ranks);
            const OpusMessage message(request);
            m_bytes += message.GetSerializedSize();
            m_sent.push_back(message);
        }
        gpu.Send(m_sent);
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 3u, "messages received");
        for (std::size_t i = 0; i < m_received.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i].GetRank()->rank,
                                  m_sent[i].GetRank()->rank,
                                  "order");
            NS_TEST_EXPECT_MSG_EQ(
                (m_received[i].Get<OpusRequest>()->ranks == m_sent[i].Get<OpusRequest>()->ranks),
                true,
                "ranks");
        }
        NS_TEST_EXPECT_MSG_EQ(m_index, 5u, "the host's number of the link");
        NS_TEST_EXPECT_MSG_EQ(gpu.GetMalformed() + host.GetMalformed(), 0u, "malformed");
        NS_TEST_EXPECT_MSG_EQ(m_longest, 1502u, "a full frame, with 2 bytes of PPP");
        const uint32_t payload = HostLink::MAX_PAYLOAD;
        NS_TEST_EXPECT_MSG_EQ(m_frames, (m_bytes + payload - 1) / payload, "frames");
    }

    void FrameSent(Ptr<const Packet> frame)
    {
        ++m_frames;
        m_longest = std::max(m_longest, frame->GetSize());
    }

    void Received(uint32_t index, const OpusMessage& message)
    {
        m_index = index;
        m_received.push_back(message);
    }

    std::vector<OpusMessage> m_sent;
    std::vector<OpusMessage> m_received;
    uint32_t m_index{0};
    uint32_t m_bytes{0};
    uint32_t m_frames{0};
    uint32_t m_longest{0};
};

/// Test suite photonic-rails-host-link.
class HostLinkTestSuite : public TestSuite
{
  public:
    HostLinkTestSuite()
        : TestSuite("photonic-rails-host-link", Type::UNIT)
    {
        AddTestCase(new LongMessagesTestCase);
    }
};

HostLinkTestSuite g_hostLinkTestSuite; //!< registers itself

} // namespace
