// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/opus-message.h"
#include "ns3/packet.h"

#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>

namespace ns3
{
namespace
{

/// @return a message about a lease, with its fields set
template <typename T>
T
MakeOfLease()
{
    T message;
    message.job = 3;
    message.rank = 70000;
    message.group = (uint64_t{1} << 63) + 5;
    message.lease = 9;
    return message;
}

/// @return a message about a rank, with its fields set
template <typename T>
T
MakeOfRank()
{
    T message;
    message.job = 3;
    message.rank = 70000;
    return message;
}

/// @return a message of a recovery, with the fields set that most have
template <typename T>
T
MakeOfGpu()
{
    T message;
    message.gpu = 70000;
    message.generation = 77;
    return message;
}

/// @return a request with all fields set
OpusRequest
MakeRequest()
{
    auto request = MakeOfLease<OpusRequest>();
    request.completed = 12345678901;
    request.passive = true;
    request.speculative = true;
    request.ranks = {5, 70000, 1};
    return request;
}

/// @return a release with all fields set
OpusRelease
MakeRelease()
{
    auto release = MakeOfLease<OpusRelease>();
    release.completed = 12345678901;
    return release;
}

/// @return a batch
OpusBatch
MakeBatch()
{
    OpusBatch batch;
    batch.job = 3;
    auto last = MakeRequest();
    last.ranks.clear();
    batch.parts = {MakeRequest(), MakeRelease(), last};
    return batch;
}

/// @return leases of a rank
OpusLeases
MakeLeases()
{
    auto held = MakeRequest();
    held.held = true;
    return {{3, 70000}, 12, true, "no spare", {held, MakeRequest(), MakeRelease()}};
}

/// @return a report on light
OpusReport
MakeReport()
{
    OpusReport report;
    report.command = 77;
    report.duration = MicroSeconds(25000);
    report.error = "port 7 is in use";
    return report;
}

/// @return a command
OpusCommand
MakeCommand()
{
    OpusCommand command;
    command.number = 77;
    command.drop = {{1, 2}};
    command.make = {{2, 7}, {1, 8}};
    return command;
}

/// @return a fault
OpusFault
MakeFault()
{
    auto fault = MakeOfRank<OpusFault>();
    fault.kind = FaultKind::NIC_PORT;
    fault.repaired = true;
    fault.ocs = 4;
    fault.port = 575;
    return fault;
}

/// @return a message of every type, with all of its fields set, in the order of the bodies
std::vector<OpusMessage>
MakeMessages()
{
    auto grant = MakeOfLease<OpusGrant>();
    grant.switching = MicroSeconds(25000);
    auto recall = MakeOfLease<OpusRecall>();
    recall.limit = 12345678901;
    recall.speculative = true;
    auto refusal = MakeOfLease<OpusRefusal>();
    refusal.error = "port 7 is in use";
    auto abort = MakeOfRank<OpusAbort>();
    abort.error = "no spare";
    auto restart = MakeOfRank<OpusRestart>();
    restart.groups = {7, (uint64_t{1} << 63) + 5};
    auto avoid = MakeOfRank<OpusFailedPorts>();
    avoid.ports = {{70000, 3}, {1, 70000}};
    OpusProgress progress;
    progress.gpu = 70000;
    progress.iterations = 575;
    OpusLost lost;
    lost.gpu = 70000;
    lost.iterations = 575;
    auto stopped = MakeOfGpu<OpusStopped>();
    stopped.rank = 4;
    stopped.iterations = 575;
    stopped.next = {7, 70000};
    OpusReplace replace;
    replace.job = 3;
    replace.generation = 77;
    replace.gpus = {0, 70000};
    OpusReplaced replaced;
    replaced.job = 3;
    replaced.generation = 77;
    replaced.error = "no ports";
    auto resume = MakeOfGpu<OpusResume>();
    resume.job = 3;
    resume.rank = 4;
    resume.iteration = 575;
    resume.places = {{0, 1, 2}, {70000, 70001, 70002}};
    auto giveUp = MakeOfGpu<OpusGiveUp>();
    giveUp.error = "no spare";
    return {MakeRequest(),
            MakeRelease(),
            grant,
            recall,
            refusal,
            MakeCommand(),
            MakeReport(),
            MakeBatch(),
            OpusLearn{12},
            MakeLeases(),
            OpusCircuits{12, 3, true, {OpusCircuits::OWN_RAIL}, {{1, 70000}, {2, 3}}},
            OpusLead{77},
            OpusHeartbeat{77},
            MakeFault(),
            OpusTakeOver{4},
            abort,
            restart,
            avoid,
            progress,
            lost,
            MakeOfGpu<OpusStop>(),
            stopped,
            replace,
            replaced,
            resume,
            MakeOfGpu<OpusReady>(),
            MakeOfGpu<OpusGo>(),
            giveUp};
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
        ASSERT_EQ(copy.Parse(bytes.data(), bytes.size()), bytes.size())
            << ToString(message.GetType());
        EXPECT_TRUE(copy.IsValid());
        EXPECT_EQ(copy.GetType(), message.GetType());
        EXPECT_EQ(MessageToBytes(copy), bytes);
    }
    OpusMessage message;
    const auto bytes = MessageToBytes(MakeRequest());
    message.Parse(bytes.data(), bytes.size());
    const auto* request = message.Get<OpusRequest>();
    ASSERT_TRUE(request);
    EXPECT_EQ(request->job, 3u);
    EXPECT_EQ(request->rank, 70000u);
    EXPECT_EQ(request->group, (uint64_t{1} << 63) + 5);
    EXPECT_EQ(request->completed, 12345678901u);
    EXPECT_TRUE(request->passive);
    EXPECT_TRUE(request->speculative);
    EXPECT_EQ(request->ranks, (std::vector<uint32_t>{5, 70000, 1}));
}

TEST(OpusMessage, AMessageMayBeFollowedByAnother)
{
    auto bytes = MessageToBytes(MakeMessages()[2]);
    const auto size = bytes.size();
    bytes.resize(size + 100, 0xff);
    OpusMessage message;
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), size);
    ASSERT_TRUE(message.Get<OpusGrant>());
    EXPECT_EQ(message.Get<OpusGrant>()->switching, MicroSeconds(25000));
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
    auto bytes = MessageToBytes(MakeRequest());
    bytes[8 + 20 + 8] = 0xff; // number of ranks
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u);
    bytes = MessageToBytes(MakeCommand());
    bytes[8 + 8] = 0xff; // number of circuits
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u);
    bytes = MessageToBytes(MakeReport());
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
}

