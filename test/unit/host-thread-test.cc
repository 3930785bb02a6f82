// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/boolean.h"
#include "ns3/host-thread.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// @return a computation that waits for operations
RankOperation
Compute(std::vector<uint32_t> dependencies = {})
{
    RankOperation operation;
    operation.duration = MilliSeconds(1);
    operation.dependencies = std::move(dependencies);
    return operation;
}

/// @return a call across domains
RankOperation
MakeCall(RankOperation::Stream stream, CollectiveKind kind)
{
    RankOperation operation;
    operation.place = RankOperation::SCALE_OUT;
    operation.stream = stream;
    operation.kind = kind;
    operation.dimension = stream == RankOperation::FSDP_STREAM ? Dimension::FSDP : Dimension::PP;
    return operation;
}

/// @return a gather of an FSDP unit
RankOperation
Gather()
{
    return MakeCall(RankOperation::FSDP_STREAM, CollectiveKind::ALL_GATHER);
}

/// @return a thread that launches 20 kernels of 5 us for a computation
Ptr<HostThread>
Start(std::vector<RankOperation> operations,
      const std::vector<std::pair<std::string, uint32_t>>& attributes = {},
      bool waitsForCircuits = false,
      bool waitsForMessages = false)
{
    auto host = CreateObject<HostThread>();
    host->SetAttribute("KernelsPerComputation", UintegerValue(20));
    for (const auto& [name, value] : attributes)
    {
        host->SetAttribute(name, UintegerValue(value));
    }
    host->Start(std::make_shared<const RankProgram>(std::move(operations), waitsForMessages),
                false,
                2,
                waitsForCircuits);
    return host;
}

constexpr int64_t COMPUTATION = 100; //!< us to issue one
constexpr int64_t CALL = 5;          //!< us to issue one

/// @return when an operation is issued, in us; -1 while that is not known
int64_t
IssuedAt(const Ptr<HostThread>& host, uint32_t index)
{
    const auto issued = host->GetIssueTime(index);
    return issued ? issued->GetMicroSeconds() : -1;
}

} // namespace

TEST(HostThread, LaunchCostsAddUp)
{
    const auto host = Start({Compute(), Gather(), Compute()});
    EXPECT_EQ(IssuedAt(host, 0), -1);
    host->BeginIteration(MicroSeconds(1000));
    EXPECT_EQ(IssuedAt(host, 0), 1000 + COMPUTATION);
    EXPECT_EQ(IssuedAt(host, 1), 1000 + COMPUTATION + CALL);
    EXPECT_EQ(IssuedAt(host, 2), 1000 + 2 * COMPUTATION + CALL);
    ASSERT_EQ(host->GetCalls().size(), 1u);
    EXPECT_EQ(host->GetCalls().front().number, 1u);
    EXPECT_EQ(host->GetCalls().front().time, MicroSeconds(1000 + COMPUTATION + CALL));
    host->TakeCall();
    EXPECT_TRUE(host->GetCalls().empty());
}

TEST(HostThread, AStreamAcceptsItsQueueDepth)
{
    const auto host =
        Start({Compute(), Compute(), Gather(), Compute(), Gather()}, {{"QueueDepth", 40}});
    host->BeginIteration(Time());
    EXPECT_EQ(IssuedAt(host, 1), 2 * COMPUTATION);
    EXPECT_EQ(IssuedAt(host, 2), 2 * COMPUTATION + CALL); // the stream of gathers has room
    EXPECT_EQ(IssuedAt(host, 3), -1);
    EXPECT_EQ(host->GetWaiting()->stream, RankOperation::COMPUTE_STREAM);
    host->SetEnd(0, MicroSeconds(1100)); // in the future
    EXPECT_EQ(IssuedAt(host, 3), 1100 + COMPUTATION);
    EXPECT_EQ(IssuedAt(host, 4), 1100 + COMPUTATION + CALL);
}

