// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-clos.h"

#include <cmath>

namespace ns3
{

namespace
{

/// A rail-optimised network of all rails, whose leaves belong to one rail each, see ClosShape.
class LeafSpineFabric : public ClosFabric
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::LeafSpineFabric")
                                .SetParent<ClosFabric>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<LeafSpineFabric>();
        return tid;
    }

    std::string GetName() const override
    {
        return "leaf-spine";
    }

    bool JoinsRails() const override
    {
        return true;
    }

    FabricCount CountPublished(const FabricSpec& spec) const override
    {
        const double k = std::sqrt(4.0 * static_cast<double>(spec.domains));
        const auto radix = static_cast<uint64_t>(k + 0.5);
        const uint64_t ofTier = spec.domains / (radix / 2) * spec.gpusPerDomain;
        const uint64_t spines = spec.GetHosts() / radix;
        return {{{ofTier, ofTier * radix}, {ofTier, ofTier * radix}, {spines, spines * radix}}, ""};
    }
};

NS_OBJECT_ENSURE_REGISTERED(LeafSpineFabric);

} // namespace

} // namespace ns3
