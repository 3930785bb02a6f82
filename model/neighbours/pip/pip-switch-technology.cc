// SPDX-License-Identifier: GPL-2.0-only

#include "pip-switch-fabric.h"

#include "ns3/ocs-technology.h"

namespace ns3
{

namespace
{

/**
 * @brief Programmable integrated photonics: up to 32 ports on a mesh of 9 x 9 hexagons, which is a
 * blocking switch.
 *
 * Heaters set the cells. 50 us is an assumption: thermo-optic phase shifters of silicon settle in
 * 10 to 100 us (Bogaerts et al., "Programmable photonic circuits", Nature 586:207, 2020).
 */
class PipSwitchTechnology : public OcsTechnology
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PipSwitchTechnology")
                                .SetParent<OcsTechnology>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<PipSwitchTechnology>();
        return tid;
    }

    std::string GetName() const override
    {
        return "pip-switch";
    }

    std::string Describe() const override
    {
        return "programmable photonic mesh (PipSwitch)";
    }

    std::string GetSource() const override
    {
        return "arXiv 2501.18136; the delay is an assumption";
    }

    Time GetReconfigurationDelay() const override
    {
        return MicroSeconds(50);
    }

    uint32_t GetRadix() const override
    {
        return 32;
    }

    Ptr<CircuitFabric> MakeFabric() const override
    {
        return CreateObject<PipSwitchFabric>();
    }
};

NS_OBJECT_ENSURE_REGISTERED(PipSwitchTechnology);

} // namespace

} // namespace ns3
