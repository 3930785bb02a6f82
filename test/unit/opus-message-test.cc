// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/opus-message.h"
#include "ns3/packet.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

/// One message of every type, with all of its fields set.
std::vector<OpusMessage>
MakeMessages()
{
    std::vector<OpusMessage> messages;
    for (uint8_t type : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 16,
                         17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29})
    {
        OpusMessage message(static_cast<OpusMessageType>(type));
        message.job = 3;
        message.rank = 70000;
        message.group = (uint64_t{1} << 63) + 5;
        message.lease = 9;
        message.completed = 12345678901;
        message.limit = message.completed;
        message.passive = type == 1;
        message.speculative = type == 1;
        message.ranks = {5, 70000, 1};
        message.command = 77;
        message.drop = {{1, 2}};
        message.make = {{2, 7}, {1, 8}};
        message.duration = MicroSeconds(25000);
        message.error = "port 7 is in use";
        message.fault = FaultKind::NIC_PORT;
        message.mended = type == 17;
        message.ocs = 4;
        message.port = 575;
        message.groups = {7, message.group};
        if (type == 8)
        {
            message.parts = {messages[0], messages[1], messages[0]};
            message.parts[1].ranks.clear(); // a release has none
            message.parts[2].ranks.clear();
        }
        if (type == 9)
        {
            message.parts = {messages[0]};
            message.fromAddress = 0xac100003;
            message.fromPort = 5813;
            message.begin = 40;
            message.end = 92;
        }
        messages.push_back(message);
    }
    return messages;
}

std::vector<uint8_t>
MessageToBytes(const OpusMessage& message)
{
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(message);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

TEST(OpusMessage, EveryTypeComesBackAsItWas)
{
    for (const OpusMessage& message : MakeMessages())
    {
        const auto bytes = MessageToBytes(message);
        OpusMessage copy;
        ASSERT_EQ(copy.Parse(bytes.data(), bytes.size()), bytes.size()) << ToString(message.type);
        EXPECT_TRUE(copy.IsValid());
        EXPECT_EQ(copy.type, message.type);
        EXPECT_EQ(MessageToBytes(copy), bytes);
    }
    OpusMessage request;
    const auto bytes = MessageToBytes(MakeMessages()[0]);
    request.Parse(bytes.data(), bytes.size());
    EXPECT_EQ(request.job, 3u);
    EXPECT_EQ(request.rank, 70000u);
    EXPECT_EQ(request.group, (uint64_t{1} << 63) + 5);
    EXPECT_EQ(request.completed, 12345678901u);
    EXPECT_TRUE(request.passive);
    EXPECT_TRUE(request.speculative);
    EXPECT_EQ(request.ranks, (std::vector<uint32_t>{5, 70000, 1}));
}

TEST(OpusMessage, AMessageMayBeFollowedByAnother)
{
    auto bytes = MessageToBytes(MakeMessages()[2]);
    const auto size = bytes.size();
    bytes.resize(size + 100, 0xff);
    OpusMessage message;
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), size);
    EXPECT_EQ(message.duration, MicroSeconds(25000));
}

TEST(OpusMessage, ShortAndLongMessagesAreRefused)
{
    for (const OpusMessage& original : MakeMessages())
    {
        const auto bytes = MessageToBytes(original);
        OpusMessage message;
        for (std::size_t size = 0; size < bytes.size(); ++size)
        {
            EXPECT_EQ(message.Parse(bytes.data(), size), 0u);
            EXPECT_FALSE(message.IsValid());
        }
        auto longer = bytes;
        longer.push_back(0);
        longer[3] += 1; // the length field agrees, the fields do not
        EXPECT_EQ(message.Parse(longer.data(), longer.size()), 0u);
    }
}

TEST(OpusMessage, CountsAreChecked)
{
    OpusMessage message;
    auto bytes = MessageToBytes(MakeMessages()[0]);
    bytes[8 + 20 + 8] = 0xff; // number of ranks
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u);
    bytes = MessageToBytes(MakeMessages()[5]);
    bytes[8 + 8] = 0xff; // number of circuits
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u);
    bytes = MessageToBytes(MakeMessages()[6]);
    bytes[8 + 8] = 0x80; // a negative duration
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u);
}

TEST(OpusMessage, RandomBytesDoNoHarm)
{
    std::mt19937 random(1);
    const auto messages = MakeMessages();
    uint32_t valid = 0;
    for (uint32_t i = 0; i < 50000; ++i)
    {
        auto bytes = MessageToBytes(messages[random() % messages.size()]);
        for (uint32_t changes = random() % 4 + 1; changes > 0; --changes)
        {
            bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
        }
        bytes.resize(random() % 3 ? bytes.size() : random() % bytes.size());
        OpusMessage message;
        const uint32_t size = message.Parse(bytes.data(), bytes.size());
        EXPECT_LE(size, bytes.size());
        EXPECT_EQ(message.IsValid(), size > 0);
        valid += message.IsValid() ? 1 : 0;
    }
    EXPECT_GT(valid, 1000u);
    OpusMessage fault;
    auto bytes = MessageToBytes(messages[13]);
    ASSERT_EQ(fault.Parse(bytes.data(), bytes.size()), bytes.size());
    EXPECT_EQ(fault.fault, FaultKind::NIC_PORT);
    EXPECT_TRUE(fault.mended);
    EXPECT_EQ(fault.groups, messages[13].groups);
    bytes[8] = 6; // there is no such kind
    EXPECT_EQ(fault.Parse(bytes.data(), bytes.size()), 0u);
}

TEST(OpusMessage, AnEntryHoldsAMessageButNoEntry)
{
    const auto messages = MakeMessages();
    OpusMessage entry = messages[8];
    ASSERT_EQ(entry.type, OpusMessageType::ENTRY);
    OpusMessage copy;
    entry.parts = {messages[7]}; // a batch
    auto bytes = MessageToBytes(entry);
    ASSERT_EQ(copy.Parse(bytes.data(), bytes.size()), bytes.size());
    EXPECT_EQ(MessageToBytes(copy.parts.at(0)), MessageToBytes(messages[7]));
    entry.parts = {messages[8]};
    bytes = MessageToBytes(entry);
    EXPECT_EQ(copy.Parse(bytes.data(), bytes.size()), 0u);
    EXPECT_TRUE(copy.parts.empty()) << "it is not even begun";
}

TEST(OpusMessage, ABatchIsShorterThanItsParts)
{
    const OpusMessage batch = MakeMessages()[7];
    const auto bytes = MessageToBytes(batch);
    OpusMessage copy;
    ASSERT_EQ(copy.Parse(bytes.data(), bytes.size()), bytes.size());
    ASSERT_EQ(copy.parts.size(), 3u);
    uint32_t apart = 0;
    for (std::size_t i = 0; i < copy.parts.size(); ++i)
    {
        EXPECT_EQ(MessageToBytes(copy.parts[i]), MessageToBytes(batch.parts[i])) << i;
        apart += copy.parts[i].GetSerializedSize();
    }
    EXPECT_EQ(bytes.size(), 16u + 3 * 30 + 3 * 4);
    EXPECT_EQ(apart, 3 * 36u + 2 * 4 + 3 * 4);
    OpusMessage wrong = batch;
    wrong.parts[1].type = OpusMessageType::GRANT;
    const auto others = MessageToBytes(wrong);
    EXPECT_EQ(copy.Parse(others.data(), others.size()), 0u) << "nothing but requests and releases";
    EXPECT_FALSE(copy.IsValid());
}

} // namespace
} // namespace ns3
