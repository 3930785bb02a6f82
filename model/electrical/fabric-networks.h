// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_NETWORKS_H
#define PHOTONIC_RAILS_FABRIC_NETWORKS_H

#include "fabric-content.h"

#include <string>

namespace ns3
{

/**
 * @brief Find the tiers and the connected networks of the switches of a file, and check the
 * networks.
 *
 * Sets joinsRails and the tier of each switch, and sorts switches and NIC ports.
 *
 * @param content in which each NIC port has a link
 * @return an empty string, or one line with the place of the error
 */
std::string ArrangeNetworks(FabricContent& content);

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_NETWORKS_H
