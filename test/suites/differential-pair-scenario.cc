// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How scenarios of pairs and crowds of GPUs at an electrical switch are drawn.
 */

#include "differential-draw.h"
#include "differential-fabric.h"

#include <algorithm>

namespace ns3
{
namespace test
{

namespace
{

/// Draws the parts of a scenario one after the other.
class PairMaker
{
  public:
    PairMaker(uint64_t seed, bool crowd)
        : m_draw(seed),
          m_crowd(crowd)
    {
        m_scenario.seed = seed;
        m_scenario.retryPackets = 1 + seed % 3;
    }

    /// @return a scenario of many ports
    FabricScenario MakeWide()
    {
        MakeFabric();
        MakeQueuePairs();
        MakeRoom();
        MakeRings();
        MakeActions();
        MakeSignals();
        m_scenario.MakePackets(m_draw);
        return m_scenario;
    }

    FabricScenario Make()
    {
        MakeFabric();
        MakeQueuePairs();
        if (m_crowd)
        {
            MakeRoom();
            MakeCrowd();
            MakeActions();
            m_scenario.MakePackets(m_draw);
            return m_scenario;
        }
        MakeMessages();
        MakeIntruders();
        MakeActions();
        MakeSignals();
        m_scenario.MakePackets(m_draw);
        return m_scenario;
    }

  private:
    /// Draw which messages are signaled.
    void MakeSignals()
    {
        const uint32_t percent = m_draw.Pick<uint32_t>({0, 50, 90, 100});
        for (auto& message : m_scenario.messages)
        {
            message.signaled = !m_draw.Chance(percent);
        }
    }

    void MakeFabric()
    {
        auto& s = m_scenario;
        s.domains = static_cast<uint32_t>(m_draw.Between(2, 6));
        s.ports = m_draw.Pick<uint32_t>({1, 1, 1, 2});
        s.rate = m_draw.Pick<uint64_t>({25, 100, 200, 400, 800}) * GBPS;
        if (m_draw.Chance(40))
        {
            s.rate = m_draw.Between(10 * GBPS, 800 * GBPS);
        }
        s.fiber = m_draw.Chance(40) ? 100 * NS : m_draw.Scaled(1, 2 * US);
        s.hop = m_draw.Chance(40) ? 500 * NS : m_draw.Between(0, US);
        s.hop = m_draw.Chance(10) ? 0 : s.hop;
        s.cutThrough = m_draw.Chance(40);
        s.pfc = m_draw.Chance(70);
        s.ecn = m_draw.Chance(60);
        s.buffer = m_draw.Chance(20) ? m_draw.Scaled(200000, 4000000) : 0;
        if (m_draw.Chance(20))
        {
            s.kmin = m_draw.Scaled(1000, 200000);
            s.kmax = s.kmin * m_draw.Between(1, 4);
        }
        s.started = m_draw.Chance(85);
        s.shared = true;
    }

    void MakeQueuePairs()
    {
        auto& s = m_scenario;
        s.mtu = m_draw.Pick<uint32_t>({256, 1024, 4096, 4096, 8192});
        if (m_draw.Chance(50))
        {
            s.window = static_cast<uint32_t>(m_draw.Scaled(s.mtu, 4 << 20));
        }
        if (m_draw.Chance(60))
        {
            s.ackInterval = static_cast<uint32_t>(m_draw.Scaled(1, 256));
        }
        s.selective = m_draw.Chance(20);
    }

    uint64_t MakeSize(uint64_t budget)
    {
        const uint64_t mtu = m_scenario.mtu;
        if (m_draw.Chance(30))
        {
            return m_draw.Scaled(1, mtu);
        }
        if (m_draw.Chance(30))
        {
            return mtu * m_draw.Scaled(1, budget);
        }
        return m_draw.Scaled(1, budget * mtu);
    }

    void MakeMessages()
    {
        auto& s = m_scenario;
        const uint64_t budget = m_draw.Scaled(2, 3000); // packets of a message
        // About the time that such a message takes.
        const uint64_t scale = budget * s.mtu * 8000 / (s.rate / GBPS) + 2 * s.fiber + s.hop;
        m_spread = m_draw.Chance(20) ? 0 : m_draw.Scaled(1, 8 * scale);
        for (uint32_t first = 0; first + 1 < s.domains; first += 2)
        {
            const auto count = m_draw.Scaled(1, 16);
            for (uint64_t i = 0; i < count; ++i)
            {
                const bool back = m_draw.Chance(40);
                const uint64_t at = m_spread == 0 ? 0 : m_draw.Between(0, m_spread);
                s.messages.push_back(
                    {first + (back ? 1 : 0), first + (back ? 0 : 1), MakeSize(budget), at, false});
            }
        }
    }

