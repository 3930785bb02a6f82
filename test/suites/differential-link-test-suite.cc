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

/// The scenarios.
class DifferentialLinkTestSuite : public TestSuite
{
  public:
    DifferentialLinkTestSuite()
        : TestSuite("photonic-rails-differential-link", Type::UNIT)
    {
        AddTestCase(new DifferentialCase<LinkScenario>(2000, 30));
    }
};

DifferentialLinkTestSuite g_differentialLinkTestSuite; //!< the instance

} // namespace
