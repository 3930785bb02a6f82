// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_INSTALLER_H
#define PHOTONIC_RAILS_OCS_INSTALLER_H

#include "fibre-cabling.h"

#include "ns3/circuit-fabric.h"
#include "ns3/ocs-technology.h"
#include "ns3/optical-circuit-switch.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ns3
{

/// Makes the optical circuit switches of a cluster, all alike: of a technology, with attributes.
struct OcsInstaller
{
    Variant<OcsTechnology> technology{"polatis"}; //!< of all switches
    AttributeList attributes;       //!< of every switch, set after the technology has set its own
    AttributeList fabricAttributes; //!< of the CircuitFabric that the technology makes

    /**
     * @param ports of a switch that are cabled
     * @return an empty string, or why a switch cannot join as many
     */
    std::string Check(uint32_t ports) const;

    /**
     * @param ports of a switch that are cabled, checked
     * @return an idle fabric for Create to copy; null if any matching can be up
     */
    Ptr<CircuitFabric> MakeFabric(uint32_t ports) const;

    /**
     * @param ports of the switch that are cabled, checked
     * @param fabric of which the switch gets a copy, which shares the layout; null if any matching
     * can be up
     * @return a switch
     */
    Ptr<OpticalCircuitSwitch> Create(uint32_t ports, Ptr<const CircuitFabric> fabric) const;

  private:
    /// @return a switch, and why its fabric does not join as many ports
    std::pair<Ptr<OpticalCircuitSwitch>, std::string> Make(uint32_t ports) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_INSTALLER_H
