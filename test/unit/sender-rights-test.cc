// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/controller-machine.h"
#include "ns3/inet-socket-address.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

/// A controller without a network: two jobs of two ranks each on switch 0.
class SenderRightsTest : public testing::Test
{
  protected:
    SenderRightsTest()
        : m_machine({m_message, m_message, m_granted, m_rebuild, m_failed, m_command, m_command},
                    {m_message, m_fault})
    {
        LeaseService& leases = m_machine.GetLeases();
        leases.SetLimits(0, 100);
        leases.SetOutput(MakeCallback(&SenderRightsTest::Send, this));
        leases.GetJobs().GetPlaces().AddSwitch(0, m_agent);
        leases.GetJobs().GetPlaces().AddSwitch(1, m_otherAgent);
        for (uint32_t job = 0; job < 2; ++job)
        {
            for (uint32_t rank = 0; rank < 2; ++rank)
            {
                const uint32_t port = 4 * job + 2 * rank;
                leases.GetJobs().AddRank(job, rank, {{0, port}, {0, port + 1}});
                leases.GetJobs().SetManager(job, rank, GetManager(job, rank));
            }
        }
        m_machine.GetRights().SetMonitor(m_monitor);
        m_machine.GetRights().SetCoordinator(m_coordinator);
    }

    static Address GetManager(uint32_t job, uint32_t rank)
    {
        return InetSocketAddress(Ipv4Address(0xac100010 + 2 * job + rank), 5813);
    }

    void Send(const Address& to, const OpusMessage& message)
    {
        m_sent.emplace_back(to, message);
    }

    /// @return true if the controller accepts a message
    bool Accepts(const Address& from, const OpusMessage& message)
    {
        const uint64_t before = m_machine.GetLeases().GetStats().foreign;
        m_machine.Serve({0, from, message}, Time(0));
        return m_machine.GetLeases().GetStats().foreign == before;
    }

    static OpusFault MakeFault(FaultKind kind, uint32_t job = 0, uint32_t rank = 0)
    {
        OpusFault fault;
        fault.kind = kind;
        fault.job = job;
        fault.rank = rank;
        return fault;
    }

    template <typename T>
    static T MakeLease(uint32_t job, uint32_t rank)
    {
        T message;
        message.job = job;
        message.rank = rank;
        message.lease = 1;
        return message;
    }

    TracedCallback<const OpusMessage&> m_message;
    TracedCallback<uint32_t, uint64_t, Time, bool> m_granted;
    TracedCallback<uint32_t> m_rebuild;
    TracedCallback<uint32_t, const std::string&> m_failed;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> m_command;
    TracedCallback<const OpusFault&, const std::string&> m_fault;
    ControllerMachine m_machine;
    std::vector<std::pair<Address, OpusMessage>> m_sent;

    const InetSocketAddress m_agent{"172.16.0.2", 5811};
    const InetSocketAddress m_otherAgent{"172.16.0.3", 5811};
    const InetSocketAddress m_monitor{"172.16.0.4", 5814};
    const InetSocketAddress m_coordinator{"172.16.0.5", 5817};
    const InetSocketAddress m_stranger{"172.16.0.99", 5813};
};

TEST_F(SenderRightsTest, MessagesOfARankComeFromItsManager)
{
    for (const uint32_t job : {0, 1, 2})
    {
        for (const uint32_t rank : {0, 1, 2})
        {
            auto request = MakeLease<OpusRequest>(job, rank);
            request.ranks = {0, 1};
            OpusRestart restart;
            static_cast<OpusRank&>(restart) = request;
            const std::vector<OpusMessage> messages{request,
                                                    MakeLease<OpusRelease>(job, rank),
                                                    restart,
                                                    MakeFault(FaultKind::NIC_PORT, job, rank),
                                                    MakeFault(FaultKind::GPU, job, rank)};
            for (const OpusMessage& message : messages)
            {
                const bool exists = job < 2 && rank < 2;
                EXPECT_FALSE(Accepts(m_stranger, message)) << message;
                EXPECT_FALSE(Accepts(m_agent, message)) << message;
                EXPECT_FALSE(Accepts(GetManager((job + 1) % 2, rank % 2), message)) << message;
                EXPECT_EQ(Accepts(GetManager(job, rank), message), exists) << message;
            }
        }
    }
}

