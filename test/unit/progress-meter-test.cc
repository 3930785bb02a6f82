// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/progress-meter.h"
#include "ns3/simulator.h"

#include <chrono>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>

namespace ns3
{
namespace
{

/// A simulation that is slow until its meter has looked some times.
class SlowRun
{
  public:
    /// @param meter of this run @param looks how many times
    explicit SlowRun(ProgressMeter& meter, uint64_t looks = 2)
        : m_meter(meter),
          m_looks(looks)
    {
        Simulator::Schedule(NanoSeconds(1), &SlowRun::Step, this);
    }

    /// Start the meter, and let it watch.
    void Start()
    {
        m_meter.Start();
        m_meter.Watch({[] { return uint64_t{1000}; },
                       [] { return std::string("iteration 1 of 2"); },
                       [] { return 0.25; },
                       [] { return std::string("rank 1: Recv waits"); }});
    }

    /// @return events of this object
    uint64_t GetSteps() const
    {
        return m_steps;
    }

  private:
    void Step()
    {
        ++m_steps;
        if (m_meter.GetEvents() < m_looks)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            Simulator::Schedule(NanoSeconds(1), &SlowRun::Step, this);
        }
    }

    ProgressMeter& m_meter;
    uint64_t m_looks;
    uint64_t m_steps{0};
};

TEST(ProgressMeter, SaysHowFarARunIs)
{
    std::ostringstream os;
    ProgressMeter meter(os, true, "a flag makes it slow");
    SlowRun run(meter);
    run.Start();
    Simulator::Run();
    meter.Stop();
    EXPECT_EQ(Simulator::Now(), NanoSeconds(static_cast<int64_t>(run.GetSteps())));
    EXPECT_EQ(Simulator::GetEventCount() - meter.GetEvents(), run.GetSteps());
    Simulator::Destroy();
    const std::string text = os.str();
    EXPECT_NE(text.find("simulated 0.000 s, iteration 1 of 2, 25.0 % of all operations, "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" left at this pace, "), std::string::npos) << text;
    EXPECT_NE(text.find("no packets counted since the last line"), std::string::npos) << text;
    EXPECT_NE(text.find(" events; most wait: rank 1: Recv waits"), std::string::npos) << text;
    EXPECT_EQ(text.find("makes it slow"), std::string::npos) << "nobody has waited for long";
    EXPECT_EQ(text.rfind("\r\033[K"), text.size() - 4) << "the line is erased";
}

TEST(ProgressMeter, LinesOfARunWithANameBeginWithIt)
{
    std::ostringstream os;
    ProgressMeter meter(os, true, "a flag makes it slow", "fat-tree");
    SlowRun run(meter, 1);
    run.Start();
    Simulator::Run();
    meter.Stop();
    Simulator::Destroy();
    const std::string text = os.str();
    EXPECT_EQ(text.find("fat-tree: remark: a flag makes it slow\nfat-tree: simulated 0.000 s, "),
              0U)
        << text;
    EXPECT_EQ(text.find('\r'), std::string::npos) << "other runs print lines between: " << text;
}

TEST(ProgressMeter, AnEndBeforeTheFirstLineIsSilent)
{
    std::ostringstream os;
    ProgressMeter meter(os, false, "a flag makes it slow");
    meter.Start();
    meter.Stop();
    EXPECT_EQ(os.str(), "");
    EXPECT_EQ(meter.GetEvents(), 0U);
}

} // namespace
} // namespace ns3
