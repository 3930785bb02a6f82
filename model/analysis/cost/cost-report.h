// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COST_REPORT_H
#define PHOTONIC_RAILS_COST_REPORT_H

#include "parts-catalogue.h"

#include "ns3/rail-fabric.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// A network whose parts are counted.
struct NetworkKind
{
    RailFabric fabric; //!< photonic rails have one level of OCSes or, as in BCube, several
    uint32_t tiers{0}; //!< tiers of switches, or levels of OCSes; 0: the fewest that suffice

    /**
     * @param text NAME or NAME:TIERS, such as leaf-spine:3 or photonic:2
     * @return the network, or no value
     */
    static std::optional<NetworkKind> Parse(const std::string& text);
    /// @return the text that Parse reads
    std::string ToText() const;
};

/// The GPUs of a network, and the properties of its parts.
struct InventorySpec
{
    uint32_t gpus{8};              //!< a multiple of gpusPerDomain
    uint32_t gpusPerDomain{8};     //!< GPUs of a scale-up domain, and number of rails
    uint32_t nicPorts{2};          //!< ports of a NIC at each level of OCSes
    uint32_t switchPortsPerGpu{1}; //!< ports of electrical switches that a GPU uses
    uint32_t switchRadix{64};      //!< ports of an electrical switch
    uint32_t ocsRadix{576};        //!< ports of an OCS
    bool simplex{false};           //!< a NIC port uses two OCS ports, one for each direction
    bool switchTransceivers{true}; //!< ports of switches have transceivers; otherwise active cables

    /// @return an empty string, or one line that names the wrong numbers
    std::string Check() const;
    /// @return ports of an OCS that a GPU uses
    uint32_t GetOcsPortsPerGpu() const;
};

/**
 * @brief Counts the switches, ports and transceivers of a network: pure functions.
 *
 * **Scope.** The counts include electrical switches and their ports, optical circuit switches and
 * their ports, and transceivers: one in the NIC for each port of an electrical switch that the GPU
 * uses, and one in every port of an electrical switch with a link, so that a link between switches
 * has two. A GPU on photonic rails has one transceiver for each level, with the rate of the whole
 * NIC, which nicPorts split (2 x 200G of 400G); an OCS has no transceivers. The counts leave out
 * NICs, cables and fiber, the scale-up network and the management network.
 *
 * **Shapes.** IDEAL is the Clos network without oversubscription of text books and papers:
 * with T tiers, every NIC port takes 2 T - 1 ports of switches. H NIC ports need
 * ceil(2 H / radix) switches in each tier but the top, and ceil(H / radix) there; leaves, and all
 * tiers of networks per rail, are counted rail by rail. BUILT is the network of the simulator, see
 * ClosShape (the fat-tree has the fewest tiers, then the fewest switches). PUBLISHED is the rule of
 * the script that draws the cost figures of arXiv 2602.12521: switches have any radix that the size
 * needs. Every ElectricalFabric counts its own switches. A fat-tree is k-ary with k the cube root
 * of 4 GPUs, rounded; it has k^2 + floor(k^2 / 4) switches. Rails have k twice the root of the
 * domains, rounded, each has 2 floor(domains / floor(k / 2)) switches, and floor(GPUs / k) spines
 * join the rails: without rounding, both are 5 ports a GPU. A photonic rail is one OCS of the
 * necessary radix.
 *
 * Photonic rails have R / p GPUs on an OCS of R ports, p ports a GPU, and n^L with L levels (BCube,
 * Guo et al., SIGCOMM 2009). BUILT has levels of one size, the least that suffices, and a switch
 * for every combination of the other digits; IDEAL has ceil(GPUs of a rail / n) at each level,
 * since one OCS can hold several switches that are small.
 */
struct NetworkInventory
{
    /// The rule for the numbers of switches.
    enum Shape
    {
        IDEAL,
        BUILT,
        PUBLISHED,
    };

    using Tier = FabricTier;

