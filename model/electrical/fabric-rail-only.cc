// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-clos.h"

namespace ns3
{

namespace
{

/**
 * @brief A Clos network per rail (see ClosShape); rails are not connected. Wang et al.,
 * "Rail-only: A Low-Cost High-Performance Network for Training LLMs with Trillion Parameters",
 * arXiv 2307.12169.
 *
 * Scale-up domains forward traffic between rails.
 */
class RailOnlyFabric : public ClosFabric
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RailOnlyFabric")
                                .SetParent<ClosFabric>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RailOnlyFabric>();
        return tid;
    }

    std::string GetName() const override
    {
        return "rail-only";
    }

    bool JoinsRails() const override
    {
        return false;
    }
};

NS_OBJECT_ENSURE_REGISTERED(RailOnlyFabric);

} // namespace

} // namespace ns3