    /// Draw settings under which bursts are likely: small buffers and ECN marks are rare.
    void MakeRoom()
    {
        auto& s = m_scenario;
        s.started = true;
        s.buffer = m_draw.Chance(80) ? 0 : s.buffer;
        s.kmin = m_draw.Chance(80) ? 0 : s.kmin;
        s.kmax = s.kmin == 0 ? 0 : s.kmax;
        s.ecn = m_draw.Chance(30);
    }

    /// Draw messages from a few senders to a few receivers, some of them at one instant.
    void MakeCrowd()
    {
        auto& s = m_scenario;
        s.domains = static_cast<uint32_t>(m_draw.Between(2, 5));
        const uint64_t budget = m_draw.Scaled(4, 1500); // packets of a message
        const uint64_t scale = budget * s.mtu * 8000 / (s.rate / GBPS) + 2 * s.fiber + s.hop;
        m_spread = m_draw.Chance(20) ? 0 : m_draw.Scaled(1, 4 * scale);
        const auto flows = m_draw.Between(2, 5);
        const bool ring = m_draw.Chance(30);
        for (uint64_t flow = 0; flow < flows; ++flow)
        {
            const uint32_t from = ring ? flow % s.domains : m_draw.Index(s.domains);
            const uint32_t to = (from + 1 + (ring ? 0 : m_draw.Index(s.domains - 1))) % s.domains;
            const auto count = m_draw.Scaled(1, 6);
            for (uint64_t i = 0; i < count; ++i)
            {
                const bool like = !s.messages.empty() && m_draw.Chance(30);
                const uint64_t at = m_spread == 0 ? 0 : m_draw.Between(0, m_spread);
                s.messages.push_back({from,
                                      to,
                                      like ? s.messages.back().bytes : MakeSize(budget),
                                      like ? s.messages.back().at : at,
                                      false});
            }
        }
    }

    /// One to three rings with different neighbours, so that queue pairs share ports and, behind
    /// leaf switches, links.
    void MakeRings()
    {
        auto& s = m_scenario;
        s.fabric = m_draw.Pick<RailFabric>({"electrical", "leaf-spine", "leaf-spine", "fat-tree"});
        s.ports = m_draw.Pick<uint32_t>({1, 2});
        s.domains = static_cast<uint32_t>(m_draw.Scaled(2, s.ports == 1 ? 200 : 100));
        s.radix = s.fabric == "leaf-spine" ? m_draw.Pick<uint32_t>({0, 8, 16}) : 0;
        s.mtu = m_draw.Pick<uint32_t>({1000, 4096, 4096});
        s.shared = m_draw.Chance(50);
        if (m_draw.Chance(50))
        {
            // Arrivals and departures coincide more often.
            s.rate = m_draw.Pick<uint64_t>({100, 200, 400}) * GBPS;
            s.fiber = 100 * NS;
            s.hop = 500 * NS;
            s.ackInterval = 32;
        }
        if (m_draw.Chance(50))
        {
            s.window = static_cast<uint32_t>(m_draw.Between(1, 12) * s.mtu); // a few packets
        }
        s.retryPackets = m_draw.Pick<uint32_t>({1, 2, 8});
        const auto rings = static_cast<uint32_t>(m_draw.Between(1, 3));
        const uint64_t budget = m_draw.Scaled(2, 20000 / s.domains + 50); // packets of a message
        const uint64_t scale = budget * s.mtu * 8000 / (s.rate / GBPS) + 2 * s.fiber + s.hop;
        m_spread = m_draw.Chance(40) ? 0 : m_draw.Scaled(1, 2 * scale);
        uint32_t shift = 0;
        uint64_t bytes = 0;
        uint64_t at = 0;
        for (uint32_t ring = 0; ring < rings; ++ring)
        {
            if (ring > 0 && m_draw.Chance(50))
            {
                shift = s.domains - shift; // both directions at the same time, as in collectives
            }
            else
            {
                shift = 1 + m_draw.Index(s.domains - 1);
                bytes = MakeSize(budget);
                at = m_spread == 0 ? 0 : m_draw.Between(0, m_spread);
            }
            const bool isEven = m_draw.Chance(60);
            for (uint32_t from = 0; from < s.domains; ++from)
            {
                s.messages.push_back({from,
                                      (from + shift) % s.domains,
                                      isEven ? bytes : MakeSize(budget),
                                      isEven || m_spread == 0 ? at : m_draw.Between(0, m_spread),
                                      false});
            }
        }
    }

    /// Draw messages between nodes that are no pair.
    void MakeIntruders()
    {
        auto& s = m_scenario;
        const auto count = s.domains < 3 || m_draw.Chance(50) ? 0 : m_draw.Between(1, 4);
        for (uint64_t i = 0; i < count; ++i)
        {
            const uint32_t from = m_draw.Index(s.domains);
            const uint32_t to = (from + 1 + m_draw.Index(s.domains - 1)) % s.domains;
            // Of packets that are sent at one instant, the first port's come first.
            const FabricScenario::Message like = m_draw.Pick(s.messages);
            const bool tie = m_draw.Chance(30);
            const uint64_t at = tie ? like.at : m_draw.Between(0, std::max(m_spread, 20 * US));
            const uint64_t bytes = tie ? like.bytes : m_draw.Scaled(1, 20 * s.mtu);
            s.messages.push_back({from, to, bytes, at, false});
        }
    }

