// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_INSTALLER_H
#define PHOTONIC_RAILS_OCS_INSTALLER_H

#include "ns3/attribute.h"
#include "ns3/circuit-fabric.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/ocs-technology.h"
#include "ns3/optical-circuit-switch.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Makes the optical circuit switches of a cluster, all alike: of a technology, with attributes.
class OcsInstaller
{
  public:
    /// @param technology of all switches
    void SetTechnology(const Variant<OcsTechnology>& technology);
    /// Set an attribute of every switch, after the technology has set its own.
    void SetAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the CircuitFabric that the technology makes for every switch.
    void SetFabricAttribute(const std::string& name, const AttributeValue& value);

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

    using Attributes = std::vector<std::pair<std::string, Ptr<const AttributeValue>>>;

    Variant<OcsTechnology> m_technology{"polatis"};
    Attributes m_attributes;
    Attributes m_fabricAttributes;
};

/// Fibres of spare GPUs that can be led to any rail, by a FibreSelector if there are several.
class SpareGpuCabling
{
  public:
    /**
     * @param rails nodes of the optical circuit switches
     * @param fibreFactory makes an OpticalFibreLink
     * @param selectionTime how long the fibres of a GPU are dark when they are led to a rail
     */
    SpareGpuCabling(const NodeContainer& rails,
                    const ObjectFactory& fibreFactory,
                    Time selectionTime);

    /**
     * @brief Cable a spare GPU, and keep ports of all rails for it.
     * @param gpu a node with an RdmaNic
     * @return the OCS ports, by rail and NIC port
     */
    std::vector<std::vector<uint32_t>> Cable(Ptr<Node> gpu) const;

  private:
    NodeContainer m_rails;
    ObjectFactory m_fibreFactory;
    Time m_selectionTime;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_INSTALLER_H
