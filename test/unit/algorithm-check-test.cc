// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The check of an algorithm finds a mistake in every part of one, and none in those of the module.
 */

#include "ns3/config.h"
#include "ns3/schedule-check.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

/// AllGather by direct exchange, with one of several mistakes.
class FaultyAlgorithm : public CollectiveAlgorithm
{
  public:
    /// The mistakes.
    enum Fault : uint32_t
    {
        NONE,
        FORGOTTEN_SEND,
        FORGOTTEN_RECEIVE,
        WRONG_PLACE,
        WAITS_FOR_ALL,
        FEW_RECEIVES,
        FEW_ROUNDS,
        FEW_BYTES,
        NO_CONNECTORS,
        LONG_LAYOUT,
        WRONG_SUM,
        LATE_ROUND,
        ROUNDS_ON_ALL,
        REFUSES_ALL,
    };

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::FaultyAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .AddConstructor<FaultyAlgorithm>()
                                .AddAttribute("Fault",
                                              "The mistake.",
                                              UintegerValue(NONE),
                                              MakeUintegerAccessor(&FaultyAlgorithm::m_fault),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    std::string GetName() const override
    {
        return "faulty";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_GATHER;
    }

    bool HasRounds(CollectiveKind /* kind */) const override
    {
        return m_fault == LATE_ROUND || m_fault == ROUNDS_ON_ALL;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        auto layout = MakeLayoutInOrder(part);
        layout.bytes /= m_fault == LONG_LAYOUT ? 2 : 1;
        return layout;
    }

  protected:
    std::map<uint32_t, uint64_t> DoGetSent(const RankContext& part) const override
    {
        auto sent = CollectiveAlgorithm::DoGetSent(part);
        sent[0] += m_fault == WRONG_SUM ? 1 : 0;
        return sent;
    }

    std::string DoCheck(CollectiveKind /* kind */, const GroupShape& /* shape */) const override
    {
        return m_fault == REFUSES_ALL ? "not today" : "";
    }

  private:
    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const uint64_t bytes = part.call.bytes;
        CollectiveSchedule schedule;
        std::vector<uint16_t> all;
        for (uint32_t peer = 0; peer < part.shape.size; ++peer)
        {
            const bool isForgotten = m_fault == FORGOTTEN_RECEIVE && part.index == 1 && peer == 0;
            if (peer != part.index && !isForgotten)
            {
                const uint64_t place = m_fault == WRONG_PLACE ? part.index : peer;
                all.push_back(schedule.AddReceive({{place * bytes, bytes},
                                                   peer,
                                                   CONNECTOR_DIRECT,
                                                   ScheduledReceive::Action::COPY}));
            }
        }
        for (uint32_t peer = 0; peer < part.shape.size; ++peer)
        {
            const bool isForgotten = m_fault == FORGOTTEN_SEND && part.index == 0 && peer == 1;
            if (peer != part.index && !isForgotten)
            {
                ScheduledSend send;
                send.data = {part.index * bytes, bytes};
                send.peer = peer;
                send.connector = CONNECTOR_DIRECT;
                send.transferId = part.index - (part.index > peer ? 1 : 0);
                schedule.AddSend(send, m_fault == WAITS_FOR_ALL ? all : std::vector<uint16_t>());
            }
        }
        if (m_fault == ROUNDS_ON_ALL || (m_fault == LATE_ROUND && part.terms.lendsPairs))
        {
            schedule.BeginRound(0, (part.index + 1) % part.shape.size);
        }
        return schedule;
    }

    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size - (m_fault == FEW_RECEIVES ? 2 : 1);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind /* kind */,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        std::vector<CollectiveConnectorId> connectors;
        for (uint32_t peer = 0; peer < shape.size && m_fault != NO_CONNECTORS; ++peer)
        {
            if (peer != index)
            {
                connectors.push_back({peer, CONNECTOR_DIRECT});
            }
        }
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double ranks = part.shape.size;
        return {m_fault == FEW_ROUNDS ? 0.0 : 1.0,
                part.GetTensor() * (ranks - (m_fault == FEW_BYTES ? 2 : 1)) / ranks};
    }

    uint32_t m_fault{NONE};
};

