// SPDX-License-Identifier: GPL-2.0-only

#include "forwarding-time.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// @return the time that bytes take over some circuits
Time
GetTxTime(double bytes, double circuits, const CircuitService& service)
{
    return Seconds(8 * bytes / (circuits * static_cast<double>(service.portRate.GetBitRate())));
}

} // namespace

Time
GetMatchingsTime(const std::vector<MemberDemand>& demands,
                 const MatchingSchedule& schedule,
                 uint32_t ports,
                 const CircuitService& service)
{
    std::map<MemberPair, uint64_t> bytes;
    for (const MemberDemand& demand : demands)
    {
        bytes[{demand.from, demand.to}] += demand.bytes;
    }
    const auto matchings = static_cast<uint32_t>(schedule.size());
    const uint32_t steps = CountSteps(matchings, ports);
    Time time = steps * (service.reconfigurationDelay + service.hopLatency);
    for (uint32_t step = 0; step < steps; ++step)
    {
        std::map<uint32_t, uint32_t> circuits; // of each matching
        for (uint32_t port = 0; port < ports; ++port)
        {
            ++circuits[GetMatchingOfPort(matchings, ports, step, port)];
        }
        Time longest;
        for (const auto& [matching, count] : circuits)
        {
            for (const auto& [a, b] : schedule[matching])
            {
                const uint64_t most = std::max(bytes[{a, b}], bytes[{b, a}]);
                longest = std::max(longest, GetTxTime(most, count, service));
            }
        }
        time += longest;
    }
    return time;
}

Time
GetForwardedTime(const CircuitRoutes& routes, const CircuitService& service, bool isUp)
{
    NS_ABORT_MSG_IF(routes.unreachable > 0, "some demands have no route");
    Time longest;
    for (const LinkLoad& load : routes.loads)
    {
        longest = std::max(longest, GetTxTime(load.bytes, load.circuits, service));
    }
    return (isUp ? Time() : service.reconfigurationDelay) + routes.maxHops * service.hopLatency +
           longest;
}

ForwardingTimes
GetAllToAllTimes(uint32_t n,
                 uint64_t bytes,
                 uint32_t ports,
                 const CircuitService& service,
                 bool isRingUp)
{
    NS_ABORT_MSG_IF(ports == 0, "a rank has at least one port");
    ForwardingTimes times;
    if (n < 2)
    {
        return times;
    }
    const uint32_t matchings = n - 1 + n % 2;
    const uint32_t steps = CountSteps(matchings, ports);
    const uint32_t last = matchings - (steps - 1) * ports;
    times.matchings = steps * (service.reconfigurationDelay + service.hopLatency) +
                      (steps - 1) * GetTxTime(bytes, 1, service) +
                      GetTxTime(bytes, ports / last, service);
    if (n == 2)
    {
        times.forwarded = service.hopLatency + GetTxTime(bytes, ports, service);
    }
    else if (ports == 1)
    {
        times.forwarded = Time::Max();
        return times;
    }
    else
    {
        const double blocks = (static_cast<double>(n) * n - n % 2) / 8;
        times.forwarded =
            n / 2 * service.hopLatency + GetTxTime(bytes * blocks, ports / 2, service);
    }
    if (!isRingUp)
    {
        times.forwarded += service.reconfigurationDelay;
    }
    return times;
}

std::vector<CircuitLink>
MakeRingLinks(uint32_t n, uint32_t ports)
{
    NS_ABORT_MSG_IF(ports == 0 || (ports == 1 && n > 2), "a ring of " << n << " needs 2 ports");
    std::vector<CircuitLink> links;
    if (n == 2)
    {
        links.push_back({0, 1, ports});
    }
    for (uint32_t i = 0; n > 2 && i < n; ++i)
    {
        links.push_back({i, (i + 1) % n, ports / 2});
    }
    return links;
}

std::vector<MemberDemand>
MakeAllToAllDemands(uint32_t n, uint64_t bytes)
{
    std::vector<MemberDemand> demands;
    for (uint32_t from = 0; from < n; ++from)
    {
        for (uint32_t to = 0; to < n; ++to)
        {
            if (from != to)
            {
                demands.push_back({from, to, bytes});
            }
        }
    }
    return demands;
}

} // namespace ns3
