// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Switches with a fabric between their ports: what cannot be up together, and light paths.
 */

#include "../track-fabric.h"
#include "lambda-call.h"
#include "optical-rail.h"
#include "picosecond-test-case.h"

#include "ns3/pointer.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

using FabricLog = std::vector<std::string>;

/** Give a switch of eight ports a fabric. @param rail with the switch @param tracks of the fabric
 * @return the fabric */
Ptr<TrackFabric>
Use(OpticalRail& rail, uint32_t tracks)
{
    auto fabric = TrackFabric::Make(8, tracks);
    rail.ocs->SetAttribute("Fabric", PointerValue(fabric));
    return fabric;
}

/** A command with a circuit that does not fit is refused as a whole. */
class BlockedTestCase : public PicosecondTestCase
{
  public:
    BlockedTestCase()
        : PicosecondTestCase("A command that the fabric has no light paths for changes nothing")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(8);
        Use(rail, 1);
        rail.Join({{0, 7}});
        const std::string none = "there is no way for circuit ";
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{2, 5}}), none + "2-5", "in the way");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{7, 0}}, {{4, 1}, {3, 6}}),
                              none + "3-6",
                              "half of it would have been fine");
        NS_TEST_EXPECT_MSG_EQ((rail.ocs->GetCircuits() == CircuitSet{{0, 7}}), true, "as before");
        NS_TEST_EXPECT_MSG_EQ(rail.log.empty(), true, "a trace fired");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(0), OpticalCircuitSwitch::UP, "undisturbed");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{7, 0}}, {{5, 2}}), "", "after the other");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(5), OpticalCircuitSwitch::UP, "made");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{2, 5}}, {{2, 5}}), "", "made anew");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(5), OpticalCircuitSwitch::SWITCHING, "dark");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(5), OpticalCircuitSwitch::UP, "and back");
    }
};

/** Sets that are no matching, and transceivers that a fabric cannot serve, are refused. */
class WrongUseTestCase : public PicosecondTestCase
{
  public:
    WrongUseTestCase()
        : PicosecondTestCase("Sets that are no matching are refused before the fabric is asked")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(8, 12);
        Use(rail, 2);
        const auto refuses = [&](const CircuitSet& make, const std::string& error) {
            const std::string got = rail.ocs->Reconfigure({}, make);
            NS_TEST_EXPECT_MSG_EQ(got.rfind(error, 0), 0, "got \"" << got << "\"");
        };
        refuses({{0, 1}, {1, 2}}, "port 1 is in two circuits");
        refuses({{0, 9}}, "circuit 0-9 has no two ports");
        rail.ocs->SetAttribute("Transceivers", StringValue("Simplex"));
        refuses({{0, 1}}, "a fabric joins ports both ways");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetCircuits().empty(), true, "nothing was made");
    }
};

/** Every circuit has the delay of its light path. */
class LightPathTestCase : public PicosecondTestCase
{
  public:
    LightPathTestCase()
        : PicosecondTestCase("Light takes the time of its path, both ways, to the picosecond")
    {
    }

  private:
    void Path(Ptr<const OpticalCircuitSwitch>, Circuit circuit, Time delay, double loss)
    {
        m_paths.push_back(std::to_string(circuit.a) + "-" + std::to_string(circuit.b) + " " +
                          std::to_string(delay.GetPicoSeconds()) + " ps " + std::to_string(loss));
    }

    /** Frames from a port. @param rail the rail @param from the sender @param to the receiver
     * @param path the delay that is expected of the path */
    void Expect(OpticalRail& rail, uint32_t from, uint32_t to, Time path)
    {
        auto& arrived = rail.stations[to]->arrivedAt;
        arrived.clear();
        const Time start = Simulator::Now();
        rail.Send(from, 3, Time(0));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(arrived.size(), 3, "from " << from);
        for (uint32_t i = 0; i < 3; ++i)
        {
            const Time fibers = rail.fibers[from]->GetDelay() + rail.fibers[to]->GetDelay();
            NS_TEST_EXPECT_MSG_EQ(arrived[i],
                                  start + FrameTime() * (i + 1) + fibers + NanoSeconds(7) + path,
                                  "frame " << i << " from " << from);
        }
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionDelay(from), NanoSeconds(7) + path, "as said");
    }

    void DoRun() override
    {
        OpticalRail rail(8);
        Use(rail, 2);
        rail.ocs->SetAttribute("InsertionDelay", TimeValue(NanoSeconds(7)));
        rail.ocs->TraceConnectWithoutContext("LightPath",
                                             MakeCallback(&LightPathTestCase::Path, this));
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionDelay(0), Time(), "in no circuit");
        rail.Join({{0, 3}, {2, 4}});
        for (const auto& [a, b] : {std::pair(0, 3), std::pair(3, 0)})
        {
            Expect(rail, a, b, PicoSeconds(2300)); // lowest track, three ports along
            NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionLoss(a), 0.5, "dB");
        }
        Expect(rail, 4, 2, PicoSeconds(4200)); // the other track, two ports along
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionLoss(2), 1.0, "dB");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionLoss(5), 0, "in no circuit");
        // The same ports again, beside circuits made meanwhile.
        rail.ocs->Reconfigure({{2, 4}}, {});
        rail.ocs->Reconfigure({{0, 3}}, {{2, 4}});
        rail.ocs->Reconfigure({}, {{0, 3}});
        Simulator::Run();
        Expect(rail, 0, 3, PicoSeconds(4300));
        Expect(rail, 2, 4, PicoSeconds(2200));
        NS_TEST_EXPECT_MSG_EQ((m_paths == FabricLog{"0-3 2300 ps 0.500000",
                                                    "2-4 4200 ps 1.000000",
                                                    "2-4 2200 ps 0.500000",
                                                    "0-3 4300 ps 1.000000"}),
                              true,
                              "traced");
    }

    FabricLog m_paths;
};

