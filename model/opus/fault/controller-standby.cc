// SPDX-License-Identifier: GPL-2.0-only

#include "controller-standby.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/opus-controller.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ControllerStandby");
NS_OBJECT_ENSURE_REGISTERED(ControllerStandby);

TypeId
ControllerStandby::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ControllerStandby")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ControllerStandby>()
            .AddAttribute(
                "HeartbeatInterval",
                "Interval of the heartbeats of the active controller, above 0. Heartbeats "
                "end with StopWatching.",
                TimeValue(MilliSeconds(10)),
                MakeTimeAccessor(&ControllerStandby::m_interval),
                MakeTimeChecker(TimeStep(1)))
            .AddAttribute("MissedHeartbeats",
                          "Number of intervals without a heartbeat after which the controller of "
                          "the node takes over, at least 1.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&ControllerStandby::m_missed),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Latency",
                          "Time that a message takes on the network, at least 0: the first "
                          "heartbeat comes so much later than it is sent.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&ControllerStandby::m_latency),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
ControllerStandby::SetPair(Ipv4Address other, Ptr<OpusController> own, Ipv4Address identity)
{
    m_other = other;
    m_own = own;
    m_identity = identity;
}

void
ControllerStandby::DoDispose()
{
    m_next.Cancel();
    if (m_own)
    {
        m_own->SetPair(Callback<void>(), Callback<void>());
    }
    m_own = nullptr;
    m_network = nullptr;
    Application::DoDispose();
}

void
ControllerStandby::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network && m_network->IsReliable(), "a standby needs a Reliable port");
    NS_ABORT_MSG_UNLESS(m_own, "a standby needs a controller");
    m_own->SetPair(MakeCallback(&ControllerStandby::Crash, this),
                   MakeCallback(&ControllerStandby::Follow, this));
    m_network->Listen(PORT, MakeCallback(&ControllerStandby::HandleMessage, this));
    m_own->IsActive() ? Lead() : Follow();
}

void
ControllerStandby::StopApplication()
{
    m_next.Cancel();
    m_network->Listen(PORT, ManagementPort::ReceiveCallback());
}

void
ControllerStandby::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    const auto* lead = message.Get<OpusLead>();
    if (InetSocketAddress::ConvertFrom(from).GetIpv4() != m_other || !lead)
    {
        ++m_foreign;
        return;
    }
    const auto epoch = static_cast<uint32_t>(lead->epoch);
    if (m_isOver || epoch < m_own->GetEpoch())
    {
        return; // of a controller that is about to step down
    }
    m_own->RaiseEpoch(epoch);
    m_lastRx = Simulator::Now();
    m_own->StepDown();
}

void
ControllerStandby::Lead()
{
    if (m_isOver)
    {
        return;
    }
    m_network->SendDatagram(PORT, InetSocketAddress(m_other, PORT), OpusLead{m_own->GetEpoch()});
    m_next = Simulator::Schedule(m_interval, &ControllerStandby::Lead, this);
}

void
ControllerStandby::Follow()
{
    if (m_isOver)
    {
        return;
    }
    m_network->Listen(PORT, MakeCallback(&ControllerStandby::HandleMessage, this));
    m_lastRx = Simulator::Now() + m_latency;
    m_next.Cancel();
    Watch();
}

void
ControllerStandby::Watch()
{
    const Time deadline = m_lastRx + m_interval * static_cast<int64_t>(m_missed);
    if (Simulator::Now() < deadline)
    {
        m_next = Simulator::Schedule(deadline - Simulator::Now(), &ControllerStandby::Watch, this);
        return;
    }
    NS_LOG_INFO("no controller is active");
    ++m_takeovers;
    m_own->TakeOver(m_identity);
    Lead();
}

void
ControllerStandby::Crash()
{
    m_next.Cancel();
    m_network->Close(PORT);
}

} // namespace ns3
