// SPDX-License-Identifier: GPL-2.0-only

#include "../track-fabric.h"

#include "ns3/inet-socket-address.h"
#include "ns3/job-table.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// Two jobs on two switches: two domains of two GPUs each, two ports a GPU.
class JobTableTest : public testing::Test
{
  protected:
    JobTableTest()
    {
        m_table.GetPlaces().AddSwitch(0, InetSocketAddress("172.16.0.2", 5811));
        m_table.GetPlaces().AddSwitch(1, InetSocketAddress("172.16.0.3", 5811));
        for (uint32_t job = 0; job < 2; ++job)
        {
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                const uint32_t first = 4 * job + 2 * (rank / 2);
                EXPECT_EQ(m_table.AddRank(job, rank, {{rank % 2, first}, {rank % 2, first + 1}}),
                          "");
                m_table.SetManager(job, rank, GetManagerOf(job, rank / 2));
            }
        }
    }

    /** @return manager of a domain of two ranks, one on each rail */
    static Address GetManagerOf(uint32_t job, uint32_t domain)
    {
        return InetSocketAddress(Ipv4Address(0xac100010 + 2 * job + domain), 5813);
    }

    JobTable m_table;
};

TEST_F(JobTableTest, APortHasOneRank)
{
    EXPECT_EQ(m_table.AddRank(1, 9, {{0, 100}, {0, 3}}),
              "port 3 of switch 0 belongs to rank 2 of job 0 and not to rank 9 of job 1");
    EXPECT_EQ(m_table.GetStats().portConflicts, 1u);
    EXPECT_EQ(m_table.AddRank(1, 10, {{0, 100}, {0, 101}}), "") << "nothing was taken";
    EXPECT_EQ(m_table.AddRank(1, 10, {{0, 101}, {0, 102}}), "") << "a rank may be moved";
    EXPECT_EQ(m_table.AddRank(1, 11, {{0, 100}, {0, 103}}), "") << "and leaves its ports";
}

TEST_F(JobTableTest, ARankMovesToAnotherGpu)
{
    const InetSocketAddress manager("172.16.0.9", 5813);
    m_table.AddSpareGpu(16, {{0, {{0, 20}, {0, 21}}}, {1, {{1, 20}, {1, 21}}}}, manager);
    const auto before = m_table.Plan(0, {0, 2}).plan;
    const auto others = m_table.Plan(0, {1, 3}).plan;
    EXPECT_TRUE(m_table.MarkPortFailed({0, 2, 1}));
    EXPECT_EQ(m_table.Move(0, 2, 16), "");
    EXPECT_EQ(m_table.GetGpu(0, 2), 16u);
    EXPECT_EQ(m_table.GetGpu(0, 0), 0u);
    EXPECT_FALSE(m_table.IsPortFailed({0, 2, 1})) << "the NIC is another one";
    EXPECT_EQ(*m_table.GetManager(0, 2), Address(manager));
    // The plan is the same, with the ports of the spare in the place of ports 2 and 3.
    const auto& after = m_table.Plan(0, {0, 2});
    EXPECT_EQ(after.error, "");
    auto expected = before;
    for (auto& circuit : expected.at(0))
    {
        circuit.a += circuit.a == 2 || circuit.a == 3 ? 18 : 0;
        circuit.b += circuit.b == 2 || circuit.b == 3 ? 18 : 0;
    }
    EXPECT_EQ(after.plan, expected);
    EXPECT_EQ(m_table.Plan(0, {1, 3}).plan, others);
    EXPECT_EQ(m_table.Move(0, 3, 16), "GPU 16 has rank 2 of job 0");
    EXPECT_NE(m_table.Move(0, 3, 17), "") << "nothing is known of it";
}

TEST_F(JobTableTest, PlansAreMadeOnce)
{
    const auto first = m_table.Plan(0, {0, 2});
    EXPECT_EQ(first.error, "");
    EXPECT_EQ(m_table.Plan(0, {0, 2}).plan, first.plan);
    EXPECT_NE(m_table.Plan(1, {0, 2}).plan, first.plan) << "another job has other ports";
    m_table.Plan(0, {2, 0});
    EXPECT_EQ(m_table.GetStats().planned, 3u) << "another order may need other ports";
    EXPECT_EQ(m_table.GetStats().planHits, 1u);
}

TEST_F(JobTableTest, RanksOnSeveralRailsGetARingOnEach)
{
    const auto& result = m_table.Plan(0, {0, 1, 2, 3});
    EXPECT_EQ(result.error, "");
    ASSERT_EQ(result.plan.size(), 2u);
    EXPECT_EQ(result.plan.at(0), m_table.Plan(0, {0, 2}).plan.at(0));
    EXPECT_EQ(result.plan.at(1), m_table.Plan(0, {1, 3}).plan.at(1));
    EXPECT_NE(m_table.Plan(0, {0, 2, 1}).error, "") << "a domain in two places";
    EXPECT_NE(m_table.Plan(0, {0, 1, 2, 3, 0, 1}).error, "") << "a rank twice";
    EXPECT_NE(m_table.Plan(0, {0, 7}).error, "") << "a rank that is not cabled";
    EXPECT_NE(m_table.Plan(2, {0, 2}).error, "") << "a job without ranks";
}

