// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How long the ranks of a group wait for circuits when messages take the control plane time: the
 * time of every frame and of every service is known, so that sums must be exact.
 */

#include "../../examples/benchmark/control-rig.h"
#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/opus-controller.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** One group, one rank a host. */
class AdmissionTestCase : public PicosecondTestCase
{
  public:
    /** @param ranks of the group @param service of the controller for a message
     * @param perByte and for each byte, in ps @param manager service of a manager
     * @param agent service of the agent @param latency of a command */
    AdmissionTestCase(uint32_t ranks,
                      Time service,
                      uint32_t perByte,
                      Time manager,
                      Time agent,
                      Time latency)
        : PicosecondTestCase(std::to_string(ranks) + " ranks, " +
                             std::to_string(service.GetPicoSeconds()) + " ps and " +
                             std::to_string(perByte) + " ps a byte"),
          m_ranks(ranks),
          m_service(service),
          m_perByte(perByte),
          m_manager(manager),
          m_agent(agent),
          m_latency(latency)
    {
    }

  private:
    /** @param bytes of a message @return its time on a link of the management network */
    Time Network(uint32_t bytes) const
    {
        return PicoSeconds((bytes + FRAME) * 8 * 100); // 10 Gbit/s
    }

    /** @param bytes of a message @return its time from a GPU to its host, or back */
    Time HostLink(uint32_t bytes) const
    {
        return PicoSeconds((bytes + FRAME) * 8 * 5) + MicroSeconds(1); // 200 Gbit/s
    }

    void DoRun() override
    {
        ControlRig::Settings settings;
        settings.ranks = m_ranks;
        ControlRig rig(settings);
        rig.SetControllerAttribute("MessageTime", TimeValue(m_service));
        rig.SetControllerAttribute("MessageByteTime", TimeValue(PicoSeconds(m_perByte)));
        rig.SetManagerAttribute("MessageTime", TimeValue(m_manager));
        rig.SetAgentAttribute("MessageTime", TimeValue(m_agent));
        rig.SetAgentAttribute("CommandLatency", TimeValue(m_latency));
        const auto result = rig.Run();

        const uint32_t request = 4 + 4 + 20 + 8 + 4 + 4 * m_ranks;
        const uint32_t configure = 4 + 4 + 16 + 8 * m_ranks;
        const uint32_t configured = 4 + 4 + 16 + 4;
        const uint32_t grant = 4 + 4 + 20 + 8;
        const Time control = settings.controlLatency;
        const Time first = HostLink(request) + m_manager + 2 * Network(request) + control;
        // One after the other on the controller's link, or at the controller, whichever is slower.
        const Time served = m_service + PicoSeconds(request * m_perByte);
        const Time last = served > Network(request) ? m_ranks * served
                                                    : (m_ranks - 1) * Network(request) + served;
        const Time light =
            2 * Network(configure) + control + m_agent + m_latency + settings.reconfiguration;
        const Time told =
            2 * Network(configured) + control + m_service + PicoSeconds(configured * m_perByte);
        const Time back = (m_ranks + 1) * Network(grant) + control + m_manager + HostLink(grant);
        NS_TEST_ASSERT_MSG_EQ(result.admitted.size(), m_ranks, "all ranks are admitted");
        NS_TEST_EXPECT_MSG_EQ(result.GetLast().GetPicoSeconds(),
                              (first + last + light + told + back).GetPicoSeconds(),
                              "from the first request to the last grant");

        const auto stats = rig.GetController()->GetServerStats();
        const Time gap = Max(Time(0), served - Network(request));
        NS_TEST_EXPECT_MSG_EQ(stats.served, m_ranks + 1, "all requests and a report");
        NS_TEST_EXPECT_MSG_EQ(stats.waited,
                              TimeSum(m_ranks * (m_ranks - 1) / 2 * gap),
                              "the k-th request waits for k services, less k frames");
        NS_TEST_EXPECT_MSG_EQ(stats.longestWait.GetPicoSeconds(),
                              ((m_ranks - 1) * gap).GetPicoSeconds(),
                              "the last one waits longest");
    }

    static constexpr uint32_t FRAME = 20 + 8 + 2; //!< bytes of IPv4, UDP and PPP headers

