// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What the electrical switch does with frames: priorities, equal-cost ports, marks, memory, and the
 * reasons of drops.
 */

#include "switch-stations.h"

#include "ns3/double.h"
#include "ns3/electrical-switch.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Memory of a switch without attributes. */
class PresetTestCase : public PicosecondTestCase
{
  public:
    PresetTestCase()
        : PicosecondTestCase("Without attributes, memory is that of the preset of the port rate")
    {
    }

  private:
    /// @return bytes of the shared part and of the reserves of a number of ports
    uint64_t GetSize(const std::string& rate, uint32_t ports, bool apply)
    {
        SwitchNetwork network;
        auto bench = network.AddSwitch();
        bench->SetAttribute("PfcReactionTime", TimeValue(Time(0)));
        for (uint32_t i = 0; i < ports; ++i)
        {
            network.AddStation(0, rate);
        }
        if (apply)
        {
            bench->ApplyPreset(SwitchPreset::Find(DataRate(rate)));
        }
        const uint64_t headroom =
            SwitchBuffer::GetHeadroom(DataRate(rate).GetBitRate(), 100e-9, 9240, 0);
        bench->Start();
        return bench->GetBuffer().GetSharedSize() + ports * (headroom + 8 * 4608);
    }

    void DoRun() override
    {
        for (const auto& preset : SwitchPreset::GetAll())
        {
            const std::string rate = preset.name + "bps";
            NS_TEST_EXPECT_MSG_EQ(GetSize(rate, 4, false), preset.bufferBytes, preset.chip);
            NS_TEST_EXPECT_MSG_EQ(GetSize(rate, 4, true), preset.bufferBytes, preset.chip);
        }
        NS_TEST_EXPECT_MSG_EQ(GetSize("400Gbps", 64, false), 113'000'000, "one chip");
        NS_TEST_EXPECT_MSG_EQ(GetSize("400Gbps", 65, false), 226'000'000, "two chips");
    }
};

/** Attributes that do not fit together. */
class CheckTestCase : public PicosecondTestCase
{
  public:
    CheckTestCase()
        : PicosecondTestCase("Attributes that do not fit together are found before the start")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        auto bench = network.AddSwitch();
        NS_TEST_EXPECT_MSG_EQ(bench->Check(), "", "no ports");
        for (uint32_t i = 0; i < 3; ++i)
        {
            network.AddStation(0);
        }
        NS_TEST_EXPECT_MSG_EQ(bench->Check(), "", "the preset");
        const uint64_t headroom = SwitchBuffer::GetHeadroom(400'000'000'000, 100e-9, 9240, 2018e-9);
        const uint64_t setAside = 3 * (headroom + 8 * 4608);
        bench->SetAttribute("BufferSize", UintegerValue(setAside));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(),
                              "BufferSize: a memory of " + std::to_string(setAside) +
                                  " bytes leaves nothing to share: reserves and headroom of 3 "
                                  "ports take " +
                                  std::to_string(setAside),
                              "nothing is left");
        bench->SetAttribute("Pfc", BooleanValue(false));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(), "", "without headroom");
        bench->SetAttribute("Pfc", BooleanValue(true));
        bench->SetAttribute("BufferSize", UintegerValue(setAside + 1));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(), "", "one byte");
        const uint64_t kmax = SwitchPreset::Find(DataRate("400Gbps")).kmax;
        bench->SetAttribute("Kmin", UintegerValue(kmax));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(), "", "a step");
        bench->SetAttribute("Kmin", UintegerValue(kmax + 1));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(),
                              "Kmin is " + std::to_string(kmax + 1) + " bytes, above Kmax of " +
                                  std::to_string(kmax) + " (what is not set is that of the preset)",
                              "the preset's");
        bench->SetAttribute("Kmax", UintegerValue(kmax));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(),
                              "Kmin is " + std::to_string(kmax + 1) + " bytes, above Kmax of " +
                                  std::to_string(kmax),
                              "both");
        bench->SetAttribute("Ecn", BooleanValue(false));
        NS_TEST_EXPECT_MSG_EQ(bench->Check(), "", "nothing is marked");
        bench->Start();
        NS_TEST_EXPECT_MSG_EQ(bench->GetBuffer().GetSharedSize(), 1, "as checked");
    }
};

