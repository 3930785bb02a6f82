// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/expert-routing.h"
#include "ns3/workload-settings.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

/// @return popularity by Zipf's law
ExpertPopularity
MakeZipf(double exponent, uint64_t seed = 1)
{
    return {ExpertPopularity::ZIPF, exponent, {}, seed};
}

/// @return routing of the first step
ExpertPopularity
MakeInitial(double exponent, uint64_t vocabulary, uint64_t seed = 1)
{
    return {ExpertPopularity::INITIAL, exponent, {}, seed, vocabulary};
}

/// @return popularity by a list
ExpertPopularity
MakeList(std::vector<double> weights)
{
    return {ExpertPopularity::LISTED, 1, std::move(weights), 1};
}

/// @return rows of a sender to each rank
std::vector<uint64_t>
GetRowsSent(const ExpertRouting& routing, uint32_t ranks, uint32_t layer = 0, uint32_t from = 0)
{
    std::vector<uint64_t> rows;
    for (uint32_t to = 0; to < ranks; ++to)
    {
        rows.push_back(routing.GetRows(layer, from, to));
    }
    return rows;
}

using Rows = std::vector<uint64_t>;

} // namespace

TEST(ExpertRouting, AllExpertsAlike)
{
    const ExpertRouting routing(64, 6, 8, 4096, {});
    EXPECT_TRUE(routing.IsUniform());
    EXPECT_EQ(GetRowsSent(routing, 8), Rows(8, 6 * 4096 / 8));
    EXPECT_EQ(routing.GetReceived(3, 5), 6U * 4096);
    EXPECT_EQ(routing.GetImbalance(3), 1);
    EXPECT_FALSE(routing.GetSizes(0, 4096, false));
    // Zipf's law with exponent 0, equal weights, and all experts for every token are the same.
    for (const auto& same : {ExpertRouting(64, 6, 8, 4096, MakeZipf(0)),
                             ExpertRouting(64, 6, 8, 4096, MakeList(std::vector(64, 0.3))),
                             ExpertRouting(8, 8, 8, 3072, MakeZipf(2))})
    {
        EXPECT_TRUE(same.IsUniform());
        EXPECT_EQ(GetRowsSent(same, 8, 7), Rows(8, 3072));
    }
}

TEST(ExpertRouting, WhatDoesNotComeOutEvenIsSharedInTurn)
{
    // Ten rows of each of four ranks.
    const ExpertRouting routing(8, 2, 4, 5, {});
    EXPECT_FALSE(routing.IsUniform());
    EXPECT_EQ(GetRowsSent(routing, 4, 0, 0), (Rows{3, 3, 2, 2}));
    EXPECT_EQ(GetRowsSent(routing, 4, 0, 1), (Rows{2, 2, 3, 3}));
    EXPECT_EQ(GetRowsSent(routing, 4, 0, 2), (Rows{3, 3, 2, 2}));
    EXPECT_EQ(routing.GetReceived(0, 0), 10U);
    EXPECT_EQ(routing.GetImbalance(0), 1);
    const auto sizes = routing.GetSizes(0, 100, false);
    ASSERT_TRUE(sizes);
    EXPECT_EQ(sizes->GetBytes(1, 2), 300U);
    EXPECT_EQ(sizes->GetBytes(1, 1), 200U);
}

TEST(ExpertRouting, WeightsShareTheRowsOut)
{
    // 100 rows at 4 : 3 : 2 : 1, two experts a rank.
    const ExpertRouting routing(4, 1, 2, 100, MakeList({4, 3, 2, 1}));
    EXPECT_FALSE(routing.IsUniform());
    EXPECT_EQ(GetRowsSent(routing, 2), (Rows{70, 30}));
    EXPECT_EQ(GetRowsSent(routing, 2, 9, 1), (Rows{70, 30}));
    EXPECT_EQ(routing.GetReceived(0, 0), 140U);
    EXPECT_DOUBLE_EQ(routing.GetImbalance(0), 1.4);
    const auto dispatch = routing.GetSizes(0, 10, false);
    const auto combine = routing.GetSizes(0, 10, true);
    EXPECT_EQ(dispatch->GetBytes(1, 0), 700U);
    EXPECT_EQ(combine->GetBytes(0, 1), 700U);
    EXPECT_EQ(combine->GetBytes(1, 0), 300U);
    // Two experts of a rank that make up for each other.
    EXPECT_TRUE(ExpertRouting(4, 1, 2, 80, MakeList({3, 1, 1, 3})).IsUniform());
}

