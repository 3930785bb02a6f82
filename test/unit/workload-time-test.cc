// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/compute-model.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(GpuGenerations, PresetsAreOrderedByAge)
{
    double peak = 0;
    for (const auto& name : GpuSpec::GetNames())
    {
        const auto gpu = *GpuSpec::Find(name);
        EXPECT_EQ(gpu.name, name);
        EXPECT_GE(gpu.peakFlops, peak);
        EXPECT_GT(gpu.memoryBandwidth, gpu.scaleUpBandwidth);
        peak = gpu.peakFlops;
    }
    EXPECT_EQ(GpuSpec::Find("a100")->peakFlops, 312e12);
    EXPECT_FALSE(GpuSpec::Find("A100"));
}

TEST(ScaleUpModel, RingsOverTheScaleUpInterconnect)
{
    GpuSpec gpu;
    gpu.scaleUpBandwidth = 100e9;
    gpu.scaleUpLatency = 1e-6;
    const ScaleUpModel scaleUp(gpu);
    auto micro = [&scaleUp](CollectiveKind kind, uint32_t ranks, uint64_t bytes) {
        return scaleUp.GetTime(kind, ranks, bytes).GetSeconds() * 1e6;
    };
    // Three steps of 1 us latency and 10 us for 1 MB each; the AllReduce takes them twice.
    EXPECT_NEAR(micro(CollectiveKind::ALL_GATHER, 4, 1'000'000), 33, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::REDUCE_SCATTER, 4, 4'000'000), 33, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::ALL_REDUCE, 4, 4'000'000), 66, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::ALL_REDUCE, 2, 4), 2, 1e-3);
    EXPECT_EQ(micro(CollectiveKind::ALL_GATHER, 1, 1'000'000), 0);
}

TEST(ScaleUpModel, TakesLaunchStepsAndProtocolOfNccl)
{
    const ScaleUpModel scaleUp(*GpuSpec::Find("a100"));
    auto micro = [&scaleUp](uint64_t bytes) {
        return scaleUp.GetTime(CollectiveKind::ALL_REDUCE, 8, bytes).GetSeconds() * 1e6;
    };
    // LL: 6.6 us, 14 steps of 0.6 us, 0.38 of the bandwidth. Simple: 8.4 us, 14 of 3.4, all of it.
    EXPECT_NEAR(micro(8192), 6.6 + 14 * 0.6 + 1.75 * 8192 / (0.38 * 240e3), 1e-3);
    EXPECT_NEAR(micro(1 << 30), 8.4 + 14 * 3.4 + 1.75 * (1 << 30) / 240e3, 1e-3);
}

TEST(ScaleUpModel, ExchangesInsideADomain)
{
    GpuSpec gpu;
    gpu.scaleUpBandwidth = 100e9;
    gpu.scaleUpLatency = 1e-6;
    const ScaleUpModel scaleUp(gpu);
    auto micro = [&scaleUp](CollectiveKind kind, uint32_t ranks, uint64_t bytes) {
        return scaleUp.GetTime(kind, ranks, bytes).GetSeconds() * 1e6;
    };
    // One step of 1 us, and 10 us for each MB that leaves the rank.
    EXPECT_NEAR(micro(CollectiveKind::ALL_TO_ALL, 4, 4'000'000), 31, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::SEND, 2, 1'000'000), 11, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::RECV, 2, 1'000'000), 11, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::BROADCAST, 4, 1'000'000), 13, 1e-6);
    EXPECT_NEAR(micro(CollectiveKind::REDUCE, 4, 1'000'000), 13, 1e-6);
    // Rank 1 keeps 9 MB, sends 3 MB and receives 2 MB; rank 2 receives 5 MB, which takes longest.
    const AllToAllSizes sizes(3, {0, 2'000'000, 2'000'000, 0, 9'000'000, 3'000'000, 1, 0, 0});
    EXPECT_NEAR(scaleUp.GetTime(sizes).GetSeconds() * 1e6, 51, 1e-6);
    const AllToAllSizes alike(4, std::vector<uint64_t>(16, 1'000'000));
    EXPECT_EQ(scaleUp.GetTime(alike), scaleUp.GetTime(CollectiveKind::ALL_TO_ALL, 4, 4'000'000));
}

TEST(AllToAllSizes, PatternsAreMatrices)
{
    for (uint32_t ranks = 1; ranks <= 12; ++ranks)
    {
        std::vector<uint64_t> bytes;
        for (uint32_t i = 0; i < ranks; ++i)
        {
            bytes.push_back(uint64_t{1} << (3 * i));
        }
        for (uint32_t from = 0; from < ranks; ++from)
        {
            for (uint32_t to = 0; to < ranks; ++to)
            {
                const AllToAllSizes pattern(bytes, {from, to});
                std::vector<uint64_t> matrix;
                for (uint32_t i = 0; i < ranks; ++i)
                {
                    for (uint32_t j = 0; j < ranks; ++j)
                    {
                        matrix.push_back(bytes[(i * from + j * to) % ranks]);
                        ASSERT_EQ(pattern.GetBytes(i, j), matrix.back());
                    }
                }
                ASSERT_EQ(pattern.GetRanks(), ranks);
                const AllToAllSizes listed(ranks, matrix);
                ASSERT_EQ(pattern.GetMost(), listed.GetMost());
                for (uint32_t first = 0; first < ranks; ++first)
                {
                    for (uint32_t count = 0; count <= ranks; ++count)
                    {
                        ASSERT_EQ(pattern.GetSum(first, first, count),
                                  listed.GetSum(first, first, count));
                        ASSERT_EQ(pattern.GetSum(0, first, count), listed.GetSum(0, first, count));
                    }
                }
            }
        }
    }
}
