// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The check of schedules finds what is wrong: every message of one rank is spoilt in every way, in
 * every collective by every algorithm.
 */

#include "ns3/schedule-check.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

/// An algorithm by its name.
using Algorithm = Variant<CollectiveAlgorithm>;

namespace
{

using Action = ScheduledReceive::Action;

constexpr uint32_t REPLAY_RANKS = 8; //!< in two domains of four
constexpr uint32_t SPOILT = 5;       //!< rank whose schedule is changed
constexpr uint64_t BYTES = 211;      //!< at least 26 in a chunk

/// A schedule that can be changed.
struct OpenSchedule
{
    std::vector<ScheduledSend> sends;
    std::vector<std::vector<uint16_t>> after;
    std::vector<ScheduledReceive> receives;

    explicit OpenSchedule(const CollectiveSchedule& schedule)
        : sends(schedule.GetSends()),
          receives(schedule.GetReceives())
    {
        for (const auto& send : sends)
        {
            const auto ids = schedule.GetAfter(send);
            after.emplace_back(ids.begin(), ids.end());
        }
    }

    CollectiveSchedule Close() const
    {
        CollectiveSchedule schedule;
        for (const auto& receive : receives)
        {
            schedule.AddReceive(receive);
        }
        for (std::size_t i = 0; i < sends.size(); ++i)
        {
            schedule.AddSend(sends[i], after[i]);
        }
        return schedule;
    }
};

/// One collective by one algorithm.
struct Case
{
    Algorithm algorithm;
    RankContext part;

