// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ONE_TIER_H
#define PHOTONIC_RAILS_ONE_TIER_H

#include "electrical-fabric.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Say that a fabric of several tiers has come down to single switches, which is its smallest
 * form.
 * @param fabric the fabric
 * @param tiers tiers of the switches that it has
 * @param rails rails of the cluster
 * @return a remark, or an empty string for other fabrics
 */
inline std::string
DescribeOneTier(const ElectricalFabric& fabric, std::size_t tiers, uint32_t rails)
{
    if (tiers != 1 || fabric.GetMostTiers() == 1)
    {
        return "";
    }
    return fabric.JoinsRails() && rails > 1
               ? "with so few hosts one switch for all rails"
               : "with so few hosts one switch per rail, as electrical";
}

} // namespace ns3

#endif // PHOTONIC_RAILS_ONE_TIER_H