TEST(ExpertRouting, LargestRemaindersAreRoundedUp)
{
    // 10 x (0.55, 0.28, 0.17) = 5.5, 2.8, 1.7: two are left over for the last two.
    EXPECT_EQ(GetRowsSent(ExpertRouting(3, 1, 3, 10, MakeList({55, 28, 17})), 3), (Rows{5, 3, 2}));
    // Zipf: 11 rows at 6 : 3 : 2, whoever is popular.
    const ExpertRouting zipf(3, 1, 3, 11, MakeZipf(1));
    auto rows = GetRowsSent(zipf, 3);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, (Rows{2, 3, 6}));
}

TEST(ExpertRouting, AnExpertGetsATokenOnce)
{
    // 2 x 100 rows: nine tenths of them would be 180 for the first.
    EXPECT_EQ(GetRowsSent(ExpertRouting(4, 2, 4, 100, MakeList({90, 5, 3, 2})), 4),
              (Rows{100, 50, 30, 20}));
    // What the second gets then is too much as well.
    EXPECT_EQ(GetRowsSent(ExpertRouting(4, 3, 4, 100, MakeList({90, 60, 3, 2})), 4),
              (Rows{100, 100, 60, 40}));
    // Experts without weight come last, but come.
    EXPECT_EQ(GetRowsSent(ExpertRouting(4, 2, 4, 100, MakeList({1, 0, 0, 0})), 4),
              (Rows{100, 34, 33, 33}));
}

TEST(ExpertRouting, LayersHaveOtherFavourites)
{
    const ExpertRouting routing(64, 6, 8, 4096, MakeZipf(1.2));
    std::set<Rows> different;
    for (uint32_t layer = 0; layer < 20; ++layer)
    {
        different.insert(GetRowsSent(routing, 8, layer));
        EXPECT_EQ(GetRowsSent(routing, 8, layer), GetRowsSent(routing, 8, layer, 5));
        EXPECT_GT(routing.GetImbalance(layer), 1);
    }
    EXPECT_EQ(different.size(), 20U);
    const ExpertRouting other(64, 6, 8, 4096, MakeZipf(1.2, 2));
    const ExpertRouting high(64, 6, 8, 4096, MakeZipf(1.2, uint64_t{1} << 32));
    EXPECT_NE(GetRowsSent(routing, 8), GetRowsSent(other, 8));
    EXPECT_NE(GetRowsSent(routing, 8), GetRowsSent(high, 8));
    EXPECT_EQ(GetRowsSent(routing, 8),
              GetRowsSent(ExpertRouting(64, 6, 8, 4096, MakeZipf(1.2)), 8));
}

