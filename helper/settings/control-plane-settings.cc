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
    m_standbyCrash.Needs({m_standby.IsUsed()});
    for (const auto& need : {photonic, lending})
    {
        for (auto* option :
             std::initializer_list<Option*>{&m_controllers, &m_loss, &m_crash, &m_standby})
        {
            option->Needs({need});
        }
        std::vector<OptionNeed> forLatencies{need};
        forLatencies.insert(forLatencies.end(), orForLatencies.begin(), orForLatencies.end());
        m_controlLatency.Needs(forLatencies);
        m_hostLatency.Needs(forLatencies);
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
    if (m_standby.Get() && DistributedRun::GetLaunched() > 1)
    {
        return m_standby.Refuse("false with several processes");
    }
    const std::string error = ReadCrashes(m_crash, m_crashes);
    return error.empty() ? ReadCrashes(m_standbyCrash, m_standbyCrashes) : error;
}

void
ControlPlaneSettings::DeriveControllers(bool needsOne)
{
    const bool isDisturbed = HasLoss() || !m_crashes.empty() || m_standby.Get();
    m_controllers.SetDerived(needsOne || isDisturbed ? "one" : "rails");
}

void
ControlPlaneSettings::Apply(OpusHelper& opus) const
{
    if (HasLoss())
    {
        opus.SetControlLoss(m_loss.Get(), LOSS_STREAM);
    }
    if (m_standby.Get())
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
