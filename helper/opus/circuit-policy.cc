// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"

#include "ns3/abort.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/// A policy as users see it.
struct PolicyEntry
{
    CircuitPolicy policy;
    const char* name;
    const char* description;
};

constexpr PolicyEntry POLICIES[] = {
    {CircuitPolicy::PROVISIONED, "provisioned", "provisioned"},
    {CircuitPolicy::ON_DEMAND, "on-demand", "on demand"},
    {CircuitPolicy::PER_CALL, "per-call", "circuits for each call"},
    {CircuitPolicy::ORACLE, "oracle", "no delays"},
    {CircuitPolicy::STATIC_PARTITION, "static-partition", "ports divided between dimensions"},
    {CircuitPolicy::ONE_TOPOLOGY, "one-topology", "one topology for the job"},
    {CircuitPolicy::TORUS, "torus", "a torus"},
    {CircuitPolicy::ROTOR, "rotor", "in turn"},
};

const PolicyEntry&
Find(CircuitPolicy policy)
{
    return *std::find_if(std::begin(POLICIES),
                         std::end(POLICIES),
                         [policy](const PolicyEntry& entry) { return entry.policy == policy; });
}

} // namespace

std::string
ToString(CircuitPolicy policy)
{
    return Find(policy).name;
}

CircuitPolicy
FindCircuitPolicy(const std::string& name)
{
    const auto* found =
        std::find_if(std::begin(POLICIES), std::end(POLICIES), [&name](const PolicyEntry& entry) {
            return name == entry.name;
        });
    NS_ABORT_MSG_IF(found == std::end(POLICIES), "there is no policy " << name);
    return found->policy;
}

std::vector<std::string>
GetCircuitPolicyNames()
{
    std::vector<std::string> names;
    for (const PolicyEntry& entry : POLICIES)
    {
        names.emplace_back(entry.name);
    }
    return names;
}

std::string
Describe(CircuitPolicy policy)
{
    return Find(policy).description;
}

bool
IsLending(CircuitPolicy policy)
{
    switch (policy)
    {
    case CircuitPolicy::PROVISIONED:
    case CircuitPolicy::ON_DEMAND:
    case CircuitPolicy::PER_CALL:
    case CircuitPolicy::ORACLE:
        return true;
    default:
        return false;
    }
}

bool
IsStanding(CircuitPolicy policy)
{
    return !IsLending(policy) && policy != CircuitPolicy::ROTOR;
}

} // namespace ns3