/** Control frames and two classes of data compete for a port. */
class PriorityTestCase : public PicosecondTestCase
{
  public:
    PriorityTestCase()
        : PicosecondTestCase("Control goes first, data of two priorities shares the rest")
    {
    }

  private:
    void DoRun() override
    {
        SwitchNetwork network;
        network.AddSwitch();
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        SwitchStation& control = network.AddStation(0);
        SwitchStation& sink = network.AddStation(0);
        constexpr uint32_t bytes = 4154;
        for (uint32_t i = 0; i < 200; ++i)
        {
            a.Send(sink.address, bytes, TOS_0);
            b.Send(sink.address, bytes, TOS_1);
        }
        constexpr uint32_t before = 100; // frames that a and b have sent by then
        Simulator::Schedule(FrameTime(bytes) * int64_t{before},
                            &SwitchStation::Send,
                            &control,
                            sink.address,
                            62,
                            TOS_6,
                            0);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink.arrivals.size(), 401, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(network.GetPort(0, 3)->GetBytesSent(),
                              400 * (bytes + 24) + 62 + 24,
                              "what the port has sent, with FCS, preamble and gap");
        NS_TEST_EXPECT_MSG_EQ(network.GetPort(0, 0)->GetBytesSent(), 0, "nothing to a");
        const Time sent = FrameTime(bytes) * int64_t{before};
        std::map<uint8_t, uint32_t> count;
        for (uint32_t i = 0; i < sink.arrivals.size(); ++i)
        {
            const auto& arrival = sink.arrivals[i];
            if (arrival.header.tos == TOS_6)
            {
                // It waits for the frame that is being sent, and for no other.
                const Time idle = FrameTime(62) * 2 + NanoSeconds(700);
                const Time wait = arrival.at - sent - idle;
                NS_TEST_EXPECT_MSG_EQ((wait >= Time(0) && wait <= FrameTime(bytes)),
                                      true,
                                      "control waits " << wait.As(Time::NS));
                continue;
            }
            ++count[arrival.header.tos];
            if (i < 300)
            {
                const int ahead = static_cast<int>(count[TOS_0]) - static_cast<int>(count[TOS_1]);
                NS_TEST_EXPECT_MSG_LT(std::abs(ahead), 6, "a turn is 3.9 frames");
            }
        }
    }
};

/** Equal-cost ports. */
class EcmpTestCase : public PicosecondTestCase
{
  public:
    EcmpTestCase()
        : PicosecondTestCase("Equal-cost ports: one flow keeps one path, flows spread evenly")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t paths = 4;
        constexpr uint32_t flows = 400;
        SwitchNetwork network;
        network.AddSwitch()->SetAttribute("EcmpSeed", UintegerValue(7));
        SwitchStation& from = network.AddStation(0);
        for (uint32_t i = 0; i < paths; ++i)
        {
            network.AddStation(0, "400Gbps", false);
        }
        const Ipv4Address first("10.1.0.0");
        network.switches[0]->AddRoute(first, Ipv4Address("10.1.255.255"), {1, 2, 3, 4});
        for (uint32_t round = 0; round < 3; ++round)
        {
            for (uint16_t flow = 0; flow < flows; ++flow)
            {
                from.Send(Ipv4Address("10.1.2.3"), 100, TOS_3, flow);
            }
        }
        Simulator::Run();
        double chiSquare = 0;
        std::map<uint16_t, uint32_t> pathOf;
        for (uint32_t path = 1; path <= paths; ++path)
        {
            const auto& arrivals = network.stations[path]->arrivals;
            for (const auto& arrival : arrivals)
            {
                const auto known = pathOf.emplace(arrival.header.sourcePort, path);
                NS_TEST_EXPECT_MSG_EQ(known.first->second, path, "a flow stays on its path");
            }
            const double expected = static_cast<double>(flows) / paths;
            const double off = arrivals.size() / 3.0 - expected;
            chiSquare += off * off / expected;
        }
        NS_TEST_EXPECT_MSG_EQ(pathOf.size(), flows, "all arrive");
        NS_TEST_EXPECT_MSG_LT(chiSquare, 16.3, "3 degrees of freedom: once in a thousand seeds");
    }
};

