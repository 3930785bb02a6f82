// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NETWORK_COST_H
#define PHOTONIC_RAILS_NETWORK_COST_H

#include "parts-catalogue.h"

#include "ns3/rail-fabric.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A network whose parts are counted.
struct NetworkKind
{
    RailFabric fabric; //!< photonic rails have one level of OCSes or, as in BCube, several
    uint32_t tiers{0}; //!< of switches, or levels; 0: as few as suffice

    /**
     * @param text NAME or NAME:TIERS, such as leaf-spine:3 or photonic:2
     * @return what it names, or nothing
     */
    static std::optional<NetworkKind> Parse(const std::string& text);
    /// @return as Parse reads it
    std::string ToText() const;
};

/// What a network has to join, and from what.
struct InventorySpec
{
    uint32_t gpus{8};              //!< a multiple of gpusPerDomain
    uint32_t gpusPerDomain{8};     //!< of a scale-up domain; also the number of rails
    uint32_t nicPorts{2};          //!< into which a NIC is split at a level of OCSes
    uint32_t switchPortsPerGpu{1}; //!< with which a GPU is attached to electrical switches
    uint32_t switchRadix{64};      //!< ports of an electrical switch
    uint32_t ocsRadix{576};        //!< ports of an OCS
    bool simplex{false};           //!< a port of a NIC takes two of an OCS, one each way
    bool switchTransceivers{true}; //!< ports of switches have them; otherwise active cables

    /// @return an empty string, or one line that names the numbers
    std::string Check() const;
    /// @return ports of an OCS that a GPU takes
    uint32_t GetOcsPortsPerGpu() const;
};

/**
 * @brief How many switches, ports and transceivers a network has: pure functions.
 *
 * **What is counted.** Electrical switches and their ports, optical circuit switches and their
 * ports, transceivers: one in the NIC for each port of an electrical switch that the GPU takes, and
 * one in every port of an electrical switch that has a link, so that a link between switches has
 * two. A GPU on photonic rails has one for each level, with the rate of the whole NIC, and its
 * nicPorts are a split of that (2 x 200G of 400G); an OCS has none. NICs, cables and fibre, the
 * scale-up network and the management network are not counted.
 *
 * **Shapes.** IDEAL is the Clos network without oversubscription that text books and papers count:
 * with T tiers, every NIC port takes 2 T - 1 ports of switches. H NIC ports need
 * ceil(2 H / radix) switches in each tier but the top, and ceil(H / radix) there; leaves, and all
 * tiers of networks per rail, are counted rail by rail. BUILT is what the simulator builds, see
 * ClosShape (the fat-tree has the fewest tiers, then the fewest switches). PUBLISHED is the rule of
 * the script that draws the cost figures of arXiv 2602.12521: switches have whatever radix fits the
 * size. Every ElectricalFabric counts its own switches. A fat-tree is k-ary with k the cube root of
 * 4 GPUs, rounded; it has k^2 + floor(k^2 / 4) switches. Rails have k twice the root of the
 * domains, rounded, each has 2 floor(domains / floor(k / 2)) switches, and floor(GPUs / k) spines
 * join them: where nothing is rounded, both are 5 ports a GPU. Photonic rails are one OCS each, of
 * whatever radix it takes.
 *
 * Photonic rails have R / p GPUs on an OCS of R ports, p ports a GPU, and n^L with L levels (BCube,
 * Guo et al., SIGCOMM 2009). BUILT has levels of one size, the least that suffices, and a switch
 * for every combination of the other digits; IDEAL has ceil(GPUs of a rail / n) at each level,
 * since one OCS can hold several switches that are small.
 */
struct NetworkInventory
{
    /// Where the numbers of switches come from.
    enum Shape
    {
        IDEAL,
        BUILT,
        PUBLISHED,
    };

    using Tier = FabricTier;

    uint32_t gpus{0};               //!< that are joined
    std::vector<Tier> switches;     //!< electrical, next to the GPUs first
    std::vector<Tier> ocs;          //!< optical, by level
    uint32_t switchRadix{0};        //!< ports of a switch, with a link or without
    uint32_t ocsRadix{0};           //!< likewise
    uint64_t nicTransceivers{0};    //!< at GPUs
    uint64_t switchTransceivers{0}; //!< at electrical switches
    std::string error;              //!< why there is no such network, in one line; otherwise empty

    /// @return all electrical switches, and their ports that have a link
    Tier GetSwitches() const;
    /// @return all optical circuit switches, and their ports that have a link
    Tier GetOcs() const;

    /// @return transceivers at both places
    uint64_t GetTransceivers() const
    {
        return nicTransceivers + switchTransceivers;
    }

    /**
     * @param kind of network
     * @param spec what it has to join
     * @param shape where the numbers come from
     * @return the numbers, or an error
     */
    static NetworkInventory Count(const NetworkKind& kind, const InventorySpec& spec, Shape shape);

    /**
     * @brief Table 3 of arXiv 2507.08119, for any number of ports and levels.
     * @param spec gpus does not matter
     * @param levels of OCSes
     * @return GPUs that photonic rails can join
     */
    static uint64_t GetMaxGpus(const InventorySpec& spec, uint32_t levels);
};

/**
 * @brief How parts are counted before they are multiplied with prices: where the numbers come from,
 * and whether a switch is paid whole or by the port. Papers differ in both.
 */
struct CostCounting
{
    NetworkInventory::Shape shape{NetworkInventory::IDEAL};
    /// A switch is bought whole, with ports that nobody needs; otherwise its ports with a link are
    /// paid pro rata. Transceivers are there for links only in both cases.
    bool wholeDevices{false};

    /**
     * @param name ports, devices, built-ports, built-devices or published
     * @return what it stands for, or nothing
     */
    static std::optional<CostCounting> Parse(const std::string& name);
    /// @return all names, the default first
    static std::vector<std::string> GetNames();
};

/**
 * @brief Price and power of a network: an inventory times a catalogue.
 *
 *     usd   = transceivers x usd of one + ports x usd of a port      (pro rata)
 *     usd   = transceivers x usd of one + switches x usd of a switch (whole devices)
 *     watts likewise;   energy of an iteration = watts x its time
 *
 * A whole OCS costs as much as all its ports, whatever radix the catalogue's part has. Power is
 * what sources rate, at all times: neither load nor sleeping ports are modelled, nor cooling and
 * losses of power supplies.
 */
struct NetworkCost
{
    /// Of all parts of a kind.
    struct Sum
    {
        double usd{0};
        double watts{0};
    };

    Sum transceivers;
    Sum switches;
    Sum ocs;

    /// @return of all parts
    Sum GetTotal() const;

    /**
     * @param seconds time of an iteration
     * @return energy in joules that the network takes meanwhile
     */
    double GetJoules(double seconds) const
    {
        return GetTotal().watts * seconds;
    }

    /**
     * @param inventory a network, without an error
     * @param parts what it is made of
     * @param wholeDevices see CostCounting
     * @return what it costs and draws
     */
    static NetworkCost Find(const NetworkInventory& inventory,
                            const NetworkParts& parts,
                            bool wholeDevices);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_NETWORK_COST_H