    uint32_t m_ranks;
    Time m_service;
    uint32_t m_perByte; //!< picoseconds, which a Time may not hold before the run
    Time m_manager;
    Time m_agent;
    Time m_latency;
};

/** Eight groups on eight rails. */
class ThreadsTestCase : public PicosecondTestCase
{
  public:
    ThreadsTestCase()
        : PicosecondTestCase("A thread for each rail serves as fast as one group alone")
    {
    }

  private:
    /** @param groups how many, each on a rail @param threads of the controller
     * @return when the last rank is admitted */
    Time GetLast(uint32_t groups, uint32_t threads)
    {
        ControlRig::Settings settings;
        settings.groups = groups;
        settings.gpusPerDomain = groups;
        settings.ranks = 16;
        settings.rate = DataRate("10000Gbps"); // frames wait for nothing that matters here
        ControlRig rig(settings);
        rig.SetControllerAttribute("MessageTime", TimeValue(SERVICE));
        rig.SetControllerAttribute("Threads", UintegerValue(threads));
        const auto result = rig.Run();
        NS_TEST_EXPECT_MSG_EQ(result.admitted.size(), 16 * groups, "all ranks are admitted");
        Simulator::Destroy();
        return result.GetLast();
    }

    void DoRun() override
    {
        const Time alone = GetLast(1, 1);
        const Time tolerance = MicroSeconds(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLast(8, 8), alone, tolerance, "a thread a rail");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLast(8, 4),
                                  alone + 16 * SERVICE,
                                  SERVICE + tolerance,
                                  "two rails a thread: twice the requests");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLast(8, 1),
                                  alone + 7 * 16 * SERVICE,
                                  7 * SERVICE + tolerance,
                                  "one thread: eight times the requests");
    }

    const Time SERVICE = MicroSeconds(100); //!< of a message
};

/** Groups of one switch that ask at once. */
class AdmissionWindowTestCase : public PicosecondTestCase
{
  public:
    AdmissionWindowTestCase()
        : PicosecondTestCase("What a switch may not be sent yet waits in order")
    {
    }

  private:
    void DoRun() override
    {
        ControlRig::Settings settings;
        settings.groups = 6;
        settings.gpusPerDomain = 1; // one rail, so one switch
        settings.ranks = 2;
        settings.rate = DataRate("10000Gbps");
        settings.reconfiguration = MilliSeconds(10);
        for (uint32_t window : {0, 1, 2, 4})
        {
            ControlRig rig(settings);
            rig.SetControllerAttribute("CommandWindow", UintegerValue(window));
            rig.SetAgentAttribute("CommandLatency", TimeValue(MicroSeconds(300)));
            const auto result = rig.Run();
            NS_TEST_ASSERT_MSG_EQ(result.admitted.size(), 12u, "all ranks are admitted");
            const uint32_t rounds = window ? (6 + window - 1) / window : 1;
            const Time round = MicroSeconds(2 * 10 + 300) + settings.reconfiguration;
            NS_TEST_EXPECT_MSG_EQ_TOL(result.GetLast(),
                                      MicroSeconds(2 * 1 + 2 * 10) + rounds * round,
                                      MicroSeconds(1),
                                      "one round after the other, window " << window);
            const uint64_t waiting = window ? 6 - window : 0;
            NS_TEST_EXPECT_MSG_EQ(rig.GetController()->GetStats().delayed, waiting, "the others");
            NS_TEST_EXPECT_MSG_EQ(std::is_sorted(result.admitted.begin(), result.admitted.end()),
                                  true,
                                  "in order");
            Simulator::Destroy();
        }
    }
};

/** Managers that combine the requests of the ranks of a domain. */
class CoalesceTestCase : public PicosecondTestCase
{
  public:
    CoalesceTestCase()
        : PicosecondTestCase("A manager asks once for all its rails")
    {
    }

  private:
    /** The results of a run. */
    struct Outcome
    {
        Time last;
        uint64_t served;
        OpusController::Stats stats;
    };

