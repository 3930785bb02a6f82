// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Commands to an optical circuit switch: what is refused, and what happens when.
 */

#include "lambda-call.h"
#include "optical-rail.h"
#include "picosecond-test-case.h"

#include "ns3/ocs-technology.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

using CommandLog = std::vector<std::string>;

/** A command that is not a matching is refused as a whole. */
class CommandRefusalTestCase : public PicosecondTestCase
{
  public:
    CommandRefusalTestCase()
        : PicosecondTestCase("Refused commands name the culprit and change nothing")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(8);
        rail.Join({{0, 1}, {2, 3}});
        NS_TEST_ASSERT_MSG_EQ(rail.ocs->Reconfigure({}, {{4, 5}}), "", "4 and 5 are dark");

        struct Refused
        {
            CircuitSet drop;
            CircuitSet make;
            std::string error;
        };

        const std::vector<Refused> commands = {
            {{}, {{0, 8}}, "port 8 is out of range: the radix is 8"},
            {{{9, 1}}, {}, "port 9 is out of range"},
            {{}, {{0, 6}}, "port 0 is in use"},
            {{}, {{6, 3}}, "port 3 is in use"},
            {{}, {{4, 6}}, "port 4 is switching"},
            {{{4, 5}}, {}, "port 4 is switching"},
            {{{6, 7}}, {}, "circuit 6-7 does not exist"},
            {{{0, 2}}, {}, "circuit 0-2 does not exist"},
            {{}, {{6, 6}}, "circuit 6-6 joins a port to itself"},
            {{}, {{6, 7}, {6, 7}}, "port 6 is in two circuits"},
            {{}, {{6, 7}, {7, 6}}, "port 7 is in two circuits"},
            {{{0, 1}, {1, 0}}, {}, "circuit 1-0 is to be dropped twice"},
            {{{0, 1}}, {{0, 2}}, "port 2 is in use"}, // half of it would have been fine
            {{{0, 1}, {2, 3}}, {{0, 2}, {1, 5}}, "port 5 is switching"},
        };
        const CircuitSet before = rail.ocs->GetCircuits();
        rail.log.clear();
        bool called = false;
        for (const auto& command : commands)
        {
            const std::string error =
                rail.ocs->Reconfigure(command.drop, command.make, ToCallback([&called] {
                                          called = true;
                                      }));
            NS_TEST_EXPECT_MSG_EQ(error.rfind(command.error, 0),
                                  0,
                                  "got \"" << error << "\", not \"" << command.error << "\"");
            NS_TEST_EXPECT_MSG_EQ((rail.ocs->GetCircuits() == before), true, "something changed");
        }
        NS_TEST_EXPECT_MSG_EQ(rail.log.empty(), true, "a trace fired");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((rail.log == CommandLog{"up 4-5", "end +4-5"}),
                              true,
                              "only what was going on");
        NS_TEST_EXPECT_MSG_EQ(called, false, "a refused command is never done");
        NS_TEST_EXPECT_MSG_EQ(rail.stations[0]->linkChanges.empty(), true, "0 was disturbed");
    }
};

/** Dark and light at the switch and at the transceivers, to the picosecond. */
class TimesTestCase : public PicosecondTestCase
{
  public:
    TimesTestCase()
        : PicosecondTestCase("Ports are dark for the reconfiguration delay and the lock time")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(4);
        rail.fibers[0]->SetAttribute("Delay", TimeValue(NanoSeconds(700)));
        rail.Join({{0, 1}, {2, 3}});
        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(MilliSeconds(15)));
        rail.ocs->SetAttribute("TransceiverLockTime", TimeValue(MicroSeconds(3)));
        const Time start = Simulator::Now();
        const Time light = start + MicroSeconds(15003);
        Time done;
        rail.ocs->Reconfigure({{3, 2}, {1, 0}}, {{3, 1}, {2, 0}}, ToCallback([&done] {
                                  done = Simulator::Now();
                              }));
        for (uint32_t port = 0; port < 4; ++port)
        {
            ExpectState(rail, port, OpticalCircuitSwitch::SWITCHING);
        }
        Simulator::Stop(light - start - PicoSeconds(1));
        Simulator::Run();
        ExpectState(rail, 0, OpticalCircuitSwitch::SWITCHING);
        Simulator::Run();
        ExpectState(rail, 0, OpticalCircuitSwitch::UP);
        NS_TEST_EXPECT_MSG_EQ(done, light, "done when there is light");
        const CommandLog expected = {"start -2-3 -0-1 +1-3 +0-2",
                                     "down 2-3",
                                     "down 0-1",
                                     "up 1-3",
                                     "up 0-2",
                                     "end -2-3 -0-1 +1-3 +0-2"};
        NS_TEST_EXPECT_MSG_EQ((rail.log == expected), true, "order of traces");
        for (uint32_t port = 0; port < 4; ++port)
        {
            const Time fiber = NanoSeconds(port == 0 ? 700 : 100);
            const auto& changes = rail.stations[port]->linkChanges;
            NS_TEST_ASSERT_MSG_EQ(changes.size(), 2, "dark once, lit once");
            NS_TEST_EXPECT_MSG_EQ(changes[0].first, start + fiber, "dark after the fiber");
            NS_TEST_EXPECT_MSG_EQ(changes[0].second, false, "dark first");
            NS_TEST_EXPECT_MSG_EQ(changes[1].first, light + fiber, "lit after the fiber");
            NS_TEST_EXPECT_MSG_EQ(changes[1].second, true, "lit then");
        }
        NS_TEST_EXPECT_MSG_EQ(rail.devices[0]->GetLinkPartner().address,
                              rail.devices[2]->GetMacAddress(),
                              "0 knows its new partner");
    }

    void ExpectState(const OpticalRail& rail, uint32_t port, OpticalCircuitSwitch::PortState state)
    {
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(port), state, "state of port " << port);
    }
};

