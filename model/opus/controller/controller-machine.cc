// SPDX-License-Identifier: GPL-2.0-only

#include "controller-machine.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace ns3
{

void
ControllerLearning::Begin(uint64_t epoch, const LeaseService& leases, const SenderRights& rights)
{
    Clear();
    m_epoch = epoch;
    m_switches = leases.GetJobs().GetPlaces().GetSwitches();
    const auto ranks = leases.GetJobs().GetCabledRanks();
    m_ranks.insert(ranks.begin(), ranks.end());
    m_awaitsCoordinator = rights.HasCoordinator();
    m_count = CountSilent();
}

void
ControllerLearning::Clear()
{
    m_switches.clear();
    m_ranks.clear();
    m_awaitsCoordinator = false;
    m_arrivals.clear();
}

void
ControllerLearning::Add(const OpusArrival& arrival,
                        const LeaseService& leases,
                        const SenderRights& rights)
{
    const OpusMessage& message = arrival.message;
    const auto* report = message.Get<OpusLeases>();
    const auto* circuits = message.Get<OpusCircuits>();
    if ((report && report->epoch != m_epoch) || (circuits && circuits->epoch != m_epoch))
    {
        return; // to an earlier LEARN
    }
    if (message.Get<OpusReport>())
    {
        return; // of a command of an earlier epoch
    }
    // What a rank or an agent has sent on the new streams before it served the LEARN is void.
    const auto isVoid = [this](const OpusMessage& part) {
        const OpusRank* rank = part.GetRank();
        return (part.Get<OpusRequest>() || part.Get<OpusRelease>()) &&
               m_ranks.count({rank->job, rank->rank}) > 0;
    };
    if (isVoid(message))
    {
        return;
    }
    m_arrivals.push_back(arrival);
    if (const auto* batch = message.Get<OpusBatch>())
    {
        OpusBatch valid{batch->job, {}};
        std::remove_copy_if(batch->parts.begin(),
                            batch->parts.end(),
                            std::back_inserter(valid.parts),
                            isVoid);
        m_arrivals.back().message = valid;
    }
    if (circuits)
    {
        m_switches.erase(
            leases.GetJobs().GetPlaces().Find(arrival.from).value_or(OpusCircuits::OWN_RAIL));
    }
    const auto* fault = message.Get<OpusFault>();
    if (fault && fault->kind == FaultKind::OCS && rights.IsMonitor(arrival.from))
    {
        m_switches.erase(fault->ocs);
    }
    if (message.Get<OpusReplace>() && rights.IsCoordinator(arrival.from))
    {
        m_awaitsCoordinator = false;
    }
    const bool isOfRank =
        report || message.Get<OpusRestart>() || (fault && fault->kind == FaultKind::GPU);
    if (isOfRank && leases.GetJobs().MayHaveManager(message.GetRank()->job, arrival.from))
    {
        m_ranks.erase({message.GetRank()->job, message.GetRank()->rank});
    }
}

ControllerMachine::ControllerMachine(const LeaseService::Traces& leases,
                                     const FaultService::Traces& faults)
    : m_leases(leases),
      m_rights(m_leases),
      m_faults(m_leases, faults)
{
}

void
ControllerMachine::Serve(const OpusArrival& arrival, Time at)
{
    m_leases.SetInput(at);
    Dispatch(arrival);
}

void
ControllerMachine::Learn(const std::vector<OpusArrival>& arrivals, Time at)
{
    m_leases.SetInput(at);
    const auto serveAll = [&](const auto& isThis) {
        for (const OpusArrival& arrival : arrivals)
        {
            if (isThis(arrival.message))
            {
                Dispatch(arrival);
            }
        }
    };
    const auto isOfSwitch = [](const OpusMessage& message) {
        const auto* fault = message.Get<OpusFault>();
        return fault && fault->kind == FaultKind::OCS;
    };
    serveAll([](const OpusMessage& message) { return message.Get<OpusReplace>() != nullptr; });
    std::map<uint32_t, uint32_t> lit; // switches by rail
    const SwitchPlaces& places = m_leases.GetJobs().GetPlaces();
    for (const OpusArrival& arrival : arrivals)
    {
        const auto* circuits = arrival.message.Get<OpusCircuits>();
        const auto rail = circuits ? LearnCircuits(arrival, *circuits) : std::nullopt;
        if (rail)
        {
            lit[*rail] = places.GetSwitch(*rail);
        }
    }
    std::map<uint32_t, uint32_t> before;
    for (const uint32_t rail : places.GetRails())
    {
        before[rail] = places.GetSwitch(rail);
    }
    serveAll(isOfSwitch);
    for (const auto& [rail, ocs] : before)
    {
        // A rail that has moved has been made dark already.
        if (lit.count(rail) == 0 && places.GetSwitch(rail) == ocs && places.IsWorking(ocs))
        {
            m_faults.BeginDark(rail);
        }
    }
    serveAll([&](const OpusMessage& message) {
        return message.Get<OpusFault>() && !isOfSwitch(message);
    });
    const auto isLeases = [](const OpusMessage& message) { return message.Get<OpusLeases>(); };
    for (const OpusArrival& arrival : arrivals)
    {
        if (const auto* leases = isLeases(arrival.message);
            leases && m_rights.MaySend(arrival.from, arrival.message))
        {
            m_faults.HandleHeld(*leases, arrival);
        }
    }
    m_leases.Perform(m_leases.GetScheduler().ServeHeld());
    for (const bool isOver : {true, false})
    {
        for (const OpusArrival& arrival : arrivals)
        {
            if (const auto* leases = isLeases(arrival.message))
            {
                ServeParts(arrival, *leases, isOver);
            }
        }
    }
    serveAll([&](const OpusMessage& message) {
        return !message.Get<OpusReplace>() && !message.Get<OpusCircuits>() &&
               !message.Get<OpusFault>() && !message.Get<OpusLeases>();
    });
    m_faults.UseMendedPorts();
}

std::optional<uint32_t>
ControllerMachine::LearnCircuits(const OpusArrival& arrival, const OpusCircuits& circuits)
{
    SwitchPlaces& places = m_leases.GetJobs().GetPlaces();
    const auto number = places.Find(arrival.from);
    if (!number)
    {
        Refuse(arrival);
        return std::nullopt;
    }
    std::optional<uint32_t> rail;
    if (!circuits.rails.empty())
    {
        const bool isOwn = circuits.rails.front() == OpusCircuits::OWN_RAIL;
        rail = isOwn ? *number : circuits.rails.front();
    }
    places.Learn(*number, circuits.starts, rail);
    const bool isKnown = rail && places.GetAgent(*rail);
    if (!isKnown || circuits.isNew || m_leases.GetJobs().GetFabrics().count(*rail) > 0)
    {
        return std::nullopt;
    }
    m_leases.Learn(*rail, circuits.circuits);
    return rail;
}

void
ControllerMachine::ServeParts(const OpusArrival& arrival, const OpusLeases& leases, bool isOver)
{
    for (auto part = leases.parts.begin(); part != leases.parts.end(); ++part)
    {
        const auto* request = part->Get<OpusRequest>();
        const auto next = std::next(part);
        const bool isWithdrawn =
            !request || (next != leases.parts.end() && next->Get<OpusRelease>() != nullptr);
        if (isWithdrawn == isOver && !(request && request->held))
        {
            Dispatch({arrival.link, arrival.from, *part});
        }
    }
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
    else if (const auto* leases = message.Get<OpusLeases>())
    {
        // Of a rank that was silent for too long: others may have its circuits.
        m_faults.HandleHeld(*leases, arrival);
        m_leases.Perform(m_leases.GetScheduler().ServeHeld());
        ServeParts(arrival, *leases, true);
        ServeParts(arrival, *leases, false);
    }
    else if (const auto* restart = message.Get<OpusRestart>())
    {
        m_faults.HandleRestart(arrival, *restart);
    }
    else if (const auto* fault = message.Get<OpusFault>())
    {
        m_faults.HandleFault(arrival, *fault, m_rights.HasCoordinator());
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

} // namespace ns3