TEST_F(SenderRightsTest, NobodyFailsTheJobOfAnother)
{
    m_machine.GetRights().SetCoordinator(Address()); // a lost GPU ends its job
    for (const uint32_t rank : {0, 1, 2, 1000})
    {
        EXPECT_FALSE(Accepts(m_stranger, MakeFault(FaultKind::GPU, 1, rank)));
        EXPECT_FALSE(Accepts(GetManager(0, 0), MakeFault(FaultKind::GPU, 1, rank)));
    }
    EXPECT_EQ(m_machine.GetLeases().GetJobs().GetFailure(1), "");
    EXPECT_TRUE(Accepts(GetManager(0, 0), MakeFault(FaultKind::GPU, 0, 0)));
    EXPECT_NE(m_machine.GetLeases().GetJobs().GetFailure(0), "");
}

TEST_F(SenderRightsTest, InfrastructureReports)
{
    for (const Address& from : std::vector<Address>{m_stranger,
                                                    GetManager(0, 0),
                                                    m_agent,
                                                    m_otherAgent,
                                                    m_monitor,
                                                    m_coordinator})
    {
        EXPECT_EQ(Accepts(from, MakeFault(FaultKind::OCS)), from == m_monitor);
        EXPECT_EQ(Accepts(from, MakeFault(FaultKind::OCS_PORT)),
                  from == m_agent || from == m_otherAgent);
        EXPECT_FALSE(Accepts(from, MakeFault(FaultKind::SHIM)));
        EXPECT_EQ(Accepts(from, OpusReplace()), from == m_coordinator);
    }
}

TEST_F(SenderRightsTest, TheSwitchOfACommandReportsIt)
{
    for (const uint32_t rank : {0, 1})
    {
        auto request = MakeLease<OpusRequest>(0, rank);
        request.ranks = {0, 1};
        EXPECT_TRUE(Accepts(GetManager(0, rank), request));
    }
    ASSERT_EQ(m_sent.size(), 1u);
    const auto* command = m_sent[0].second.Get<OpusCommand>();
    ASSERT_TRUE(command);
    OpusReport report;
    report.command = command->number;
    for (const Address& from : std::vector<Address>{m_stranger, GetManager(0, 0), m_otherAgent})
    {
        EXPECT_FALSE(Accepts(from, report));
    }
    EXPECT_EQ(m_sent.size(), 1u);
    EXPECT_TRUE(Accepts(m_agent, report));
    EXPECT_EQ(m_sent.size(), 3u) << "grants";
}

TEST_F(SenderRightsTest, WhatNoRuleAllowsIsRefused)
{
    const std::vector<OpusMessage> messages{OpusGrant(),
                                            OpusRecall(),
                                            OpusRefusal(),
                                            OpusCommand(),
                                            OpusLearn(),
                                            OpusLead(),
                                            OpusHeartbeat(),
                                            OpusTakeOver(),
                                            OpusAbort(),
                                            OpusGo()};
    for (const OpusMessage& message : messages)
    {
        for (const Address& from :
             std::vector<Address>{GetManager(0, 0), m_agent, m_monitor, m_coordinator})
        {
            EXPECT_FALSE(Accepts(from, message)) << message;
        }
    }
    EXPECT_TRUE(m_sent.empty());
}

TEST_F(SenderRightsTest, InputsHaveARule)
{
    EXPECT_TRUE(SenderRights::IsInput(OpusRequest()));
    EXPECT_TRUE(SenderRights::IsInput(OpusReport()));
    EXPECT_TRUE(SenderRights::IsInput(OpusLeases()));
    EXPECT_TRUE(SenderRights::IsInput(OpusCircuits()));
    for (const OpusMessage& message : {OpusMessage(OpusGrant()),
                                       OpusMessage(OpusCommand()),
                                       OpusMessage(OpusLearn()),
                                       OpusMessage(OpusLead())})
    {
        EXPECT_FALSE(SenderRights::IsInput(message)) << message;
    }
}

TEST_F(SenderRightsTest, LeasesAndCircuitsAreOfTheirOwners)
{
    OpusLeases leases;
    for (const Address& from : {Address(m_stranger), Address(m_agent), GetManager(1, 0)})
    {
        EXPECT_FALSE(Accepts(from, leases));
    }
    EXPECT_TRUE(Accepts(GetManager(0, 0), leases));
    leases.rank = 7;
    EXPECT_FALSE(Accepts(GetManager(0, 0), leases));
    EXPECT_FALSE(Accepts(GetManager(0, 0), OpusCircuits()));
    EXPECT_TRUE(Accepts(m_agent, OpusCircuits()));
}

