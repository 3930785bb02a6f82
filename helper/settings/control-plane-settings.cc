// SPDX-License-Identifier: GPL-2.0-only

#include "control-plane-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/flag-parser.h"

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

constexpr const char* SECOND = "a time from 0s to 1s such as 10us";

constexpr const char* CRASH_FORM =
    "empty or TIME[,RESTART[,TIME[,RESTART...]]], times such as 10ms up "
    "to 1000s, each crash later than the one before";

} // namespace

ControlPlaneSettings::ControlPlaneSettings()
    : m_controlLatency("controlLatency", "10us", 1, SECOND),
      m_hostLatency("hostLatency", "1us", 1, SECOND),
      m_loss("controlLoss", "0", 0, 0.5)
{
}

void
ControlPlaneSettings::AddFlags(CommandLine& cmd)
{
    m_controllers.AddTo(cmd, "who lends circuits: one controller, or one for each of the rails");
    m_controlLatency.AddTo(cmd, "one-way latency between a host or an OCS and the controller");
    m_hostLatency.AddTo(cmd, "one-way latency between a GPU and its host");
    m_loss.AddTo(cmd, "share of the frames between hosts, OCSes and controller that is lost");
    m_crash.AddTo(cmd,
                  "when controllers crash, and how long until they begin to read their logs: "
                  "TIME[,RESTART], and further pairs; 100ms if no RESTART is given");
    cmd.AddValue("standby",
                 "keep a second controller that takes over when the first is silent",
                 m_standby);
}

std::string
ControlPlaneSettings::CheckCrashes()
{
    m_crashes.clear();
    std::istringstream entries(m_crash.GetText());
    bool isRestart = false;
    for (std::string entry; std::getline(entries, entry, ','); isRestart = !isRestart)
    {
        const auto time = FlagParser::ParseTime(entry, Seconds(1000));
        const bool isLater = time && time->IsStrictlyPositive() &&
                             (isRestart || m_crashes.empty() || *time > m_crashes.back().first);
        if (!isLater)
        {
            return RefuseFlag(m_crash.GetName(), m_crash.GetText(), CRASH_FORM);
        }
        if (isRestart)
        {
            m_crashes.back().second = *time;
        }
        else
        {
            m_crashes.emplace_back(*time, MilliSeconds(RESTART_MILLISECONDS));
        }
    }
    return "";
}

std::string
ControlPlaneSettings::Check()
{
    if (auto error = m_controllers.Check(); !error.empty())
    {
        return error;
    }
    for (auto* time : {&m_controlLatency, &m_hostLatency})
    {
        if (auto error = time->Check(); !error.empty())
        {
            return error;
        }
    }
    if (auto error = m_loss.Check(); !error.empty())
    {
        return error;
    }
    if (m_standby && DistributedRun::GetLaunched() > 1)
    {
        return RefuseFlag("standby", "true", "false with several processes");
    }
    return CheckCrashes();
}

void
ControlPlaneSettings::Apply(OpusHelper& opus) const
{
    if (HasLoss())
    {
        opus.SetControlLoss(m_loss.Get(), LOSS_STREAM);
    }
    if (m_standby)
    {
        opus.SetStandby();
    }
    for (const auto& [at, restart] : m_crashes)
    {
        opus.AddControllerCrash(at, restart);
    }
}

bool
ControlPlaneSettings::HasLoss() const
{
    return m_loss.Get() > 0;
}

bool
ControlPlaneSettings::HasControllerPerRail() const
{
    return m_controllers.GetText() == "rails";
}

Time
ControlPlaneSettings::GetControlLatency() const
{
    return m_controlLatency.Get();
}

Time
ControlPlaneSettings::GetHostLatency() const
{
    return m_hostLatency.Get();
}

std::vector<std::pair<std::string, std::string>>
ControlPlaneSettings::GetList() const
{
    return {{m_controllers.GetName(), m_controllers.GetText()},
            {m_controlLatency.GetName(), m_controlLatency.GetText()},
            {m_hostLatency.GetName(), m_hostLatency.GetText()},
            {m_loss.GetName(), m_loss.GetText()},
            {m_crash.GetName(), m_crash.GetText()},
            {"standby", m_standby ? "true" : "false"}};
}

} // namespace ns3
