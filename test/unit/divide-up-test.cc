// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/divide-up.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace ns3
{
namespace
{

TEST(DivideUp, RoundsUpUnlessNothingIsLeft)
{
    for (uint64_t divisor = 1; divisor <= 12; ++divisor)
    {
        for (uint64_t quotient = 0; quotient <= 12; ++quotient)
        {
            const uint64_t whole = quotient * divisor;
            EXPECT_EQ(DivideUp(whole, divisor), quotient);
            for (uint64_t rest = 1; rest < divisor; ++rest)
            {
                EXPECT_EQ(DivideUp(whole + rest, divisor), quotient + 1);
            }
        }
    }
}

TEST(DivideUp, TheLargestNumbersDoNotOverflow)
{
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(DivideUp(most, most), 1U);
    EXPECT_EQ(DivideUp(most - 1, most), 1U);
    EXPECT_EQ(DivideUp(most, 2), most / 2 + 1);
    EXPECT_EQ(DivideUp(most, 1), most);
}

} // namespace
} // namespace ns3
