// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/recycled.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

/// A large object.
struct Large : Recycled<Large>
{
    virtual ~Large() = default;
    std::array<uint64_t, 300> content{};
};

/// A larger one, which the memory of Large does not suffice for.
struct Larger : Large
{
    std::array<uint64_t, 100> more{};
};

TEST(Recycled, ObjectsTakeMemoryOfReleasedObjectsAndNoOther)
{
    std::vector<std::unique_ptr<Large>> objects;
    std::set<const void*> places;
    for (uint64_t round = 0; round < 3; ++round)
    {
        for (uint64_t i = 0; i < 100; ++i)
        {
            objects.push_back(i % 7 == 0 ? std::make_unique<Larger>() : std::make_unique<Large>());
            objects.back()->content.fill(i);
            if (i % 7 > 0)
            {
                places.insert(objects.back().get());
            }
        }
        for (uint64_t i = 0; i < 100; ++i)
        {
            EXPECT_EQ(objects[i]->content.front(), i);
            EXPECT_EQ(objects[i]->content.back(), i);
        }
        objects.clear();
    }
#ifndef NS3_ASSERT_ENABLE
    EXPECT_EQ(places.size(), 85u) << "as many as there were at a time";
#endif
}

} // namespace
} // namespace ns3
