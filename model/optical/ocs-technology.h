// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_TECHNOLOGY_H
#define PHOTONIC_RAILS_OCS_TECHNOLOGY_H

#include "circuit-fabric.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief A technology of optical circuit switches: radix and reconfiguration delay.
 *
 * A technology is a class that derives from OcsTechnology and is registered with ns-3 (see
 * Variant); the flag --ocs takes its name. The rows of Table 3 of "Photonic Rails in ML
 * Datacenters" are in table-3-technologies.cc, and PipSwitch is in pip-switch-technology.cc.
 *
 * A technology reconfigures port by port. The attribute Mode of OpticalCircuitSwitch models a
 * device such as a rotor, which steps through its matchings as a whole.
 */
class OcsTechnology : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::OcsTechnology").SetParent<Object>().SetGroupName("PhotonicRails");
        return tid;
    }

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /// @return principle and vendor
    virtual std::string Describe() const = 0;

    /// @return the publication or data sheet that gives delay and radix
    virtual std::string GetSource() const = 0;

    /// @return time for which the ports of a command are dark
    virtual Time GetReconfigurationDelay() const = 0;

    /// @return the number of ports
    virtual uint32_t GetRadix() const = 0;

    /**
     * @brief Create the fabric between the ports of a switch.
     * @return an idle fabric with default attributes; without an override null, for a non-blocking
     * switch
     */
    virtual Ptr<CircuitFabric> MakeFabric() const
    {
        return nullptr;
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_TECHNOLOGY_H