/** One flow over equal-cost ports of which one leads to a slow sink. */
class SprayTestCase : public PicosecondTestCase
{
  public:
    SprayTestCase()
        : PicosecondTestCase("Spraying divides the frames of a flow, adaptive routing by queues")
    {
    }

  private:
    /// @return frames on each of four ports, of which the last has an eighth of the rate
    std::vector<std::size_t> Send(const std::string& balancing)
    {
        constexpr uint32_t paths = 4;
        SwitchNetwork network;
        const auto bench = network.AddSwitch();
        bench->SetAttribute("LoadBalancing", StringValue(balancing));
        NS_TEST_EXPECT_MSG_EQ(bench->MayReorder(), false, "no destination has several ports yet");
        SwitchStation& from = network.AddStation(0);
        for (uint32_t i = 0; i < paths; ++i)
        {
            network.AddStation(0, i + 1 < paths ? "400Gbps" : "50Gbps", false);
        }
        const Ipv4Address to("10.1.2.3");
        network.switches[0]->AddRoute(to, to, {1, 2, 3, 4});
        NS_TEST_EXPECT_MSG_EQ(bench->MayReorder(), (balancing != "ecmp"), balancing);
        for (uint32_t i = 0; i < 400; ++i)
        {
            from.Send(to, 4154, TOS_3, 7);
        }
        Simulator::Run();
        std::vector<std::size_t> counts;
        for (uint32_t path = 1; path <= paths; ++path)
        {
            counts.push_back(network.stations[path]->arrivals.size());
        }
        NS_TEST_EXPECT_MSG_EQ(counts[0] + counts[1] + counts[2] + counts[3], 400, "all arrive");
        return counts;
    }

    void DoRun() override
    {
        const auto ecmp = Send("ecmp");
        NS_TEST_EXPECT_MSG_EQ(*std::max_element(ecmp.begin(), ecmp.end()), 400, "one path");
        for (const std::size_t count : Send("round-robin"))
        {
            NS_TEST_EXPECT_MSG_EQ(count, 100, "in turn");
        }
        for (const std::size_t count : Send("random"))
        {
            NS_TEST_EXPECT_MSG_EQ((count > 70 && count < 130), true, count << " at random");
        }
        // A frame arrives each 84 ns, and the slow port needs eight times that for one.
        const auto adaptive = Send("adaptive");
        NS_TEST_EXPECT_MSG_LT(adaptive[3], 70, "fewer frames where they queue");
        NS_TEST_EXPECT_MSG_GT(adaptive[3], 30, "but some");
    }
};

/** Switches that are told no seed. */
class OwnSeedTestCase : public PicosecondTestCase
{
  public:
    OwnSeedTestCase()
        : PicosecondTestCase("Switches without a seed choose independently of each other")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t paths = 4;
        constexpr uint16_t flows = 400;
        SwitchNetwork network;
        std::vector<std::map<uint16_t, uint32_t>> pathOf(2); // by switch
        for (uint32_t at = 0; at < 2; ++at)
        {
            network.AddSwitch();
            SwitchStation& from = network.AddStation(at);
            from.address = Ipv4Address("10.2.0.1"); // the same flows
            for (uint32_t i = 0; i < paths; ++i)
            {
                network.AddStation(at, "400Gbps", false);
            }
            const Ipv4Address to("10.1.2.3");
            network.switches[at]->AddRoute(to, to, {1, 2, 3, 4});
            for (uint16_t flow = 0; flow < flows; ++flow)
            {
                from.Send(to, 100, TOS_3, flow);
            }
        }
        Simulator::Run();
        for (uint32_t i = 0; i < 2 * (1 + paths); ++i)
        {
            for (const auto& arrival : network.stations[i]->arrivals)
            {
                pathOf[i / (1 + paths)][arrival.header.sourcePort] = i % (1 + paths);
            }
        }
        uint32_t alike = 0;
        for (const auto& [flow, path] : pathOf[0])
        {
            alike += pathOf[1][flow] == path;
        }
        NS_TEST_EXPECT_MSG_EQ(pathOf[0].size(), flows, "all arrive");
        // Binomial: 100 expected, standard deviation 8.7.
        NS_TEST_EXPECT_MSG_EQ_TOL(alike, flows / paths, 35, "alike by chance");
    }
};

