// SPDX-License-Identifier: GPL-2.0-only

#include "fiber-cabling.h"

#include "rail-cluster.h"

#include "ns3/abort.h"
#include "ns3/ethernet-port-net-device.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/simulator.h"
#endif

namespace ns3
{

#ifdef NS3_MPI

namespace
{

/// A process may have run up to where a message can reach it at the earliest; this is after it.
const int64_t MARGIN_PICOSECONDS = 1;

/// Send a frame to the process of its receiver.
void
Send(Ptr<EthernetPortNetDevice> there, Ptr<Packet> frame, Time firstBit)
{
    MpiInterface::SendPacket(frame,
                             firstBit + PicoSeconds(MARGIN_PICOSECONDS),
                             there->GetNode()->GetId(),
                             there->GetIfIndex());
}

/// A frame has come from the process of its sender.
void
Receive(Ptr<EthernetPortNetDevice> here, Ptr<EthernetPortNetDevice> there, Ptr<Packet> frame)
{
    const Time firstBit = Simulator::Now() - PicoSeconds(MARGIN_PICOSECONDS);
    const Time duration = there->GetFrameTime(frame->GetSize());
    const Time header = duration - there->GetRestOfFrame(frame->GetSize());
    here->Arrive(frame, firstBit + duration, duration, header, nullptr);
}

/// @param here an end that this process simulates
/// @param there the other end
void
ConnectFrom(Ptr<FiberNetDevice> here, Ptr<FiberNetDevice> there)
{
    auto mine = DynamicCast<EthernetPortNetDevice>(here);
    auto other = DynamicCast<EthernetPortNetDevice>(there);
    NS_ABORT_MSG_UNLESS(mine && other, "the fibers of a circuit switch stay within a process");
    other->SetHandOver(MakeBoundCallback(&Send, other));
    auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(MakeBoundCallback(&Receive, mine, other));
    mine->AggregateObject(receiver);
}

} // namespace

#endif

void
FiberCabling::Connect(const ObjectFactory& factory, Ptr<FiberNetDevice> a, Ptr<FiberNetDevice> b)
{
    auto fiber = factory.Create<OpticalFiberLink>();
    fiber->Attach(a);
    fiber->Attach(b);
    if (a->GetNode()->GetSystemId() == b->GetNode()->GetSystemId())
    {
        return;
    }
#ifdef NS3_MPI
    if (RailPartition::IsHere(a->GetNode()))
    {
        ConnectFrom(a, b);
    }
    else if (RailPartition::IsHere(b->GetNode()))
    {
        ConnectFrom(b, a);
    }
#else
    NS_ABORT_MSG("a fiber between processes needs an ns-3 with its MPI module");
#endif
}

} // namespace ns3
