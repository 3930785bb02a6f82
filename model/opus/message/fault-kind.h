// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_KIND_H
#define PHOTONIC_RAILS_FAULT_KIND_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What may break.
enum class FaultKind : uint8_t
{
    OCS = 1,      //!< an optical circuit switch as a whole, its management included
    OCS_PORT = 2, //!< a mirror sticks, so that a port stays dark
    NIC_PORT = 3, //!< a port of a NIC, or its transceiver
    GPU = 4,      //!< a GPU leaves
    SHIM = 5,     //!< a shim forgets what it knew
};

/// @return all kinds
std::vector<FaultKind> GetFaultKinds();
/// @return the name of a kind, by which users select it
std::string ToString(FaultKind kind);
/// @return the kind of a name, or nothing if there is none
std::optional<FaultKind> FindFaultKind(const std::string& name);

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_KIND_H
