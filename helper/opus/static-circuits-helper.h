// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STATIC_CIRCUITS_HELPER_H
#define PHOTONIC_RAILS_STATIC_CIRCUITS_HELPER_H

#include "ns3/rail-cluster.h"

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

} // namespace ns3

#endif // PHOTONIC_RAILS_STATIC_CIRCUITS_HELPER_H
