// SPDX-License-Identifier: GPL-2.0-only

// Values and calls that make no sense: the public classes refuse them, with the value.

#include "ns3/management-network-helper.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/recovery-helper.h"
#include "ns3/rotor-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/// @return a photonic cluster of two domains of two GPUs
RailCluster
MakeTinyCluster()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    RailClusterHelper helper;
    helper.SetDomains(2, 2);
    return helper.InstallPhotonic();
}

} // namespace

TEST(Refusals, SwitchThatHasBeenDisposedOf)
{
    Ptr<OpticalCircuitSwitch> ocs;
    {
        const RailCluster cluster = MakeTinyCluster();
        ocs = cluster.GetOcs(0);
        EXPECT_EQ(ocs->Reconfigure({}, {{0, 2}}), "");
        Simulator::Destroy();
    }
    EXPECT_EQ(ocs->Reconfigure({}, {{0, 2}}), "the switch has no ports, or has been disposed of");
    EXPECT_EQ(ocs->Reconfigure({{0, 2}}, {}), "the switch has no ports, or has been disposed of");
    EXPECT_EQ(ocs->Reconfigure({}, {}), "the switch has no ports, or has been disposed of");
    EXPECT_TRUE(ocs->GetCircuits().empty());
    EXPECT_EQ(ocs->GetPort(0), nullptr);
    ocs->Fail();
    ocs->Repair();
    ocs->Clear();
    ocs->Unplug(0);
    EXPECT_FALSE(ocs->IsPortStuck(0));
}

TEST(Refusals, TransceiversOfASwitchWithCircuits)
{
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetAttribute("Radix", UintegerValue(4));
    ocs->SetAttribute("Transceivers", StringValue("Simplex"));
    ocs->SetAttribute("Transceivers", StringValue("Bidirectional"));
    EXPECT_EQ(ocs->Reconfigure({}, {{0, 1}}), "");
    ocs->SetAttribute("Transceivers", StringValue("Bidirectional"));
    EXPECT_DEATH(ocs->SetAttribute("Transceivers", StringValue("Simplex")),
                 "keeps its transceivers");
    Simulator::Run(); // until there is light
    EXPECT_EQ(ocs->Reconfigure({{0, 1}}, {}), "");
    ocs->SetAttribute("Transceivers", StringValue("Simplex"));
    EXPECT_EQ(ocs->Reconfigure({}, {{0, 1}, {1, 0}}), "");
    Simulator::Destroy();
}

TEST(Refusals, GpusThatAreNotThere)
{
    const RailCluster cluster = MakeTinyCluster();
    EXPECT_DEATH(cluster.GetGpu(4), "no GPU 4 in a cluster of 4");
    EXPECT_DEATH(cluster.GetNic(99), "no GPU 99");
    EXPECT_DEATH(cluster.GetOcsPorts(99), "GPU 99");
    EXPECT_DEATH(cluster.GetScaleUpNic(99), "no GPU 99");
    EXPECT_DEATH(cluster.GetSpare(0), "no spare switch 0");
    EXPECT_DEATH(cluster.GetRail(2), "no rail 2");
    Simulator::Destroy();
}

TEST(Refusals, ClustersBeyondAllAddresses)
{
    for (const uint32_t number : {std::numeric_limits<uint32_t>::max(), 1U << 31, 1U << 24})
    {
        RailClusterHelper domains;
        domains.SetDomains(1, 1);
        domains.SetSpareDomains(number);
        EXPECT_DEATH(domains.InstallPhotonic(), "more addresses");
        RailClusterHelper spares;
        spares.SetDomains(3, 1);
        spares.SetSpareGpus(number, MilliSeconds(1));
        EXPECT_DEATH(spares.InstallPhotonic(), "more addresses");
        RailClusterHelper large;
        large.SetDomains(number, number);
        EXPECT_DEATH(large.InstallPhotonic(), "more addresses");
    }
}

TEST(Refusals, NegativeTimesAndSharesAboveOne)
{
    const Time negative = MicroSeconds(-1);
    ManagementNetworkHelper management;
    EXPECT_DEATH(management.SetLatency(negative), "a control latency of");
    EXPECT_DEATH(management.SetLoss(1.5, 0), "1.5");
    EXPECT_DEATH(management.SetLoss(-0.1, 0), "-0.1");
    EXPECT_DEATH(management.SetLoss(std::numeric_limits<double>::quiet_NaN(), 0), "nan");
    EXPECT_DEATH(management.SetRate(DataRate(0)), "without a rate");
    OpusHelper opus;
    EXPECT_DEATH(opus.SetControlLatency(negative), "a control latency of");
    EXPECT_DEATH(opus.SetHostLinkLatency(negative), "a latency of host links");
    EXPECT_DEATH(opus.SetControlLoss(2, 0), "lost messages of 2");
    EXPECT_DEATH(opus.SetFaultDetection(negative, {}), "faults detected after");
    RotorHelper rotor;
    EXPECT_DEATH(rotor.SetSlotTime(negative), "a slot of a rotor");
    RecoveryHelper recovery;
    EXPECT_DEATH(recovery.SetControlLatency(negative), "a control latency of");
    EXPECT_DEATH(recovery.SetHostLinkLatency(negative), "a latency of host links");
    RailClusterHelper cluster;
    EXPECT_DEATH(cluster.SetFabricDelay(negative, Time(0)), "between switches");
    EXPECT_DEATH(cluster.SetFabricDelay(Time(0), negative), "between switches");
}

namespace
{

/// The report of a message: its time, and whether the message was delivered.
using SentReport = std::optional<std::pair<Time, bool>>;

void
NoteReport(SentReport* report, uint32_t /* immediate */, bool isDelivered)
{
    *report = {Simulator::Now(), isDelivered};
}

/// @return the report of a message whose receiver is disposed of while packets arrive
SentReport
PostToDisposed(const std::string& fidelity)
{
    RailClusterHelper helper;
    helper.SetDomains(2, 1);
    helper.SetNicAttribute("Fidelity", StringValue(fidelity));
    const RailCluster cluster = helper.InstallElectrical();
    const auto ends = RdmaHelper::Connect(cluster.GetNic(0), {0}, cluster.GetNic(1), {0});
    SentReport report;
    ends.first->SetSentCallback(MakeBoundCallback(&NoteReport, &report));
    ends.first->Post(10'000'000, 1);
    Simulator::Schedule(MicroSeconds(100), &Object::Dispose, cluster.GetNic(1)->GetQueuePair(0));
    Simulator::Run();
    Simulator::Destroy();
    return report;
}

} // namespace

TEST(Refusals, AReceiverThatIsDisposedOfIsReportedAlikeInBurstsAndPackets)
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    const SentReport bursts = PostToDisposed("Burst");
    const SentReport packets = PostToDisposed("Packet");
    ASSERT_TRUE(bursts && packets);
    EXPECT_FALSE(packets->second);
    EXPECT_EQ(*bursts, *packets);
}

TEST(Refusals, MessagesThatAreTooLong)
{
    const RailCluster cluster = MakeTinyCluster();
    const auto ends = RdmaHelper::Connect(cluster.GetNic(0), {0}, cluster.GetNic(2), {0});
    EXPECT_DEATH(ends.first->Post(std::numeric_limits<uint64_t>::max(), 1), "is longer than");
    EXPECT_DEATH(ends.first->Post(RdmaSendQueue::MAX_MESSAGE_BYTES + 1, 1), "is longer than");
    ends.first->Post(RdmaSendQueue::MAX_MESSAGE_BYTES, 1);
    Simulator::Destroy();
}