TEST(OpusMessage, KindsOfFaultsAndLengthsOfListsAreChecked)
{
    OpusMessage message;
    auto bytes = MessageToBytes(MakeFault());
    ASSERT_EQ(message.Parse(bytes.data(), bytes.size()), bytes.size());
    EXPECT_EQ(message.Get<OpusFault>()->kind, FaultKind::NIC_PORT);
    EXPECT_TRUE(message.Get<OpusFault>()->repaired);
    bytes[8] = 6; // there is no such kind
    EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u);
    auto restart = MakeOfRank<OpusRestart>(); // a list of one, which these types do not have
    restart.groups = {7};
    bytes = MessageToBytes(restart);
    for (const auto type : {OpusMessageType::STOPPED, OpusMessageType::RESUME})
    {
        bytes[5] = static_cast<uint8_t>(type);
        EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u) << ToString(type);
    }
}

TEST(OpusMessage, UnusedTypesAreRefused)
{
    OpusMessage message;
    auto bytes = MessageToBytes(OpusLead{1});
    for (const uint8_t type : {0, 13, 15, 32, 255})
    {
        bytes[5] = type;
        EXPECT_EQ(message.Parse(bytes.data(), bytes.size()), 0u) << int{type};
    }
}

TEST(OpusMessage, LeasesHoldRequestsAndReleases)
{
    OpusMessage copy;
    const auto bytes = MessageToBytes(MakeLeases());
    ASSERT_EQ(copy.Parse(bytes.data(), bytes.size()), bytes.size());
    ASSERT_TRUE(copy.Get<OpusLeases>());
    const auto& parts = copy.Get<OpusLeases>()->parts;
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_TRUE(parts[0].Get<OpusRequest>()->held);
    EXPECT_FALSE(parts[1].Get<OpusRequest>()->held);
    EXPECT_EQ(parts[1].Get<OpusRequest>()->job, 3u) << "that of the whole";
    EXPECT_TRUE(parts[2].Get<OpusRelease>());
}

