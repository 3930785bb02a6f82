// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_CASE_H
#define PHOTONIC_RAILS_DIFFERENTIAL_CASE_H

#include "../random-search.h"
#include "differential-record.h"
#include "picosecond-test-case.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * Random scenarios, each carried out twice; both runs must give the same record.
 *
 * The environment variable PHOTONIC_RAILS_DIFFERENTIAL, for instance "link:1234", carries out one
 * scenario of one family only, prints its record, and makes it as simple as it can be if the two
 * runs differ; "link:1234-5678" goes through a range.
 */

namespace ns3
{
namespace test
{

/// Which seeds a case goes through.
struct SeedRange
{
    uint64_t first;     //!< the first of them
    uint64_t last;      //!< the last of them
    bool wanted{false}; //!< somebody asks for them
    bool single{false}; //!< for one of them

    /**
     * @param family name of a family of scenarios
     * @param all seeds of the family
     * @return the seeds that the environment names, none if it names another family; without it
     * the number of seeds for a run of this length
     */
    static SeedRange Make(const std::string& family, uint64_t all)
    {
        const char* wanted = std::getenv("PHOTONIC_RAILS_DIFFERENTIAL");
        if (!wanted || !*wanted)
        {
            return {1, CountSeeds(family, all, SearchLimit::ALL_BUILDS)};
        }
        std::istringstream text(wanted);
        std::string name;
        std::getline(text, name, ':');
        SeedRange range{1, 0, true};
        if (name == family && text >> range.first)
        {
            char dash = 0;
            if (!(text >> dash >> range.last))
            {
                range.last = range.first;
                range.single = true;
            }
        }
        return range;
    }
};

/**
 * @brief Scenarios of one family.
 * @tparam Scenario has a NAME for the family, Make to draw one from a seed, ToText to make a line
 * of it, Run to carry it out, and Simplify to list some that are a little simpler.
 */
template <typename Scenario>
class DifferentialCase : public PicosecondTestCase
{
  public:
    /**
     * @param seeds number of scenarios
     * @param burstPercent at least so many of all packets have to travel in bursts
     * @param regions at least so often in 100 scenarios they have to go on amid packets
     */
    DifferentialCase(uint64_t seeds, uint32_t burstPercent, uint32_t regions = 0)
        : PicosecondTestCase(std::string("bursts and packets show the same: ") + Scenario::NAME +
                             " scenarios"),
          m_seeds(seeds),
          m_burstPercent(burstPercent),
          m_regions(regions)
    {
    }

  private:
    static constexpr uint32_t FAILURES = 3;  //!< that are looked at
    static constexpr uint64_t REVERSED = 4;  //!< every so many also run reversed, and with traces
    static constexpr uint32_t TRIALS = 1500; //!< simpler scenarios that are tried

    /// @return the differences of two runs, or an empty string
    static std::string Compare(const Scenario& scenario, const RunMode& one, const RunMode& other)
    {
        const Record first = scenario.Run(one);
        const Record second = scenario.Run(other);
        return first.Compare(one.ToText(), second, other.ToText());
    }

    /// @return a scenario that still makes a difference and is as simple as can be
    static Scenario Reduce(Scenario scenario, const RunMode& one, const RunMode& other)
    {
        uint32_t trials = 0;
        bool simpler = true;
        while (simpler && trials < TRIALS)
        {
            simpler = false;
            for (const auto& candidate : scenario.Simplify())
            {
                if (++trials > TRIALS)
                {
                    break;
                }
                if (!Compare(candidate, one, other).empty())
                {
                    scenario = candidate;
                    simpler = true;
                    break;
                }
            }
        }
        return scenario;
    }

    /// Say how two runs differ.
    void Report(const Scenario& scenario,
                const RunMode& one,
                const RunMode& other,
                const std::string& difference,
                bool single)
    {
        std::ostringstream text;
        text << "the runs differ (" << Scenario::NAME << ":" << scenario.seed << ", "
             << one.ToText() << " against " << other.ToText() << ")\n  " << scenario.ToText()
             << "\n"
             << difference;
        const Scenario least = Reduce(scenario, one, other);
        const Record first = least.Run(one);
        const Record second = least.Run(other);
        text << "\nas simple as it can be:\n  " << least.ToText() << "\n"
             << first.Compare(one.ToText(), second, other.ToText());
        if (single)
        {
            text << "\n--- " << one.ToText() << "\n"
                 << first.ToText() << "--- " << other.ToText() << "\n"
                 << second.ToText();
        }
        std::cout << text.str() << std::endl;
        ++m_failures;
    }

    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make(Scenario::NAME, m_seeds);
        const RunMode burst{"Burst", false};
        const RunMode packet{"Packet", false};
        const RunMode reversed{"Packet", true};
        const RunMode observed{"Packet", false, true};
        uint64_t packets = 0;
        uint64_t burstPackets = 0;
        uint64_t regions = 0;
        for (uint64_t seed = seeds.first; seed <= seeds.last && m_failures < FAILURES; ++seed)
        {
            const Scenario scenario = Scenario::Make(seed);
            const Record inPackets = scenario.Run(packet);
            if (seeds.single)
            {
                std::cout << scenario.ToText() << "\n" << inPackets.ToText() << std::flush;
            }
            const Record inBursts = scenario.Run(burst);
            packets += inBursts.GetPackets();
            burstPackets += inBursts.GetBurstPackets();
            regions += inBursts.GetRegions();
            NS_TEST_EXPECT_MSG_EQ(inPackets.GetBurstPackets(), 0u, "packets are no bursts");
            auto difference = inPackets.Compare("Packet", inBursts, "Burst");
            if (!difference.empty())
            {
                Report(scenario, packet, burst, difference, seeds.single);
            }
            else if (seeds.wanted || seed % REVERSED == 0)
            {
                for (const RunMode& other : {reversed, observed})
                {
                    difference = inPackets.Compare("Packet", scenario.Run(other), other.ToText());
                    if (!difference.empty())
                    {
                        Report(scenario, packet, other, difference, seeds.single);
                    }
                }
            }
        }
        std::cout << Scenario::NAME << " scenarios " << seeds.first << " to " << seeds.last << ": "
                  << packets << " packets, " << burstPackets << " of them in bursts, " << regions
                  << " regions" << std::endl;
        NS_TEST_EXPECT_MSG_EQ(m_failures, 0u, "scenarios that differ");
        if (!seeds.wanted) // some scenarios are not the average
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(burstPackets * 100,
                                        packets * m_burstPercent,
                                        "too few packets travel in bursts to prove anything");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(regions * 100,
                                        m_regions * (seeds.last - seeds.first),
                                        "bursts go on amid packets too rarely to prove anything");
        }
    }

    uint64_t m_seeds;
    uint32_t m_burstPercent;
    uint32_t m_regions;
    uint32_t m_failures{0};
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_CASE_H
