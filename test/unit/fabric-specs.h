// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_SPECS_H
#define PHOTONIC_RAILS_FABRIC_SPECS_H

#include "ns3/electrical-fabric.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{
namespace test
{

/// @return what tests of fabrics build, with ports of 400 Gbit/s
inline FabricSpec
MakeSpec(uint32_t domains, uint32_t gpusPerDomain, uint32_t nicPorts, uint32_t radix)
{
    FabricSpec spec;
    spec.domains = domains;
    spec.gpusPerDomain = gpusPerDomain;
    spec.nicPorts = nicPorts;
    spec.radix = radix;
    spec.portRate = DataRate("400Gbps");
    return spec;
}

/// @return what a fabric makes of a specification
inline FabricPlan
MakePlan(const Variant<ElectricalFabric>& fabric, const FabricSpec& spec)
{
    return fabric->MakePlan(spec);
}

/// @return what a fabric with an attribute makes of a specification
inline FabricPlan
MakePlan(const Variant<ElectricalFabric>& fabric,
         const FabricSpec& spec,
         const std::string& attribute,
         uint32_t value)
{
    ObjectFactory factory(fabric->GetInstanceTypeId().GetName());
    factory.Set(attribute, UintegerValue(value));
    return factory.Create<ElectricalFabric>()->MakePlan(spec);
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_SPECS_H
