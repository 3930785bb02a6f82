// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How scenarios of rings are drawn, printed and made simpler.
 */

#include "differential-draw.h"
#include "differential-ring.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace test
{

namespace
{

RingScenario::Call
DrawCall(Draw& draw, const RingScenario& s, uint64_t budget)
{
    RingScenario::Call call;
    call.group = draw.Index(s.rails * s.groupsPerRail);
    call.kind = draw.Pick<CollectiveKind>({CollectiveKind::ALL_GATHER,
                                           CollectiveKind::REDUCE_SCATTER,
                                           CollectiveKind::ALL_REDUCE,
                                           CollectiveKind::ALL_REDUCE,
                                           CollectiveKind::BROADCAST,
                                           CollectiveKind::REDUCE,
                                           CollectiveKind::SEND});
    call.bytes = draw.Scaled(1, budget * s.mtu);
    if (draw.Chance(30))
    {
        call.bytes = s.mtu * s.domains * draw.Scaled(1, budget / s.domains + 1);
    }
    if (draw.Chance(8))
    {
        call.bytes = draw.Between(0, 3);
    }
    call.at = draw.Chance(60) ? 0 : draw.Scaled(1, 50 * US);
    call.skew = draw.Chance(60) ? 0 : draw.Scaled(1, 20 * US);
    call.root = draw.Index(s.domains);
    call.chained = draw.Chance(30);
    return call;
}

RingScenario::Action
DrawAction(Draw& draw, const RingScenario& s)
{
    RingScenario::Action action;
    action.kind = static_cast<RingScenario::Kind>(draw.Index(RingScenario::KINDS));
    action.at = draw.Scaled(1, 300 * US);
    action.gpu = draw.Index(s.domains * s.rails);
    action.port = draw.Index(s.ports);
    action.value = draw.Scaled(NS, 50 * US);
    if (action.kind == RingScenario::ERRORS)
    {
        action.value = draw.Pick<uint64_t>({0, 1, 10});
    }
    else if (action.kind == RingScenario::WINDOW)
    {
        action.value = draw.Scaled(1, 4 << 20);
    }
    return action;
}

} // namespace

RingScenario
RingScenario::Make(uint64_t seed)
{
    Draw draw(seed);
    RingScenario s;
    s.seed = seed;
    const bool simple = draw.Chance(60);
    s.domains = static_cast<uint32_t>(draw.Between(2, 8));
    s.rails = draw.Chance(80) ? 1 : 2;
    s.ports = draw.Chance(70) ? 2 : 4;
    s.rate = draw.Pick<uint64_t>({25, 100, 200, 400, 800}) * GBPS;
    if (draw.Chance(25))
    {
        s.rate = draw.Between(10 * GBPS, 800 * GBPS);
    }
    s.fiber = draw.Chance(40) ? 100 * NS : draw.Scaled(1, 5 * US);
    if (draw.Chance(5))
    {
        s.fiber = 0;
    }
    s.reconfiguration = draw.Pick<uint64_t>({0, 10 * NS, 10 * US});
    s.mtu = draw.Pick<uint32_t>({256, 1024, 4096, 4096, 8192, 1500});
    if (draw.Chance(50))
    {
        s.window = static_cast<uint32_t>(draw.Scaled(s.mtu, 4 << 20));
    }
    if (draw.Chance(50))
    {
        s.ackInterval = static_cast<uint32_t>(draw.Scaled(1, 256));
    }
    s.directions = draw.Chance(50) ? 2 : 1;
    s.groupsPerRail = draw.Chance(75) ? 1 : static_cast<uint32_t>(draw.Between(2, 3));
    s.selective = draw.Chance(15);
    if (!simple && draw.Chance(15))
    {
        s.control = draw.Pick<std::string>({"Dcqcn", "Swift"});
    }
    const auto count = draw.Between(1, simple ? 3 : 6);
    const uint64_t budget = draw.Scaled(10, 16000 / count); // packets of a call at a rank
    for (uint64_t i = 0; i < count; ++i)
    {
        s.calls.push_back(DrawCall(draw, s, budget));
    }
    const auto actions = simple ? 0 : draw.Between(1, 4);
    for (uint64_t i = 0; i < actions; ++i)
    {
        s.actions.push_back(DrawAction(draw, s));
    }
    return s;
}

std::string
RingScenario::ToText() const
{
    static const std::vector<std::string>
        NAMES{"tear", "cut", "errors", "window", "read", "pfc", "trace"};
    std::ostringstream text;
    text << "seed " << seed << ": " << rails << " rings of " << domains << " GPUs of " << ports
         << " ports, rate " << rate << ", fiber " << fiber << ", OCS " << reconfiguration
         << ", mtu=" << mtu << " window=" << window << " ack=" << ackInterval
         << " directions=" << directions << " groups=" << groupsPerRail
         << (selective ? " selective" : "") << (control.empty() ? "" : " " + control);
    for (const auto& call : calls)
    {
        text << " call {g" << call.group << " " << ToString(call.kind) << " " << call.bytes
             << " at=" << call.at << " skew=" << call.skew << " root=" << call.root
             << (call.chained ? " chained" : "") << "}";
    }
    for (const auto& action : actions)
    {
        text << " action {" << NAMES[action.kind] << " at=" << action.at << " " << action.gpu << "."
             << action.port << " " << action.value << "}";
    }
    return text.str();
}

std::vector<RingScenario>
RingScenario::Simplify() const
{
    std::vector<RingScenario> simpler;
    for (std::size_t i = 0; i < actions.size(); ++i)
    {
        simpler.push_back(*this);
        simpler.back().actions.erase(simpler.back().actions.begin() + i);
    }
    for (std::size_t i = 0; i < calls.size() && calls.size() > 1; ++i)
    {
        simpler.push_back(*this);
        simpler.back().calls.erase(simpler.back().calls.begin() + i);
    }
    const auto change = [&](auto&& edit) {
        RingScenario one = *this;
        edit(one);
        if (one.ToText() != ToText())
        {
            simpler.push_back(one);
        }
    };
    change([](auto& s) {
        const uint32_t last = s.domains - 1;
        const bool needed =
            std::any_of(s.calls.begin(), s.calls.end(), [&](auto& c) { return c.root == last; }) ||
            std::any_of(s.actions.begin(), s.actions.end(), [&](auto& a) {
                return a.gpu >= last * s.rails;
            });
        s.domains -= s.domains > 2 && !needed ? 1 : 0;
    });
    for (std::size_t i = 0; i < calls.size(); ++i)
    {
        change([i](auto& s) { s.calls[i].bytes = (s.calls[i].bytes + 1) / 2; });
        change([i](auto& s) { s.calls[i].at = 0; });
        change([i](auto& s) { s.calls[i].skew = 0; });
        change([i](auto& s) { s.calls[i].chained = false; });
    }
    change([](auto& s) { s.directions = 1; });
    change([](auto& s) { s.selective = false; });
    change([](auto& s) { s.control.clear(); });
    change([](auto& s) { s.mtu = 4096; });
    change([](auto& s) { s.window = 1 << 20; });
    change([](auto& s) { s.ackInterval = 32; });
    change([](auto& s) { s.rate = 400 * GBPS; });
    change([](auto& s) { s.fiber = 100 * NS; });
    return simpler;
}

} // namespace test
} // namespace ns3
