// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_POLICY_H
#define PHOTONIC_RAILS_CIRCUIT_POLICY_H

#include <string>
#include <vector>

namespace ns3
{

/// When and for whom the switches of photonic rails make circuits during a job.
enum class CircuitPolicy
{
    PROVISIONED,      //!< Opus, which asks ahead of time once it knows an iteration
    ON_DEMAND,        //!< Opus, which asks when the parallelism changes
    PER_CALL,         //!< every collective asks, and gives back what it was lent when it has ended
    ORACLE,           //!< Opus with neither delay nor latency: nothing but light is waited for
    STATIC_PARTITION, //!< each dimension of the mesh has NIC ports of its own, joined for good
    ONE_TOPOLOGY,     //!< one set of circuits for the job, chosen by its traffic before it starts
    TORUS,            //!< circuits between neighbours of a torus of up to three dimensions
    ROTOR,            //!< everybody meets everybody in turn, whatever the traffic
};

/// @return the name of a policy, by which users select it
std::string ToString(CircuitPolicy policy);

/// @return the policy of a name, which there must be
CircuitPolicy FindCircuitPolicy(const std::string& name);

/// @return all names
std::vector<std::string> GetCircuitPolicyNames();

/// @return what a policy is, in a sentence: "provisioned", "ports divided between dimensions"
std::string Describe(CircuitPolicy policy);

/// @return true if circuits are lent by a controller
bool IsLending(CircuitPolicy policy);

/// @return true if circuits are made before the job and stay
bool IsStanding(CircuitPolicy policy);

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_POLICY_H
