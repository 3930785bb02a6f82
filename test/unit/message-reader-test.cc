// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/field-archive.h"
#include "ns3/packet.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

/// @return the bytes of a release by a rank
std::vector<uint8_t>
MakeRelease(uint32_t rank)
{
    OpusRelease release;
    release.rank = rank;
    const OpusMessage message(release);
    auto packet = Create<Packet>();
    packet->AddHeader(message);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/// @return the ranks of the messages that a reader has
std::vector<uint32_t>
ReadRanks(MessageReader& reader)
{
    std::vector<uint32_t> ranks;
    OpusMessage message;
    while (reader.Next(message))
    {
        ranks.push_back(message.GetRank()->rank);
    }
    return ranks;
}

TEST(MessageReaderTest, PiecesOfAnySizeMakeTheSameMessages)
{
    std::vector<uint8_t> all;
    for (uint32_t rank : {7U, 8U, 9U})
    {
        const auto one = MakeRelease(rank);
        all.insert(all.end(), one.begin(), one.end());
    }
    for (std::size_t piece = 1; piece <= all.size(); ++piece)
    {
        MessageReader reader;
        std::vector<uint32_t> ranks;
        for (std::size_t i = 0; i < all.size(); i += piece)
        {
            reader.Append(all.data() + i, std::min(piece, all.size() - i));
            const auto some = ReadRanks(reader);
            ranks.insert(ranks.end(), some.begin(), some.end());
        }
        EXPECT_EQ(ranks, (std::vector<uint32_t>{7, 8, 9})) << "pieces of " << piece;
        EXPECT_EQ(reader.GetMalformed(), 0U);
    }
}

TEST(MessageReaderTest, WhatCannotBeReadIsSkippedAndCounted)
{
    auto bytes = MakeRelease(1);
    bytes[4] = 99; // a version that nobody knows
    const auto good = MakeRelease(2);
    bytes.insert(bytes.end(), good.begin(), good.end());
    MessageReader reader;
    reader.Append(bytes.data(), bytes.size());
    EXPECT_EQ(ReadRanks(reader), (std::vector<uint32_t>{2}));
    EXPECT_EQ(reader.GetMalformed(), 1U);
}

TEST(MessageReaderTest, AnImpossibleLengthDropsWhatHasArrived)
{
    auto bytes = MakeRelease(1);
    bytes[0] = 0xff;
    const auto good = MakeRelease(2);
    bytes.insert(bytes.end(), good.begin(), good.end());
    MessageReader reader;
    reader.Append(bytes.data(), bytes.size());
    EXPECT_TRUE(ReadRanks(reader).empty());
    EXPECT_EQ(reader.GetMalformed(), 1U);
    reader.Append(good.data(), good.size());
    EXPECT_EQ(ReadRanks(reader), (std::vector<uint32_t>{2}));
}

} // namespace
} // namespace ns3
