// SPDX-License-Identifier: GPL-2.0-only

// What the stacks of ns-3 ask a NetDevice: ports of NICs and of electrical switches, and ports of
// optical switches, which no stack uses.

#include "ns3/error-model.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(NetDevice, PortsAnswerAsEthernetDoes)
{
    const auto port = CreateObject<EthernetPortNetDevice>();
    EXPECT_TRUE(port->IsBroadcast());
    EXPECT_EQ(port->GetBroadcast(), Address(Mac48Address("ff:ff:ff:ff:ff:ff")));
    EXPECT_FALSE(port->IsMulticast());
    EXPECT_EQ(port->GetMulticast(Ipv4Address("224.1.2.3")),
              Address(Mac48Address("01:00:5e:01:02:03")));
    EXPECT_EQ(port->GetMulticast(Ipv6Address("ff02::1:2")),
              Address(Mac48Address("33:33:00:01:00:02")));
    EXPECT_FALSE(port->IsBridge());
    EXPECT_TRUE(port->IsPointToPoint());
    EXPECT_TRUE(port->NeedsArp());
    EXPECT_TRUE(port->SupportsSendFrom());
    const auto errors = CreateObject<ReceiveListErrorModel>();
    port->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    PointerValue value;
    port->GetAttribute("ReceiveErrorModel", value);
    EXPECT_EQ(value.Get<ErrorModel>(), errors);
}

TEST(NetDevice, PortsOfOpticalSwitchesSendNothing)
{
    const auto port = CreateObject<OcsNetDevice>();
    EXPECT_FALSE(port->NeedsArp());
    EXPECT_FALSE(port->SupportsSendFrom());
    EXPECT_FALSE(port->Send(Create<Packet>(100), port->GetBroadcast(), 0x0800));
    EXPECT_FALSE(
        port->SendFrom(Create<Packet>(100), port->GetAddress(), port->GetBroadcast(), 0x0800));
    EXPECT_TRUE(port->SetMtu(1500));
    EXPECT_EQ(port->GetMtu(), 1500);
}

TEST(NetDevice, ALinkIsUpWhileThereIsLight)
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    const auto a = CreateObject<EthernetPortNetDevice>();
    const auto b = CreateObject<EthernetPortNetDevice>();
    const auto ocs = CreateObject<OcsNetDevice>();
    EXPECT_FALSE(a->IsLinkUp());
    EXPECT_FALSE(ocs->IsLinkUp());
    const auto fiber = CreateObject<OpticalFiberLink>();
    fiber->Attach(a);
    EXPECT_FALSE(a->IsLinkUp()) << "the other end hangs in the air";
    fiber->Attach(b);
    EXPECT_TRUE(a->IsLinkUp());
    EXPECT_TRUE(b->IsLinkUp());
}