TEST(OpusMessage, ABatchIsShorterThanItsParts)
{
    const OpusBatch batch = MakeBatch();
    const auto bytes = MessageToBytes(batch);
    OpusMessage copy;
    ASSERT_EQ(copy.Parse(bytes.data(), bytes.size()), bytes.size());
    ASSERT_TRUE(copy.Get<OpusBatch>());
    const auto& parts = copy.Get<OpusBatch>()->parts;
    ASSERT_EQ(parts.size(), 3u);
    uint32_t apart = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        EXPECT_EQ(MessageToBytes(parts[i]), MessageToBytes(batch.parts[i])) << i;
        apart += parts[i].GetSerializedSize();
    }
    EXPECT_EQ(bytes.size(), 16u + 3 * 30 + 3 * 4);
    EXPECT_EQ(apart, 3 * 36u + 2 * 4 + 3 * 4);
    OpusBatch wrong = batch;
    wrong.parts[1] = MakeOfLease<OpusGrant>();
    const auto others = MessageToBytes(wrong);
    EXPECT_EQ(copy.Parse(others.data(), others.size()), 0u) << "nothing but requests and releases";
    EXPECT_FALSE(copy.IsValid());
}

TEST(OpusMessage, LogsNameTheFieldsThatMatter)
{
    const auto print = [](const OpusMessage& message) {
        std::ostringstream text;
        message.Print(text);
        const std::string all = text.str();
        EXPECT_EQ(all.rfind(ToString(message.GetType()), 0), 0u) << "the type comes first";
        return all.substr(std::string(ToString(message.GetType())).size());
    };
    EXPECT_EQ(print(MakeRequest()),
              " job=3 rank=70000 group=9223372036854775813 lease=9 completed=12345678901 passive "
              "speculative");
    OpusRecall recall;
    recall.limit = 7;
    EXPECT_EQ(print(recall), " job=0 rank=0 group=0 lease=0 limit=7");
    recall.speculative = true;
    EXPECT_EQ(print(recall), " job=0 rank=0 group=0 lease=0 speculative");
    EXPECT_EQ(print(MakeBatch()), " job=3 parts=3");
    EXPECT_EQ(print(MakeOfGpu<OpusGo>()), " gpu=70000");
    OpusCommand command;
    command.number = 8;
    command.drop = {{1, 2}, {3, 4}};
    command.make = {{1, 4}};
    EXPECT_EQ(print(command), " command=8 drop=2 make=1");
    OpusReport report;
    report.command = 8;
    report.duration = MicroSeconds(25);
    report.error = "port 7 is in use";
    EXPECT_EQ(print(report), " command=8 duration=+25us error=port 7 is in use");
    EXPECT_EQ(print(OpusLearn{12}), " epoch=12");
    EXPECT_EQ(print(MakeLeases()), " job=3 rank=70000 epoch=12 parts=3");
    EXPECT_EQ(print(OpusCircuits{12, 3, true, {}, {{1, 2}}}), " epoch=12 circuits=1");
    OpusFault fault;
    fault.kind = FaultKind::SWITCH;
    fault.ocs = 4;
    fault.port = 5;
    EXPECT_EQ(print(fault), " job=0 rank=0 switch ocs=4 port=5");
    fault.repaired = true;
    EXPECT_EQ(print(fault), " job=0 rank=0 switch mended ocs=4 port=5");
}

} // namespace
} // namespace ns3
