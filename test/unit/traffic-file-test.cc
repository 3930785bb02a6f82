// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/trace-graph.h"
#include "ns3/traffic-file.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

constexpr const char* TRAFFIC =
    "time_s,source,destination,bytes\n0.5,0,3,100\n0,1,0,7\n0.5,0,3,9\n";

/// A file with a text, until the end of this object.
class TrafficText
{
  public:
    /// @param text content of the file
    explicit TrafficText(const std::string& text)
        : m_name("/tmp/photonic-rails-traffic-" + std::to_string(getpid()) + ".csv")
    {
        std::ofstream(m_name, std::ios::binary) << text;
    }

    ~TrafficText()
    {
        std::remove(m_name.c_str());
    }

    /// @return the name of the file
    const std::string& GetName() const
    {
        return m_name;
    }

  private:
    std::string m_name;
};

/// @return what is wrong with a file, without its name; or an empty string
std::string
RefuseTraffic(const std::string& text)
{
    const TrafficText file(text);
    try
    {
        TrafficFile(file.GetName()).CountRanks(1);
        return "";
    }
    catch (const TraceError& error)
    {
        const std::string line = error.what();
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        return line.substr(file.GetName().size() + 2);
    }
}

} // namespace

TEST(TrafficFile, BecomesNodesOfRanks)
{
    const TrafficText file(TRAFFIC);
    EXPECT_TRUE(TrafficFile::IsTraffic(file.GetName()));
    const TrafficFile traffic(file.GetName());
    EXPECT_EQ(traffic.CountRanks(1), 4U);
    EXPECT_EQ(traffic.CountRanks(3), 6U);
    TraceGroups groups(4, false);
    std::vector<std::vector<std::pair<TraceNode::Kind, uint64_t>>> kinds;
    traffic.Read(groups, [&](TraceRank&&, TraceGraph&& graph) {
        kinds.emplace_back();
        for (const TraceNode& node : graph.nodes)
        {
            const bool isClock = node.kind == TraceNode::HOST;
            kinds.back().emplace_back(node.kind,
                                      isClock ? static_cast<uint64_t>(node.picoseconds)
                                              : node.bytes);
        }
    });
    using Kinds = decltype(kinds);
    EXPECT_EQ(kinds,
              (Kinds{{{TraceNode::RECV, 7},
                      {TraceNode::HOST, 500'000'000'000},
                      {TraceNode::SEND, 100},
                      {TraceNode::SEND, 9}},
                     {{TraceNode::HOST, 0}, {TraceNode::SEND, 7}},
                     {},
                     {{TraceNode::RECV, 100}, {TraceNode::RECV, 9}}}));
}

TEST(TrafficFile, WrongFilesAreAnsweredInOneLine)
{
    const std::string columns = "time_s,source,destination,bytes\n";
    const std::string times = "line 2: time_s must be a number from 0 to 1000000";
    const std::string ranks = "line 2: source and destination must be ranks from 0 to 1048575";
    const std::string bytes = "line 2: bytes must be a whole number from 0 to 1099511627776";
    const std::string nothing = "there is no message that sends bytes to another rank";
    const std::string four = ": the columns must be time_s, source, destination and bytes";
    EXPECT_EQ(RefuseTraffic(TRAFFIC), "");
    EXPECT_EQ(RefuseTraffic(columns), nothing);
    EXPECT_EQ(RefuseTraffic(columns + "0,1,1,5\n0,0,1,0\n"), nothing);
    EXPECT_EQ(RefuseTraffic(""), "line 1 is \"\"" + four);
    EXPECT_EQ(RefuseTraffic("time_s,source,destination\n0,0,1\n"),
              "line 1 is \"time_s,source,destination\"" + four);
    EXPECT_EQ(RefuseTraffic(columns + "0,0,1\n"), "line 2: there must be 4 fields");
    for (const char* time : {"-1", "nan", "1e7", "", "1s", "inf", "0x1p3"})
    {
        EXPECT_EQ(RefuseTraffic(columns + time + ",0,1,5\n"), times) << time;
    }
    for (const char* pair : {"0,0.5", "-1,0", "0,1048576", "a,1", ",1", "0,99999999999999999999"})
    {
        EXPECT_EQ(RefuseTraffic(columns + "0," + pair + ",5\n"), ranks) << pair;
    }
    for (const char* size :
         {"-5", "1099511627777", "1.5", "", "9223372036854775808", "1e13", "2e-1", "0x2"})
    {
        EXPECT_EQ(RefuseTraffic(columns + "0,0,1," + size + "\n"), bytes) << size;
    }
    EXPECT_EQ(RefuseTraffic(columns + "0,0,1,5\n" + std::string(5000, '1') + "\n"),
              "line 3 is too long");
}

TEST(TrafficFile, TablesOfOtherToolsAreRead)
{
    const TrafficText file("time_s, source, destination, bytes\n"
                           "0, 0, 1, 2000000.0\n1e-3,1, 0 ,2e6\n0,5,5,7\n0,0,1,0\n");
    const TrafficFile traffic(file.GetName());
    EXPECT_EQ(traffic.CountRanks(1), 6U) << "ranks of messages that send nothing are there";
    EXPECT_EQ(traffic.GetRemark(),
              file.GetName() + ": 2 messages to the sender itself or of 0 bytes send nothing");
    TraceGroups groups(6, false);
    std::vector<uint64_t> sent;
    traffic.Read(groups, [&sent](TraceRank&&, TraceGraph&& graph) {
        for (const TraceNode& node : graph.nodes)
        {
            if (node.kind == TraceNode::SEND)
            {
                sent.push_back(node.bytes);
            }
        }
    });
    EXPECT_EQ(sent, (std::vector<uint64_t>{2000000, 2000000}));
    EXPECT_EQ(TrafficFile(TrafficText(TRAFFIC).GetName()).GetRemark(), "");
}

TEST(TrafficFile, AnyBytesAreReadOrRefused)
{
    const std::string usual = "0123456789.,\n\r\"e-+";
    std::mt19937 random(20261123);
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < 2000; ++round)
    {
        std::string text = TRAFFIC;
        for (uint32_t change = 0; change <= random() % 3; ++change)
        {
            const bool isUsual = random() % 2 == 0;
            text[random() % text.size()] =
                isUsual ? usual[random() % usual.size()] : static_cast<char>(random());
        }
        accepted += RefuseTraffic(text).empty() ? 1 : 0;
    }
    EXPECT_GT(accepted, 20U);
    EXPECT_LT(accepted, 1500U);
}

} // namespace ns3
