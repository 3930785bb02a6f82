// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/parallelism-spec.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

TEST(MeshOrder, DefaultIsTorchTitans)
{
    EXPECT_EQ(MeshOrder().ToString(), "pp-dp-fsdp-cp-tp");
    const auto order = MeshOrder::Parse("tp-cp-fsdp-dp-pp");
    ASSERT_TRUE(order);
    EXPECT_EQ(order->GetDimensions(),
              (MeshOrder::Dimensions{MeshDimension::TP,
                                     MeshDimension::CP,
                                     MeshDimension::SHARD,
                                     MeshDimension::REPLICATE,
                                     MeshDimension::PP}));
}

TEST(MeshOrder, EveryPermutationIsReadBack)
{
    std::array<std::string, MeshOrder::DIMENSIONS> names{"cp", "dp", "fsdp", "pp", "tp"};
    std::set<MeshOrder::Dimensions> seen;
    do
    {
        std::string text;
        for (const auto& name : names)
        {
            text += (text.empty() ? "" : "-") + name;
        }
        const auto order = MeshOrder::Parse(text);
        ASSERT_TRUE(order) << text;
        EXPECT_EQ(order->ToString(), text);
        EXPECT_EQ(MeshOrder(order->GetDimensions()).ToString(), text);
        seen.insert(order->GetDimensions());
    } while (std::next_permutation(names.begin(), names.end()));
    EXPECT_EQ(seen.size(), 120U);
}

TEST(MeshOrder, GarbageIsRefused)
{
    for (const char* text : {"",
                             "-",
                             "tp",
                             "pp-dp-fsdp-cp",
                             "pp-dp-fsdp-cp-",
                             "-dp-fsdp-cp-tp",
                             "pp-dp-fsdp-cp-tp-",
                             "-pp-dp-fsdp-cp-tp",
                             "pp-dp-fsdp-cp-tp-tp",
                             "pp-dp-fsdp-cp-pp",
                             "pp--fsdp-cp-tp",
                             "pp-dp-fsdp-cp-ep",
                             "pp,dp,fsdp,cp,tp",
                             "pp-dp-fsdp-cp-tp ",
                             " pp-dp-fsdp-cp-tp",
                             "PP-DP-FSDP-CP-TP",
                             "pp-replicate-shard-cp-tp"})
    {
        EXPECT_FALSE(MeshOrder::Parse(text)) << text;
    }
    EXPECT_FALSE(MeshOrder::Parse(std::string("pp-dp-fsdp-cp-tp\0", 17)));
}