/** A command leaves other circuits alone, and two may overlap. */
class OthersTestCase : public PicosecondTestCase
{
  public:
    OthersTestCase()
        : PicosecondTestCase("Other circuits carry on while commands overlap on disjoint ports")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(8);
        rail.Join({{0, 1}, {2, 3}});
        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(7)));
        const Time start = Simulator::Now();
        rail.Send(2, 200, Time(0));
        std::vector<Time> done(3);
        const auto note = [&done](uint32_t i) { done[i] = Simulator::Now(); };
        ScheduleCall(MicroSeconds(2), [&rail, note] {
            rail.ocs->Reconfigure({{0, 1}}, {{0, 4}}, ToCallback([note] { note(0); }));
        });
        ScheduleCall(MicroSeconds(5), [&rail, note] {
            rail.ocs->Reconfigure({}, {{1, 5}}, ToCallback([note] { note(1); }));
        });
        ScheduleCall(MicroSeconds(10), [&rail, note] { // as the first one ends
            rail.ocs->Reconfigure({{0, 4}}, {{6, 7}}, ToCallback([note] { note(2); }));
        });
        Simulator::Run();
        const auto& arrived = rail.stations[3]->arrivedAt;
        NS_TEST_ASSERT_MSG_EQ(arrived.size(), 200, "frames from 2 to 3");
        for (uint32_t i = 0; i < arrived.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(arrived[i],
                                  start + FrameTime() * (i + 1) + NanoSeconds(200),
                                  "frame " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(done[0], start + MicroSeconds(9), "first command");
        NS_TEST_EXPECT_MSG_EQ(done[1], start + MicroSeconds(12), "second command");
        NS_TEST_EXPECT_MSG_EQ(done[2], start + MicroSeconds(17), "third command");
        NS_TEST_EXPECT_MSG_EQ((rail.ocs->GetCircuits() == CircuitSet{{1, 5}, {2, 3}, {6, 7}}),
                              true,
                              "the circuits in the end");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetBitsLost(), 0, "bits lost");
    }
};

/** In whole-switch mode a command darkens every port. */
class WholeSwitchTestCase : public PicosecondTestCase
{
  public:
    WholeSwitchTestCase()
        : PicosecondTestCase("In whole-switch mode all circuits go dark and come back")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(6);
        rail.Join({{0, 1}, {2, 3}});
        rail.ocs->SetAttribute("Mode", StringValue("WholeSwitch"));
        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(10)));
        const Time start = Simulator::Now();
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{0, 1}}, {{0, 4}}), "", "a good command");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{1, 5}}).empty(),
                              false,
                              "the switch is switching as a whole");
        rail.Send(2, 1, MicroSeconds(1));
        Simulator::Run();
        const CommandLog expected =
            {"start -0-1 +0-4", "down 0-1", "down 2-3", "up 2-3", "up 0-4", "end -0-1 +0-4"};
        NS_TEST_EXPECT_MSG_EQ((rail.log == expected), true, "order of traces");
        NS_TEST_ASSERT_MSG_EQ(rail.stations[3]->arrivedAt.size(), 1, "the frame waited for light");
        NS_TEST_EXPECT_MSG_EQ(rail.stations[2]->sentAt[0],
                              start + NanoSeconds(10100),
                              "sent as soon as there is light");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(1), OpticalCircuitSwitch::DARK, "dropped");
    }
};

/** With simplex transceivers a circuit has a direction. */
class SimplexTestCase : public PicosecondTestCase
{
  public:
    SimplexTestCase()
        : PicosecondTestCase("With simplex transceivers light goes from entry to exit only")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(3);
        rail.ocs->SetAttribute("Transceivers", StringValue("Simplex"));
        rail.Join({{0, 1}, {2, 0}}); // port 0 is the entry of one and the exit of the other
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{0, 2}}),
                              "port 0 is in use",
                              "entry taken");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{1, 0}}),
                              "port 0 is in use",
                              "exit taken");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{1, 0}}, {}),
                              "circuit 1-0 does not exist",
                              "the other direction");
        rail.Send(0, 3, Time(0));
        rail.Send(1, 3, Time(0));
        rail.Send(2, 2, Time(0));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.stations[1]->arrivedAt.size(), 3, "0 to 1");
        NS_TEST_EXPECT_MSG_EQ(rail.stations[0]->arrivedAt.size(), 2, "2 to 0");
        NS_TEST_EXPECT_MSG_EQ(rail.stations[1]->toSend, 3, "1 is dark");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{1, 2}}), "", "closes the ring");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.stations[2]->arrivedAt.size(), 3, "1 to 2");
    }
};