/** Without a fabric there are no light paths. */
class NoFabricTestCase : public PicosecondTestCase
{
  public:
    NoFabricTestCase()
        : PicosecondTestCase("Without a fabric any matching can be up, after InsertionDelay")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(8);
        rail.ocs->SetAttribute("InsertionDelay", TimeValue(NanoSeconds(7)));
        rail.Join({{0, 7}, {1, 6}, {2, 5}, {3, 4}});
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionDelay(3), NanoSeconds(7), "of every port");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionLoss(3), 0, "none is known");
    }
};

/** In whole-switch mode circuits that stay keep their paths. */
class WholeSwitchFabricTestCase : public PicosecondTestCase
{
  public:
    WholeSwitchFabricTestCase()
        : PicosecondTestCase("A switch that darkens as a whole refuses and keeps paths alike")
    {
    }

  private:
    void DoRun() override
    {
        OpticalRail rail(8);
        Use(rail, 2);
        rail.ocs->SetAttribute("Mode", StringValue("WholeSwitch"));
        rail.Join({{0, 3}, {1, 4}});
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{2, 5}}).empty(), false, "no track left");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{0, 3}}, {{2, 5}}), "", "instead of one");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(1), OpticalCircuitSwitch::SWITCHING, "all");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{2, 5}}, {}).empty(), false, "not now");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionDelay(1), PicoSeconds(4300), "upper track");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionDelay(2), PicoSeconds(2300), "lower track");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{2, 5}}, {{2, 3}}), "", "it is still there");
    }
};

/** However circuits go, the fabric does not keep them. */
class FabricFaultTestCase : public PicosecondTestCase
{
  public:
    FabricFaultTestCase()
        : PicosecondTestCase("Circuits that faults take leave nothing in the fabric")
    {
    }

  private:
    /** Make a circuit that needs all others to be gone. @param rail the rail @param how the others
     * were removed */
    void ExpectEmpty(OpticalRail& rail, const std::string& how)
    {
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{1, 6}}), "", "after " << how);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{1, 6}}, {{0, 3}}), "", "after " << how);
        Simulator::Run();
    }

    void DoRun() override
    {
        OpticalRail rail(8);
        Use(rail, 1);
        rail.Join({{0, 3}});
        rail.ocs->Fail();
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{1, 6}}), "the switch has failed", "so");
        rail.ocs->Repair();
        ExpectEmpty(rail, "a failure");
        rail.ocs->Clear();
        ExpectEmpty(rail, "Clear");
        rail.ocs->Unplug(3);
        ExpectEmpty(rail, "Unplug");
        rail.ocs->Reconfigure({{0, 3}}, {{2, 5}});
        rail.ocs->Unplug(2); // while it is being made
        ExpectEmpty(rail, "Unplug of a port that was switching");

        // A mirror that sticks has its place in the fabric, as the switch does not know of it.
        rail.ocs->SetPortStuck(3, true);
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({}, {{1, 6}}).empty(), false, "in the way");
        rail.ocs->SetPortStuck(3, false);
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetPortState(0), OpticalCircuitSwitch::UP, "mended");
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->GetInsertionDelay(0), PicoSeconds(2300), "on its path");
        rail.ocs->SetPortStuck(3, true);
        NS_TEST_EXPECT_MSG_EQ(rail.ocs->Reconfigure({{0, 3}}, {}), "", "dropped in the dark");
        rail.ocs->SetPortStuck(3, false);
        ExpectEmpty(rail, "a stuck port");
    }
};

/**
 * @ingroup tests
 * Switches with a fabric.
 */
class OpticalFabricTestSuite : public TestSuite
{
  public:
    OpticalFabricTestSuite()
        : TestSuite("photonic-rails-optical-fabric", Type::UNIT)
    {
        AddTestCase(new BlockedTestCase);
        AddTestCase(new WrongUseTestCase);
        AddTestCase(new LightPathTestCase);
        AddTestCase(new NoFabricTestCase);
        AddTestCase(new WholeSwitchFabricTestCase);
        AddTestCase(new FabricFaultTestCase);
    }
};

OpticalFabricTestSuite g_opticalFabric; //!< the suite

} // namespace