TEST_F(JobTableTest, PlansAreMadeWithoutPortsThatAreLost)
{
    const auto before = m_table.Plan(0, {0, 2}).plan;
    EXPECT_EQ(before.at(0), (CircuitSet{{0, 3}, {1, 2}}));
    const auto port = m_table.FindPort({0, 3});
    ASSERT_TRUE(port);
    EXPECT_EQ(port->job, 0u);
    EXPECT_EQ(port->rank, 2u);
    EXPECT_EQ(port->port, 1u);
    EXPECT_FALSE(m_table.FindPort({0, 99})) << "nobody is cabled there";
    EXPECT_FALSE(m_table.HasFailedPorts(0));
    EXPECT_TRUE(m_table.MarkPortFailed(*port));
    EXPECT_FALSE(m_table.MarkPortFailed(*port)) << "known";
    EXPECT_FALSE(m_table.MarkPortFailed({0, 2, 2})) << "there is no such port";
    EXPECT_FALSE(m_table.MarkPortFailed({0, 99, 0})) << "nor rank";
    EXPECT_TRUE(m_table.IsPortFailed(*port));
    EXPECT_FALSE(m_table.IsPortFailed({0, 2, 0}));
    EXPECT_TRUE(m_table.HasFailedPorts(0));
    EXPECT_FALSE(m_table.HasFailedPorts(1));
    EXPECT_EQ(m_table.GetFailedPorts(0, 0).size(), 1u);
    EXPECT_TRUE(m_table.GetFailedPorts(0, 1).empty()) << "another rail";
    EXPECT_TRUE(m_table.GetFailedPorts(1, 0).empty()) << "another job";
    EXPECT_EQ(m_table.Plan(0, {0, 2}).plan.at(0), (CircuitSet{{1, 2}}));
    EXPECT_EQ(m_table.Plan(0, {0, 1, 2, 3}).plan.at(0), (CircuitSet{{1, 2}}));
    EXPECT_TRUE(m_table.MarkPortFailed({0, 0, 1}));
    EXPECT_EQ(m_table.Plan(0, {0, 2}).plan.at(0), (CircuitSet{{0, 2}})) << "both back ports";
    EXPECT_TRUE(m_table.MarkPortFailed({0, 0, 0}));
    EXPECT_EQ(m_table.Plan(0, {0, 2}).error,
              "ranks 0 and 2 have no ports left that lead to each other");
}

TEST_F(JobTableTest, ALinkHasOneDirectionAsLongAsItHasPorts)
{
    EXPECT_EQ(m_table.Plan(0, {0, 2}, true).plan.at(0), (CircuitSet{{0, 3}}));
    EXPECT_EQ(m_table.Plan(0, {2, 0}, true).plan.at(0), (CircuitSet{{1, 2}}));
    EXPECT_EQ(m_table.Plan(0, {0, 2}).plan.at(0), (CircuitSet{{0, 3}, {1, 2}})) << "a pair";
    EXPECT_TRUE(m_table.MarkPortFailed({0, 0, 0}));
    EXPECT_EQ(m_table.Plan(0, {2, 0}, true).plan.at(0), (CircuitSet{{1, 2}})) << "as before";
    EXPECT_EQ(m_table.Plan(0, {0, 2}, true).plan.at(0), (CircuitSet{{1, 2}})) << "what is left";
    EXPECT_TRUE(m_table.MarkPortFailed({0, 0, 1}));
    EXPECT_NE(m_table.Plan(0, {0, 2}, true).error, "");
    EXPECT_EQ(m_table.Plan(0, {0, 1, 2}, true).error, m_table.Plan(0, {0, 1, 2}).error)
        << "no link";
}

TEST_F(JobTableTest, APortIsUsedAgainWhenAllItsFaultsAreRepaired)
{
    const auto before = m_table.Plan(0, {0, 2}).plan;
    const JobTable::NicPort port{0, 2, 1};
    EXPECT_FALSE(m_table.MarkPortMended(port, FaultKind::NIC_PORT)) << "it has not failed";
    EXPECT_TRUE(m_table.MarkPortFailed(port, FaultKind::NIC_PORT));
    EXPECT_FALSE(m_table.MarkPortFailed(port, FaultKind::OCS_PORT)) << "it is not used any more";
    EXPECT_FALSE(m_table.MarkPortMended(port, FaultKind::NIC_PORT)) << "nor is the switch port";
    EXPECT_TRUE(m_table.MarkPortMended(port, FaultKind::OCS_PORT));
    EXPECT_EQ(m_table.GetMendedPorts().size(), 1u);
    EXPECT_TRUE(m_table.IsPortFailed(port)) << "until it is used";
    EXPECT_FALSE(m_table.MarkPortFailed(port, FaultKind::NIC_PORT)) << "once more";
    EXPECT_TRUE(m_table.GetMendedPorts().empty());
    EXPECT_TRUE(m_table.MarkPortMended(port, FaultKind::NIC_PORT));
    m_table.UsePort(port);
    EXPECT_TRUE(m_table.GetMendedPorts().empty());
    EXPECT_FALSE(m_table.HasFailedPorts(0));
    EXPECT_TRUE(m_table.HadFailedPorts(0));
    EXPECT_EQ(m_table.Plan(0, {0, 2}).plan, before);
}