TEST(HostThread, ReadsBackAtTheEndOfAnIteration)
{
    for (const bool readsBack : {true, false})
    {
        const auto host = Start({Compute()});
        host->SetAttribute("ReadsBack", BooleanValue(readsBack));
        host->BeginIteration(Time());
        host->SetEnd(0, MicroSeconds(1100));
        host->BeginIteration(MicroSeconds(1100));
        EXPECT_EQ(IssuedAt(host, 0), readsBack ? 1100 + COMPUTATION : 2 * COMPUTATION);
        host->SetEnd(0, MicroSeconds(2200));
        EXPECT_EQ(host->GetWaiting(), nullptr);
    }
}

TEST(HostThread, LimitsGathersThatAreNotFreed)
{
    const std::vector<RankOperation>
        units{Gather(), Gather(), Compute({0}), Gather(), Compute({1}), Gather(), Compute({3})};
    const auto host = Start(units, {{"GatherLimit", 1}});
    host->BeginIteration(Time());
    EXPECT_EQ(IssuedAt(host, 2), 2 * CALL + COMPUTATION);
    EXPECT_EQ(IssuedAt(host, 3), -1); // the first unit was freed, and is still in use
    host->SetEnd(2, MicroSeconds(5000));
    EXPECT_EQ(IssuedAt(host, 3), 5000 + CALL);
    EXPECT_EQ(IssuedAt(host, 5), -1);
    host->SetEnd(4, MicroSeconds(6000));
    EXPECT_EQ(IssuedAt(host, 5), 6000 + CALL);
    const auto free = Start(units);
    free->BeginIteration(Time());
    EXPECT_EQ(IssuedAt(free, 6), 4 * CALL + 3 * COMPUTATION);
}

TEST(HostThread, SynchronizesAfterABatchOfMessages)
{
    for (const bool waits : {true, false})
    {
        const auto host = Start({Compute(),
                                 MakeCall(RankOperation::SEND_STREAM, CollectiveKind::SEND),
                                 MakeCall(RankOperation::RECV_STREAM, CollectiveKind::RECV),
                                 Compute()},
                                {},
                                false,
                                waits);
        host->BeginIteration(Time());
        EXPECT_EQ(IssuedAt(host, 2), COMPUTATION + 2 * CALL);
        host->SetEnd(0, MicroSeconds(1100));
        host->SetEnd(2, MicroSeconds(9000));
        EXPECT_EQ(IssuedAt(host, 3), waits ? -1 : 2 * COMPUTATION + 2 * CALL);
        host->SetEnd(1, MicroSeconds(3000));
        EXPECT_EQ(IssuedAt(host, 3), waits ? 9000 + COMPUTATION : 2 * COMPUTATION + 2 * CALL);
    }
}

TEST(HostThread, WaitsInACollectiveUntilItsCircuitsAreLent)
{
    const auto host = Start({MakeCall(RankOperation::SEND_STREAM, CollectiveKind::SEND),
                             Gather(),
                             Compute(),
                             Gather(),
                             Compute()},
                            {},
                            true);
    host->BeginIteration(Time());
    EXPECT_EQ(IssuedAt(host, 1), 2 * CALL); // hosts do not wait in Sends
    EXPECT_EQ(IssuedAt(host, 2), -1);
    host->SetLent(0, MicroSeconds(500)); // a call that the host does not wait in
    EXPECT_EQ(IssuedAt(host, 2), -1);
    host->SetLent(1, MicroSeconds(700));
    EXPECT_EQ(IssuedAt(host, 2), 700 + COMPUTATION);
    EXPECT_EQ(IssuedAt(host, 4), -1);
    host->SetEnd(3, MicroSeconds(4000)); // whoever has ended it, the host returns
    EXPECT_EQ(IssuedAt(host, 4), 4000 + COMPUTATION);
}

TEST(HostThread, StartsAnewWithNumbersOfItsOwn)
{
    const auto host = Start({Gather(), Compute()});
    host->BeginIteration(Time());
    host->Start(std::make_shared<const RankProgram>(std::vector<RankOperation>{Gather()}),
                false,
                1,
                true);
    host->BeginIteration(Seconds(1));
    ASSERT_EQ(host->GetCalls().size(), 1u);
    EXPECT_GE(host->GetCalls().front().number, 2u);
    EXPECT_EQ(host->GetCalls().front().time, Seconds(1) + MicroSeconds(CALL));
}
