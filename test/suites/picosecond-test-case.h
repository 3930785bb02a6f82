// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PICOSECOND_TEST_CASE_H
#define PHOTONIC_RAILS_PICOSECOND_TEST_CASE_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

namespace ns3
{
namespace test
{

/// A case that counts in picoseconds and leaves a clean simulator behind.
class PicosecondTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS) // once per process is all that ns-3 bears
        {
            Time::SetResolution(Time::PS);
        }
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_PICOSECOND_TEST_CASE_H