TEST_F(JobTableTest, APlanFitsAnIdleSwitch)
{
    m_table.SetFabric(0, test::TrackFabric::Make(8, 1));
    EXPECT_EQ(m_table.Plan(0, {0, 1}).error.find("do not fit"), std::string::npos);
    EXPECT_EQ(m_table.Plan(1, {0, 2}).error,
              "even alone, the circuits do not fit switch 0: there is no way for circuit 5-6");
    EXPECT_EQ(m_table.Plan(1, {1, 3}).error, "") << "on a switch that does not block";
    // One circuit of the two is left, and fits.
    EXPECT_TRUE(m_table.MarkPortFailed({1, 0, 0}));
    EXPECT_EQ(m_table.Plan(1, {0, 2}).error, "");
}

TEST_F(JobTableTest, APairAcrossRailsHasCircuitsOfItsProxies)
{
    const auto& result = m_table.Plan(0, {0, 3});
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.plan.at(0), m_table.Plan(0, {0, 2}).plan.at(0)) << "from rank 3, by rank 2";
    EXPECT_EQ(result.plan.at(1), m_table.Plan(0, {1, 3}).plan.at(1)) << "from rank 0, by rank 1";
    EXPECT_TRUE(m_table.IsPlannedWith(0, {0, 3}, 1));
    EXPECT_TRUE(m_table.IsPlannedWith(0, {0, 3}, 2));
    EXPECT_TRUE(m_table.IsPlannedWith(0, {0, 3}, 3));
    EXPECT_FALSE(m_table.IsPlannedWith(0, {0, 2}, 1));
    // The port of a proxy is lost, and the plan is made again without it.
    EXPECT_TRUE(m_table.MarkPortFailed({0, 1, 0}));
    EXPECT_EQ(m_table.Plan(0, {0, 3}).plan.at(1), m_table.Plan(0, {1, 3}).plan.at(1));
    EXPECT_EQ(m_table.Plan(0, {0, 3}).plan.at(1).size(), 1u);
    // A domain whose GPU on a rail is unknown has no proxy there.
    EXPECT_EQ(m_table.AddRank(0, 9, {{1, 100}, {1, 101}}), "");
    m_table.SetManager(0, 9, InetSocketAddress("172.16.0.77", 5813));
    EXPECT_EQ(
        m_table.Plan(0, {0, 9}).error,
        "rank 9 has no GPU in its domain on the rail of rank 0: a group must stay on one rail");
    EXPECT_NE(m_table.Plan(0, {0, 1}).error.find("no circuits"), std::string::npos)
        << "both in one domain";
}

TEST_F(JobTableTest, ARankHasOneManager)
{
    const InetSocketAddress own("172.16.0.4", 5813);
    const InetSocketAddress other("172.16.0.5", 5813);
    EXPECT_FALSE(m_table.BindManager(0, 9, other)) << "nothing is known of it";
    EXPECT_FALSE(m_table.FindJob(other));
    EXPECT_EQ(m_table.AddRank(0, 9, {{0, 100}, {0, 101}}), "");
    EXPECT_EQ(m_table.GetManager(0, 9), nullptr);
    EXPECT_TRUE(m_table.BindManager(0, 9, other)) << "the first to speak for it";
    EXPECT_EQ(*m_table.GetManager(0, 9), Address(other));
    EXPECT_EQ(m_table.FindJob(other), 0u);
    m_table.SetManager(0, 9, own);
    EXPECT_FALSE(m_table.BindManager(0, 9, other));
    EXPECT_TRUE(m_table.BindManager(0, 9, own));
    EXPECT_EQ(*m_table.GetManager(0, 9), Address(own));
    EXPECT_FALSE(m_table.BindManager(0, 9, InetSocketAddress("172.16.0.4", 5814)));
}

TEST_F(JobTableTest, RailsAndGroupsAreCounted)
{
    EXPECT_EQ(m_table.GetRail(1, 3), 1u);
    EXPECT_EQ(m_table.GetRail(7, 3), 0u);
    m_table.CountGroup(1);
    m_table.CountGroup(1);
    EXPECT_EQ(m_table.GetGroups(1), 2u);
    EXPECT_EQ(m_table.GetGroups(0), 0u);
    EXPECT_EQ(m_table.GetPlaces().GetRails(), (std::vector<uint32_t>{0, 1}));
}

} // namespace
} // namespace ns3