/** Marks. */
class MarkTestCase : public PicosecondTestCase
{
  public:
    MarkTestCase()
        : PicosecondTestCase("Marks follow the formula, on copies, of flows that know ECN only")
    {
    }

  private:
    void Enqueued(Ptr<const Packet> frame, uint32_t, uint8_t priority, uint64_t depth)
    {
        if (priority == 0)
        {
            const double p = m_marker.GetProbability(depth - frame->GetSize());
            m_expected += p;
            m_variance += p * (1 - p);
        }
    }

    void Marked(Ptr<const Packet>, uint32_t port, uint8_t priority, uint64_t depth)
    {
        ++m_marks;
        NS_TEST_EXPECT_MSG_EQ(port, 2, "output port");
        NS_TEST_EXPECT_MSG_EQ(+priority, 0, "the one that knows ECN");
        NS_TEST_EXPECT_MSG_GT(depth, m_marker.GetKmin(), "below Kmin");
    }

    void DoRun() override
    {
        SwitchNetwork network;
        auto bench = network.AddSwitch();
        bench->SetAttribute("Kmin", UintegerValue(m_marker.GetKmin()));
        bench->SetAttribute("Kmax", UintegerValue(m_marker.GetKmax()));
        bench->SetAttribute("Pmax", DoubleValue(0.4));
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        SwitchStation& sink = network.AddStation(0);
        bench->TraceConnectWithoutContext("Enqueue", MakeCallback(&MarkTestCase::Enqueued, this));
        bench->TraceConnectWithoutContext("Mark", MakeCallback(&MarkTestCase::Marked, this));
        std::vector<Ptr<Packet>> sent;
        for (uint32_t i = 0; i < 8000; ++i)
        {
            sent.push_back(a.Send(sink.address, 1000, TOS_0));
            b.Send(sink.address, 1000, TOS_3 & ~3); // does not know ECN
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_marks, 1000, "many are marked");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_marks, m_expected, 4 * std::sqrt(m_variance), "formula");
        NS_TEST_EXPECT_MSG_EQ(bench->GetStatistics().marked, m_marks, "counted");
        uint32_t arrived = 0;
        for (const auto& arrival : sink.arrivals)
        {
            const bool marked = (arrival.header.tos & 3) == 3;
            arrived += marked;
            const bool kept =
                (arrival.header.tos | 3) == (TOS_0 | 3) || arrival.header.tos == (TOS_3 & ~3);
            NS_TEST_EXPECT_MSG_EQ(kept, true, "the DSCP stays");
            NS_TEST_EXPECT_MSG_EQ(arrival.frame->GetSize(), 1000, "and so does the size");
        }
        NS_TEST_EXPECT_MSG_EQ(arrived, m_marks, "marks arrive");
        for (const auto& frame : sent)
        {
            RoceHeader header;
            frame->PeekHeader(header);
            NS_TEST_EXPECT_MSG_EQ(+header.tos, +TOS_0, "what was sent is as it was");
        }
    }

    EcnMarker m_marker{500'000, 4'500'000, 0.4};
    uint32_t m_marks{0};
    double m_expected{0};
    double m_variance{0};
};

/** Dropped frames and their reasons. */
class SwitchDropTestCase : public PicosecondTestCase
{
  public:
    SwitchDropTestCase()
        : PicosecondTestCase("Each drop has its reason")
    {
    }

  private:
    void Dropped(Ptr<const Packet>,
                 uint32_t port,
                 uint8_t priority,
                 uint64_t depth,
                 ElectricalSwitch::DropReason reason)
    {
        ++m_traced[reason];
        NS_TEST_EXPECT_MSG_EQ(port, 2, "output port");
        m_depth = std::max(m_depth, depth);
        m_priority = priority;
    }