TEST(ExpertRouting, EqualWordsChooseEqualExperts)
{
    // With a single word, the experts of a token get all tokens of a layer.
    for (uint32_t layer = 0; layer < 20; ++layer)
    {
        Rows rows = GetRowsSent(ExpertRouting(64, 6, 64, 4096, MakeInitial(1, 1)), 64, layer);
        std::sort(rows.begin(), rows.end());
        Rows all(58, 0);
        all.insert(all.end(), 6, 4096);
        EXPECT_EQ(rows, all);
    }
    // Where all words are equally frequent, experts are alike but for the drawn words.
    const ExpertRouting flat(64, 6, 8, 4096, MakeInitial(0, 1'000'000));
    EXPECT_FALSE(flat.IsUniform());
    EXPECT_LT(flat.GetImbalance(0), 1.01);
    EXPECT_TRUE(ExpertRouting(8, 8, 8, 4096, MakeInitial(1, 100)).IsUniform());
    EXPECT_TRUE(ExpertRouting(8, 2, 1, 4096, MakeInitial(1, 100)).IsUniform());
    const ExpertRouting routing(64, 6, 8, 4096, MakeInitial(1, 102400));
    EXPECT_EQ(GetRowsSent(routing, 8, 3),
              GetRowsSent(ExpertRouting(64, 6, 8, 4096, MakeInitial(1, 102400)), 8, 3));
    EXPECT_NE(GetRowsSent(routing, 8, 3), GetRowsSent(routing, 8, 4));
    EXPECT_NE(GetRowsSent(routing, 8, 3),
              GetRowsSent(ExpertRouting(64, 6, 8, 4096, MakeInitial(1, 102400, 2)), 8, 3));
}

TEST(ExpertRouting, RepeatedWordsDecideTheSpreadOfLoads)
{
    // An expert's share of the tokens has mean K / E, and a variance of K / E (1 - K / E) times the
    // sum of the squared shares of words: Zipf's law over 1000 words, whose sum is H.
    constexpr uint32_t LAYERS = 400;
    constexpr double MEAN = 6.0 / 64;
    double harmonic = 0;
    double squares = 0;
    for (uint32_t i = 1; i <= 1000; ++i)
    {
        harmonic += 1.0 / i;
        squares += 1.0 / i / i;
    }
    const ExpertRouting routing(64, 6, 64, 100'000, MakeInitial(1, 1000));
    double sum = 0;
    for (uint32_t layer = 0; layer < LAYERS; ++layer)
    {
        for (const uint64_t rows : GetRowsSent(routing, 64, layer))
        {
            const double off = static_cast<double>(rows) / 100'000 - MEAN;
            sum += off * off;
        }
    }
    const double expected = MEAN * (1 - MEAN) * squares / harmonic / harmonic;
    EXPECT_NEAR(sum / LAYERS / 64 / expected, 1, 0.05);
}

TEST(ExpertRouting, FavouritesAreTheSameEverywhere)
{
    // One expert a rank, 1 : 1/2 : ... : 1/8 of 761 rows, which are 280, 140, 93.3, 70, 56, ...
    const ExpertRouting routing(8, 1, 8, 761, MakeZipf(1));
    EXPECT_EQ(GetRowsSent(routing, 8, 0), (Rows{280, 47, 56, 70, 93, 40, 140, 35}));
    EXPECT_EQ(GetRowsSent(routing, 8, 1), (Rows{56, 280, 70, 40, 47, 140, 35, 93}));
}

TEST(ExpertRouting, FavouritesAreDrawnFairly)
{
    // Which of eight experts is first in 8000 layers: 1000 each, deviation 30.
    const ExpertRouting routing(8, 1, 8, 100, MakeZipf(3));
    std::vector<uint32_t> first(8, 0);
    for (uint32_t layer = 0; layer < 8000; ++layer)
    {
        const auto rows = GetRowsSent(routing, 8, layer);
        ++first[std::max_element(rows.begin(), rows.end()) - rows.begin()];
    }
    for (const uint32_t count : first)
    {
        EXPECT_NEAR(count, 1000, 150);
    }
}

TEST(ExpertRouting, RowsAreNeitherLostNorMade)
{
    std::mt19937 random(7);
    auto draw = [&random](uint32_t most) { return static_cast<uint32_t>(random() % most + 1); };
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const uint32_t ranks = draw(8);
        const uint32_t experts = ranks * draw(8);
        const uint32_t topK = draw(experts);
        const uint64_t tokens = draw(10) == 1 ? 0 : draw(i % 3 == 0 ? 20 : 100000);
        ExpertPopularity popularity = MakeZipf(0.1 * draw(100), i);
        if (i % 2 == 0)
        {
            std::vector<double> weights;
            for (uint32_t expert = 0; expert < experts; ++expert)
            {
                weights.push_back(draw(3) == 1 ? 0 : 1e-3 * draw(1000000));
            }
            weights[draw(experts) - 1] = 1;
            popularity = MakeList(weights);
        }
        else if (i % 4 == 1)
        {
            popularity = MakeInitial(0.1 * draw(100), draw(100000), i);
        }
        ASSERT_EQ(popularity.Validate(experts), "");
        const ExpertRouting routing(experts, topK, ranks, tokens, popularity);
        const uint32_t layer = draw(100);
        uint64_t received = 0;
        for (uint32_t from = 0; from < ranks; ++from)
        {
            uint64_t sent = 0;
            for (uint32_t to = 0; to < ranks; ++to)
            {
                const uint64_t rows = routing.GetRows(layer, from, to);
                ASSERT_LE(rows, tokens * (experts / ranks));
                ASSERT_TRUE(!routing.IsUniform() || rows * ranks == tokens * topK);
                sent += rows;
            }
            ASSERT_EQ(sent, tokens * topK);
            received += routing.GetReceived(layer, from);
        }
        ASSERT_EQ(received, ranks * tokens * topK);
        const auto dispatch = routing.GetSizes(layer, 3, false);
        const auto combine = routing.GetSizes(layer, 3, true);
        ASSERT_EQ(dispatch == nullptr, routing.IsUniform());
        for (uint32_t from = 0; dispatch && from < ranks; ++from)
        {
            for (uint32_t to = 0; to < ranks; ++to)
            {
                ASSERT_EQ(dispatch->GetBytes(from, to), 3 * routing.GetRows(layer, from, to));
                ASSERT_EQ(combine->GetBytes(to, from), dispatch->GetBytes(from, to));
            }
        }
    }
}

