// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Which part of which message is in which packet, in any order.
 */

#include "ns3/rdma-send-queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

TEST(RdmaSendQueue, PartsOfOneWrite)
{
    RdmaSendQueue queue;
    queue.SetMtu(1024);
    queue.Start(100);
    queue.Post(2500, 7);
    queue.Post(0, 8);
    ASSERT_EQ(queue.GetEndPsn(), 104u);
    RoceHeader header;
    queue.FillHeader(header, 100);
    EXPECT_EQ(header.opcode, RoceHeader::WRITE_FIRST);
    EXPECT_EQ(header.payloadBytes, 1024u);
    EXPECT_EQ(header.dmaLength, 2500u) << "of the message";
    queue.FillHeader(header, 101);
    EXPECT_EQ(header.opcode, RoceHeader::WRITE_MIDDLE);
    queue.FillHeader(header, 102);
    EXPECT_EQ(header.opcode, RoceHeader::WRITE_LAST_WITH_IMMEDIATE);
    EXPECT_EQ(header.payloadBytes, 452u);
    EXPECT_EQ(header.immediate, 7u);
    queue.FillHeader(header, 103);
    EXPECT_EQ(header.opcode, RoceHeader::WRITE_ONLY_WITH_IMMEDIATE);
    EXPECT_EQ(header.payloadBytes, 0u);
    EXPECT_EQ(header.immediate, 8u);
    EXPECT_FALSE(queue.EndsBefore(102));
    EXPECT_TRUE(queue.EndsBefore(103));
    EXPECT_EQ(queue.Pop().immediate, 7u);
    EXPECT_FALSE(queue.EndsBefore(103));
    EXPECT_EQ(queue.Pop().immediate, 8u);
    EXPECT_TRUE(queue.IsEmpty());
    EXPECT_FALSE(queue.EndsBefore(1000));
}

TEST(RdmaSendQueue, WritesOfTheirOwnInAnyOrder)
{
    struct Packet
    {
        uint32_t immediate;
        uint64_t offset;
        uint32_t bytes;
        bool last;
    };

    std::mt19937 random(1);
    for (uint32_t run = 0; run < 100; ++run)
    {
        RdmaSendQueue queue;
        queue.SetSeparateWrites(true);
        const uint64_t firstPsn = random() % 1000;
        queue.Start(firstPsn);
        std::vector<Packet> packets; // from firstPsn on
        std::vector<std::size_t> ends;
        for (uint32_t message = 0; message < 1 + random() % 40; ++message)
        {
            const uint64_t bytes = random() % 4 == 0 ? 0 : random() % 60000;
            queue.Post(bytes, message);
            uint64_t offset = 0;
            do
            {
                const auto part = static_cast<uint32_t>(std::min<uint64_t>(4096, bytes - offset));
                packets.push_back({message, offset, part, offset + part == bytes});
                offset += part;
            } while (offset < bytes);
            ends.push_back(packets.size());
        }
        ASSERT_EQ(queue.GetEndPsn(), firstPsn + packets.size());
        std::size_t begin = 0; // packets before it are gone
        for (uint32_t step = 0; step < 300 && begin < packets.size(); ++step)
        {
            const std::size_t i = begin + random() % (packets.size() - begin);
            RoceHeader header;
            queue.FillHeader(header, firstPsn + i);
            ASSERT_EQ(header.psn, firstPsn + i);
            ASSERT_EQ(header.immediate, packets[i].immediate);
            ASSERT_EQ(header.virtualAddress, packets[i].offset);
            ASSERT_EQ(header.payloadBytes, packets[i].bytes);
            ASSERT_EQ(header.dmaLength, packets[i].bytes);
            ASSERT_EQ(header.opcode,
                      packets[i].last ? RoceHeader::WRITE_ONLY_WITH_IMMEDIATE
                                      : RoceHeader::WRITE_ONLY);
            if (random() % 20 == 0)
            {
                ASSERT_TRUE(queue.EndsBefore(firstPsn + ends[packets[begin].immediate]));
                ASSERT_EQ(queue.Pop().immediate, packets[begin].immediate);
                begin = ends[packets[begin].immediate];
            }
        }
    }
}

} // namespace