    std::string GetName() const
    {
        return algorithm->GetName() + " " + ToString(part.call.kind);
    }
};

/// @return all of them
std::vector<Case>
GetCases()
{
    std::vector<Case> cases;
    for (const auto kind : {CollectiveKind::ALL_REDUCE,
                            CollectiveKind::ALL_GATHER,
                            CollectiveKind::REDUCE_SCATTER,
                            CollectiveKind::ALL_TO_ALL,
                            CollectiveKind::BROADCAST,
                            CollectiveKind::REDUCE})
    {
        for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
        {
            RankContext part;
            part.call.kind = kind;
            part.call.bytes = BYTES;
            part.shape = {REPLAY_RANKS, 4};
            part.root = 2;
            part.chunkBytes = 40;
            cases.push_back({algorithm, part});
        }
    }
    return cases;
}

/// A way to spoil the i-th send or receive; false if there is none.
using Mutation = std::function<bool(OpenSchedule&, std::size_t)>;

/// @return how many ways to spoil a rank's schedule there are; all must be found
uint32_t
CountFound(const Case& test, const Mutation& mutate)
{
    uint32_t found = 0;
    ScheduleCheck check(test.algorithm, test.part);
    const OpenSchedule original(check.schedules[SPOILT]);
    EXPECT_EQ(check.RunAll(), "") << test.GetName();
    for (std::size_t i = 0; i < std::max(original.sends.size(), original.receives.size()); ++i)
    {
        OpenSchedule spoilt = original;
        if (mutate(spoilt, i))
        {
            check.schedules[SPOILT] = spoilt.Close();
            EXPECT_NE(check.RunAll(), "") << test.GetName() << ": message " << i;
            ++found;
        }
    }
    return found;
}

/// @return the messages with data; in what order those without come matters for time only
template <typename Message>
std::size_t
CountData(const std::vector<Message>& messages)
{
    return static_cast<std::size_t>(
        std::count_if(messages.begin(), messages.end(), [](const Message& message) {
            return message.data.bytes > 0;
        }));
}

/// @return true if there is an i-th send and it has data
bool
HasData(const OpenSchedule& schedule, std::size_t i)
{
    return i < schedule.sends.size() && schedule.sends[i].data.bytes > 0;
}

/// A way to spoil a send with data.
Mutation
OfSend(std::function<void(ScheduledSend&)> change)
{
    return [change](OpenSchedule& schedule, std::size_t i) {
        if (!HasData(schedule, i))
        {
            return false;
        }
        change(schedule.sends[i]);
        return true;
    };
}

/// A way to spoil a receive with data.
Mutation
OfReceive(std::function<void(ScheduledReceive&)> change)
{
    return [change](OpenSchedule& schedule, std::size_t i) {
        if (i >= schedule.receives.size() || schedule.receives[i].data.bytes == 0)
        {
            return false;
        }
        change(schedule.receives[i]);
        return true;
    };
}

TEST(ScheduleReplayTest, FindsWhatIsWrongWithAMessage)
{
    const std::vector<Mutation> ofSends{
        OfSend([](auto& send) { send.data.offset += send.data.offset > 0 ? -1 : 1; }),
        OfSend([](auto& send) { send.data.bytes -= 1; }),
        OfSend([](auto& send) { send.peer = (send.peer + 1) % REPLAY_RANKS; }),
        OfSend([](auto& send) { send.connector = (send.connector + 1) % 3; }),
        OfSend([](auto& send) { send.transferId ^= 1; }),
        OfSend([](auto& send) { send.transferId = 60000; }),
        [](OpenSchedule& schedule, std::size_t i) {
            if (!HasData(schedule, i))
            {
                return false;
            }
            schedule.sends.push_back(schedule.sends[i]);
            schedule.after.push_back(schedule.after[i]);
            return true;
        },
        [](OpenSchedule& schedule, std::size_t i) {
            if (!HasData(schedule, i))
            {
                return false;
            }
            schedule.sends.erase(schedule.sends.begin() + static_cast<std::ptrdiff_t>(i));
            schedule.after.erase(schedule.after.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }};
    const std::vector<Mutation> ofReceives{
        OfReceive([](auto& receive) { receive.data.offset += receive.data.offset > 0 ? -1 : 1; }),
        OfReceive(
            [](auto& receive) { receive.data.offset += BYTES * REPLAY_RANKS * REPLAY_RANKS; }),
        OfReceive([](auto& receive) { receive.data.bytes += 1; }),
        OfReceive([](auto& receive) { receive.peer = (receive.peer + 1) % REPLAY_RANKS; }),
        OfReceive([](auto& receive) { receive.connector = (receive.connector + 1) % 3; }),
        OfReceive([](auto& receive) {
            const bool isCopy = receive.action == Action::COPY || receive.action == Action::RELAY;
            receive.action = isCopy ? Action::REDUCE : Action::COPY;
        })};
    for (const auto& test : GetCases())
    {
        const ScheduleCheck check(test.algorithm, test.part);
        for (const auto& mutation : ofSends)
        {
            EXPECT_EQ(CountFound(test, mutation), CountData(check.schedules[SPOILT].GetSends()));
        }
        for (const auto& mutation : ofReceives)
        {
            EXPECT_EQ(CountFound(test, mutation), CountData(check.schedules[SPOILT].GetReceives()));
        }
    }
}

TEST(ScheduleReplayTest, FindsASendThatDoesNotWait)
{
    for (const auto& test : GetCases())
    {
        // Pairwise steps follow each other for the sake of the network, not of the data.
        if (test.algorithm == "pairwise")
        {
            continue;
        }
        CountFound(test, [](OpenSchedule& schedule, std::size_t i) {
            if (!HasData(schedule, i) || schedule.after[i].empty())
            {
                return false;
            }
            schedule.after[i].clear();
            return true;
        });
    }
}

TEST(ScheduleReplayTest, FindsADependencyThatIsMissing)
{
    uint32_t found = 0;
    for (const auto& test : GetCases())
    {
        // Phases and steps that wait for all before them name some that others imply, and so do
        // rounds that keep their own time.
        if (test.algorithm == "pairwise" || test.algorithm == "stragglar" ||
            (test.part.call.kind == CollectiveKind::ALL_REDUCE &&
             (test.algorithm == "halving-doubling" || test.algorithm == "hierarchical")))
        {
            continue;
        }
        for (std::size_t which = 0; which < REPLAY_RANKS; ++which)
        {
            found += CountFound(test, [which](OpenSchedule& schedule, std::size_t i) {
                if (i >= schedule.sends.size() || which >= schedule.after[i].size())
                {
                    return false;
                }
                auto& after = schedule.after[i];
                after.erase(after.begin() + static_cast<std::ptrdiff_t>(which));
                return true;
            });
        }
    }
    EXPECT_GT(found, 100);
}

TEST(ScheduleReplayTest, FindsHalvesOfASwapThatAreAddedTooEarly)
{
    RankContext part;
    part.call.bytes = BYTES;
    part.shape = {REPLAY_RANKS, 1};
    part.root = 2;
    ScheduleCheck check("stragglar", part);
    uint32_t swaps = 0;
    for (auto& schedule : check.schedules)
    {
        OpenSchedule spoilt(schedule);
        for (auto& receive : spoilt.receives)
        {
            const bool isSwap = receive.action == Action::SWAP;
            receive.action = isSwap ? Action::REDUCE : receive.action;
            swaps += isSwap ? 1 : 0;
        }
        schedule = spoilt.Close();
    }
    EXPECT_EQ(swaps, 2 * (REPLAY_RANKS - 1));
    EXPECT_NE(check.RunAll(), "");
}

TEST(ScheduleReplayTest, FindsRanksThatWaitForEachOther)
{
    std::vector<CollectiveSchedule> schedules(2);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        schedules[rank].AddReceive({{0, 1}, 1 - rank, CONNECTOR_DIRECT, Action::COPY});
        ScheduledSend send;
        send.data = {0, 1};
        send.peer = 1 - rank;
        send.connector = CONNECTOR_DIRECT;
        schedules[rank].AddSend(send, {0});
    }
    ScheduleReplay replay(schedules, {ScheduleReplay::Buffer(1), ScheduleReplay::Buffer(1)});
    EXPECT_EQ(replay.Run({}), "rank 0 waits for ever to send");
}

} // namespace
} // namespace ns3