    /// Two stations send to a third; @return the switch's counters
    ElectricalSwitch::Statistics Run(uint8_t tos, double lossyAlpha, bool pfc, bool obey)
    {
        m_traced = {};
        m_depth = 0;
        SwitchNetwork network;
        auto bench = network.AddSwitch();
        bench->SetAttribute("BufferSize", UintegerValue(1'000'000));
        bench->SetAttribute("LossyAlpha", DoubleValue(lossyAlpha));
        bench->SetAttribute("Pfc", BooleanValue(pfc));
        bench->TraceConnectWithoutContext("Drop", MakeCallback(&SwitchDropTestCase::Dropped, this));
        SwitchStation& a = network.AddStation(0);
        SwitchStation& b = network.AddStation(0);
        SwitchStation& sink = network.AddStation(0);
        a.obeys = b.obeys = obey;
        for (uint32_t i = 0; i < 1000; ++i)
        {
            a.Send(sink.address, 4154, tos);
            b.Send(sink.address, 4154, tos);
        }
        Simulator::Run();
        const auto statistics = bench->GetStatistics();
        uint64_t dropped = 0;
        for (const uint64_t count : statistics.dropped)
        {
            dropped += count;
        }
        NS_TEST_EXPECT_MSG_EQ((statistics.dropped == m_traced), true, "traces and counters");
        NS_TEST_EXPECT_MSG_EQ(sink.arrivals.size() + dropped, 2000, "nothing else is lost");
        NS_TEST_EXPECT_MSG_EQ(bench->GetBuffer().GetUsed(), 0, "the memory is empty again");
        NS_TEST_EXPECT_MSG_LT(statistics.maxDepth, 1'000'000, "no more than there is");
        return statistics;
    }

    void DoRun() override
    {
        auto seen = Run(TOS_3, 1, false, true);
        NS_TEST_EXPECT_MSG_GT(seen.dropped[ElectricalSwitch::QUEUE_LIMIT], 500, "lossy");
        NS_TEST_EXPECT_MSG_EQ(seen.dropped[ElectricalSwitch::BUFFER_FULL], 0, "but not full");
        NS_TEST_EXPECT_MSG_EQ(seen.pausesSent, 0, "PFC is off");
        // One queue alone: half of the shared memory at alpha 1; 24 reserves of 4,608 bytes.
        const uint64_t half = (1'000'000 - 24 * 4608) / 2;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_depth, half, 2 * (4154 + 4608), "at the threshold");
        NS_TEST_EXPECT_MSG_EQ(+m_priority, 3, "priority");

        seen = Run(TOS_0, 1000, true, true);
        NS_TEST_EXPECT_MSG_GT(seen.dropped[ElectricalSwitch::BUFFER_FULL], 200, "full");
        NS_TEST_EXPECT_MSG_EQ(seen.pausesSent, 0, "priority 0 is lossy");

        seen = Run(TOS_3, 1, true, false);
        NS_TEST_EXPECT_MSG_GT(seen.dropped[ElectricalSwitch::HEADROOM_FULL], 500, "no obedience");
        NS_TEST_EXPECT_MSG_GT(seen.pausesSent, 0, "though paused");

        seen = Run(TOS_3, 1, true, true);
        NS_TEST_EXPECT_MSG_EQ(seen.dropped[ElectricalSwitch::HEADROOM_FULL], 0, "lossless");
        NS_TEST_EXPECT_MSG_GT(seen.pausesSent, 1, "by pauses");
        NS_TEST_EXPECT_MSG_EQ(seen.pausesSent, seen.resumesSent, "which all end");
    }

    std::array<uint64_t, ElectricalSwitch::DROP_REASONS> m_traced{};
    uint64_t m_depth{0};
    uint8_t m_priority{0};
};

/** Suite of forwarding. */
class ElectricalForwardingTestSuite : public TestSuite
{
  public:
    ElectricalForwardingTestSuite()
        : TestSuite("photonic-rails-electrical-forwarding", Type::UNIT)
    {
        AddTestCase(new PresetTestCase);
        AddTestCase(new CheckTestCase);
        AddTestCase(new PriorityTestCase);
        AddTestCase(new SprayTestCase);
        AddTestCase(new EcmpTestCase);
        AddTestCase(new OwnSeedTestCase);
        AddTestCase(new MarkTestCase);
        AddTestCase(new SwitchDropTestCase);
    }
};

ElectricalForwardingTestSuite g_electricalForwardingTestSuite; //!< the instance

} // namespace
