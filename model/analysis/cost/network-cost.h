// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NETWORK_COST_H
#define PHOTONIC_RAILS_NETWORK_COST_H

#include "network-inventory.h"
#include "parts-catalogue.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

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
    double GetJoules(double seconds) const;

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
