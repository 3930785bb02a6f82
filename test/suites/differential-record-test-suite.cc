// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What compares two runs of a scenario sees every difference, and a scenario is the same whenever
 * it is drawn.
 */

#include "differential-draw.h"
#include "differential-link-scenario.h"
#include "differential-record.h"
#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/simulator.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/** A picosecond, the order at a node, a count. */
class RecordTestCase : public PicosecondTestCase
{
  public:
    RecordTestCase()
        : PicosecondTestCase("two records are alike in all entries, or it is said where not")
    {
    }

  private:
    /// An event at a node after some picoseconds.
    struct Step
    {
        int64_t at;
        uint32_t node;
        std::string text;
    };

    static Record Make(const std::vector<Step>& steps, const std::string& atEnd)
    {
        Record record;
        for (const auto& step : steps)
        {
            ScheduleCall(PicoSeconds(step.at),
                         [&record, step] { record.Note(step.node, step.text); });
        }
        Simulator::Run();
        record.NoteAtEnd(atEnd);
        Simulator::Destroy();
        return record;
    }

    void DoRun() override
    {
        const Record one = Make({{5, 0, "x"}, {5, 0, "y"}, {5, 1, "z"}}, "sent=1");
        const auto compare = [&one](const Record& other) { return one.Compare("A", other, "B"); };
        NS_TEST_EXPECT_MSG_EQ(compare(one), "", "alike");
        NS_TEST_EXPECT_MSG_EQ(compare(Make({{5, 1, "z"}, {5, 0, "x"}, {5, 0, "y"}}, "sent=1")),
                              "",
                              "what different nodes see at one instant has no order");
        NS_TEST_EXPECT_MSG_EQ(compare(Make({{5, 0, "x"}, {6, 0, "y"}, {5, 1, "z"}}, "sent=1")),
                              "entry 1:\n  A: 5 ps, node 0: y\n  B: 5 ps, node 1: z",
                              "a picosecond");
        NS_TEST_EXPECT_MSG_EQ(
            compare(Make({{5, 0, "y"}, {5, 0, "x"}, {5, 1, "z"}}, "sent=1")),
            "the order at a node, entry 0:\n  A: 5 ps, node 0: x\n  B: 5 ps, node 0: y",
            "order");
        NS_TEST_EXPECT_MSG_EQ(compare(Make({{5, 0, "x"}, {5, 0, "y"}}, "sent=1")),
                              "entry 2:\n  A: 5 ps, node 1: z\n  B: nothing more",
                              "one is missing");
        NS_TEST_EXPECT_MSG_EQ(compare(Make({{5, 0, "x"}, {5, 0, "y"}, {5, 1, "z"}}, "sent=2")),
                              "at the end:\n  A: sent=1\n  B: sent=2",
                              "a count");
    }
};

/** Numbers are those of the generator, which the standard defines. */
class DrawTestCase : public PicosecondTestCase
{
  public:
    DrawTestCase()
        : PicosecondTestCase("a seed draws the same scenario everywhere")
    {
    }

  private:
    void DoRun() override
    {
        Draw draw(5489); // the default seed: its 10000th number stands in the standard
        for (uint32_t i = 1; i < 10000; ++i)
        {
            draw.Index(2);
        }
        NS_TEST_EXPECT_MSG_EQ(draw.Between(0, UINT64_MAX - 1), 9981545732273789042u, "number");
        Draw other(1);
        for (uint32_t i = 0; i < 1000; ++i)
        {
            const uint64_t number = other.Scaled(3, 1000);
            const bool isInside = number >= 3 && number <= 1000;
            NS_TEST_EXPECT_MSG_EQ(isInside, true, number);
        }
        NS_TEST_EXPECT_MSG_EQ(LinkScenario::Make(1).ToText(),
                              LinkScenario::Make(1).ToText(),
                              "nothing but the seed matters");
        NS_TEST_EXPECT_MSG_NE(LinkScenario::Make(1).ToText(),
                              LinkScenario::Make(2).ToText(),
                              "the seed matters");
    }
};

/** The tests of the tests. */
class DifferentialRecordTestSuite : public TestSuite
{
  public:
    DifferentialRecordTestSuite()
        : TestSuite("photonic-rails-differential-record", Type::UNIT)
    {
        AddTestCase(new RecordTestCase);
        AddTestCase(new DrawTestCase);
    }
};

DifferentialRecordTestSuite g_differentialRecordTestSuite; //!< the instance

} // namespace
