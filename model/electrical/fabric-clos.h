// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_CLOS_H
#define PHOTONIC_RAILS_FABRIC_CLOS_H

#include "electrical-fabric.h"

#include <utility>

namespace ns3
{

/**
 * @brief The division of the ports of a switch between hosts and the next tier.
 *
 * With the ratio of FabricSpec in lowest terms of ports, A : B = (down x fabricRate) :
 * (up x portRate), a switch has m x A ports down and m x B up, m = radix / (A + B) rounded down:
 * the ratio is exact, and a few ports may stay unused.
 */
struct PortSplit
{
    uint32_t down{0};      //!< ports to hosts
    uint32_t up{0};        //!< ports to the next tier
    uint64_t ratioDown{1}; //!< A
    uint64_t ratioUp{1};   //!< B

    /// @return the split of a switch with radix ports; without ports if A + B > radix
    static PortSplit Find(const FabricSpec& spec, uint32_t radix);
};

/**
 * @brief Dimensions of a rail-optimised folded Clos network of one or several rails.
 *
 * Tier 1: each rail has leaves of its own, and a leaf holds whole NICs. A leaf serves at most
 * (PortSplit::down / nicPorts) GPUs; a rail has as few leaves as that allows, and its GPUs are
 * spread over them evenly. A leaf has u = ceil(its NIC ports x B / A) uplinks. (One rail that fits
 * one switch is that switch, without uplinks.)
 *
 * Tier 2, if all L leaves fit the ports of a spine: u / p spines, each joined to every leaf by p
 * parallel links, with p the largest divisor of u such that p x L <= radix, unless the number of
 * spines, u / p, is given. Between two leaves there are (u / p) x p x p shortest paths.
 *
 * Tier 3, otherwise: pods of l leaves, with half of a spine's ports down and as many up. A pod
 * takes the same leaves of all rails (rail-optimised scalable units) if one such set fits. It has
 * u / p spines, p the largest divisor of u such that p x l <= radix / 2, and each spine has
 * p x l uplinks. Spine number j of all pods forms a plane with p x l / q cores, each joined to the
 * spine of every pod by q parallel links, q the largest divisor of p x l such that
 * q x pods <= radix. Above the leaves nothing is oversubscribed. Within a pod there are
 * (u / p) x p x p shortest paths between leaves, between pods u x (p x l) x q x p.
 *
 * For rails and leaves that are each other's units see "Rail-optimized" designs such as NVIDIA's
 * DGX SuperPOD reference architecture; for folded Clos networks of equal switches see Al-Fares et
 * al., "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008.
 */
struct ClosShape
{
    uint32_t rails{1};         //!< rails that one network connects
    uint32_t spines{0};        //!< spines of a pod that were asked for; 0: as few as suffice
    bool namesRails{true};     //!< true if the names of switches contain their rail
    uint32_t tiers{1};         //!< 1 to 3
    uint32_t gpusPerLeaf{0};   //!< maximum
    uint32_t leavesPerRail{1}; //!<
    uint32_t uplinks{0};       //!< uplinks of a leaf: u
    uint32_t leavesPerPod{0};  //!< maximum; all leaves with two tiers: l
    uint32_t pods{1};          //!<
    uint32_t spinesPerPod{0};  //!< u / p
    uint32_t spineLinks{0};    //!< parallel links between a leaf and a spine of its pod: p
    uint32_t coresPerPlane{0}; //!< p x l / q
    uint32_t coreLinks{0};     //!< parallel links between a spine and a core of its plane: q
    std::string error;         //!< one line, or empty

    /// @return leaves of all rails
    uint32_t GetLeaves() const
    {
        return rails * leavesPerRail;
    }

    /**
     * @param spec the GPUs to connect
     * @param rails rails that one network connects, 1 or spec.gpusPerDomain
     * @param spines spines of the network, or of each pod; 0 for as few as suffice
     * @param filled GPUs of a rail on a full leaf; 0 to spread the GPUs evenly over as few leaves
     * as suffice
     * @return the dimensions, or an error
     */
    static ClosShape Find(const FabricSpec& spec,
                          uint32_t rails,
                          uint32_t spines = 0,
                          uint32_t filled = 0);

    /**
     * @brief The dimensions of a network that knows no rails: GPUs are attached in their order,
     * leaf by leaf, and leaves are filled such that there are fewest tiers, and with these fewest
     * switches.
     * @param spec what to join
     * @return the dimensions, for the spec that MakeFlat returns, or an error
     */
    static ClosShape FindFlat(const FabricSpec& spec);

    /// @param spec what to join @return the same GPUs, all on one rail
    static FabricSpec MakeFlat(const FabricSpec& spec);

    /**
     * @param spec the argument of Find
     * @return networks of these dimensions for all rails, or the error
     */
    FabricPlan Build(const FabricSpec& spec) const;

    /**
     * @param spec the argument of Find
     * @return the switches of all networks of Build
     */
    FabricCount Count(const FabricSpec& spec) const;

    /// @param spec for which the dimensions were found @return tiers, and switches of all of them
    std::pair<uint32_t, uint64_t> CountDevices(const FabricSpec& spec) const;

    /**
     * @brief Count the switches of textbook networks without oversubscription: with T tiers every
     * NIC port takes 2 T - 1 switch ports.
     * @param spec the GPUs to connect; rates do not matter
     * @param networks number of separate networks, among which the rails are divided evenly
     * @param rails rails of a network with leaves of their own; 1 if rails share leaves
     * @param tiers tiers of the networks; 0 for the fewest that suffice
     * @return the switches of all networks
     */
    static FabricCount CountIdeal(const FabricSpec& spec,
                                  uint32_t networks,
                                  uint32_t rails,
                                  uint32_t tiers);
};

/// A fabric of Clos networks with leaves of one rail each: one network for all rails, or one for
/// each rail (see JoinsRails).
class ClosFabric : public ElectricalFabric
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FabricCount CountBuilt(const FabricSpec& spec) const override;
    FabricCount CountIdeal(const FabricSpec& spec, uint32_t tiers) const override;

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override;

  private:
    /// @return rails that a network connects
    uint32_t GetJoinedRails(const FabricSpec& spec) const
    {
        return JoinsRails() ? spec.gpusPerDomain : 1;
    }

    uint32_t m_spines{0}; //!< see ClosShape::Find
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_CLOS_H
