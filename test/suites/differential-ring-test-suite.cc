// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Bursts against packets: collectives on rings of circuits.
 */

#include "differential-case.h"
#include "differential-ring.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/// The scenarios.
class DifferentialRingTestSuite : public TestSuite
{
  public:
    DifferentialRingTestSuite()
        : TestSuite("photonic-rails-differential-ring", Type::UNIT)
    {
        AddTestCase(new DifferentialCase<RingScenario>(600, 60));
    }
};

DifferentialRingTestSuite g_differentialRingTestSuite; //!< the instance

} // namespace
