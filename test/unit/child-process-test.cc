// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/child-process.h"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <sys/time.h>
#include <unistd.h>

using namespace ns3;

TEST(ChildProcess, WhatTheChildReturns)
{
    EXPECT_EQ(RunInChild([] { return std::string("done"); }), "done");
    EXPECT_EQ(RunInChild([] { return std::string(); }), "");
    const std::string much(1 << 20, 'x'); // more than a pipe holds
    EXPECT_EQ(RunInChild([&much] { return much; }), much);
}

TEST(ChildProcess, SignalsDoNotCutWhatTheChildReturns)
{
    // A signal ends a write to a full pipe after a part of the text.
    std::string much;
    for (uint32_t i = 0; much.size() < (32 << 20); ++i)
    {
        much += std::to_string(i) + ' ';
    }
    const auto text = RunInChild([&much] {
        signal(SIGALRM, [](int) {});
        const timeval interval{0, 100};
        const itimerval timer{interval, interval};
        setitimer(ITIMER_REAL, &timer, nullptr);
        return much;
    });
    EXPECT_TRUE(text == much) << text.value_or("").size() << " bytes of " << much.size();
}

TEST(ChildProcess, WhatTheChildDoesIsItsOwn)
{
    int value = 1;
    EXPECT_EQ(RunInChild([&value] { return std::to_string(++value); }), "2");
    EXPECT_EQ(value, 1);
}

TEST(ChildProcess, ChildrenThatEndInAnotherWay)
{
    EXPECT_FALSE(RunInChild([]() -> std::string { _exit(3); }));
    EXPECT_FALSE(RunInChild([]() -> std::string {
        kill(getpid(), SIGKILL);
        return "never";
    }));
}

TEST(ChildPool, SeveralAtOnceAndEachOnce)
{
    std::map<std::size_t, std::optional<std::string>> results;
    ChildPool::Run(
        {0, 1, 2, 3, 4, 5, 6},
        3,
        [](std::size_t piece) {
            if (piece == 4)
            {
                _exit(1);
            }
            return std::string(piece * 100000, 'x'); // more than a pipe holds
        },
        [&results](std::size_t piece, const std::optional<std::string>& text) {
            EXPECT_TRUE(results.emplace(piece, text).second) << piece;
        });
    ASSERT_EQ(results.size(), 7u);
    for (const auto& [piece, text] : results)
    {
        EXPECT_EQ(text.has_value(), piece != 4);
        EXPECT_EQ(text.value_or("").size(), piece == 4 ? 0 : piece * 100000);
    }
    ChildPool::Run({}, 1, nullptr, nullptr);
}

TEST(ChildPool, TheyRunTogether)
{
    // Each waits for the other: a byte through a pipe both ways.
    std::array<std::array<int, 2>, 2> pipes;
    ASSERT_EQ(pipe(pipes[0].data()) + pipe(pipes[1].data()), 0);
    uint32_t ended = 0;
    ChildPool::Run(
        {0, 1},
        2,
        [&pipes](std::size_t piece) {
            char byte = 'x';
            const bool told = write(pipes[piece][1], &byte, 1) == 1;
            return std::string(told && read(pipes[1 - piece][0], &byte, 1) == 1 ? "met" : "");
        },
        [&ended](std::size_t, const std::optional<std::string>& text) {
            EXPECT_EQ(text, "met");
            ++ended;
        });
    EXPECT_EQ(ended, 2u);
}
