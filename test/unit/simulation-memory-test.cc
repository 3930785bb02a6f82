// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/training-settings.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(SimulationMemory, IsRefusedWithBothFigures)
{
    const double limit = SimulationMemory::Estimate(1000);
    EXPECT_EQ(SimulationMemory::Check(1000, limit), "");
    EXPECT_EQ(SimulationMemory::Check(1001, limit),
              "the simulation of 1001 GPUs takes at least 0.1 GB of memory, and there are 0.1 GB; "
              "allowed are fewer GPUs, and --describe");
    EXPECT_GT(SimulationMemory::Estimate(1U << 20), 5e10);
    EXPECT_GT(SimulationMemory::GetLimit(), SimulationMemory::Estimate(16));
    EXPECT_EQ(SimulationMemory::Check(16), "");
}
