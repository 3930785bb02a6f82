// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Bursts against packets: networks of electrical switches.
 */

#include "differential-case.h"
#include "differential-fabric.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/// The scenarios.
class DifferentialFabricTestSuite : public TestSuite
{
  public:
    DifferentialFabricTestSuite()
        : TestSuite("photonic-rails-differential-fabric", Type::UNIT)
    {
        AddTestCase(new DifferentialCase<FabricScenario>(400, 0));
        AddTestCase(new DifferentialCase<PairScenario>(1000, 30));
        AddTestCase(new DifferentialCase<CrowdScenario>(600, 30, 80));
        AddTestCase(new DifferentialCase<WideScenario>(1000, 30, 80));
    }
};

DifferentialFabricTestSuite g_differentialFabricTestSuite; //!< the instance

} // namespace
