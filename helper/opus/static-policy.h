// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STATIC_POLICY_H
#define PHOTONIC_RAILS_STATIC_POLICY_H

#include "circuit-policy.h"

#include "ns3/circuit-planner.h"
#include "ns3/rail-cluster.h"
#include "ns3/static-circuits.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// Photonic rails without a control plane: circuits that are set up once and never change.
class StaticCircuitsHelper
{
  public:
    /**
     * @brief Join the GPUs of every rail into a ring.
     *
     * The circuits carry light after the switching time. Aborts if the NICs have too few ports (see
     * CircuitPlanner::PlanRing).
     *
     * @param cluster a photonic cluster whose switches are all dark
     */
    static void LightRings(const RailCluster& cluster);

    /**
     * @brief Make the static circuits of a cluster.
     *
     * The circuits carry light after the switching time; until then traffic waits. Aborts if a
     * circuit joins GPUs of two rails.
     *
     * @param cluster a photonic cluster with static circuits, whose switches are all dark
     */
    static void Light(const RailCluster& cluster);
};

class RankLayout;
class JobDemand;

/// Circuits that are made once, at the beginning of a run.
struct StaticTopology
{
    StaticCircuits circuits{0, 0};
    std::string
        error; //!< reason why the circuits are impossible or leave ranks of a group without a path
};

/// A policy whose circuits are planned before a job, made at its beginning, and never change.
class StaticPolicy : public CircuitPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param layout the ranks of the job
     * @param demand predicted traffic of the job
     * @param nicPorts NIC ports of a GPU
     * @return the circuits, or an error
     */
    virtual StaticTopology MakeCircuits(const RankLayout& layout,
                                        const JobDemand& demand,
                                        uint32_t nicPorts) const = 0;

    /**
     * @brief Make the circuits, and check that they connect the ranks of every group.
     * @param ranks the ranks of the job
     * @param nicPorts NIC ports of a GPU
     * @return the circuits, or an error
     */
    StaticTopology MakeTopology(const JobRanks& ranks, uint32_t nicPorts) const;

    std::string CheckSpares() const override
    {
        return "circuits that stay do not follow a rank to a spare GPU";
    }

    std::string CheckOneRail() const override
    {
        return "its circuits are planned for all rails together";
    }

    std::string Check(const CircuitJob& job, const LightPathCheck& lightPaths) const override;
    std::function<void()> Install(RailCluster& cluster,
                                  OpusHelper& opus,
                                  const CircuitJob& job) const override;

  protected:
    /// @return the members of a rail, with ports cabled domain after domain
    static std::vector<CircuitPlanner::Member> MakeMembers(const RankLayout& layout,
                                                           uint32_t rail,
                                                           uint32_t nicPorts);
    /// Add the circuits of a rail.
    static void AddPlan(const CircuitPlan& plan,
                        const std::vector<CircuitPlanner::Member>& members,
                        StaticCircuits& circuits);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STATIC_POLICY_H