/// @return the answer of the check to an algorithm with a mistake
std::string
CheckFault(FaultyAlgorithm::Fault fault)
{
    FaultyAlgorithm::GetTypeId();
    Config::SetDefault("test::FaultyAlgorithm::Fault", UintegerValue(fault));
    AlgorithmCheck check("faulty", CollectiveKind::ALL_GATHER);
    Config::SetDefault("test::FaultyAlgorithm::Fault", UintegerValue(FaultyAlgorithm::NONE));
    return check.Run(5);
}

TEST(AlgorithmCheckTest, AlgorithmsOfTheModuleAreRight)
{
    for (const CollectiveKind kind : CollectiveAlgorithms::GetKinds())
    {
        for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
        {
            AlgorithmCheck check(algorithm, kind);
            EXPECT_EQ(check.Run(9), "") << algorithm->GetName() << " " << ToString(kind);
            EXPECT_GT(check.GetCalls(), 20U);
            const bool isForAll = algorithm != "halving-doubling" && algorithm != "hypercube" &&
                                  algorithm != "stragglar";
            EXPECT_EQ(check.GetRefused() == 0, isForAll) << algorithm->GetName();
        }
    }
}

TEST(AlgorithmCheckTest, EveryMistakeIsNamed)
{
    EXPECT_EQ(CheckFault(FaultyAlgorithm::NONE), "");
    const std::string call = "2 ranks, 0 bytes, root 0, 1 directions: ";
    EXPECT_EQ(CheckFault(FaultyAlgorithm::FORGOTTEN_SEND),
              call + "rank 0 sends 0 messages to rank 1, which receives 1 from it: a send is "
                     "missing");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::FORGOTTEN_RECEIVE),
              call + "rank 0 sends 1 messages to rank 1, which receives 0 from it: a receive is "
                     "missing");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::WRONG_PLACE),
              "2 ranks, 1 bytes, root 0, 1 directions: rank 0 has a wrong byte 0 (next 0)");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::WAITS_FOR_ALL),
              call +
                  "ranks wait for each other in a circle: rank 0 sends to rank 1 only after a "
                  "message from rank 1; rank 1 sends to rank 0 only after a message from rank 0");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::FEW_RECEIVES),
              "3 ranks, 0 bytes, root 0, 1 directions: rank 0 receives 2 messages, but "
              "GetMostReceives says 1");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::FEW_ROUNDS),
              "2 ranks, 8 bytes, root 0, 2 directions: DoGetCost has 0 rounds, but 1 messages "
              "wait for each other");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::FEW_BYTES),
              "2 ranks, 8 bytes, root 0, 2 directions: DoGetCost has 0 bytes, but a rank sends 8");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::NO_CONNECTORS),
              call + "rank 0 has no connector of this kind to rank 1: DoGetConnectors does not "
                     "name it");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::LONG_LAYOUT),
              "2 ranks, 1 bytes, root 0, 1 directions: rank 0 receives bytes 1 to 2 of a buffer of "
              "1 bytes");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::WRONG_SUM),
              call + "rank 0 sends other bytes to rank 0 than DoGetSent says");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::LATE_ROUND),
              "on lent circuits, " + call +
                  "rank 0 has messages with rank 1 in no round, where circuits are lent to pairs");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::ROUNDS_ON_ALL),
              call + "rank 0 has rounds where no circuits are lent to pairs "
                     "(CircuitTerms::lendsPairs)");
    EXPECT_EQ(CheckFault(FaultyAlgorithm::REFUSES_ALL),
              "no call is checked, because all groups are refused: faulty not today");
}

} // namespace
} // namespace ns3
