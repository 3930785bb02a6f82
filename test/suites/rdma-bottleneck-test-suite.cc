// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Congestion control of long flows from as many hosts to one: fairness, queue and utilisation.
 */

#include "rdma-hosts.h"

#include "ns3/electrical-switch.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Long flows from as many hosts to one. */
class BottleneckTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param control TypeId of the congestion control
     * @param flows as many hosts send
     * @param fairness bound of Jain's index
     * @param utilisation bound of the share of the time that the port sends
     */
    BottleneckTestCase(const std::string& control,
                       uint32_t flows,
                       double fairness,
                       double utilisation)
        : PicosecondTestCase(control + ", " + std::to_string(flows) + " flows, one bottleneck"),
          m_control(control),
          m_flows(flows),
          m_fairness(fairness),
          m_utilisation(utilisation)
    {
    }

  private:
    void DoRun() override
    {
        RdmaHosts hosts(m_flows + 1);
        hosts.helper.SetFiberAttribute("Delay", TimeValue(NanoSeconds(500)));
        hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue(m_control));
        hosts.helper.SetQueuePairAttribute("Window", UintegerValue(16 << 20)); // out of the way
        hosts.Build({}, false);
        auto device = hosts.cluster.GetSwitches().at(0).device;
        device->AssignStreams(m_flows);
        const auto bottleneck = static_cast<uint32_t>(m_flows);
        const auto depth = ToCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t>(
            [this, bottleneck](Ptr<const Packet>, uint32_t port, uint8_t priority, uint64_t bytes) {
                if (port == bottleneck && priority == 3)
                {
                    DepthIs(bytes);
                }
            });
        device->TraceConnectWithoutContext("Enqueue", depth);
        device->TraceConnectWithoutContext("Dequeue", depth);

        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t flow = 0; flow < m_flows; ++flow)
        {
            auto sender = hosts.cluster.GetNic(flow)->CreateQueuePair(0);
            receivers.push_back(hosts.cluster.GetNic(m_flows)->CreateQueuePair(0));
            sender->Connect(receivers.back()->GetEndpoint());
            receivers.back()->Connect(sender->GetEndpoint());
            // One after the other: late flows find a full port.
            ScheduleCall(MicroSeconds(100 * flow), [sender] { sender->Post(1ULL << 40, 1); });
        }
        Simulator::Stop(WARM_UP);
        Simulator::Run();
        const auto port = DynamicCast<EthernetPortNetDevice>(
            hosts.cluster.GetSwitches().at(0).node->GetDevice(bottleneck));
        const uint64_t sentBefore = port->GetBytesSent();
        const auto switchBefore = device->GetStatistics();
        const auto nicBefore = hosts.GetStatistics(m_flows);
        std::vector<double> goodput;
        for (const auto& receiver : receivers)
        {
            goodput.push_back(-static_cast<double>(receiver->GetStatistics().bytesDelivered));
        }
        m_area = 0;
        m_maxDepth = m_depth;
        m_since = Simulator::Now();
        Simulator::Stop(STEADY);
        Simulator::Run();
        DepthIs(m_depth);
        double sum = 0;
        double squares = 0;
        for (uint32_t flow = 0; flow < m_flows; ++flow)
        {
            goodput[flow] += static_cast<double>(receivers[flow]->GetStatistics().bytesDelivered);
            sum += goodput[flow];
            squares += goodput[flow] * goodput[flow];
        }
        const double jain = sum * sum / (m_flows * squares);
        const double meanDepth = m_area / STEADY.GetDouble();
        const double used = static_cast<double>(port->GetBytesSent() - sentBefore) * 8 /
                            (400e9 * STEADY.GetSeconds());
        const auto after = device->GetStatistics();
        const auto nicAfter = hosts.GetStatistics(m_flows);
        const auto [least, most] = std::minmax_element(goodput.begin(), goodput.end());
        std::ostringstream row;
        row << std::fixed << std::setprecision(3) << "# " << m_control << ", " << m_flows
            << " flows: Jain " << jain << ", flows " << *least * 8 / STEADY.GetSeconds() / 1e9
            << " to " << *most * 8 / STEADY.GetSeconds() / 1e9 << " Gbit/s, queue mean "
            << meanDepth / 1e6 << " MB, max " << m_maxDepth / 1e6 << " MB, utilisation " << used
            << ", CNPs " << nicAfter.cnpsSent - nicBefore.cnpsSent << ", marks "
            << after.marked - switchBefore.marked << ", pauses "
            << after.pausesSent - switchBefore.pausesSent << ", since the start "
            << after.pausesSent << "\n";
        std::cout << row.str();
        NS_TEST_EXPECT_MSG_GT(jain, m_fairness, "fairness");
        NS_TEST_EXPECT_MSG_LT(meanDepth, KMAX, "mean queue");
        NS_TEST_EXPECT_MSG_GT(used, m_utilisation, "utilisation");
        for (uint32_t host = 0; host < m_flows; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(host).timeouts, 0, "time-outs");
            NS_TEST_EXPECT_MSG_EQ(hosts.GetStatistics(host).retransmissions, 0, "repeats");
        }
    }

    /// The queue in front of the bottleneck has changed.
    void DepthIs(uint64_t bytes)
    {
        m_area += m_depth * (Simulator::Now() - m_since).GetDouble();
        m_since = Simulator::Now();
        m_depth = static_cast<double>(bytes);
        m_maxDepth = std::max(m_maxDepth, m_depth);
    }

    static constexpr double KMAX = 6.4e6; //!< bytes, of the switch's preset for 400 Gbit/s
    const Time WARM_UP = MilliSeconds(20);
    const Time STEADY = MilliSeconds(20);

    std::string m_control;
    uint32_t m_flows;
    double m_fairness;
    double m_utilisation;
    double m_depth{0};
    double m_maxDepth{0};
    double m_area{0}; //!< bytes x time
    Time m_since;
};

/** Suite of bottlenecks. */
class RdmaBottleneckTestSuite : public TestSuite
{
  public:
    RdmaBottleneckTestSuite()
        : TestSuite("photonic-rails-rdma-bottleneck", Type::UNIT)
    {
        for (const uint32_t flows : {2, 8, 32})
        {
            // With the constants of NICs, rates fall further and rise later.
            AddTestCase(new BottleneckTestCase("ns3::RdmaDcqcn", flows, 0.93, 0.88));
            AddTestCase(new BottleneckTestCase("ns3::RdmaDcqcnPaper", flows, 0.95, 0.95));
            AddTestCase(new BottleneckTestCase("ns3::RdmaSwift", flows, 0.95, 0.95));
        }
    }
};

RdmaBottleneckTestSuite g_rdmaBottleneckTestSuite; //!< the instance

} // namespace