    Outcome RunRig(uint32_t groups, Time coalesce)
    {
        ControlRig::Settings settings;
        settings.groups = groups;
        settings.gpusPerDomain = 8;
        settings.ranks = RANKS;
        settings.rate = DataRate("10000Gbps"); // frames wait for nothing that matters here
        ControlRig rig(settings);
        rig.SetControllerAttribute("MessageTime", TimeValue(SERVICE));
        rig.SetManagerAttribute("CoalesceTime", TimeValue(coalesce));
        const auto result = rig.Run();
        NS_TEST_EXPECT_MSG_EQ(result.admitted.size(), groups * RANKS, "all ranks are admitted");
        const Outcome outcome{result.GetLast(),
                              rig.GetController()->GetServerStats().served,
                              rig.GetController()->GetStats()};
        NS_TEST_EXPECT_MSG_EQ(outcome.stats.malformed, 0u, "all can be read");
        NS_TEST_EXPECT_MSG_EQ(outcome.stats.requests, groups * RANKS, "a request a rank");
        NS_TEST_EXPECT_MSG_EQ(outcome.stats.reconfigurations, groups, "a command a group");
        Simulator::Destroy();
        return outcome;
    }

    void DoRun() override
    {
        const Time tolerance = MicroSeconds(1);
        const Outcome apart = RunRig(8, Time(0));
        const Outcome together = RunRig(8, MilliSeconds(5));
        NS_TEST_EXPECT_MSG_EQ(apart.served, 8 * RANKS + 8, "requests and reports");
        NS_TEST_EXPECT_MSG_EQ(together.served, RANKS + 8, "a message a domain, and reports");
        NS_TEST_EXPECT_MSG_EQ_TOL(apart.last - together.last,
                                  7 * RANKS * SERVICE - 7 * SERVICE,
                                  tolerance,
                                  "nobody waits: all ranks of a domain ask at once");
        // Apart, one rank is the last of all; together, reports of all switches come at once.
        NS_TEST_EXPECT_MSG_EQ(together.stats.waited.ranks,
                              TimeSum(8 * (RANKS - 1) * SERVICE),
                              "from the first service to the last, for each group");
        NS_TEST_EXPECT_MSG_EQ(together.stats.waited.ports, TimeSum(), "there is no other group");

        // Of the domains of the last four groups, four of the eight ranks never ask.
        const Outcome patient = RunRig(12, MilliSeconds(5));
        NS_TEST_EXPECT_MSG_EQ(patient.served, 2 * RANKS + 12, "a message a domain, and reports");
        const Time lastPart = MilliSeconds(5) + RANKS * SERVICE + 4 * SERVICE;
        const Time others = MilliSeconds(15) + MicroSeconds(2 + 4 * 10); // switch and network
        NS_TEST_EXPECT_MSG_EQ_TOL(patient.last,
                                  lastPart + others,
                                  tolerance,
                                  "they are waited for as long as may be");
    }

    static constexpr uint32_t RANKS = 16;   //!< of a group
    const Time SERVICE = MicroSeconds(100); //!< of a message
};

/** The test suite. */
class OpusAdmissionTestSuite : public TestSuite
{
  public:
    OpusAdmissionTestSuite()
        : TestSuite("photonic-rails-opus-admission", Type::UNIT)
    {
        const Time none;
        for (uint32_t ranks : {2, 16, 64})
        {
            AddTestCase(new AdmissionTestCase(ranks, none, 0, none, none, none));
            AddTestCase(new AdmissionTestCase(ranks, MicroSeconds(5), 0, none, none, none));
            AddTestCase(new AdmissionTestCase(ranks,
                                              NanoSeconds(50),
                                              7,
                                              MicroSeconds(3),
                                              MicroSeconds(20),
                                              MicroSeconds(700)));
            AddTestCase(new AdmissionTestCase(ranks,
                                              MicroSeconds(2),
                                              1000,
                                              MicroSeconds(3),
                                              MicroSeconds(20),
                                              none));
        }
        AddTestCase(new ThreadsTestCase());
        AddTestCase(new AdmissionWindowTestCase());
        AddTestCase(new CoalesceTestCase());
    }
};

OpusAdmissionTestSuite g_opusAdmissionTestSuite; //!< static registration

} // namespace
