// SPDX-License-Identifier: GPL-2.0-only

// The book of circuits when switches lose all they had, beside a model of the switches.

#include "../random-search.h"

#include "ns3/circuit-scheduler.h"
#include "ns3/lease-service.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

constexpr uint32_t LOSS_RANKS = 8; //!< ranks 0 to 3 on switch 0, the others on switch 1

/// What switches do with the commands that the scheduler gives, and who holds what.
class Switches
{
  public:
    Switches()
    {
        AddGroup(1, {0, 1});
        AddGroup(2, {2, 3});
        AddGroup(3, {1, 2});
        AddGroup(4, {0, 1, 2, 3});
        AddGroup(5, {4, 5, 6, 7});
        AddGroup(6, {5, 6});
        AddGroup(7, {0, 1}); // shares its circuits with the first
        AddGroup(8, {0, 1, 4, 5});
    }

    CircuitScheduler scheduler;
    std::map<uint64_t, CircuitScheduler::Switch> commands; //!< not yet reported
    std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>> lit;
    std::map<std::pair<uint64_t, uint32_t>, std::pair<uint32_t, char>> leases; //!< number, state
    std::map<uint64_t, std::vector<uint32_t>> ranks;
    std::map<uint64_t, CircuitPlan> plans;

    void Follow(const CircuitScheduler::Actions& actions, bool isRelighting = false)
    {
        ASSERT_EQ(scheduler.CheckInvariants(), "");
        for (const auto& action : actions.switches)
        {
            for (const Circuit& circuit : action.drop)
            {
                // A far end may go dark although its command has not been reported.
                lit[action.ocs].erase({circuit.a, circuit.b});
            }
            commands[action.command] = action;
        }
        for (const auto& grant : actions.grants)
        {
            for (const auto& lease : grant.leases)
            {
                auto& [number, state] = leases[{grant.group.id, lease.rank}];
                ASSERT_EQ(number, lease.number);
                ASSERT_EQ(state, 'a');
                state = 'h';
            }
            if (!isRelighting)
            {
                ExpectLight(grant.group.id);
            }
        }
    }

    void ExpectLight(uint64_t group)
    {
        for (const auto& [ocs, circuits] : plans[group])
        {
            for (const Circuit& circuit : circuits)
            {
                EXPECT_EQ(lit[ocs].count({circuit.a, circuit.b}), 1u) << "group " << group;
            }
        }
    }

    void Lose(uint32_t ocs)
    {
        lit[ocs].clear();
        for (auto it = commands.begin(); it != commands.end();)
        {
            it = it->second.ocs == ocs ? commands.erase(it) : std::next(it);
        }
        const auto actions = scheduler.ReportLoss(ocs);
        for (const auto& action : actions.switches)
        {
            // A group along both rails may have waited for a port of this one.
            EXPECT_TRUE(action.drop.empty() || action.ocs != ocs) << "there is nothing to drop";
        }
        Follow(actions);
    }

    /// A rank asks again for some of what it has, with higher numbers.
    void Restart(uint32_t rank, uint32_t choice)
    {
        std::set<uint64_t> needed;
        for (auto& [key, lease] : leases)
        {
            if (key.second == rank && lease.second != 0)
            {
                if ((choice >> key.first & 1) != 0)
                {
                    needed.insert(key.first);
                }
                else
                {
                    lease.second = 0;
                }
            }
        }
        Follow(scheduler.Restart(0, rank, needed));
        for (const uint64_t group : needed)
        {
            auto& [number, state] = leases[{group, rank}];
            const bool holds = state == 'h';
            state = 'a';
            number += 100;
            // What it holds may be dark just now, as for the others who hold it.
            const bool isRelighting = holds && !scheduler.IsUp({0, group});
            Follow(scheduler.Request({0, group}, {rank, number}, 0, false), isRelighting);
            EXPECT_TRUE(!holds || state == 'h') << "it is granted at once";
        }
    }

    void Report(uint64_t number)
    {
        const CircuitScheduler::Switch action = commands.at(number);
        commands.erase(number);
        for (const Circuit& circuit : action.make)
        {
            lit[action.ocs].insert({circuit.a, circuit.b});
        }
        Follow(scheduler.ReportLight(number));
    }

