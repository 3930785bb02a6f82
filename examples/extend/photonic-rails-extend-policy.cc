// SPDX-License-Identifier: GPL-2.0-only

// A circuit policy of one's own: every rail has rings in random order, which are made at the start
// of the run and stay. The program is photonic-rails-training with one more name for --policy;
// copied into scratch/, the file is a program, too. Example:
// photonic-rails-extend-policy --policy=random-rings --RandomRingsPolicy::Seed=2

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/// Ports 0 and 1 of all GPUs of a rail form a ring, ports 2 and 3 another one, and so on.
class RandomRingsPolicy : public StaticPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("RandomRingsPolicy")
                                .SetParent<StaticPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RandomRingsPolicy>()
                                .AddAttribute("Seed",
                                              "Rings with the same seed are the same.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&RandomRingsPolicy::m_seed),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    std::string GetName() const override
    {
        return "random-rings";
    }

    // The name of the policy in the first line of a run.
    std::string Describe() const override
    {
        return "rings in random order, seed " + std::to_string(m_seed);
    }

    // The module finds the ways over these circuits, and refuses a job with a group that has none.
    StaticTopology MakeCircuits(const RankLayout& layout,
                                const JobDemand& /* demand */,
                                uint32_t nicPorts) const override
    {
        if (nicPorts % 2 == 1)
        {
            return {StaticCircuits(0, 0),
                    "a ring takes two ports, and " + std::to_string(nicPorts) + " is odd"};
        }
        StaticCircuits circuits(layout.GetWorldSize(), nicPorts);
        std::mt19937 random(m_seed);
        for (uint32_t rail = 0; rail < layout.GetRails(); ++rail)
        {
            for (uint32_t port = 0; port < nicPorts; port += 2)
            {
                std::vector<uint32_t> ring(layout.GetDomains());
                std::iota(ring.begin(), ring.end(), 0);
                for (std::size_t i = ring.size(); i > 1; --i)
                {
                    std::swap(ring[i - 1], ring[random() % i]);
                }
                for (std::size_t i = 0; i < ring.size() && ring.size() > 1; ++i)
                {
                    const uint32_t next = ring[(i + 1) % ring.size()];
                    circuits.Join({ring[i] * layout.GetRails() + rail,
                                   port,
                                   next * layout.GetRails() + rail,
                                   port + 1});
                }
            }
        }
        return {circuits, ""};
    }

  private:
    uint32_t m_seed{1};
};

NS_OBJECT_ENSURE_REGISTERED(RandomRingsPolicy);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
