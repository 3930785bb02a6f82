// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Ascii traces of transceivers: a small transfer line by line, the same in packets and in bursts.
 */

#include "rdma-hosts.h"

#include "ns3/output-stream-wrapper.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <sstream>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// @return the text of a file, empty if there is none
std::string
ReadText(const std::string& name)
{
    std::ifstream file(name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// @return lines that begin with a letter
uint64_t
CountLines(const std::string& text, char letter)
{
    std::istringstream lines(text);
    uint64_t count = 0;
    for (std::string line; std::getline(lines, line);)
    {
        count += !line.empty() && line[0] == letter;
    }
    return count;
}

/// @return a line of a stream that several ports share
std::string
MakeLine(char letter, Time at, uint32_t node, const std::string& source, const std::string& frame)
{
    std::ostringstream line;
    const int64_t second = 1000000000000;
    line << letter << ' ' << at.GetPicoSeconds() / second << '.' << std::setw(12)
         << std::setfill('0') << at.GetPicoSeconds() % second << " /NodeList/" << node
         << "/DeviceList/0/$ns3::EthernetPortNetDevice/" << source << ' ' << frame << '\n';
    return line.str();
}

/** Three packets and their acknowledgement. */
class LinesTestCase : public PicosecondTestCase
{
  public:
    LinesTestCase()
        : PicosecondTestCase("A message of three packets, line by line")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* fidelity : {"Packet", "Burst"})
        {
            NS_TEST_EXPECT_MSG_EQ(Run(fidelity), m_expected, "the trace, " << fidelity);
            NS_TEST_EXPECT_MSG_EQ(std::count(m_expected.begin(), m_expected.end(), '\n'),
                                  3 * 4,
                                  "three lines a packet");
        }
    }

    std::string Run(const std::string& fidelity)
    {
        RdmaHosts hosts(2);
        hosts.helper.SetNicAttribute("Fidelity", StringValue(fidelity));
        hosts.Build({{0, 1}});
        auto ends = hosts.Connect(0, 1, {0});
        std::ostringstream text;
        hosts.helper.EnableAscii(Create<OutputStreamWrapper>(&text), hosts.cluster.GetNicPorts());
        ends.first->Post(2 * 4096 + 10, 5);
        Simulator::Run();
        m_expected = MakeExpected(hosts.start);
        return text.str();
    }

    std::string MakeExpected(Time start)
    {
        const std::string way = "ns3::RoceHeader (10.0.0.1 > 10.0.0.2 RoCEv2 opcode=";
        // The payload that follows is padded and has the ICRC behind it.
        const std::vector<std::string> data{way + "6 qp=16 psn=0 payload=4096) Payload (size=4100)",
                                            way + "7 qp=16 psn=1 payload=4096) Payload (size=4100)",
                                            way + "9 qp=16 psn=2 payload=10) Payload (size=16)"};
        const std::string ack = "ns3::RoceHeader (10.0.0.2 > 10.0.0.1 RoCEv2 opcode=17 qp=16 psn=2 "
                                "payload=0) Payload (size=4)";
        const auto times = PacketTimes(2 * 4096 + 10);
        std::vector<std::pair<Time, std::string>> lines;
        for (std::size_t i = 0; i < 3; ++i)
        {
            const Time sent = start + Sum(times, i);
            const Time arrived = sent + times[i] + PathDelay();
            lines.emplace_back(sent,
                               MakeLine('+', sent, 0, "MacTx", data[i]) +
                                   MakeLine('-', sent, 0, "PhyTxBegin", data[i]));
            lines.emplace_back(arrived, MakeLine('r', arrived, 1, "MacRx", data[i]));
        }
        const Time answered = start + Sum(times, 3) + PathDelay();
        const Time acknowledged = answered + AckTime() + PathDelay();
        lines.emplace_back(answered,
                           MakeLine('+', answered, 1, "MacTx", ack) +
                               MakeLine('-', answered, 1, "PhyTxBegin", ack));
        lines.emplace_back(acknowledged, MakeLine('r', acknowledged, 0, "MacRx", ack));
        std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
        std::string text;
        for (const auto& [at, line] : lines)
        {
            text += line;
        }
        return text;
    }

    std::string m_expected;
};

/** The frames of one port of two, with losses. */
class SameFilesTestCase : public PicosecondTestCase
{
  public:
    SameFilesTestCase()
        : PicosecondTestCase("The file of a port is the same in packets and in bursts")
    {
    }

  private:
    /// The results of a run.
    struct Result
    {
        std::string text;
        Time received;
        RdmaQueuePair::Statistics sender;
        RdmaQueuePair::Statistics receiver;
        uint64_t burstPackets;
    };

