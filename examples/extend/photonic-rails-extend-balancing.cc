// SPDX-License-Identifier: GPL-2.0-only

// A load balancing of one's own: the destination chooses the port. The program is
// photonic-rails-training with one more name for --loadBalancing; copied into scratch/, the file is
// a program, too.
// Example: photonic-rails-extend-balancing --fabric=leaf-spine --switchRadix=8
// --loadBalancing=d-mod-k

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

using namespace ns3;

/// All frames to a destination take the same of k ports (D-mod-k; Zahavi et al., "Optimized
/// InfiniBand fat-tree routing for shift all-to-all communication patterns", 2010).
class DestinationModulo : public LoadBalancing
{
  public:
    // Attributes have flags: --DestinationModulo::Divisor=4.
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("DestinationModulo")
                                .SetParent<LoadBalancing>()
                                .AddConstructor<DestinationModulo>()
                                .AddAttribute("Divisor",
                                              "Neighbouring destinations with the same port.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&DestinationModulo::m_divisor),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    std::string GetName() const override
    {
        return "d-mod-k";
    }

    // The port depends on the flow alone, so that no packet overtakes another one of its flow.
    bool KeepsOrder() const override
    {
        return true;
    }

    uint32_t Choose(const Frame& frame) const override
    {
        const auto ports = static_cast<uint32_t>(frame.ports.size());
        return frame.flow.destination / m_divisor % ports;
    }

  private:
    uint32_t m_divisor;
};

NS_OBJECT_ENSURE_REGISTERED(DestinationModulo);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
