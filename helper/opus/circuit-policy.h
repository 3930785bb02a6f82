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

class JobRanks;
class LightPathCheck;
class OpusHelper;
class RailCluster;
class RailClusterHelper;

/// Properties of a job that a policy may use before the job starts.
struct CircuitJob
{
    const JobRanks& ranks; //!< its ranks; parts of an AllToAll count as equal
    uint32_t domains;      //!< scale-up domains
    uint32_t nicPorts;     //!< NIC ports of a GPU
    DataRate portRate;     //!< rate of a NIC port
    Time slotTime;         //!< time for which circuits of a rotor carry light; 0 if not set
};

/**
 * @brief Decides when photonic rails have which circuits during a job.
 *
 * A policy is a class that derives from LendingPolicy, StaticPolicy or CircuitPolicy and is
 * registered with ns-3 (see Variant). The flag --policy takes the name of any registered policy.
 */
class CircuitPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /// @return a description for the first line of a run: "provisioned", "in turn"
    virtual std::string Describe() const = 0;

    /// @return true if a controller lends circuits to groups of ranks
    virtual bool IsLending() const
    {
        return false;
    }

    /// @return true if packets may be lost because a circuit ends under traffic
    virtual bool MayLoseLight() const
    {
        return false;
    }

    /// @return true if circuits carry light for --slotTime, so that the flag has an effect
    virtual bool HasSlots() const
    {
        return false;
    }

    /// @return the reason why ranks cannot move to spare GPUs under this policy; an empty string if
    /// the policy leads circuits to the new place of a rank
    virtual std::string CheckSpares() const
    {
        return "its circuits do not follow a rank to a spare GPU";
    }

    /// @return the reason why the simulation of one rail cannot stand for all rails; an empty
    /// string if the policy treats all rails alike and each rail by itself
    virtual std::string CheckOneRail() const
    {
        return "its rails may differ";
    }

    /**
     * @brief Change the configuration of the cluster. The default implementation changes nothing.
     * @param helper helper that makes the cluster
     */
    virtual void Configure([[maybe_unused]] RailClusterHelper& helper) const
    {
    }

    /**
     * @brief Check whether the circuits are possible, before the cluster is built.
     * @param job the job
     * @param lightPaths light paths of the switches
     * @return an empty string, or the reason why the circuits are not possible
     */
    virtual std::string Check(const CircuitJob& job, const LightPathCheck& lightPaths) const = 0;

    /**
     * @brief Install the applications that make circuits.
     *
     * A policy may aggregate a ConnectivityProvider of its own to the node of each GPU, which then
     * decides when calls may send. A GPU without a provider gets an AlwaysConnected afterwards.
     * @param cluster a cluster with optical circuit switches
     * @param opus settings of the control plane and, for a lending policy, of the policy
     * (OpusHelper::SetPolicy); only lending policies install it
     * @param job a job that passed Check
     * @return function to call at the end of the job; may be empty
     */
    virtual std::function<void()> Install(RailCluster& cluster,
                                          OpusHelper& opus,
                                          const CircuitJob& job) const = 0;
};

/// A policy of Opus: a controller lends circuits to groups on request.
class LendingPolicy : public CircuitPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @brief Set the parameters that distinguish this policy: attributes of shims, latencies.
     * @param opus helper that installs shims and controllers
     */
    virtual void Configure(OpusHelper& opus) const = 0;

    using CircuitPolicy::Configure;

    bool IsLending() const override
    {
        return true;
    }

    std::string CheckSpares() const override
    {
        return "";
    }

    std::string CheckOneRail() const override
    {
        return "";
    }

    /// @return an empty string: JobFit checks the circuits of each group
    std::string Check(const CircuitJob&, const LightPathCheck&) const override
    {
        return "";
    }

    std::function<void()> Install(RailCluster& cluster,
                                  OpusHelper& opus,
                                  const CircuitJob& job) const override;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_POLICY_H
