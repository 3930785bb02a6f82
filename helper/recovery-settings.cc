// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-settings.h"

#include "distributed-run.h"
#include "flag-parser.h"

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

constexpr const char* ALLOWED =
    "empty or TIME[,RESTART[,TIME[,RESTART...]]], times such as 10ms up "
    "to 1000s, each crash later than the one before";

} // namespace

RecoverySettings::RecoverySettings()
    : m_loss("controlLoss", "0", 0, 0.5)
{
}

void
RecoverySettings::AddFlags(CommandLine& cmd)
{
    m_loss.AddTo(cmd, "share of the frames between hosts, OCSes and controller that is lost");
    m_crash.AddTo(cmd,
                  "when controllers crash, and how long until they begin to read their logs: "
                  "TIME[,RESTART], and further pairs; 100ms if no RESTART is given");
    cmd.AddValue("standby",
                 "keep a second controller that takes over when the first is silent",
                 m_standby);
}

std::string
RecoverySettings::CheckCrashes()
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
            return RefuseFlag(m_crash.GetName(), m_crash.GetText(), ALLOWED);
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
RecoverySettings::Check()
{
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
RecoverySettings::Apply(OpusHelper& opus) const
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
RecoverySettings::HasLoss() const
{
    return m_loss.Get() > 0;
}

bool
RecoverySettings::HasStandby() const
{
    return m_standby;
}

std::vector<std::pair<std::string, std::string>>
RecoverySettings::GetList() const
{
    return {{m_loss.GetName(), m_loss.GetText()},
            {m_crash.GetName(), m_crash.GetText()},
            {"standby", m_standby ? "true" : "false"}};
}

} // namespace ns3
