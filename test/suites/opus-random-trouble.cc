// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-trouble.h"

#include "differential-draw.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace test
{

namespace
{

/// Another draw than that of the job, which stays as it is without trouble.
constexpr uint64_t SALT = 0x7472'6f75'626c'6500;

/// @return a fault at a random moment
OpusFault
DrawFault(Draw& draw, OpusFault::Kind kind, Time duration)
{
    OpusFault fault;
    fault.kind = kind;
    fault.place = static_cast<uint32_t>(draw.Between(0, 999));
    fault.after = draw.Chance(50) ? Time() : NanoSeconds(draw.Scaled(1, 200000));
    fault.component = draw.Between(0, 1000000);
    fault.port = draw.Between(0, 1000000);
    fault.duration = duration;
    return fault;
}

/// Let light be lost under traffic, or not.
void
DrawDataPath(Draw& draw, bool perRail, OpusTrouble& t)
{
    t.protection = NanoSeconds(draw.Pick<uint64_t>({0, 1000, 50000}));
    // Nobody believes that a port of a NIC is broken before 10 ms.
    const Time flap = NanoSeconds(draw.Scaled(100, 5000000));
    const Time outage = t.detection * static_cast<int64_t>(draw.Between(1, 100)) / int64_t{200};
    const bool isForGood = !perRail && draw.Chance(60);
    const auto kind = draw.Pick<int>(
        {-1, -1, OpusFault::NIC_PORT, OpusFault::NIC_PORT, OpusFault::OCS, OpusFault::OCS_PORT});
    if (kind == OpusFault::NIC_PORT)
    {
        t.faults.push_back(DrawFault(draw, OpusFault::NIC_PORT, flap));
    }
    // Late heartbeats of switches would be missed as those of broken ones.
    else if (kind >= 0 && t.delay * int64_t{4} < t.detection)
    {
        t.spares = isForGood ? 1 : 0;
        const OpusFault fault =
            DrawFault(draw, static_cast<OpusFault::Kind>(kind), isForGood ? Time() : outage);
        t.faults.push_back(fault);
        // Further outages, so soon that the controller may not know of the one before.
        for (uint64_t more = draw.Pick<uint64_t>({0, 1, 3});
             more > 0 && kind == OpusFault::OCS && !isForGood;
             --more)
        {
            t.faults.push_back(fault);
            t.faults.back().after += outage + NanoSeconds(draw.Scaled(100, 2000000));
        }
    }
}

} // namespace

Time
OpusFault::GetTime(const std::vector<Time>& moments) const
{
    const Time at = moments[place * moments.size() / 1000] + after;
    return Max(at, TimeStep(1)); // all have been started
}

bool
OpusTrouble::IsAny() const
{
    return IsReliable() || !faults.empty();
}

bool
OpusTrouble::IsReliable() const
{
    return loss > 0 || !delay.IsZero() || standby || Has(OpusFault::CRASH);
}

bool
OpusTrouble::Has(OpusFault::Kind kind) const
{
    return std::any_of(faults.begin(), faults.end(), [kind](const OpusFault& fault) {
        return fault.kind == kind;
    });
}

bool
OpusTrouble::LosesSwitches() const
{
    return Has(OpusFault::OCS) || Has(OpusFault::OCS_PORT);
}

OpusTrouble
OpusTrouble::Make(uint64_t seed, bool perRail)
{
    Draw draw(seed + SALT);
    OpusTrouble t;
    if (!draw.Chance(20))
    {
        return t;
    }
    if (draw.Chance(30))
    {
        t.loss = 0.001 * static_cast<double>(draw.Scaled(1, 200));
    }
    if (draw.Chance(20))
    {
        t.delay = NanoSeconds(draw.Scaled(100, 100000));
    }
    t.standby = draw.Chance(25);
    t.heartbeat = MicroSeconds(draw.Pick<uint64_t>({300, 1000, 10000}));
    draw.Pick<uint64_t>({0, 0, 0, 0}); // so that the scenarios of known seeds stay the same
    t.detection = MicroSeconds(draw.Pick<uint64_t>({100, 300, 1000}));
    const uint64_t crashes = draw.Pick<uint64_t>({0, 0, 1, 1, 2});
    for (uint64_t i = 0; i < crashes; ++i)
    {
        const bool dies = t.standby && draw.Chance(50);
        t.faults.push_back(DrawFault(draw,
                                     dies ? OpusFault::DEATH : OpusFault::CRASH,
                                     NanoSeconds(draw.Scaled(100, 3000000))));
    }
    const uint64_t shims = draw.Pick<uint64_t>({0, 0, 1, 2, 3});
    for (uint64_t i = 0; i < shims; ++i)
    {
        const Time away = draw.Chance(40) ? Time() : NanoSeconds(draw.Scaled(100, 500000));
        t.faults.push_back(DrawFault(draw, OpusFault::SHIM, away));
    }
    DrawDataPath(draw, perRail, t);
    Draw log(~seed - SALT);              // so that the rest of the trouble is the same
    log.Pick<uint32_t>({0, 0, 0, 0, 0}); // as above
    for (uint64_t more = t.standby ? log.Pick<uint64_t>({0, 1, 1, 2}) : 0; more > 0; --more)
    {
        t.faults.push_back(
            DrawFault(log, OpusFault::STANDBY, NanoSeconds(log.Scaled(100, 50000000))));
    }
    if (!t.IsAny())
    {
        t.faults.push_back(DrawFault(draw, OpusFault::SHIM, Time()));
    }
    return t;
}

std::string
OpusTrouble::ToText() const
{
    static const std::vector<std::string>
        names{"crash", "death", "shim", "nic-port", "ocs", "ocs-port", "standby"};
    std::ostringstream text;
    text << "loss=" << loss << " delay=" << delay.As(Time::US) << " standby=" << standby
         << " heartbeat=" << heartbeat.As(Time::US) << " detection=" << detection.As(Time::US)
         << " protection=" << protection.As(Time::US) << " spares=" << spares;
    for (const OpusFault& fault : faults)
    {
        text << ", " << names[fault.kind] << " at " << fault.place << "/1000 + "
             << fault.after.As(Time::US) << " for " << fault.duration.As(Time::US);
    }
    return text.str();
}

} // namespace test
} // namespace ns3
