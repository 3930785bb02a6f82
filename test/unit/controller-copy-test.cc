// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/controller-machine.h"
#include "ns3/inet-socket-address.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

/// Two domains with a rank on each of two rails, and a controller without a network.
class ControllerCopyTest : public testing::Test
{
  protected:
    ControllerCopyTest()
        : m_machine(m_leases, m_faults)
    {
        LeaseService& leases = m_machine.GetLeases();
        leases.SetLimits(0, 100);
        Connect(m_machine);
        for (uint32_t rail = 0; rail < 2; ++rail)
        {
            leases.GetJobs().GetPlaces().AddSwitch(rail, m_agents[rail]);
        }
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            const uint32_t rail = rank % 2;
            const uint32_t port = rank / 2 * 2;
            leases.GetJobs().AddRank(0, rank, {{rail, port}, {rail, port + 1}});
            leases.GetJobs().SetManager(0, rank, m_managers[rank / 2]);
        }
    }

    static constexpr uint32_t RANKS = 4;

    void Send(const Address&, const OpusMessage& message)
    {
        if (const auto* command = message.Get<OpusCommand>())
        {
            m_commands.push_back(command->number);
        }
        if (const auto* grant = message.Get<OpusGrant>())
        {
            m_switching.push_back(grant->switching);
        }
    }

    /// Send messages of a machine to this test. @param machine the machine
    void Connect(ControllerMachine& machine)
    {
        machine.GetLeases().SetOutput(MakeCallback(&ControllerCopyTest::Send, this));
    }

    /// A switch reports its command. @param machine receives the report
    void Report(ControllerMachine& machine, uint32_t rail, Time duration)
    {
        OpusReport report;
        report.command = m_commands.at(rail);
        report.duration = duration;
        machine.Serve({0, m_agents[rail], report}, Time(0), false);
    }

    TracedCallback<const OpusMessage&> m_message;
    TracedCallback<uint32_t, uint64_t, Time, bool> m_granted;
    TracedCallback<uint32_t> m_rebuild;
    TracedCallback<uint32_t, const std::string&> m_failed;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> m_command;
    TracedCallback<const OpusFault&, const std::string&> m_fault;
    const LeaseService::Traces
        m_leases{m_message, m_message, m_granted, m_rebuild, m_failed, m_command, m_command};
    const FaultService::Traces m_faults{m_message, m_fault};
    ControllerMachine m_machine;
    std::vector<uint64_t> m_commands; //!< of the switches, in order
    std::vector<Time> m_switching;    //!< of grants

    const std::vector<InetSocketAddress> m_agents{{"172.16.0.2", 5811}, {"172.16.0.3", 5811}};
    const std::vector<InetSocketAddress> m_managers{{"172.16.0.16", 5813}, {"172.16.0.17", 5813}};
};

TEST_F(ControllerCopyTest, BetweenTwoReportsOfAGroup)
{
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        OpusRequest request;
        request.rank = rank;
        request.lease = 1;
        request.ranks = {0, 1, 2, 3};
        m_machine.Serve({0, m_managers[rank / 2], request}, Time(0), false);
    }
    ASSERT_EQ(m_commands.size(), 2u) << "one for each switch";
    Report(m_machine, 0, MicroSeconds(7));
    EXPECT_TRUE(m_switching.empty()) << "the other switch is not ready";
    ControllerMachine copy(m_leases, m_faults);
    copy.CopyState(m_machine);
    Connect(copy);
    Report(copy, 1, MicroSeconds(3));
    // The grant has the time of the slower switch, which reported before the copy was made.
    EXPECT_EQ(m_switching, std::vector<Time>(RANKS, MicroSeconds(7)));
}

} // namespace
} // namespace ns3
