// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/child-process.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ns3;

TEST(ChildProcess, WhatTheChildReturns)
{
    EXPECT_EQ(RunInChild([] { return std::string("done"); }), "done");
    EXPECT_EQ(RunInChild([] { return std::string(); }), "");
    const std::string much(1 << 20, 'x'); // more than a pipe holds
    EXPECT_EQ(RunInChild([&much] { return much; }), much);
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