/** Commands that only drop, and commands that take no time. */
class CircuitDropTestCase : public PicosecondTestCase
{
  public:
    CircuitDropTestCase()
        : PicosecondTestCase("Drop-only commands are done at once, and so is all with a delay of 0")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(4);
        rail.Join({{0, 1}});
        const Time start = Simulator::Now();
        uint32_t done = 0;
        const auto note = ToCallback([&done] { ++done; });
        rail.ocs->Reconfigure({{0, 1}}, {}, note);
        NS_TEST_EXPECT_MSG_EQ(done, 0, "never from within the command");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(0),
                              OpticalCircuitSwitch::DARK,
                              "dark at once");
        Simulator::Stop(Time(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(done, 1, "drop done");

        rail.ocs->SetAttribute("ReconfigurationDelay", TimeValue(Time(0)));
        rail.ocs->Reconfigure({}, {{0, 2}}, note);
        NS_TEST_EXPECT_MSG_EQ(done, 1, "never from within the command");
        Simulator::Stop(Time(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(done, 2, "made");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(0), OpticalCircuitSwitch::UP, "up at once");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.devices[2]->IsLit(), true, "light at 2");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(),
                              start + NanoSeconds(100) + Time(1),
                              "the fiber only");
        const CommandLog expected =
            {"start -0-1", "down 0-1", "end -0-1", "start +0-2", "up 0-2", "end +0-2"};
        NS_TEST_EXPECT_MSG_EQ((rail.log == expected), true, "order of traces");
    }
};

/** The rows of Table 3 of the paper. */
class TechnologiesTestCase : public PicosecondTestCase
{
  public:
    TechnologiesTestCase()
        : PicosecondTestCase("All technologies of Table 3")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            std::string name;
            double milliseconds;
            uint32_t radix;
            uint64_t gb200;
            uint64_t h200;
        };

        const std::vector<Row> table = {{"plzt", 0.00001, 16, 576, 64},
                                        {"sip", 0.007, 32, 1152, 128},
                                        {"rotornet", 0.01, 128, 4608, 512},
                                        {"3d-mems", 15, 320, 11520, 1280},
                                        {"polatis", 25, 576, 20736, 2304},
                                        {"liquid-crystal", 100, 512, 18432, 2048},
                                        {"robotic", 120000, 1008, 36288, 4032}};
        for (const auto& row : table)
        {
            auto ocs = CreateObject<OpticalCircuitSwitch>();
            NS_TEST_ASSERT_MSG_EQ(ocs->SetTechnology(row.name), true, row.name);
            NS_TEST_EXPECT_MSG_EQ(ocs->GetRadix(), row.radix, row.name);
            NS_TEST_EXPECT_MSG_EQ(ocs->GetReconfigurationDelay(),
                                  PicoSeconds(std::llround(row.milliseconds * 1e9)),
                                  row.name);
            StringValue mode;
            ocs->GetAttribute("Mode", mode);
            NS_TEST_EXPECT_MSG_EQ(mode.Get(), "PerPort", row.name);
            const Variant<OcsTechnology> technology(row.name);
            NS_TEST_EXPECT_MSG_EQ(technology->GetSource(), "Table 3 of arXiv 2507.08119", row.name);
            NS_TEST_EXPECT_MSG_EQ(!technology->MakeFabric(), true, row.name << ": non-blocking");
            NS_TEST_EXPECT_MSG_EQ(72 * technology->GetRadix() / 2, row.gb200, row.name);
            NS_TEST_EXPECT_MSG_EQ(8 * technology->GetRadix() / 2, row.h200, row.name);
        }
        auto ocs = CreateObject<OpticalCircuitSwitch>();
        const uint32_t radix = ocs->GetRadix();
        NS_TEST_EXPECT_MSG_EQ(ocs->SetTechnology("mirrors"), false, "unknown");
        NS_TEST_EXPECT_MSG_EQ(ocs->GetRadix(), radix, "nothing changed");
    }
};

/** Suite of the commands. */
class OpticalTestSuite : public TestSuite
{
  public:
    OpticalTestSuite()
        : TestSuite("photonic-rails-optical", Type::UNIT)
    {
        AddTestCase(new CommandRefusalTestCase);
        AddTestCase(new TimesTestCase);
        AddTestCase(new OthersTestCase);
        AddTestCase(new WholeSwitchTestCase);
        AddTestCase(new SimplexTestCase);
        AddTestCase(new CircuitDropTestCase);
        AddTestCase(new TechnologiesTestCase);
    }
};

OpticalTestSuite g_opticalTestSuite; //!< the instance

} // namespace
