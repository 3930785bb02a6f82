// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Memory of a switch: bytes are conserved, thresholds follow what is free, and a lossless priority
 * loses nothing while its link partner obeys within the headroom.
 */

#include "ns3/switch-buffer.h"

#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t LOSSLESS = 3;
constexpr uint8_t LOSSY = 0;

/// One lossless priority, two inputs with 10,000 bytes of headroom, 100,000 bytes to share.
SwitchBuffer::Settings
GetSettings()
{
    SwitchBuffer::Settings settings;
    settings.bytes = 100'000 + 2 * 8 * 1000 + 2 * 10'000;
    settings.reservedBytes = 1000;
    settings.alpha = 1;
    settings.lossyAlpha = 1;
    settings.resumeOffset = 2000;
    settings.losslessPriorities = 1 << LOSSLESS;
    return settings;
}

} // namespace

TEST(SwitchBuffer, OneInputMayHoldAlphaTimesWhatIsFree)
{
    // x = alpha (S - x), so x = S alpha / (1 + alpha); the reserve comes on top.
    for (const double alpha : {0.125, 0.5, 1.0, 4.0})
    {
        auto settings = GetSettings();
        settings.alpha = alpha;
        SwitchBuffer buffer(settings, {10'000, 10'000});
        EXPECT_EQ(buffer.GetSharedSize(), 100'000);
        uint64_t admitted = 0;
        while (!buffer.Admit(0, LOSSLESS, 100, 0).pause)
        {
            admitted += 100;
        }
        EXPECT_NEAR(admitted, 1000 + 100'000 * alpha / (1 + alpha), 200 * (1 + alpha)) << alpha;
        EXPECT_EQ(buffer.GetHeadroomUsed(0, LOSSLESS), 100);
    }
}

TEST(SwitchBuffer, AReserveFitsIfItsLongestPartStaysBelowTheThresholds)
{
    auto settings = GetSettings();
    settings.alpha = 0.125;
    const SwitchBuffer buffer(settings, {10'000, 10'000});
    // Many inputs with a little each: the threshold follows from the sum, and applies to the part.
    EXPECT_TRUE(buffer.IsRoomyFor({60'000, 5'000}));
    EXPECT_FALSE(buffer.IsRoomyFor({60'000, 5'001}));
    EXPECT_FALSE(buffer.IsRoomyFor({100'001, 0}));
    // A frame from outside counts on top of the reserve.
    EXPECT_TRUE(buffer.IsRoomyFor(0, LOSSLESS, 2'000, 0, {60'000, 4'750}));
    EXPECT_FALSE(buffer.IsRoomyFor(0, LOSSLESS, 2'000, 0, {60'000, 4'751}));
}

TEST(SwitchBuffer, ReservedPartsAreAdmittedInAnyOrder)
{
    // What IsRoomyFor accepts is admitted without a pause, whichever inputs come first.
    std::mt19937 random(5);
    for (uint32_t round = 0; round < 500; ++round)
    {
        auto settings = GetSettings();
        settings.alpha = settings.lossyAlpha = 1.0 / (1 + random() % 16);
        const uint32_t inputs = 2 + random() % 30;
        settings.bytes = 100'000 + inputs * 18'000;
        SwitchBuffer buffer(settings, std::vector<uint64_t>(inputs, 10'000));
        const uint64_t longest = 100 * (1 + random() % 100);
        if (!buffer.IsRoomyFor({inputs * longest, longest}))
        {
            continue;
        }
        std::vector<uint64_t> left(inputs, longest);
        std::vector<uint64_t> queues(inputs, 0);
        for (uint64_t frame = 0; frame < inputs * longest / 100; ++frame)
        {
            uint32_t input = random() % inputs;
            uint32_t output = random() % inputs;
            while (left[input] == 0)
            {
                input = (input + 1) % inputs;
            }
            while (queues[output] + 100 > longest)
            {
                output = (output + 1) % inputs;
            }
            const uint8_t priority = random() % 2 == 0 ? LOSSLESS : LOSSY;
            const auto admission = buffer.Admit(input, priority, 100, queues[output]);
            ASSERT_EQ(admission.verdict, SwitchBuffer::ADMITTED);
            ASSERT_FALSE(admission.pause);
            left[input] -= 100;
            queues[output] += 100;
        }
    }
}

TEST(SwitchBuffer, InputsShareEqually)
{
    // n queues at the threshold: x = alpha (S - n x).
    SwitchBuffer buffer(GetSettings(), {10'000, 10'000});
    std::array<bool, 2> paused{};
    while (!paused[0] || !paused[1])
    {
        for (uint32_t input = 0; input < 2; ++input)
        {
            if (!paused[input])
            {
                paused[input] = buffer.Admit(input, LOSSLESS, 100, 0).pause;
            }
        }
    }
    for (uint32_t input = 0; input < 2; ++input)
    {
        EXPECT_NEAR(buffer.GetHeld(input, LOSSLESS), 1000 + 100'000 / 3.0, 400);
    }
}

TEST(SwitchBuffer, PauseAndResumeOnce)
{
    SwitchBuffer buffer(GetSettings(), {10'000, 10'000});
    uint64_t held = 0;
    SwitchBuffer::Admission last{};
    do
    {
        last = buffer.Admit(0, LOSSLESS, 1000, 0);
        held += 1000;
    } while (last.verdict == SwitchBuffer::ADMITTED);
    EXPECT_EQ(last.verdict, SwitchBuffer::IN_HEADROOM);
    EXPECT_TRUE(last.pause);
    EXPECT_EQ(held, 52'000); // 1,000 of reserve, 50,000 of 100,000 shared, and this one
    for (int i = 0; i < 9; ++i)
    {
        last = buffer.Admit(0, LOSSLESS, 1000, 0);
        EXPECT_EQ(last.verdict, SwitchBuffer::IN_HEADROOM);
        EXPECT_FALSE(last.pause);
    }
    last = buffer.Admit(0, LOSSLESS, 1, 0);
    EXPECT_EQ(last.verdict, SwitchBuffer::HEADROOM_FULL);
    EXPECT_FALSE(last.pause);
    // The headroom empties first; then the threshold is 2,000 bytes away after one more frame:
    // 49,000 shared with 51,000 free.
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_FALSE(buffer.Release(0, LOSSLESS, 1000));
    }
    EXPECT_EQ(buffer.GetHeadroomUsed(0, LOSSLESS), 0);
    EXPECT_TRUE(buffer.IsPaused(0, LOSSLESS));
    EXPECT_TRUE(buffer.Release(0, LOSSLESS, 1000));
    EXPECT_FALSE(buffer.IsPaused(0, LOSSLESS));
    EXPECT_FALSE(buffer.Release(0, LOSSLESS, 1000));
}

TEST(SwitchBuffer, LossyQueuesEndAtTheThreshold)
{
    SwitchBuffer buffer(GetSettings(), {10'000, 10'000});
    // The reserve is there whatever the queue is.
    EXPECT_EQ(buffer.Admit(0, LOSSY, 1000, 1'000'000).verdict, SwitchBuffer::ADMITTED);
    EXPECT_EQ(buffer.Admit(0, LOSSY, 1000, 99'001).verdict, SwitchBuffer::QUEUE_LIMIT);
    EXPECT_EQ(buffer.Admit(0, LOSSY, 1000, 99'000).verdict, SwitchBuffer::ADMITTED);
    EXPECT_EQ(buffer.Admit(0, LOSSY, 99'001, 0).verdict, SwitchBuffer::BUFFER_FULL);
    EXPECT_EQ(buffer.GetSharedUsed(), 1000);
    EXPECT_FALSE(buffer.IsPaused(0, LOSSY));
}

TEST(SwitchBuffer, HeadroomIsARoundTripAndThreeFrames)
{
    // 400 Gbit/s: 50 bytes a nanosecond.
    EXPECT_EQ(SwitchBuffer::GetHeadroom(400'000'000'000, 0, 1000, 0), 3084);
    EXPECT_EQ(SwitchBuffer::GetHeadroom(400'000'000'000, 100e-9, 1000, 0), 3084 + 10'000);
    EXPECT_EQ(SwitchBuffer::GetHeadroom(400'000'000'000, 100e-9, 1000, 1e-6), 3084 + 60'000);
    EXPECT_EQ(SwitchBuffer::GetHeadroom(100'000'000'000, 100e-9, 1000, 1e-6), 3084 + 15'000);
}

TEST(SwitchBufferDeathTest, MustLeaveSomethingToShare)
{
    auto settings = GetSettings();
    settings.bytes = 36'000;
    EXPECT_DEATH(SwitchBuffer(settings, {10'000, 10'000}), "leaves nothing to share");
    const std::string line = "a memory of 36000 bytes leaves nothing to share: reserves and "
                             "headroom of 2 ports take 36000";
    EXPECT_EQ(SwitchBuffer::Check(settings, {10'000, 10'000}), line);
    settings.bytes = 36'001;
    EXPECT_EQ(SwitchBuffer::Check(settings, {10'000, 10'000}), "");
    EXPECT_EQ(SwitchBuffer(settings, {10'000, 10'000}).GetSharedSize(), 1);
    settings.alpha = 0;
    EXPECT_DEATH(SwitchBuffer(settings, {10'000, 10'000}), "alpha");
}

TEST(SwitchBuffer, AFrameBeyondAllHeadroomDoesNotPauseAnEmptyInput)
{
    auto settings = GetSettings();
    settings.alpha = 0.05; // 5,000 bytes at most
    SwitchBuffer buffer(settings, {4000, 10'000});
    const auto admission = buffer.Admit(0, LOSSLESS, 9000, 0);
    EXPECT_EQ(admission.verdict, SwitchBuffer::HEADROOM_FULL);
    EXPECT_FALSE(admission.pause);
    EXPECT_FALSE(buffer.IsPaused(0, LOSSLESS));
    // With something inside whose departure ends it, there is a pause.
    EXPECT_EQ(buffer.Admit(0, LOSSLESS, 100, 0).verdict, SwitchBuffer::ADMITTED);
    EXPECT_TRUE(buffer.Admit(0, LOSSLESS, 9000, 0).pause);
    EXPECT_TRUE(buffer.Release(0, LOSSLESS, 100));
}

/// Headroom for any frame of the test, and less than its largest ones.
class SwitchBufferWithHeadroom : public testing::TestWithParam<uint64_t>
{
};

INSTANTIATE_TEST_SUITE_P(Bytes, SwitchBufferWithHeadroom, testing::Values(10'000, 5'000, 0));

TEST_P(SwitchBufferWithHeadroom, RandomFramesConserveBytesAndStayWithinTheMemory)
{
    struct Frame
    {
        uint32_t input;
        uint8_t priority;
        uint32_t bytes;
    };

    for (uint32_t seed = 1; seed <= 30; ++seed)
    {
        std::minstd_rand random(seed);
        auto settings = GetSettings();
        settings.alpha = 0.1 * (1 + random() % 80);
        settings.lossyAlpha = 0.1 * (1 + random() % 80);
        SwitchBuffer buffer(settings, {GetParam(), GetParam()});
        std::deque<Frame> inside;
        uint64_t bytesInside = 0;
        std::array<std::array<bool, 8>, 2> paused{};
        for (int step = 0; step < 20'000; ++step)
        {
            const bool in = inside.empty() || random() % 1000 < (step / 2000 % 2 ? 400u : 600u);
            if (in)
            {
                const Frame frame{static_cast<uint32_t>(random() % 2),
                                  static_cast<uint8_t>(random() % 8),
                                  static_cast<uint32_t>(60 + random() % 9000)};
                const auto admission =
                    buffer.Admit(frame.input, frame.priority, frame.bytes, random() % 50'000);
                ASSERT_EQ(admission.pause && paused[frame.input][frame.priority], false);
                paused[frame.input][frame.priority] |= admission.pause;
                if (admission.verdict <= SwitchBuffer::IN_HEADROOM)
                {
                    inside.push_back(frame);
                    bytesInside += frame.bytes;
                }
            }
            else
            {
                const std::size_t which = random() % inside.size();
                std::swap(inside[which], inside.front());
                const Frame frame = inside.front();
                inside.pop_front();
                bytesInside -= frame.bytes;
                if (buffer.Release(frame.input, frame.priority, frame.bytes))
                {
                    ASSERT_TRUE(paused[frame.input][frame.priority]);
                    paused[frame.input][frame.priority] = false;
                }
            }
            ASSERT_EQ(buffer.GetUsed(), bytesInside);
            ASSERT_LE(buffer.GetUsed(), settings.bytes);
            ASSERT_LE(buffer.GetSharedUsed(), buffer.GetSharedSize());
            uint64_t held = 0;
            for (uint32_t input = 0; input < 2; ++input)
            {
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    held += buffer.GetHeld(input, priority);
                    ASSERT_EQ(buffer.IsPaused(input, priority), paused[input][priority]);
                    ASSERT_LE(buffer.GetHeadroomUsed(input, priority),
                              priority == LOSSLESS ? GetParam() : 0);
                    // A pause never lasts without something that will end it.
                    ASSERT_FALSE(paused[input][priority] && buffer.GetHeld(input, priority) == 0);
                }
            }
            ASSERT_EQ(held, bytesInside);
        }
        while (!inside.empty())
        {
            const Frame frame = inside.front();
            inside.pop_front();
            if (buffer.Release(frame.input, frame.priority, frame.bytes))
            {
                paused[frame.input][frame.priority] = false;
            }
        }
        EXPECT_EQ(buffer.GetUsed(), 0);
        EXPECT_EQ(buffer.GetSharedUsed(), 0);
        EXPECT_FALSE(paused[0][LOSSLESS] || paused[1][LOSSLESS]);
    }
}

TEST(SwitchBuffer, LosslessWhileTheLinkPartnerObeysInTime)
{
    // Link partners send frames of up to 1,000 bytes; once paused, each sends what the headroom is
    // made for: less than 10,000 bytes with the frame that crossed the threshold. Lossy traffic
    // presses on the same memory.
    for (uint32_t seed = 1; seed <= 30; ++seed)
    {
        std::minstd_rand random(seed);
        auto settings = GetSettings();
        settings.alpha = 0.1 * (1 + random() % 80);
        SwitchBuffer buffer(settings, {10'000, 10'000});
        std::array<std::deque<uint32_t>, 2> inside;
        std::deque<uint32_t> lossy;
        std::array<bool, 2> paused{};
        std::array<uint64_t, 2> mayStillSend{};
        uint64_t pauses = 0;
        for (int step = 0; step < 20'000; ++step)
        {
            const uint32_t input = random() % 2;
            const uint32_t bytes = 60 + random() % 941;
            if (random() % 100 < 55 && (!paused[input] || bytes <= mayStillSend[input]))
            {
                const auto admission = buffer.Admit(input, LOSSLESS, bytes, 0);
                ASSERT_LE(admission.verdict, SwitchBuffer::IN_HEADROOM) << "lost in step " << step;
                inside[input].push_back(bytes);
                if (admission.pause)
                {
                    ++pauses;
                    paused[input] = true;
                    mayStillSend[input] = 10'000 - bytes;
                }
                else if (paused[input])
                {
                    mayStillSend[input] -= bytes;
                }
            }
            else if (!inside[input].empty())
            {
                if (buffer.Release(input, LOSSLESS, inside[input].front()))
                {
                    paused[input] = false;
                }
                inside[input].pop_front();
            }
            if (random() % 2 == 0)
            {
                if (buffer.Admit(input, LOSSY, bytes, 0).verdict == SwitchBuffer::ADMITTED)
                {
                    lossy.push_back(input * 10'000 + bytes);
                }
            }
            else if (!lossy.empty() && step / 1000 % 2)
            {
                buffer.Release(lossy.front() / 10'000, LOSSY, lossy.front() % 10'000);
                lossy.pop_front();
            }
        }
        EXPECT_GT(pauses, 3) << seed;
    }
}
