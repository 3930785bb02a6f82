// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Bursts against packets: small training jobs on all fabrics.
 */

#include "differential-case.h"
#include "differential-job.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/// The scenarios.
class DifferentialJobTestSuite : public TestSuite
{
  public:
    DifferentialJobTestSuite()
        : TestSuite("photonic-rails-differential-job", Type::UNIT)
    {
        AddTestCase(new DifferentialCase<JobScenario>(40, 10));
    }
};

DifferentialJobTestSuite g_differentialJobTestSuite; //!< the instance

} // namespace
