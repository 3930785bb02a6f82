// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How long incasts take, as multiples of the time that fair shares of the receiver's port need:
 * congestion controls on a network with PFC, and both ways of loss recovery on one without.
 */

#include "rdma-hosts.h"

#include "ns3/boolean.h"
#include "ns3/electrical-switch.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

using namespace ns3;
using namespace ns3::test;

namespace
{

const std::vector<uint64_t> TWO{4 << 20, 16 << 20};          //!< bytes of each sender
const std::vector<uint64_t> SIXTEEN(16, uint64_t{16} << 20); //!< the same

/// Messages from as many hosts to one at 400 Gbit/s, all at once.
struct Incast
{
    std::string control; //!< TypeId of the congestion control, or empty
    bool selective;      //!< selective repeat instead of go-back-N
    bool pfc;            //!< the switch pauses senders instead of dropping
    uint32_t window;     //!< most unacknowledged bytes of a sender
    std::vector<uint64_t> bytes;
};

/// How an incast went.
struct Outcome
{
    std::vector<double> slowdowns; //!< of each message, 1: as fast as a fair share of the port
    double worst{0};               //!< the largest of them
    uint64_t queue{0};             //!< longest in front of the receiver, in bytes
    uint64_t pauses{0};
    uint64_t dropped{0};
    RdmaQueuePair::Statistics sum; //!< of the senders
};

/** Runs incasts. */
class SlowdownTestCase : public PicosecondTestCase
{
  public:
    using PicosecondTestCase::PicosecondTestCase;

  protected:
    /// @return the results of an incast
    Outcome Run(const Incast& incast)
    {
        const auto flows = static_cast<uint32_t>(incast.bytes.size());
        RdmaHosts hosts(flows + 1);
        hosts.helper.SetQueuePairAttribute("CongestionControl", StringValue(incast.control));
        hosts.helper.SetQueuePairAttribute("Window", UintegerValue(incast.window));
        hosts.helper.SetQueuePairAttribute(
            "LossRecovery",
            StringValue(incast.selective ? "SelectiveRepeat" : "GoBackN"));
        if (!incast.pfc)
        {
            // As the flag --pfc=false; the memory holds no more than half of the default windows.
            hosts.helper.SetQueuePairAttribute("InitialTimeout", TimeValue(MicroSeconds(320)));
            hosts.helper.SetQueuePairAttribute("MinTimeout", TimeValue(MicroSeconds(320)));
            hosts.helper.SetSwitchAttribute("Pfc", BooleanValue(false));
            hosts.helper.SetSwitchAttribute("BufferSize", UintegerValue(8'000'000));
        }
        hosts.Build({}, false);
        auto device = hosts.cluster.GetSwitches().at(0).device;
        device->AssignStreams(1);
        Outcome outcome;
        device->TraceConnectWithoutContext(
            "Enqueue",
            ToCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t>(
                [&outcome, flows](Ptr<const Packet>, uint32_t port, uint8_t, uint64_t bytes) {
                    outcome.queue = std::max(outcome.queue, port == flows ? bytes : 0);
                }));
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            hosts.Connect(flow, flows, {0}).first->Post(incast.bytes[flow], flow);
        }
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(hosts.logs[flows].received.size(), flows, "every message, once");
        outcome.slowdowns.resize(flows);
        for (const auto& one : hosts.logs[flows].received)
        {
            const Time ideal = GetIdeal(incast, one.immediate);
            outcome.slowdowns[one.immediate] =
                (one.at - hosts.start).GetDouble() / ideal.GetDouble();
        }
        outcome.worst = *std::max_element(outcome.slowdowns.begin(), outcome.slowdowns.end());
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            const auto one = hosts.GetStatistics(flow);
            outcome.sum.timeouts += one.timeouts;
            outcome.sum.dataPacketsSent += one.dataPacketsSent;
            outcome.sum.retransmissions += one.retransmissions;
            outcome.sum.bytesFailed += one.bytesFailed;
        }
        NS_TEST_EXPECT_MSG_EQ(outcome.sum.bytesFailed, 0, "nothing fails");
        const auto seen = device->GetStatistics();
        outcome.pauses = seen.pausesSent;
        outcome.dropped = std::accumulate(seen.dropped.begin(), seen.dropped.end(), uint64_t{0});
        Print(incast, outcome);
        return outcome;
    }

  private:
    /// @return when a message would be complete if the unfinished ones shared the port fairly
    static Time GetIdeal(const Incast& incast, uint32_t flow)
    {
        Time sum = PathDelay();
        for (const uint64_t other : incast.bytes)
        {
            const auto packets = PacketTimes(std::min(incast.bytes[flow], other));
            sum += Sum(packets, packets.size());
        }
        return sum;
    }

    static void Print(const Incast& incast, const Outcome& outcome)
    {
        std::ostringstream row;
        row << std::fixed << std::setprecision(2) << "# " << incast.bytes.size() << " to 1, "
            << (incast.control.empty() ? "no control" : incast.control) << ", window "
            << incast.window / 1024 << " KiB, "
            << (incast.pfc         ? "PFC"
                : incast.selective ? "selective repeat"
                                   : "go-back-N")
            << ": ";
        if (incast.bytes.size() == TWO.size())
        {
            row << outcome.slowdowns[0] << " and " << outcome.slowdowns[1];
        }
        else
        {
            row << outcome.worst;
        }
        row << " times ideal, queue " << outcome.queue / 1e6 << " MB, pauses " << outcome.pauses
            << ", dropped " << outcome.dropped << ", repeated " << outcome.sum.retransmissions
            << " of " << outcome.sum.dataPacketsSent << ", time-outs " << outcome.sum.timeouts
            << "\n";
        std::cout << row.str();
    }
};