    uint32_t gpus{0};               //!< number of GPUs
    std::vector<Tier> switches;     //!< electrical switches, the tier next to the GPUs first
    std::vector<Tier> ocs;          //!< optical circuit switches, by level
    uint32_t switchRadix{0};        //!< ports of a switch, with and without a link
    uint32_t ocsRadix{0};           //!< ports of an OCS, with and without a link
    uint64_t nicTransceivers{0};    //!< transceivers at GPUs
    uint64_t switchTransceivers{0}; //!< transceivers at electrical switches
    std::string error;              //!< reason why the network cannot exist, in one line; or empty

    /// @return the number of electrical switches, and of their ports with a link
    Tier GetSwitches() const;
    /// @return the number of optical circuit switches, and of their ports with a link
    Tier GetOcs() const;

    /// @return the number of all transceivers
    uint64_t GetTransceivers() const
    {
        return nicTransceivers + switchTransceivers;
    }

    /**
     * @param kind of network
     * @param spec GPUs and parts
     * @param shape rule for the numbers of switches
     * @return the numbers, or an error
     */
    static NetworkInventory Count(const NetworkKind& kind, const InventorySpec& spec, Shape shape);

    /**
     * @brief Table 3 of arXiv 2507.08119, for any number of ports and levels.
     * @param spec parts; gpus is ignored
     * @param levels of OCSes
     * @return GPUs that photonic rails can join
     */
    static uint64_t GetMaxGpus(const InventorySpec& spec, uint32_t levels);
};

/**
 * @brief The counting of parts before the multiplication with prices: the rule for the numbers of
 * switches, and the price of a switch by the device or by the port. Papers differ in both.
 */
struct CostCounting
{
    NetworkInventory::Shape shape{NetworkInventory::IDEAL};
    /// The price counts whole switches with their unused ports; otherwise only ports with a link,
    /// pro rata. In both cases only links have transceivers.
    bool wholeDevices{false};

    /**
     * @param name ports, devices, built-ports, built-devices or published
     * @return the counting, or no value
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
 * The price of a whole OCS is the price of all its ports, independent of the radix of the part in
 * the catalogue. Power is the rated power of the sources at all times: load, sleeping ports,
 * cooling and losses of power supplies are not modelled.
 */
struct NetworkCost
{
    /// Price and power of all parts of a kind.
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
     * @return energy of the network in this time, in joules
     */
    double GetJoules(double seconds) const
    {
        return GetTotal().watts * seconds;
    }

    /**
     * @param inventory a network, without an error
     * @param parts parts of the network
     * @param wholeDevices see CostCounting
     * @return price and power of the network
     */
    static NetworkCost Find(const NetworkInventory& inventory,
                            const NetworkParts& parts,
                            bool wholeDevices);
};

/**
 * @brief Price, power and energy of networks of several sizes: Fig. 7 of arXiv 2507.08119. The
 * first network of each size is the reference of the others.
 *
 * The JSON is documented in doc/cost-json.md.
 */
struct CostReport : JsonReport<CostReport>
{
    /// One network of one size.
    struct Row
    {
        NetworkKind kind;
        NetworkInventory inventory; //!< or an error
        NetworkCost cost;           //!< zero after an error
        double usdShare{0};         //!< price / price of the reference
        double wattsShare{
            0}; //!< power / power of the reference; 0 after an error in either network
    };

    std::string counting{"ports"};  //!< a name of CostCounting
    InventorySpec spec;             //!< of all rows, without the number of GPUs
    NetworkParts parts;             //!< parts of all networks
    std::vector<uint32_t> gpus;     //!< sizes
    std::vector<NetworkKind> kinds; //!< networks
    double iterationSeconds{0};     //!< time of an iteration for the energy, or 0
    std::string run;                //!< source of iterationSeconds, or empty
    std::vector<Row> rows;          //!< by size, then network; set by Fill

    /// Compute the rows.
    void Fill();

    /// @param os receives a text table
    void WriteTable(std::ostream& os) const;
    /// @return a row for each network, for plots; the cells of a network with an error are empty
    CsvTable GetCsv() const;
    /// @return the keys and values of the JSON object
    static const ReportTable<CostReport>& GetTable();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COST_REPORT_H