  private:
    void AddGroup(uint64_t id, const std::vector<uint32_t>& members)
    {
        std::map<uint32_t, std::vector<CircuitPlanner::Member>> rails;
        for (uint32_t rank : members)
        {
            const uint32_t ocs = rank / 4;
            rails[ocs].push_back({rank, {{ocs, rank % 4 * 2}, {ocs, rank % 4 * 2 + 1}}});
        }
        for (const auto& [ocs, some] : rails)
        {
            plans[id].merge(CircuitPlanner::PlanRing(some).plan);
        }
        ranks[id] = members;
        scheduler.AddGroup(GroupKey{0, id}, members, plans[id]);
    }
};

TEST(CircuitLoss, WhatIsHeldIsMadeAgain)
{
    Switches model;
    model.leases[{1, 0}] = model.leases[{1, 1}] = {1, 'a'};
    model.Follow(model.scheduler.Request({0, 1}, {0, 1}, 0, false));
    model.Follow(model.scheduler.Request({0, 1}, {1, 1}, 0, false));
    model.Report(1);
    EXPECT_TRUE(model.scheduler.IsUp({0, 1}));
    model.Lose(1);
    EXPECT_TRUE(model.commands.empty()) << "nothing was up there";
    model.Lose(0);
    ASSERT_EQ(model.commands.size(), 1u);
    EXPECT_FALSE(model.scheduler.IsUp({0, 1}));
    EXPECT_EQ(model.scheduler.GetState({0, 1}), CircuitScheduler::GroupState::SWITCHING);
    model.Lose(0); // the spare, too
    ASSERT_EQ(model.commands.size(), 1u);
    EXPECT_EQ(model.commands.begin()->first, 3u);
    EXPECT_EQ(model.commands.begin()->second.make.size(), 2u);
    model.Report(3);
    EXPECT_TRUE(model.scheduler.IsUp({0, 1}));
    EXPECT_EQ(model.scheduler.GetState({0, 1}), CircuitScheduler::GroupState::HELD);
    EXPECT_TRUE(model.scheduler.HasCircuits({0, 1}, 0));
    EXPECT_FALSE(model.scheduler.HasCircuits({0, 1}, 1));
    EXPECT_EQ(model.scheduler.GetGroupsInUse(0).size(), 1u);
    EXPECT_TRUE(model.scheduler.GetGroupsInUse(1).empty());
}

TEST(CircuitLoss, AShimThatHasForgottenIsToldWhatItHolds)
{
    Switches model;
    for (const uint32_t rank : {0, 1})
    {
        model.leases[{1, rank}] = {1, 'a'};
        model.Follow(model.scheduler.Request({0, 1}, {rank, 1}, 0, false));
    }
    model.Report(1);
    EXPECT_TRUE(model.scheduler.Restart(0, 0, {1}).grants.empty()) << "it has not asked yet";
    EXPECT_TRUE(model.scheduler.Request({0, 1}, {0, 1}, 0, false).grants.empty())
        << "an old message";
    const auto again = model.scheduler.Request({0, 1}, {0, 1000}, 0, false);
    ASSERT_EQ(again.grants.size(), 1u);
    ASSERT_EQ(again.grants[0].leases.size(), 1u);
    EXPECT_EQ(again.grants[0].leases[0].rank, 0u);
    EXPECT_EQ(again.grants[0].leases[0].number, 1000u);
    EXPECT_TRUE(again.switches.empty());
    // Another group wants the ports: the holder is told again with the number that it knows.
    for (const uint32_t rank : {1, 2})
    {
        model.scheduler.Request({0, 3}, {rank, 1}, 0, false);
    }
    EXPECT_EQ(model.scheduler.GetState({0, 1}), CircuitScheduler::GroupState::RECALLED);
    model.scheduler.Restart(0, 0, {1});
    const auto told = model.scheduler.Request({0, 1}, {0, 2000}, 0, false);
    ASSERT_EQ(told.recalls.size(), 1u);
    EXPECT_EQ(told.recalls[0].leases.at(0).number, 2000u);
    // What it does not need is given back.
    model.scheduler.Release({0, 1}, {1, 1}, 0);
    EXPECT_EQ(model.scheduler.Restart(0, 0, {}).switches.size(), 1u);
    EXPECT_EQ(model.scheduler.CheckInvariants(), "");
}