/** A congestion control with PFC. */
class ControlledIncastTestCase : public SlowdownTestCase
{
  public:
    /**
     * @param control TypeId of the congestion control
     * @param two bound of the slowdowns of a message of 4 and one of 16 MiB
     * @param sixteen bound of the slowdowns of 16 messages of 16 MiB
     * @param mayPause whether 16 messages need pauses
     */
    ControlledIncastTestCase(const std::string& control, double two, double sixteen, bool mayPause)
        : SlowdownTestCase(control + ": incasts with PFC"),
          m_control(control),
          m_two(two),
          m_sixteen(sixteen),
          m_mayPause(mayPause)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& bytes : {TWO, SIXTEEN})
        {
            const bool few = bytes.size() == TWO.size();
            const auto outcome = Run({m_control, false, true, 16 << 20, bytes});
            NS_TEST_EXPECT_MSG_LT(outcome.worst, (few ? m_two : m_sixteen), "slowdown");
            NS_TEST_EXPECT_MSG_EQ((outcome.pauses > 0), (!few && m_mayPause), "pauses");
            NS_TEST_EXPECT_MSG_EQ(outcome.sum.retransmissions, 0, "nothing is repeated");
        }
    }

    std::string m_control;
    double m_two;
    double m_sixteen;
    bool m_mayPause;
};

/** Both ways of loss recovery without PFC. */
class LossyIncastTestCase : public SlowdownTestCase
{
  public:
    /**
     * @param control TypeId of the congestion control, or empty
     * @param window most unacknowledged bytes of a sender
     * @param most bound of the slowdown with selective repeat
     */
    LossyIncastTestCase(const std::string& control, uint32_t window, double most)
        : SlowdownTestCase((control.empty() ? "No control" : control) + ", window " +
                           std::to_string(window) + ": incasts without PFC"),
          m_control(control),
          m_window(window),
          m_most(most)
    {
    }

  private:
    void DoRun() override
    {
        const auto back = Run({m_control, false, false, m_window, SIXTEEN});
        const auto selective = Run({m_control, true, false, m_window, SIXTEEN});
        NS_TEST_EXPECT_MSG_GT(selective.dropped, 1000, "losses");
        NS_TEST_EXPECT_MSG_LT(selective.worst, m_most, "slowdown");
        NS_TEST_EXPECT_MSG_LT(selective.worst, back.worst * 1.05, "not slower than go-back-N");
    }

    std::string m_control;
    uint32_t m_window;
    double m_most;
};

/** Suite of slowdowns. */
class RdmaSlowdownTestSuite : public TestSuite
{
  public:
    RdmaSlowdownTestSuite()
        : TestSuite("photonic-rails-rdma-slowdown", Type::UNIT)
    {
        AddTestCase(new ControlledIncastTestCase("ns3::RdmaDcqcn", 2.2, 1.3, false));
        AddTestCase(new ControlledIncastTestCase("ns3::RdmaDcqcnPaper", 2.0, 1.55, true));
        AddTestCase(new ControlledIncastTestCase("ns3::RdmaSwift", 1.025, 1.025, false));
        // IRN: without PFC an incast takes at most 2.5 % longer than with PFC.
        AddTestCase(new LossyIncastTestCase("", 1 << 20, 1.025));
        AddTestCase(new LossyIncastTestCase("", 16 << 20, 1.3));
        AddTestCase(new LossyIncastTestCase("ns3::RdmaDcqcn", 1 << 20, 1.1));
        AddTestCase(new LossyIncastTestCase("ns3::RdmaDcqcn", 16 << 20, 1.3));
        AddTestCase(new LossyIncastTestCase("ns3::RdmaSwift", 16 << 20, 1.025));
    }
};

RdmaSlowdownTestSuite g_rdmaSlowdownTestSuite; //!< the instance

} // namespace