TEST(ExpertPopularity, IsChecked)
{
    EXPECT_EQ(ExpertPopularity().Validate(8), "");
    EXPECT_EQ(MakeZipf(10).Validate(8), "");
    EXPECT_EQ(MakeZipf(10.5).Validate(8), "popularity: the exponent must be 0 to 10, not 10.5");
    EXPECT_EQ(MakeInitial(1, 100).Validate(8), "");
    EXPECT_EQ(MakeInitial(-1, 100).Validate(8), "popularity: the exponent must be 0 to 10, not -1");
    EXPECT_EQ(MakeInitial(1, 0).Validate(8),
              "popularity: the vocabulary must have 1 entry at least, not 0");
    EXPECT_EQ(MakeList({1, 0}).Validate(2), "");
    EXPECT_EQ(MakeList({1, 2}).Validate(3),
              "popularity: there must be a weight for each of 3 experts, not 2");
    EXPECT_EQ(MakeList({1, -2}).Validate(2), "popularity: weights must be 0 to 1e9, not -2");
    EXPECT_EQ(MakeList({0, 0}).Validate(2), "popularity: one weight at least must be above 0");
}

TEST(PopularityFile, WhateverIsInItIsRefusedOrGood)
{
    std::mt19937 random(11);
    const std::string letters = "0123456789.,-+eEnaifx \n\t[]{}\"";
    uint32_t good = 0;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        std::string text;
        for (uint32_t length = random() % 12; length > 0; --length)
        {
            // Every third text may have any byte in it.
            text += i % 3 == 0 ? static_cast<char>(random() % 256)
                               : letters[random() % (i % 3 == 1 ? 12 : letters.size())];
        }
        std::istringstream file(text);
        const auto [popularity, error] = ReadPopularity(file);
        ASSERT_EQ(error.find('\n'), std::string::npos);
        if (error.empty())
        {
            ++good;
            ASSERT_EQ(popularity.kind, ExpertPopularity::LISTED);
            ASSERT_EQ(popularity.Validate(static_cast<uint32_t>(popularity.weights.size())), "")
                << text;
        }
    }
    EXPECT_GT(good, 100U);
}
