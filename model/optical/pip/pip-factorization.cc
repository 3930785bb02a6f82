// SPDX-License-Identifier: GPL-2.0-only

#include "pip-factorization.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t NO_PARTNER = 0xffffffff;

/// For each port the other port of each of its circuits.
using Neighbours = std::vector<std::vector<uint32_t>>;

/// @return a circuit with its lower port first
Circuit
MakeCircuit(uint32_t a, uint32_t b)
{
    return Circuit{std::min(a, b), std::max(a, b)};
}

/// @return a number below a bound; the same everywhere, as distributions of the library are not
uint32_t
DrawBelow(std::mt19937& random, std::size_t bound)
{
    return static_cast<uint32_t>(random() % bound);
}

/// Take an edge out of a graph.
void
Remove(Neighbours& neighbours, uint32_t a, uint32_t b)
{
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
    {
        auto& list = neighbours[from];
        list.erase(std::find(list.begin(), list.end(), to));
    }
}

/**
 * Pair up all ports that have circuits along circuits, by chance: from the port with the fewest
 * partners left, as long as that leads anywhere.
 * @return a perfect matching, or an empty one if chance was bad
 */
CircuitSet
DrawMatching(const Neighbours& neighbours, std::mt19937& random)
{
    std::vector<bool> isFree(neighbours.size());
    for (std::size_t port = 0; port < neighbours.size(); ++port)
    {
        isFree[port] = !neighbours[port].empty();
    }
    CircuitSet matching;
    for (;;)
    {
        uint32_t chosen = NO_PARTNER;
        std::vector<uint32_t> partners;
        for (uint32_t port = 0; port < neighbours.size(); ++port)
        {
            if (!isFree[port])
            {
                continue;
            }
            std::vector<uint32_t> left;
            for (uint32_t other : neighbours[port])
            {
                if (isFree[other])
                {
                    left.push_back(other);
                }
            }
            if (left.empty())
            {
                return {};
            }
            if (chosen == NO_PARTNER || left.size() < partners.size())
            {
                chosen = port;
                partners = std::move(left);
            }
        }
        if (chosen == NO_PARTNER)
        {
            return matching;
        }
        if (matching.empty())
        {
            // Not always from the same port.
            const auto busy =
                static_cast<std::size_t>(std::count(isFree.begin(), isFree.end(), true));
            uint32_t skip = DrawBelow(random, busy);
            for (chosen = 0; !isFree[chosen] || skip-- > 0; ++chosen)
            {
            }
            partners = neighbours[chosen];
        }
        const uint32_t partner = partners[DrawBelow(random, partners.size())];
        isFree[chosen] = isFree[partner] = false;
        matching.push_back(MakeCircuit(chosen, partner));
    }
}

/**
 * Divide a graph whose ports have at most two circuits into two matchings, each ring and each chain
 * by chance in one of two ways.
 * @return false if a ring is odd
 */
bool
Divide(Neighbours& neighbours, CircuitSet& one, CircuitSet& other, std::mt19937& random)
{
    // Chains first, from their ends; what is left are rings.
    for (const std::size_t degree : {1, 2})
    {
        for (uint32_t start = 0; start < neighbours.size(); ++start)
        {
            if (neighbours[start].size() != degree)
            {
                continue;
            }
            const bool swaps = DrawBelow(random, 2) == 0;
            uint32_t steps = 0;
            for (uint32_t port = start; !neighbours[port].empty();)
            {
                const uint32_t next = neighbours[port].front();
                Remove(neighbours, port, next);
                ((steps % 2 == 0) == swaps ? one : other).push_back(MakeCircuit(port, next));
                port = next;
                ++steps;
            }
            if (degree == 2 && steps % 2 != 0)
            {
                return false;
            }
        }
    }
    return true;
}

} // namespace

std::vector<CircuitSet>
MakeCircleFactorization(uint32_t ports, uint32_t stays)
{
    const bool isEven = ports % 2 == 0;
    const uint32_t round = isEven ? ports - 1 : ports;
    const auto port = [&](uint32_t i) { return isEven && i >= stays ? i + 1 : i; };
    std::vector<CircuitSet> matchings(round);
    for (uint32_t sum = 0; sum < round; ++sum)
    {
        for (uint32_t i = 0; i < round; ++i)
        {
            const uint32_t j = (sum + round - i) % round;
            if (i < j)
            {
                matchings[sum].push_back(MakeCircuit(port(i), port(j)));
            }
            else if (i == j && isEven)
            {
                matchings[sum].push_back(MakeCircuit(stays, port(i)));
            }
        }
    }
    return matchings;
}

std::vector<CircuitSet>
MakeBitFactorization(uint32_t ports)
{
    NS_ASSERT(ports >= 2 && (ports & (ports - 1)) == 0);
    std::vector<CircuitSet> matchings(ports - 1);
    for (uint32_t bits = 1; bits < ports; ++bits)
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            if (port < (port ^ bits))
            {
                matchings[bits - 1].push_back(Circuit{port, port ^ bits});
            }
        }
    }
    return matchings;
}

bool
ExchangeCircuits(const std::vector<CircuitSet*>& matchings, uint32_t ports, std::mt19937& random)
{
    NS_ASSERT(matchings.size() == 2 || matchings.size() == 3);
    Neighbours neighbours(ports);
    for (const auto* matching : matchings)
    {
        for (const auto& circuit : *matching)
        {
            neighbours[circuit.a].push_back(circuit.b);
            neighbours[circuit.b].push_back(circuit.a);
        }
    }
    std::vector<CircuitSet> divided(matchings.size());
    if (matchings.size() == 3)
    {
        divided[2] = DrawMatching(neighbours, random);
        if (divided[2].empty())
        {
            return false;
        }
        for (const auto& circuit : divided[2])
        {
            Remove(neighbours, circuit.a, circuit.b);
        }
        if (std::any_of(neighbours.begin(), neighbours.end(), [](const auto& others) {
                return others.size() > 2;
            }))
        {
            return false;
        }
    }
    if (!Divide(neighbours, divided[0], divided[1], random))
    {
        return false;
    }
    bool hasChanged = false;
    for (std::size_t i = 0; i < matchings.size(); ++i)
    {
        std::sort(divided[i].begin(), divided[i].end());
        hasChanged |= std::none_of(matchings.begin(), matchings.end(), [&](const auto* matching) {
            return *matching == divided[i];
        });
    }
    for (std::size_t i = 0; hasChanged && i < matchings.size(); ++i)
    {
        *matchings[i] = std::move(divided[i]);
    }
    return hasChanged;
}

} // namespace ns3
