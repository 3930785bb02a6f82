// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/fifo.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <utility>

namespace ns3
{
namespace
{

/// A Fifo and what it should hold.
template <std::size_t INLINE>
struct Pair
{
    Fifo<uint32_t, INLINE> queue;
    std::deque<uint32_t> expected;

    /// Add an element at a place, or remove one.
    void Change(std::mt19937& random, uint32_t value)
    {
        const std::size_t index = random() % (expected.size() + 1);
        const auto place = expected.begin() + static_cast<std::ptrdiff_t>(index);
        switch (random() % 6)
        {
        case 0:
        case 1:
            queue.push_back(value);
            expected.push_back(value);
            break;
        case 2:
            queue.insert(index, value);
            expected.insert(place, value);
            break;
        case 3:
            if (index < expected.size())
            {
                queue.erase(index);
                expected.erase(place);
            }
            break;
        default:
            if (!expected.empty())
            {
                queue.pop_front();
                expected.pop_front();
            }
        }
    }

    /// @return true if the queue holds what it should
    bool IsRight() const
    {
        bool isRight = queue.size() == expected.size() && queue.empty() == expected.empty();
        for (std::size_t i = 0; isRight && i < expected.size(); ++i)
        {
            isRight = queue[i] == expected[i];
        }
        return isRight && (expected.empty() ||
                           (queue.front() == expected.front() && queue.back() == expected.back()));
    }
};

/// Change two queues at random, and copy and move one to the other.
template <std::size_t INLINE>
void
CompareWithDeques(uint32_t seed)
{
    std::mt19937 random(seed);
    Pair<INLINE> one;
    Pair<INLINE> other;
    for (uint32_t step = 0; step < 300; ++step)
    {
        one.Change(random, step);
        if (random() % 16 == 0)
        {
            other = one;
        }
        if (random() % 16 == 0)
        {
            std::swap(one, other);
        }
        if (random() % 64 == 0)
        {
            one.queue.clear();
            one.expected.clear();
        }
        const Pair<INLINE> copy(one);
        ASSERT_TRUE(one.IsRight() && other.IsRight() && copy.IsRight())
            << "seed " << seed << ", step " << step;
    }
}

TEST(Fifo, DoesWhatADequeDoes)
{
    for (uint32_t seed = 1; seed <= 200; ++seed)
    {
        CompareWithDeques<0>(seed);
        CompareWithDeques<4>(seed);
    }
}

TEST(Fifo, HoldsNothingThatWasRemovedOrReplaced)
{
    const auto owned = std::make_shared<int>(1);
    Fifo<std::shared_ptr<int>> queue;
    for (int i = 0; i < 5; ++i)
    {
        queue.push_back(owned);
    }
    queue.pop_front();
    queue.erase(1);
    EXPECT_EQ(owned.use_count(), 1 + 3);
    Fifo<std::shared_ptr<int>> shorter;
    shorter.push_back(std::make_shared<int>(2));
    queue = shorter;
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_EQ(*queue.front(), 2);
}

} // namespace
} // namespace ns3
