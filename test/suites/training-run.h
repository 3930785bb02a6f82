// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_RUN_H
#define PHOTONIC_RAILS_TRAINING_RUN_H

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/training-experiment.h"

#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @param extra flags beside those of a job that takes a fraction of a second: the shape of the
 * default job, a tiny model
 * @return the arguments of a program
 */
inline std::vector<std::string>
SmallJob(const std::vector<std::string>& extra)
{
    std::vector<std::string> flags{"test",
                                   "--model=debugmodel",
                                   "--seqLen=512",
                                   "--recomputation=full",
                                   "--fusion=all",
                                   "--computeEfficiency=0.29",
                                   "--hostRunAhead=none",
                                   "--iterations=3"};
    flags.insert(flags.end(), extra.begin(), extra.end());
    return flags;
}

/// Read flags that are common to several runs: some have no effect in some of them. Unless a flag
/// says otherwise all rails are simulated.
inline void
ReadFlags(TrainingSettings& settings, const std::vector<std::string>& flags)
{
    settings.Find("symmetry")->SetText("none");
    CommandLine cmd;
    settings.AddFlags(cmd);
    for (auto* option : settings.GetOptions())
    {
        option->Vary();
    }
    cmd.Parse(flags);
}

/**
 * @param flags the arguments of a program
 * @return an empty string, or the error in the flags
 */
inline std::string
CheckJob(const std::vector<std::string>& flags)
{
    TrainingSettings settings;
    ReadFlags(settings, flags);
    return settings.Check();
}

/**
 * @param flags the arguments of a program
 * @return the results of a run with these flags
 */
inline RunSummary
RunJob(const std::vector<std::string>& flags)
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    TrainingSettings settings;
    ReadFlags(settings, flags);
    const std::string error = settings.Check();
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    return TrainingExperiment(settings).Run(nullptr);
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_RUN_H
