// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Bursts against packets: two or three NICs, and all that can get in the way of their messages.
 */

#include "differential-case.h"
#include "differential-link-scenario.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint64_t SCENARIOS = 500; //!< of a suite

/// Some of the scenarios.
class DifferentialLinkTestSuite : public TestSuite
{
  public:
    /// @param part which, from 0
    explicit DifferentialLinkTestSuite(uint32_t part)
        : TestSuite("photonic-rails-differential-link-" + std::to_string(part + 1), Type::UNIT)
    {
        AddTestCase(new DifferentialCase<LinkScenario>(
            SeedRange{part * SCENARIOS + 1, (part + 1) * SCENARIOS},
            30));
    }
};

DifferentialLinkTestSuite g_differentialLink1(0); //!< the first
DifferentialLinkTestSuite g_differentialLink2(1); //!< the second
DifferentialLinkTestSuite g_differentialLink3(2); //!< the third
DifferentialLinkTestSuite g_differentialLink4(3); //!< the fourth

} // namespace
