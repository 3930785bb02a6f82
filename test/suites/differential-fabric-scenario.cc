// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How scenarios of fabrics are drawn, printed and made simpler.
 */

#include "differential-draw.h"
#include "differential-fabric.h"

#include <sstream>

namespace ns3
{
namespace test
{

namespace
{

/// Draws the parts of a scenario one after the other.
class FabricMaker
{
  public:
    explicit FabricMaker(uint64_t seed)
        : m_draw(seed)
    {
        m_scenario.seed = seed;
    }

    FabricScenario Make()
    {
        MakeFabric();
        MakeSwitches();
        MakeQueuePairs();
        MakeMessages();
        const auto actions = m_draw.Chance(60) ? 0 : m_draw.Between(1, 3);
        for (uint64_t i = 0; i < actions; ++i)
        {
            FabricScenario::Action action;
            action.kind = static_cast<FabricScenario::Kind>(m_draw.Index(FabricScenario::KINDS));
            action.at = m_draw.Scaled(NS, 200 * US);
            action.gpu = m_draw.Index(m_scenario.GetGpus());
            action.value = action.kind == FabricScenario::ERRORS ? m_draw.Pick<uint64_t>({0, 1, 10})
                                                                 : m_draw.Scaled(NS, 100 * US);
            m_scenario.actions.push_back(action);
        }
        const uint32_t percent = m_draw.Pick<uint32_t>({0, 50, 100});
        for (auto& message : m_scenario.messages)
        {
            message.signaled = !m_draw.Chance(percent);
        }
        if (m_scenario.fabric.JoinsRails() && m_draw.Chance(40))
        {
            m_scenario.balancing = m_draw.Pick<std::string>({"random", "round-robin", "adaptive"});
            m_scenario.selective = true;
            m_scenario.tolerance = m_draw.Pick<uint32_t>({0, 64, 1 << 24});
        }
        m_scenario.MakePackets(m_draw);
        return m_scenario;
    }

  private:
    void MakeFabric()
    {
        auto& s = m_scenario;
        s.fabric = m_draw.Pick<RailFabric>(
            {"electrical", "electrical", "leaf-spine", "rail-only", "fat-tree"});
        s.domains = static_cast<uint32_t>(m_draw.Between(2, 8));
        s.gpusPerDomain = m_draw.Pick<uint32_t>({1, 1, 2});
        s.ports = m_draw.Pick<uint32_t>({1, 1, 2});
        if (s.fabric == "leaf-spine" || s.fabric == "rail-only")
        {
            s.radix = m_draw.Pick<uint32_t>({0, 4, 8});
            s.oversubscription = m_draw.Chance(70) ? 1 : 3;
        }
        s.rate = m_draw.Pick<uint64_t>({25, 100, 200, 400, 800}) * GBPS;
        if (m_draw.Chance(25))
        {
            s.rate = m_draw.Between(10 * GBPS, 800 * GBPS);
        }
        s.fiber = m_draw.Chance(60) ? 100 * NS : m_draw.Scaled(1, 2 * US);
        s.scaleUp = s.gpusPerDomain > 1 && m_draw.Chance(30);
    }

    void MakeSwitches()
    {
        auto& s = m_scenario;
        s.hop = m_draw.Chance(60) ? 500 * NS : m_draw.Between(0, US);
        s.cutThrough = m_draw.Chance(40);
        s.pfc = m_draw.Chance(70);
        s.ecn = m_draw.Chance(60);
        if (m_draw.Chance(40))
        {
            s.buffer = m_draw.Scaled(50000, 4000000);
        }
        if (m_draw.Chance(60))
        {
            s.kmin = m_draw.Scaled(1000, 200000);
            s.kmax = s.kmin * m_draw.Between(1, 4);
        }
    }

    void MakeQueuePairs()
    {
        auto& s = m_scenario;
        s.mtu = m_draw.Pick<uint32_t>({256, 1024, 4096, 4096, 8192});
        if (m_draw.Chance(50))
        {
            s.window = static_cast<uint32_t>(m_draw.Scaled(s.mtu, 4 << 20));
        }
        if (m_draw.Chance(50))
        {
            s.ackInterval = static_cast<uint32_t>(m_draw.Scaled(1, 256));
        }
        s.selective = m_draw.Chance(20);
        if (m_draw.Chance(40))
        {
            s.control = m_draw.Pick<std::string>({"Dcqcn", "Swift"});
        }
        s.retryPackets = 1 + s.seed % 3;
    }