/// One member asks, gives back, or a switch reports or loses all, at random: in the end every group
/// that is held has light, and everybody who asks is served.
TEST(CircuitLoss, EverybodyIsServedInTheEnd)
{
    uint32_t relit = 0;
    uint32_t restarts = 0;
    const uint64_t seeds = test::CountSeeds("CircuitLoss.EverybodyIsServedInTheEnd", 3000);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        Switches model;
        for (uint32_t step = 0; step < 200; ++step)
        {
            const uint32_t what = random() % 17;
            if (what == 16)
            {
                const uint32_t rank = random() % LOSS_RANKS;
                model.Restart(rank, random());
                restarts += 1;
            }
            else if (what == 0)
            {
                const std::size_t before = model.commands.size();
                model.Lose(random() % 2);
                relit += model.commands.size() > before ? 1 : 0;
            }
            else if (what < 7 && !model.commands.empty())
            {
                // Commands to a switch keep their order.
                const uint32_t ocs = random() % 2;
                for (const auto& [number, action] : model.commands)
                {
                    if (action.ocs == ocs)
                    {
                        model.Report(number);
                        break;
                    }
                }
            }
            else
            {
                const uint64_t group = 1 + random() % 8;
                const uint32_t rank = model.ranks[group][random() % model.ranks[group].size()];
                auto& [number, state] = model.leases[{group, rank}];
                if (state == 'h')
                {
                    state = 0;
                    model.Follow(model.scheduler.Release({0, group}, {rank, number}, 0));
                }
                else if (state == 0)
                {
                    state = 'a';
                    model.Follow(model.scheduler.Request({0, group}, {rank, ++number}, 0, false));
                }
            }
            if (testing::Test::HasFailure())
            {
                return;
            }
        }
        // Nobody gives back but when all is quiet; every group is asked for by all its ranks.
        for (uint32_t round = 0; round < 64; ++round)
        {
            while (!model.commands.empty())
            {
                model.Report(model.commands.begin()->first);
            }
            for (auto& [key, lease] : model.leases)
            {
                if (lease.second == 'h')
                {
                    model.ExpectLight(key.first);
                }
            }
            const uint64_t group = 1 + round % 8;
            for (const uint32_t rank : model.ranks[group])
            {
                auto& [number, state] = model.leases[{group, rank}];
                if (state == 0 && round < 32) // then let all come to an end
                {
                    state = 'a';
                    model.Follow(model.scheduler.Request({0, group}, {rank, ++number}, 0, false));
                }
            }
            for (auto& [key, lease] : model.leases)
            {
                if (lease.second == 'h')
                {
                    lease.second = 0;
                    model.Follow(
                        model.scheduler.Release({0, key.first}, {key.second, lease.first}, 0));
                }
            }
        }
        for (auto& [key, lease] : model.leases)
        {
            ASSERT_NE(lease.second, 'a') << "group " << key.first << " rank " << key.second;
        }
    }
    EXPECT_GT(relit, seeds / 3);
    EXPECT_GT(restarts, seeds / 3);
}

TEST(CircuitLoss, ALostSwitchHasAnEmptyWindow)
{
    CommandWindow window;
    window.SetWindow(1);
    CircuitScheduler::Switch one;
    one.command = 1;
    one.ocs = 3;
    EXPECT_TRUE(window.Add(one));
    one.command = 2;
    EXPECT_FALSE(window.Add(one));
    one.command = 3;
    one.ocs = 4;
    EXPECT_TRUE(window.Add(one));
    window.DropSwitch(3);
    EXPECT_FALSE(window.Take(1));
    EXPECT_FALSE(window.Next(3));
    one.command = 4;
    one.ocs = 3;
    EXPECT_TRUE(window.Add(one)) << "there is room again";
    EXPECT_TRUE(window.Take(3)) << "other switches keep theirs";
}

} // namespace
} // namespace ns3
