// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-installer.h"

#include "ns3/circuit-fabric.h"

namespace ns3
{

std::pair<Ptr<OpticalCircuitSwitch>, std::string>
OcsInstaller::Make(uint32_t ports) const
{
    std::string error;
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(technology->GetName());
    if (const auto fabric = technology->MakeFabric())
    {
        for (const auto& [name, value] : fabricAttributes)
        {
            fabric->SetAttribute(name, *value);
        }
        error = fabric->UsePorts(ports);
        ocs->SetFabric(fabric);
    }
    for (const auto& [name, value] : attributes)
    {
        ocs->SetAttribute(name, *value);
    }
    return {ocs, error};
}

std::string
OcsInstaller::Check(uint32_t ports) const
{
    const auto [ocs, error] = Make(ports);
    if (ports > ocs->GetRadix())
    {
        return "the radix of " + technology->GetName() + " is " + std::to_string(ocs->GetRadix());
    }
    // A fabric that is an attribute of the switch keeps its ports.
    const auto fabric = ocs->GetFabric();
    return error.empty() && fabric ? fabric->CircuitFabric::UsePorts(ports) : error;
}

Ptr<CircuitFabric>
OcsInstaller::MakeFabric(uint32_t ports) const
{
    const auto fabric = Make(ports).first->GetFabric();
    if (fabric)
    {
        fabric->Change({}, {}); // makes what copies then share
    }
    return fabric;
}

Ptr<OpticalCircuitSwitch>
OcsInstaller::Create(uint32_t ports, Ptr<const CircuitFabric> fabric) const
{
    auto ocs = Make(ports).first;
    ocs->SetFabric(fabric ? fabric->Copy() : nullptr);
    return ocs;
}

} // namespace ns3