    void MakeActions()
    {
        const auto actions = m_draw.Chance(60) ? 0 : m_draw.Between(1, 3);
        for (uint64_t i = 0; i < actions; ++i)
        {
            FabricScenario::Action action;
            action.kind =
                static_cast<FabricScenario::Kind>(m_draw.Index(FabricScenario::PAIR_KINDS));
            action.at = m_draw.Between(0, std::max(m_spread, 20 * US));
            action.gpu = m_draw.Index(m_scenario.GetGpus());
            action.value = m_draw.Scaled(NS, 20 * US);
            if (action.kind == FabricScenario::ERRORS)
            {
                action.value = m_draw.Pick<uint64_t>({0, 1, 10});
            }
            else if (action.kind == FabricScenario::LATENCY)
            {
                action.value = m_draw.Between(0, US);
            }
            m_scenario.actions.push_back(action);
        }
    }

    Draw m_draw;
    bool m_crowd;
    FabricScenario m_scenario;
    uint64_t m_spread{0}; //!< of the times of messages
};

} // namespace

FabricScenario
PairFamily::Make(uint64_t seed)
{
    return PairMaker(seed, false).Make();
}

FabricScenario
CrowdFamily::Make(uint64_t seed)
{
    return PairMaker(seed, true).Make();
}

FabricScenario
WideFamily::Make(uint64_t seed)
{
    return PairMaker(seed, true).MakeWide();
}

FabricScenario
AnswerFamily::Make(uint64_t seed)
{
    Draw draw(seed);
    FabricScenario s;
    s.seed = seed;
    s.domains = static_cast<uint32_t>(draw.Between(3, 6));
    s.ports = draw.Pick<uint32_t>({1, 2, 2, 4, 4});
    s.rate = draw.Pick<uint64_t>({100, 200, 400}) * GBPS;
    s.fiber = draw.Pick<uint64_t>({5, 100, 500}) * NS;
    s.hop = draw.Pick<uint64_t>({0, 500}) * NS;
    s.cutThrough = draw.Chance(30);
    s.selective = draw.Chance(80); // all packets are equally long: more of them arrive together
    s.mtu = draw.Pick<uint32_t>({512, 1000, 4096});
    s.window = static_cast<uint32_t>(draw.Between(4, 12)) * s.mtu;
    s.retryPackets = static_cast<uint32_t>(draw.Between(1, 8));
    s.answers = static_cast<uint32_t>(draw.Between(2, 20));
    for (uint64_t ring = draw.Between(2, 3); ring > 0; --ring)
    {
        const auto shift = static_cast<uint32_t>(draw.Between(1, s.domains - 1));
        const uint64_t packets = draw.Between(s.ports, 30 * s.ports);
        const uint64_t bytes = packets * s.mtu - (draw.Chance(50) ? draw.Between(1, 500) : 0);
        for (uint32_t from = 0; from < s.domains; ++from)
        {
            s.messages.push_back({from, (from + shift) % s.domains, bytes, 0});
        }
    }
    return s;
}

FabricScenario
NetworksFamily::Make(uint64_t seed)
{
    FabricScenario s = AnswerFamily::Make(seed);
    Draw draw(seed + 1);
    s.domains = static_cast<uint32_t>(draw.Between(2, 4));
    s.gpusPerDomain = static_cast<uint32_t>(draw.Between(2, 3));
    s.ports = draw.Pick<uint32_t>({1, 1, 2});
    s.scaleUp = true;
    s.alike = true;
    s.messages.clear();
    for (uint64_t ring = draw.Between(2, 4); ring > 0; --ring)
    {
        const bool isInside = ring % 2 == 0;
        const uint32_t members = isInside ? s.gpusPerDomain : s.domains;
        const auto shift = static_cast<uint32_t>(draw.Between(1, members - 1));
        const uint64_t packets = draw.Between(1, 30);
        const uint64_t bytes = packets * s.mtu - (draw.Chance(30) ? draw.Between(1, 500) : 0);
        for (uint32_t from = 0; from < s.GetGpus(); ++from)
        {
            const uint32_t local = from % s.gpusPerDomain;
            const uint32_t domain = from / s.gpusPerDomain;
            const uint32_t to = isInside ? from - local + (local + shift) % members
                                         : (domain + shift) % members * s.gpusPerDomain + local;
            FabricScenario::Message message{from, to, bytes, 0};
            message.scaleUp = isInside;
            s.messages.push_back(message);
        }
    }
    return s;
}

} // namespace test
} // namespace ns3