    void MakeMessages()
    {
        auto& s = m_scenario;
        const uint32_t gpus = s.GetGpus();
        const uint32_t pattern = m_draw.Index(3);
        const uint32_t shift = static_cast<uint32_t>(m_draw.Between(1, s.domains - 1));
        const uint64_t budget = m_draw.Scaled(4, 6000); // packets of a message
        const uint64_t bytes = m_draw.Scaled(s.mtu, budget * s.mtu);
        const uint64_t spread = m_draw.Chance(60) ? 0 : m_draw.Scaled(1, 20 * US);
        const auto count = static_cast<uint32_t>(pattern == 2 ? m_draw.Between(1, 12) : gpus);
        for (uint32_t i = 0; i < count; ++i)
        {
            FabricScenario::Message message;
            message.from = i;
            message.to = (i + shift * s.gpusPerDomain) % gpus; // a permutation
            if (pattern == 1)
            {
                message.to = i % s.gpusPerDomain; // all to the first of their rail
            }
            else if (pattern == 2)
            {
                message.from = m_draw.Index(gpus);
                message.to = (message.from + m_draw.Index(s.domains) * s.gpusPerDomain) % gpus;
            }
            if (s.scaleUp && m_draw.Chance(40))
            {
                message.scaleUp = true;
                const uint32_t first = message.from - message.from % s.gpusPerDomain;
                message.to = first + (message.from + 1) % s.gpusPerDomain;
            }
            message.bytes = m_draw.Chance(60) ? bytes : m_draw.Scaled(1, budget * s.mtu);
            message.at = spread == 0 ? 0 : m_draw.Between(0, spread);
            if (message.from != message.to)
            {
                s.messages.push_back(message);
            }
        }
    }

    Draw m_draw;
    FabricScenario m_scenario;
};

} // namespace

FabricScenario
FabricScenario::Make(uint64_t seed)
{
    return FabricMaker(seed).Make();
}

void
FabricScenario::MakePackets(Draw& draw)
{
    if (draw.Chance(25))
    {
        packets = PacketStream::Make(draw, GetGpus(), ports, 200 * US);
    }
}

std::string
FabricScenario::ToText() const
{
    static const std::vector<std::string>
        NAMES{"pause", "errors", "read", "latency", "listen", "stop", "depth"};
    std::ostringstream text;
    text << "seed " << seed << ": " << fabric.GetName() << " of " << domains << "x" << gpusPerDomain
         << " GPUs of " << ports << " ports, rate " << rate << ", fiber " << fiber << ", radix "
         << radix << " " << oversubscription << ":1, hop " << hop
         << (cutThrough ? " cut-through" : "") << (pfc ? " PFC" : "") << (ecn ? " ECN" : "")
         << " buffer=" << buffer << " K=" << kmin << "-" << kmax << (scaleUp ? " scale-up" : "")
         << (alike ? " alike" : "") << " mtu=" << mtu << " window=" << window
         << " ack=" << ackInterval << (selective ? " selective" : "") << " " << balancing << "/"
         << tolerance << (started ? " started" : "") << (shared ? " shared" : "")
         << " answers=" << answers << " retryPackets=" << retryPackets
         << (control.empty() ? "" : " " + control);
    for (const auto& message : messages)
    {
        text << (message.signaled ? " message {" : " unsignaled message {") << message.from << "-"
             << message.to << " " << message.bytes << " at=" << message.at
             << (message.scaleUp ? " inside" : "") << "}";
    }
    for (const auto& action : actions)
    {
        text << " action {" << NAMES[action.kind] << " at=" << action.at << " " << action.gpu << " "
             << action.value << "}";
    }
    for (const auto& stream : packets)
    {
        text << " packets " << stream.ToText();
    }
    return text.str();
}

std::vector<FabricScenario>
FabricScenario::Simplify() const
{
    std::vector<FabricScenario> simpler;
    for (std::size_t i = 0; i < actions.size(); ++i)
    {
        simpler.push_back(*this);
        simpler.back().actions.erase(simpler.back().actions.begin() + i);
    }
    for (std::size_t i = 0; i < packets.size(); ++i)
    {
        simpler.push_back(*this);
        simpler.back().packets.erase(simpler.back().packets.begin() + i);
        simpler.push_back(*this);
        simpler.back().packets[i].count = (packets[i].count + 1) / 2;
    }
    for (std::size_t i = 0; i < messages.size() && messages.size() > 1; ++i)
    {
        simpler.push_back(*this);
        simpler.back().messages.erase(simpler.back().messages.begin() + i);
    }
    const auto change = [&](auto&& edit) {
        FabricScenario one = *this;
        edit(one);
        if (one.ToText() != ToText())
        {
            simpler.push_back(one);
        }
    };
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        change([i](auto& s) { s.messages[i].bytes = (s.messages[i].bytes + 1) / 2; });
        change([i](auto& s) { s.messages[i].at = 0; });
    }
    change([](auto& s) { s.control.clear(); });
    change([](auto& s) { s.selective = s.balancing != "ecmp"; });
    change([](auto& s) { s.balancing = "ecmp"; });
    change([](auto& s) { s.tolerance = 0; });
    change([](auto& s) { s.pfc = false; });
    change([](auto& s) { s.ecn = false; });
    change([](auto& s) { s.cutThrough = false; });
    change([](auto& s) { s.buffer = 0; });
    change([](auto& s) { s.ports = 1; });
    change([](auto& s) { s.answers /= 2; });
    change([](auto& s) { s.mtu = 4096; });
    change([](auto& s) { s.window = 1 << 20; });
    change([](auto& s) { s.ackInterval = 32; });
    change([](auto& s) { s.rate = 400 * GBPS; });
    change([](auto& s) { s.fiber = 100 * NS; });
    return simpler;
}

} // namespace test
} // namespace ns3
