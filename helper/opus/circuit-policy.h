// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_POLICY_H
#define PHOTONIC_RAILS_CIRCUIT_POLICY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{

class LightPathCheck;
class OpusHelper;
class RailCluster;
class RailClusterHelper;
struct WorkloadSpec;

/// What a policy may know of a job before it starts.
struct CircuitJob
{
    const WorkloadSpec& workload; //!< passed validation
    uint32_t domains;             //!< scale-up domains
    uint32_t nicPorts;            //!< NIC ports of a GPU
    DataRate portRate;            //!< of a NIC port
    Time slotTime;                //!< how long circuits of a rotor carry light; 0 if not given
};

/**
 * @brief When and for whom the switches of photonic rails make circuits during a job.
 *
 * A policy is a class that derives from LendingPolicy, StandingPolicy or this one and is registered
 * with ns-3 (see Variant); the flag --policy takes the name of any.
 */
class CircuitPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /// @return what the policy is, for the first line of a run: "provisioned", "in turn"
    virtual std::string Describe() const = 0;

    /// @return whether a controller lends circuits to groups of ranks
    virtual bool IsLending() const;

    /// @return whether packets may be lost because a circuit ends under traffic
    virtual bool MayLoseLight() const;

    /**
     * @brief Change what the cluster is made of. Without an override, nothing.
     * @param helper makes the cluster
     */
    virtual void Configure(RailClusterHelper& helper) const;

    /**
     * @brief Find out whether the circuits are possible, before anything is built.
     * @param job the job
     * @param lightPaths what the switches can do
     * @return an empty string, or why not
     */
    virtual std::string Check(const CircuitJob& job, const LightPathCheck& lightPaths) const = 0;

    /**
     * @brief Install what makes circuits.
     * @param cluster with optical circuit switches
     * @param opus has the settings of the control plane and, if circuits are lent, of the policy
     * (OpusHelper::SetPolicy); it is installed only then
     * @param job a job that passed Check
     * @return what to call when the job has ended; may be empty
     */
    virtual std::function<void()> Install(RailCluster& cluster,
                                          OpusHelper& opus,
                                          const CircuitJob& job) const = 0;
};

/// A policy of Opus: a controller lends circuits to the groups that ask.
class LendingPolicy : public CircuitPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @brief Set what makes this policy another one than the others: attributes of shims,
     * latencies.
     * @param opus installs shims and controllers
     */
    virtual void Configure(OpusHelper& opus) const = 0;

    using CircuitPolicy::Configure;
    bool IsLending() const override;
    /// @return an empty string: what a group needs is checked group by group (JobFit)
    std::string Check(const CircuitJob& job, const LightPathCheck& lightPaths) const override;
    std::function<void()> Install(RailCluster& cluster,
                                  OpusHelper& opus,
                                  const CircuitJob& job) const override;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_POLICY_H
