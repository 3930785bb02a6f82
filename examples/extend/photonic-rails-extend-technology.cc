// SPDX-License-Identifier: GPL-2.0-only

// An OCS technology of one's own: a silicon photonic switch with MEMS couplers. The program is
// photonic-rails-training with one more name for --ocs; copied into scratch/, the file is a
// program, too. Example: photonic-rails-extend-technology --ocs=sip-mems

#include "ns3/photonic-rails-module.h"

using namespace ns3;

/// 240 x 240 ports, and a coupler that moves in 400 ns.
class SiliconMemsTechnology : public OcsTechnology
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("SiliconMemsTechnology")
                                .SetParent<OcsTechnology>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<SiliconMemsTechnology>();
        return tid;
    }

    std::string GetName() const override
    {
        return "sip-mems";
    }

    // Principle and vendor, for tables.
    std::string Describe() const override
    {
        return "silicon photonic MEMS (Berkeley)";
    }

    std::string GetSource() const override
    {
        return "Seok et al., Optica 6:490, 2019";
    }

    // --reconfigDelay and the attribute ReconfigurationDelay change it.
    Time GetReconfigurationDelay() const override
    {
        return NanoSeconds(400);
    }

    uint32_t GetRadix() const override
    {
        return 240;
    }

    // A switch that blocks overrides MakeFabric, too, and returns a CircuitFabric.
};

NS_OBJECT_ENSURE_REGISTERED(SiliconMemsTechnology);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
