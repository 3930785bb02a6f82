// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Queues of an output port, marks, presets: who is next, how often, and how much.
 */

#include "ns3/electrical-switch.h"
#include "ns3/priority-flow-control.h"
#include "ns3/switch-queues.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

/// Put a frame of some size into a queue.
void
Push(SwitchQueues& queues, uint8_t priority, uint32_t bytes)
{
    queues.Push(priority, {nullptr, Time(0), bytes, priority});
}

} // namespace

TEST(SwitchQueues, ControlGoesFirst)
{
    SwitchQueues queues;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        Push(queues, priority, 100);
        Push(queues, priority, 100);
    }
    EXPECT_EQ(queues.GetBacklog(), 0xff);
    std::string order;
    while (queues.GetBacklog() != 0)
    {
        const uint8_t priority = queues.Select(queues.GetBacklog());
        EXPECT_EQ(queues.Pop(priority).input, priority);
        order += static_cast<char>('0' + priority);
    }
    EXPECT_EQ(order.substr(0, 4), "7766");
    EXPECT_EQ(order.size(), 16);
}

TEST(SwitchQueues, OthersShareBytesEquallyWhateverTheFrames)
{
    SwitchQueues queues;
    const std::array<uint32_t, 3> sizes = {100, 1500, 9000};
    for (uint8_t priority = 0; priority < 3; ++priority)
    {
        for (int i = 0; i < 30'000; ++i)
        {
            Push(queues, priority, sizes[priority]);
        }
    }
    std::array<uint64_t, 3> sent{};
    for (uint64_t total = 0; total < 6'000'000;)
    {
        const auto waiting = queues.Pop(queues.Select(queues.GetBacklog()));
        sent[waiting.input] += waiting.bytes;
        total += waiting.bytes;
    }
    for (const uint64_t bytes : sent)
    {
        // At no time is one ahead of another by more than a turn and a frame.
        EXPECT_NEAR(bytes, 2'000'000, SwitchQueues::QUANTUM_BYTES + 9000);
    }
}

TEST(SwitchQueues, WhatIsNotEligibleIsPassedOver)
{
    SwitchQueues queues;
    Push(queues, 6, 100);
    Push(queues, 3, 200);
    Push(queues, 1, 300);
    EXPECT_EQ(queues.Select(1 << 3), 3);
    EXPECT_EQ(queues.Select(1 << 1), 1);
    EXPECT_EQ(queues.GetDepth(3), 200);
    queues.Pop(3);
    EXPECT_EQ(queues.GetDepth(3), 0);
    EXPECT_EQ(queues.GetDepth(5), 0);
    EXPECT_EQ(queues.GetBacklog(), (1 << 6) | (1 << 1));
}

TEST(EcnMarker, LinearBetweenKminAndKmax)
{
    const EcnMarker marker(1000, 5000, 0.2);
    EXPECT_EQ(marker.GetProbability(0), 0);
    EXPECT_EQ(marker.GetProbability(1000), 0);
    EXPECT_FALSE(marker.MayMark(1000));
    EXPECT_TRUE(marker.MayMark(1001));
    EXPECT_DOUBLE_EQ(marker.GetProbability(2000), 0.05);
    EXPECT_DOUBLE_EQ(marker.GetProbability(3000), 0.1);
    EXPECT_DOUBLE_EQ(marker.GetProbability(5000), 0.2);
    EXPECT_EQ(marker.GetProbability(5001), 1);
    const EcnMarker step(1000, 1000, 0.2); // as DCTCP marks
    EXPECT_EQ(step.GetProbability(1000), 0);
    EXPECT_EQ(step.GetProbability(1001), 1);
    EXPECT_FALSE(EcnMarker().MayMark(UINT64_MAX));
}

TEST(EcnMarkerDeathTest, RefusesNonsense)
{
    EXPECT_DEATH(EcnMarker(2, 1, 0.5), "Kmin");
    EXPECT_DEATH(EcnMarker(1, 2, 1.5), "probability");
}

TEST(SwitchPreset, ThresholdsFollowTheRate)
{
    ASSERT_EQ(SwitchPreset::GetAll().size(), 4);
    for (const auto& preset : SwitchPreset::GetAll())
    {
        const uint64_t rate = preset.portRate.GetBitRate();
        EXPECT_EQ(SwitchPreset::Find(preset.portRate).name, preset.name);
        EXPECT_EQ(preset.kmin * 8 * 1'000'000, rate * 32) << "32 us in " << preset.name;
        EXPECT_EQ(preset.kmax, 4 * preset.kmin);
        EXPECT_GT(preset.bufferBytes, 16 * preset.kmin);
    }
    EXPECT_EQ(SwitchPreset::Find(DataRate("400Gbps")).kmin, 1'600'000);
    EXPECT_EQ(SwitchPreset::Find(DataRate("25Gbps")).name, "100G");
    EXPECT_EQ(SwitchPreset::Find(DataRate("25Gbps")).kmin, 100'000);
    EXPECT_EQ(SwitchPreset::Find(DataRate("3600Gbps")).name, "800G");
    EXPECT_EQ(SwitchPreset::Find(DataRate("3600Gbps")).kmax, 57'600'000);
}

TEST(PfcHeader, BytesOnTheWire)
{
    PfcHeader header;
    header.sourceMac = Mac48Address("00:00:00:00:00:05");
    header.enabled = (1 << 3) | (1 << 7);
    header.quanta[3] = 0xffff;
    header.quanta[7] = 0x0102;
    auto frame = Create<Packet>();
    frame->AddHeader(header);
    std::array<uint8_t, 60> bytes{};
    ASSERT_EQ(frame->GetSize(), 60);
    frame->CopyData(bytes.data(), 60);
    std::array<uint8_t, 60> expected = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0, 0, 0,    0,   0, 5,
                                        0x88, 0x08, 0x01, 0x01, 0x00, 0x88, 0, 0, 0,    0,   0, 0,
                                        0xff, 0xff, 0,    0,    0,    0,    0, 0, 0x01, 0x02};
    EXPECT_EQ(bytes, expected);
    PfcHeader read;
    ASSERT_EQ(frame->RemoveHeader(read), 60);
    EXPECT_EQ(read.enabled, header.enabled);
    EXPECT_EQ(read.quanta, header.quanta);
    EXPECT_EQ(read.sourceMac, header.sourceMac);
}

TEST(PfcHeader, NothingElseIsOne)
{
    PfcHeader header;
    auto frame = Create<Packet>();
    frame->AddHeader(header);
    std::array<uint8_t, 60> good{};
    frame->CopyData(good.data(), 60);
    for (const std::size_t byte : {0, 5, 12, 13, 14, 15})
    {
        auto bad = good;
        bad[byte] ^= 0x10;
        EXPECT_EQ(Create<Packet>(bad.data(), 60)->PeekHeader(header), 0) << byte;
    }
    EXPECT_EQ(Create<Packet>(good.data(), 59)->PeekHeader(header), 0);
    EXPECT_EQ(Create<Packet>(good.data(), 60)->PeekHeader(header), 60);
}

TEST(PfcHeader, LogsNameThePrioritiesThatAFrameConcerns)
{
    PfcHeader header;
    header.sourceMac = Mac48Address("02:03:04:05:06:07");
    header.enabled = 0x89;
    header.quanta = {65535, 1, 2, 0, 4, 5, 6, 7};
    std::ostringstream text;
    header.Print(text);
    EXPECT_EQ(text.str(), "02:03:04:05:06:07 PFC 0=65535 3=0 7=7");
}
