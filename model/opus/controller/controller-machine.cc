// SPDX-License-Identifier: GPL-2.0-only

#include "controller-machine.h"

namespace ns3
{

ControllerMachine::ControllerMachine(const LeaseService::Traces& leases,
                                     const FaultService::Traces& faults)
    : m_leases(leases),
      m_rights(m_leases),
      m_faults(m_leases, m_rights, faults)
{
}

void
ControllerMachine::Serve(const OpusArrival& arrival, Time at, bool isTraced)
{
    m_leases.SetInput(at, isTraced);
    Dispatch(arrival);
}

void
ControllerMachine::Dispatch(const OpusArrival& arrival)
{
    const OpusMessage& message = arrival.message;
    if (!m_rights.MaySend(arrival.from, message))
    {
        Refuse(arrival);
        return;
    }
    if (const auto* request = message.Get<OpusRequest>())
    {
        m_leases.HandleRequest(arrival, *request);
    }
    else if (const auto* release = message.Get<OpusRelease>())
    {
        m_leases.HandleRelease(arrival, *release);
    }
    else if (const auto* batch = message.Get<OpusBatch>())
    {
        for (const OpusMessage& part : batch->parts)
        {
            Dispatch({arrival.link, arrival.from, part});
        }
    }
    else if (const auto* report = message.Get<OpusReport>())
    {
        m_leases.HandleReport(*report);
    }
    else if (const auto* restart = message.Get<OpusRestart>())
    {
        m_faults.HandleRestart(arrival, *restart);
    }
    else if (const auto* fault = message.Get<OpusFault>())
    {
        m_faults.HandleFault(arrival, *fault);
    }
    else if (const auto* replace = message.Get<OpusReplace>())
    {
        m_faults.HandleReplace(arrival, *replace);
    }
    m_faults.UseMendedPorts();
}

void
ControllerMachine::Refuse(const OpusArrival& arrival)
{
    ++m_leases.GetCounters().foreign;
    if (const auto* request = arrival.message.Get<OpusRequest>())
    {
        const std::string error = "rank " + std::to_string(request->rank) + " of job " +
                                  std::to_string(request->job) +
                                  " is unknown, or has another manager";
        m_leases.Send(arrival.from, OpusRefusal{*request, error});
    }
}

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
