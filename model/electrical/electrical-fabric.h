// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ELECTRICAL_FABRIC_H
#define PHOTONIC_RAILS_ELECTRICAL_FABRIC_H

#include "fabric-topology.h"

#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The switches of one tier.
struct FabricTier
{
    uint64_t devices{0}; //!< switches
    uint64_t ports{0};   //!< switch ports with a link
};

/// The number of switches of a fabric, or an error.
struct FabricCount
{
    std::vector<FabricTier> tiers; //!< in order of distance from the GPUs; empty with an error
    std::string error;             //!< one line, or empty
};

/**
 * @brief A network of electrical switches that joins the NICs of all scale-up domains.
 *
 * A fabric is a class that derives from ElectricalFabric and is registered with ns-3 (see Variant).
 * The flag --fabric and the flag --networks of photonic-rails-cost take its name. All functions
 * depend on their arguments and on attributes only.
 *
 * Routes follow from the topology: a packet takes a shortest path, and the hash of its flow chooses
 * among several (FabricRouting).
 */
class ElectricalFabric : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /// @return the fabric in a sentence; without an override, the name
    virtual std::string Describe() const
    {
        return GetName();
    }

    /// @return true if the fabric connects NICs on different rails
    virtual bool JoinsRails() const = 0;

    /**
     * @return true if one rail is representative of all: each rail has its own switches, and no
     * hash chooses among paths; without an override false
     */
    virtual bool HasEqualRails() const
    {
        return false;
    }

    /**
     * @param spec the GPUs to connect, without a radix
     * @return default radix of a switch; without an override 64
     */
    virtual uint32_t GetDefaultRadix(const FabricSpec& spec) const;

    /**
     * @brief Compute the topology, and check that it connects all NIC ports.
     * @param spec the GPUs to connect
     * @return the topology, or an error
     */
    FabricPlan MakePlan(const FabricSpec& spec) const;

    /// @return maximum number of tiers; without an override 3
    virtual uint32_t GetMostTiers() const
    {
        return 3;
    }

    /**
     * @param spec the GPUs to connect, without oversubscription
     * @return the switches that a simulation has; without an override those of MakePlan
     */
    virtual FabricCount CountBuilt(const FabricSpec& spec) const;

    /**
     * @param spec as for CountBuilt
     * @param tiers tiers of the network; 0 for the fewest that suffice
     * @return the switches of the textbook network, see NetworkInventory; without an override those
     * of CountBuilt
     */
    virtual FabricCount CountIdeal(const FabricSpec& spec, uint32_t tiers) const;

    /**
     * @param spec as for CountBuilt, with one NIC port a GPU
     * @return the switches according to the script of arXiv 2602.12521, see NetworkInventory;
     * without an override an error, because the script does not support the fabric
     */
    virtual FabricCount CountPublished(const FabricSpec& spec) const;

  protected:
    /**
     * @param spec the GPUs to connect; valid according to FabricSpec::Check
     * @return the topology, or an error; the topology has a link for every NIC port, and switches
     * have at most spec.radix ports
     */
    virtual FabricPlan DoMakePlan(const FabricSpec& spec) const = 0;

  private:
    /// @return an empty string, or the postcondition of DoMakePlan that a topology violates
    std::string CheckTopology(const FabricSpec& spec, const FabricTopology& topology) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ELECTRICAL_FABRIC_H