    void DoRun() override
    {
        // An error model would end bursts: whether a trace changes times is asked without one.
        const Result clean = Run("Burst", true, false);
        const Result untraced = Run("Burst", false, false);
        NS_TEST_EXPECT_MSG_EQ(clean.received, untraced.received, "a trace changes no times");
        NS_TEST_EXPECT_MSG_EQ(clean.burstPackets, 0, "it wants packets");
        NS_TEST_EXPECT_MSG_GT(untraced.burstPackets, 0, "which were computed without it");
        NS_TEST_EXPECT_MSG_EQ((clean.text == Run("Packet", true, false).text), true, "same bytes");

        const Result packets = Run("Packet", true, true);
        const Result bursts = Run("Burst", true, true);
        NS_TEST_EXPECT_MSG_EQ((packets.text == bursts.text), true, "byte for byte with a loss");
        NS_TEST_EXPECT_MSG_GT(bursts.sender.retransmissions, 0, "packets are repeated");
        const uint64_t sent = bursts.sender.dataPacketsSent;
        NS_TEST_EXPECT_MSG_GT(bursts.sender.retransmissions, 0, "packets are repeated");
        // It is the receiver's port: acknowledgements leave, and data arrive but for one frame.
        const uint64_t answers = bursts.receiver.acksSent + bursts.receiver.naksSent;
        NS_TEST_EXPECT_MSG_EQ(CountLines(bursts.text, '+'), answers, "acknowledgements");
        NS_TEST_EXPECT_MSG_EQ(CountLines(bursts.text, '-'), answers, "acknowledgements leave");
        NS_TEST_EXPECT_MSG_EQ(CountLines(bursts.text, 'r'), sent - 1, "data");
        NS_TEST_EXPECT_MSG_EQ(CountLines(bursts.text, 'd'), 1, "a loss");
        NS_TEST_EXPECT_MSG_NE(bursts.text.find(" Payload (size=4100) (corrupted)\n"),
                              std::string::npos,
                              "with its reason");
        NS_TEST_EXPECT_MSG_EQ(bursts.text.find("NodeList"), std::string::npos, "no path");
    }

    Result Run(const std::string& fidelity, bool traced, bool lossy)
    {
        const std::string prefix = CreateTempDirFilename("port-" + fidelity);
        Result result;
        {
            RdmaHosts hosts(2);
            hosts.helper.SetNicAttribute("Fidelity", StringValue(fidelity));
            hosts.Build({{0, 1}});
            auto ends = hosts.Connect(0, 1, {0});
            if (lossy)
            {
                hosts.Lose(1, 0, [](uint32_t number, const RoceHeader&) { return number == 40; });
            }
            auto port = hosts.cluster.GetNic(1)->GetPort(0);
            if (traced)
            {
                hosts.helper.EnableAscii(prefix, port);
            }
            ends.first->Post(2000 * 4096, 5);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(hosts.logs[1].received.size(), 1, "it arrives");
            result.received = hosts.logs[1].received.at(0).at;
            result.sender = hosts.GetStatistics(0);
            result.receiver = hosts.GetStatistics(1);
            result.burstPackets = hosts.cluster.GetNic(0)->GetStatistics().burstPackets;
        }
        result.text = traced ? ReadText(prefix + "-1-0.tr") : "";
        return result;
    }
};

/** The overloads of the base class. */
class DevicesTestCase : public PicosecondTestCase
{
  public:
    DevicesTestCase()
        : PicosecondTestCase("All, some, one: ports of an OCS have no frames of their own")
    {
    }

  private:
    void DoRun() override
    {
        const std::string prefix = CreateTempDirFilename("all");
        const std::string one = CreateTempDirFilename("one.tr");
        const std::string nodes = CreateTempDirFilename("nodes");
        {
            RdmaHosts hosts(2);
            hosts.Build({{0, 1}});
            auto ends = hosts.Connect(0, 1, {0});
            hosts.helper.EnableAsciiAll(prefix);
            hosts.helper.EnableAscii(one, hosts.cluster.GetNic(0)->GetPort(0), true);
            hosts.helper.EnableAscii(nodes, NodeContainer(hosts.cluster.GetGpu(1)));
            ends.first->Post(4096, 5);
            Simulator::Run();
        }
        const std::string sender = ReadText(prefix + "-0-0.tr");
        NS_TEST_EXPECT_MSG_EQ(std::count(sender.begin(), sender.end(), '\n'), 3, "three lines");
        NS_TEST_EXPECT_MSG_EQ(ReadText(one), sender, "the same to a file of a given name");
        const std::string receiver = ReadText(prefix + "-1-0.tr");
        NS_TEST_EXPECT_MSG_EQ(receiver.substr(0, 2), "r ", "data first");
        NS_TEST_EXPECT_MSG_EQ(ReadText(nodes + "-1-0.tr"), receiver, "of a node");
        NS_TEST_EXPECT_MSG_EQ(std::ifstream(prefix + "-2-0.tr").is_open(), false, "no OCS port");
    }
};

/** Suite of ascii traces. */
class AsciiTraceTestSuite : public TestSuite
{
  public:
    AsciiTraceTestSuite()
        : TestSuite("photonic-rails-ascii-trace", Type::UNIT)
    {
        AddTestCase(new LinesTestCase);
        AddTestCase(new SameFilesTestCase);
        AddTestCase(new DevicesTestCase);
    }
};

AsciiTraceTestSuite g_asciiTraceTestSuite; //!< the instance

} // namespace
