// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-star-state.h"

#include <algorithm>

namespace ns3
{

bool
FastPathStarState::HasData(const State& state, uint32_t qp) const
{
    return state.qps[qp].HasData(m_qps[qp].window);
}

void
FastPathStarState::Ready(State& state, uint32_t qp) const
{
    QueuePairState& one = state.qps[qp];
    one.readyDue = false;
    if (!one.queued && HasData(state, qp))
    {
        const uint32_t port = m_qps[qp].port;
        one.queued = true;
        state.ports[port].data.push_back(qp);
        state.due[port * KINDS + DEPARTURE] = std::max(state.ports[port].free, state.now);
    }
}

// --- queries ------------------------------------------------------------------------------------

bool
FastPathStarState::IsBusy(const QueuePairState& qp)
{
    return qp.next != qp.limit || qp.unacked != qp.next || qp.ackDue;
}

bool
FastPathStarState::IsQuiet(const State& state) const
{
    const bool silent = std::none_of(state.qps.begin(), state.qps.end(), IsBusy);
    return silent && std::all_of(state.ports.begin(), state.ports.end(), [&](const auto& port) {
               return port.free <= state.now && port.passFree <= state.now && port.bound == 0 &&
                      port.arrivals.empty();
           });
}

bool
FastPathStarState::IsSplit(const State& state) const
{
    // For each port, the representative of its connected component.
    std::vector<uint32_t> heads(m_ports.size(), NOBODY);
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const QueuePairEntry& qp = m_qps[number];
        if (!IsBusy(state.qps[number]) && !IsBusy(state.qps[qp.peer]))
        {
            continue;
        }
        const uint32_t far = m_qps[qp.peer].port;
        for (const uint32_t port : {qp.port, far})
        {
            heads[port] = heads[port] == NOBODY ? port : heads[port];
        }
        std::replace(heads.begin(), heads.end(), uint32_t{heads[far]}, uint32_t{heads[qp.port]});
    }
    uint32_t head = NOBODY;
    for (const uint32_t one : heads)
    {
        if (one != NOBODY && head != NOBODY && one != head)
        {
            return true;
        }
        head = one != NOBODY ? one : head;
    }
    return false;
}

void
FastPathStarState::Watch(State& state, const RdmaTimerState& timer)
{
    state.deadline = std::min(state.deadline, timer.deadline);
}

bool
FastPathStarState::TimesOut(State& state, int64_t by)
{
    if (state.deadline > by)
    {
        return false;
    }
    state.deadline = NEVER;
    for (const auto& qp : state.qps)
    {
        if (qp.timer.running)
        {
            Watch(state, qp.timer);
        }
    }
    return state.deadline <= by;
}

// --- what happens next --------------------------------------------------------------------------

void
FastPathStarState::Await(State& state, uint32_t port) const
{
    const PortState& one = state.ports[port];
    int64_t ready = NEVER;
    for (const auto& queue : one.queues)
    {
        ready = queue.frames.empty() ? ready : std::min(ready, queue.frames.front().at);
    }
    state.due[port * KINDS + PASSAGE] = ready == NEVER ? NEVER : std::max(ready, one.passFree);
}

void
FastPathStarState::Prepare(State& state) const
{
    state.due.assign(m_ports.size() * KINDS, NEVER);
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        const PortState& one = state.ports[port];
        int64_t* const due = &state.due[port * KINDS];
        Await(state, port);
        due[PASSAGE] = std::max(due[PASSAGE], state.now);
        due[ARRIVAL] = one.arrivals.empty() ? NEVER : one.arrivals.front().at;
        due[DEPARTURE] =
            one.acks.empty() && one.data.empty() ? NEVER : std::max(one.free, state.now);
    }
    state.deadline = 0; // TimesOut computes it
}

FastPathStarState::Reason
FastPathStarState::Run(State& state, int64_t until, bool arrivals) const
{
    const auto ports = static_cast<uint32_t>(m_ports.size());
    Checkpoint last;
    // Brent's cycle detection: the checkpoint moves when the steps since reach a power of two.
    uint64_t steps = 0;
    uint64_t power = 0;
    Form form;
    last.roundTrips.resize(m_qps.size());
    while (true)
    {
        int64_t arrives = NEVER;
        int64_t departs = NEVER;
        for (uint32_t port = 0; port < ports; ++port)
        {
            const int64_t* const due = &state.due[port * KINDS];
            arrives = std::min(arrives, due[ARRIVAL]);
            departs = std::min(departs, std::min(due[DEPARTURE], due[PASSAGE]));
        }
        const int64_t next = std::min(arrives, departs);
        const bool arrivesFirst = arrives <= departs;
        if (next == NEVER)
        {
            state.now = until == NEVER ? state.now : until;
            return QUIET;
        }
        if (next > until || (next == until && !(arrivesFirst && arrivals)))
        {
            state.now = until;
            return REACHED;
        }
        if (TimesOut(state, next))
        {
            return TIME_OUT;
        }
        state.now = next;
        bool visible = false;
        for (uint32_t port = 0; port < ports; ++port)
        {
            const int64_t* const due = &state.due[port * KINDS];
            if (arrivesFirst)
            {
                visible |= due[ARRIVAL] == next && Arrive(state, port, last);
                continue;
            }
            if (due[PASSAGE] == next)
            {
                Pass(state, port);
            }
            if (due[DEPARTURE] == next && !Depart(state, port))
            {
                return FULL;
            }
        }
        if (visible)
        {
            return VISIBLE;
        }
        const uint32_t asker = state.asker;
        state.asker = NOBODY;
        if (asker == NOBODY || !IsAnchor(state, asker))
        {
            continue;
        }
        form.clear();
        Normalise(state, form);
        if (power > 0 && form == last.form)
        {
            Repeat(state, until, last);
            power = 0;
        }
        else if (++steps >= power)
        {
            std::swap(last.form, form);
            last.state = state;
            for (auto& roundTrips : last.roundTrips)
            {
                roundTrips.clear();
            }
            power = std::max<uint64_t>(1, 2 * power);
            steps = 0;
        }
    }
}

void
FastPathStarState::Decide(State& state, uint32_t port) const
{
    if (GetDeparture(state, port) == state.now)
    {
        Depart(state, port); // if this reports FULL, so does the next Run
    }
}

} // namespace ns3
