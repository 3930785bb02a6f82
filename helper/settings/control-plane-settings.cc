// SPDX-License-Identifier: GPL-2.0-only

#include "control-plane-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/flag-parser.h"

#include <initializer_list>
#include <sstream>

namespace ns3
{

namespace
{

/// First stream of random numbers for lost frames; ranks have those before.
constexpr int64_t LOSS_STREAM = 1 << 24;

/// How long a controller is down if nothing is said of it: what systemd.service(5) says of
/// RestartSec, "Defaults to 100ms".
constexpr int64_t RESTART_MILLISECONDS = 100;

constexpr const char* CRASH_FORM =
    "empty or TIME[,RESTART[,TIME[,RESTART...]]], times such as 10ms up "
    "to 1000s, each crash later than the one before";

} // namespace

void
ControlPlaneSettings::Needs(const OptionNeed& photonic,
                            const OptionNeed& lending,
                            const std::vector<OptionNeed>& orForLatencies)
{
    standbyCrash.Needs({standby.IsUsed()});
    for (const auto& need : {photonic, lending})
    {
        for (auto* option : std::initializer_list<Option*>{&controllers, &loss, &crash, &standby})
        {
            option->Needs({need});
        }
        std::vector<OptionNeed> forLatencies{need};
        forLatencies.insert(forLatencies.end(), orForLatencies.begin(), orForLatencies.end());
        controlLatency.Needs(forLatencies);
        hostLatency.Needs(forLatencies);
    }
}

std::string
ControlPlaneSettings::ReadCrashes(const TextOption& option, Crashes& crashes)
{
    crashes.clear();
    std::istringstream entries(option.GetText());
    bool isRestart = false;
    for (std::string entry; std::getline(entries, entry, ','); isRestart = !isRestart)
    {
        const auto time = FlagParser::ParseTime(entry, Seconds(1000));
        const bool isLater = time && time->IsStrictlyPositive() &&
                             (isRestart || crashes.empty() || *time > crashes.back().first);
        if (!isLater)
        {
            return option.Refuse(CRASH_FORM);
        }
        if (isRestart)
        {
            crashes.back().second = *time;
        }
        else
        {
            crashes.emplace_back(*time, MilliSeconds(RESTART_MILLISECONDS));
        }
    }
    return "";
}

std::string
ControlPlaneSettings::Check()
{
    if (standby.Get() && DistributedRun::GetLaunched() > 1)
    {
        return standby.Refuse("false with several processes");
    }
    const std::string error = ReadCrashes(crash, m_crashes);
    return error.empty() ? ReadCrashes(standbyCrash, m_standbyCrashes) : error;
}

void
ControlPlaneSettings::DeriveControllers(bool needsOne)
{
    const bool isDisturbed = loss.Get() > 0 || !m_crashes.empty() || standby.Get();
    controllers.SetDerived(needsOne || isDisturbed ? "one" : "rails");
}

void
ControlPlaneSettings::Apply(OpusHelper& opus) const
{
    if (loss.Get() > 0)
    {
        opus.SetControlLoss(loss.Get(), LOSS_STREAM);
    }
    if (standby.Get())
    {
        opus.SetStandby();
    }
    for (const auto& [at, restart] : m_crashes)
    {
        opus.AddControllerCrash(at, restart);
    }
    for (const auto& [at, restart] : m_standbyCrashes)
    {
        opus.AddStandbyCrash(at, restart);
    }
}

} // namespace ns3
