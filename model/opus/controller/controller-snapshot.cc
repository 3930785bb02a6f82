// SPDX-License-Identifier: GPL-2.0-only

#include "controller-snapshot.h"

namespace ns3
{

ControllerSnapshot::ControllerSnapshot(const LeaseService::Traces& leases,
                                       const FaultService::Traces& faults)
    : m_machine(leases, faults)
{
    m_machine.GetLeases().SetOutput(MakeCallback(&ControllerSnapshot::Send, this));
}

void
ControllerSnapshot::Begin(const ControllerMachine& configured)
{
    m_machine.CopyState(configured);
    m_channels.clear();
    m_entries = 0;
}

void
ControllerSnapshot::Apply(const ControllerLog::Entry& entry, bool isTraced)
{
    const OpusArrival& arrival = entry.arrival;
    Channel& channel = m_channels[arrival.from];
    channel.receiver.Restore(arrival.span);
    channel.sender.Acknowledge(entry.acknowledged, entry.at);
    m_machine.Serve(arrival, entry.at, isTraced);
    ++m_entries;
}

void
ControllerSnapshot::Send(const Address& to, const OpusMessage& message)
{
    m_channels[to].sender.Append(message);
}

} // namespace ns3
