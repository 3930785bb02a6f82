// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-clos.h"

namespace ns3
{

namespace
{

/// A switch per rail, which joins all NICs of the rail. Rails are not connected.
class ElectricalRailFabric : public ElectricalFabric
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ElectricalRailFabric")
                                .SetParent<ElectricalFabric>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<ElectricalRailFabric>();
        return tid;
    }

    std::string GetName() const override
    {
        return "electrical";
    }

    std::string Describe() const override
    {
        return "electrical rails";
    }

    bool JoinsRails() const override
    {
        return false;
    }

    bool HasEqualRails() const override
    {
        return true;
    }

    /// @return the number of NIC ports of a rail
    uint32_t GetDefaultRadix(const FabricSpec& spec) const override
    {
        return spec.domains * spec.nicPorts;
    }

    uint32_t GetMostTiers() const override
    {
        return 1;
    }

    /// @return also the switches of rails that have more ports than one switch
    FabricCount CountBuilt(const FabricSpec& spec) const override
    {
        return ClosShape::Find(spec, 1).Count(spec);
    }

    FabricCount CountIdeal(const FabricSpec& spec, uint32_t tiers) const override
    {
        return ClosShape::CountIdeal(spec, spec.gpusPerDomain, 1, tiers);
    }

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override
    {
        const uint64_t ports = uint64_t{spec.domains} * spec.nicPorts;
        if (ports > spec.radix)
        {
            return {{},
                    "a rail of " + std::to_string(spec.domains) + " GPUs with " +
                        std::to_string(spec.nicPorts) + " ports each needs " +
                        std::to_string(ports) + " ports of a switch, but its radix is " +
                        std::to_string(spec.radix)};
        }
        ClosShape shape;
        shape.gpusPerLeaf = spec.domains;
        return shape.Build(spec);
    }
};

NS_OBJECT_ENSURE_REGISTERED(ElectricalRailFabric);

} // namespace

} // namespace ns3
