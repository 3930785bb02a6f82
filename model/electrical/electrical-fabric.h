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

/// The switches at one distance from the GPUs.
struct FabricTier
{
    uint64_t devices{0}; //!< switches
    uint64_t ports{0};   //!< that have a link
};

/// How many switches a fabric has, or why there is none.
struct FabricCount
{
    std::vector<FabricTier> tiers; //!< next to the GPUs first; none if there is an error
    std::string error;             //!< one line, or empty
};

/**
 * @brief A network of electrical switches that joins the NICs of all scale-up domains.
 *
 * A fabric is a class that derives from this one and is registered with ns-3 (see Variant); the
 * flag --fabric takes the name of any, and so does --networks of the program that counts costs. All
 * functions depend on their arguments only.
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
    virtual std::string Describe() const;

    /// @return whether NICs of GPUs with different numbers in their domains reach each other
    virtual bool JoinsRails() const = 0;

    /**
     * @return whether what one rail does tells what all do: each has switches of its own, and no
     * hash chooses among paths; without an override false
     */
    virtual bool HasEqualRails() const;

    /**
     * @param spec what to join, without a radix
     * @return ports of a switch where the user sets no limit; without an override 64
     */
    virtual uint32_t GetDefaultRadix(const FabricSpec& spec) const;

    /**
     * @brief Lay the fabric out, and check that it joins what it shall.
     * @param spec what to join
     * @return the topology, or why there is none
     */
    FabricPlan MakePlan(const FabricSpec& spec) const;

    /// @return most tiers that the fabric can have; without an override 3
    virtual uint32_t GetMostTiers() const;

    /**
     * @param spec what to join, without oversubscription; the arity is chosen such that there are
     * fewest switches
     * @return the switches that are simulated; without an override those of MakePlan
     */
    virtual FabricCount CountBuilt(const FabricSpec& spec) const;

    /**
     * @param spec as for CountBuilt
     * @param tiers of the network; 0 for as few as suffice
     * @return the switches of the network of text books, see NetworkInventory; without an override
     * those of CountBuilt
     */
    virtual FabricCount CountIdeal(const FabricSpec& spec, uint32_t tiers) const;

    /**
     * @param spec as for CountBuilt, with one NIC port a GPU
     * @return the switches by the script of arXiv 2602.12521, see NetworkInventory; without an
     * override an error, because the script does not know the fabric
     */
    virtual FabricCount CountPublished(const FabricSpec& spec) const;

  protected:
    /**
     * @param spec what to join, with numbers that are possible
     * @return the topology, or why there is none; it has a link for every NIC port, and no switch
     * has more than spec.radix ports
     */
    virtual FabricPlan DoMakePlan(const FabricSpec& spec) const = 0;

  private:
    /// @return an empty string, or in which way a topology is not what DoMakePlan shall return
    std::string CheckTopology(const FabricSpec& spec, const FabricTopology& topology) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ELECTRICAL_FABRIC_H