TEST_F(SenderRightsTest, AHeldLeaseKeepsItsCircuits)
{
    LeaseService& service = m_machine.GetLeases();
    const JobTable configured = service.GetJobs();
    service.Forget(configured);
    ControllerLearning learning;
    learning.Begin(3, service, m_machine.GetRights());
    OpusRequest held = MakeLease<OpusRequest>(0, 0);
    held.group = 9;
    held.lease = 5;
    held.held = true;
    held.ranks = {0, 1};
    OpusRequest waiting = held;
    waiting.rank = 1;
    waiting.held = false;
    const auto add = [&](const Address& from, const OpusMessage& message) {
        learning.Add({0, from, message}, service, m_machine.GetRights());
    };
    add(GetManager(0, 0), OpusLeases{{0, 0}, 2, false, "", {}}); // of an earlier epoch
    add(GetManager(0, 1), OpusLeases{{0, 1}, 3, false, "", {waiting}});
    add(GetManager(0, 0), OpusLeases{{0, 0}, 3, false, "", {held}});
    add(GetManager(0, 0), OpusLeases{{1, 0}, 3, false, "", {}}); // of another tenant
    add(GetManager(1, 0), OpusLeases{{1, 0}, 3, false, "", {}});
    add(GetManager(1, 1), OpusLeases{{1, 1}, 3, false, "the job has ended", {}});
    add(m_agent, OpusCircuits{3, 1, false, {OpusCircuits::OWN_RAIL}, {{0, 3}, {1, 2}}});
    EXPECT_FALSE(learning.IsComplete());
    add(m_otherAgent, OpusCircuits{3, 4, true, {OpusCircuits::OWN_RAIL}, {}});
    EXPECT_FALSE(learning.IsComplete()) << "the coordinator";
    EXPECT_TRUE(learning.HasMajority());
    add(m_coordinator, OpusReplace{{7}, {0}, {0, 1}});
    EXPECT_TRUE(learning.IsComplete());
    m_machine.Learn(learning.GetArrivals(), Time(0));
    EXPECT_EQ(service.GetScheduler().CheckInvariants(), "");
    EXPECT_NE(service.GetJobs().GetFailure(1), "");
    uint32_t commands = 0;
    uint32_t grants = 0;
    uint32_t dark = 0;
    for (const auto& [to, message] : m_sent)
    {
        commands += message.Get<OpusCommand>() ? 1 : 0;
        dark += message.Get<OpusTakeOver>() && to == m_otherAgent ? 1 : 0;
        const auto* grant = message.Get<OpusGrant>();
        grants += grant && grant->rank == 1 && grant->lease == 5 ? 1 : 0;
    }
    EXPECT_EQ(commands, 0u) << "the circuits are up";
    EXPECT_EQ(grants, 1u) << "to the rank that waits";
    EXPECT_EQ(dark, 1u) << "the switch that has started again";
}

TEST_F(SenderRightsTest, PartsOfABatchAreCheckedOneByOne)
{
    OpusBatch batch;
    for (const uint32_t rank : {0, 1})
    {
        auto request = MakeLease<OpusRequest>(0, rank);
        request.ranks = {0, 1};
        batch.parts.push_back(OpusMessage(request));
    }
    EXPECT_FALSE(Accepts(GetManager(0, 0), batch));
    EXPECT_EQ(m_machine.GetLeases().GetStats().requests, 1u) << "that of the own rank";
    ASSERT_EQ(m_sent.size(), 1u);
    EXPECT_TRUE(m_sent[0].second.Get<OpusRefusal>());
    EXPECT_EQ(m_sent[0].first, GetManager(0, 0)) << "the sender is told";
}

TEST_F(SenderRightsTest, TenantsAreJobs)
{
    const SenderRights& rights = m_machine.GetRights();
    EXPECT_EQ(rights.GetTenant(GetManager(0, 1)), 0u);
    EXPECT_EQ(rights.GetTenant(GetManager(1, 0)), 1u);
    EXPECT_EQ(rights.GetTenant(m_agent), SenderRights::INFRASTRUCTURE);
    EXPECT_EQ(rights.GetTenant(m_monitor), SenderRights::INFRASTRUCTURE);
    EXPECT_EQ(rights.GetTenant(m_stranger), SenderRights::STRANGER);
}

TEST_F(SenderRightsTest, ImpossibleListsOfRanksAreNotKept)
{
    for (uint32_t i = 0; i < 1000; ++i)
    {
        auto request = MakeLease<OpusRequest>(0, 0);
        request.group = i;
        request.ranks = {0, 1000 + i};
        EXPECT_TRUE(Accepts(GetManager(0, 0), request));
    }
    EXPECT_EQ(m_machine.GetLeases().GetStats().refusals, 1000u);
    EXPECT_EQ(m_machine.GetLeases().GetStats().planHits, 0u);
    EXPECT_EQ(m_machine.GetLeases().GetJobs().GetPlans(), 0u);
}

} // namespace
} // namespace ns3
