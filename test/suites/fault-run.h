// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_RUN_H
#define PHOTONIC_RAILS_FAULT_RUN_H

#include "training-run.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// Iterations of the job, of about 3 ms.
constexpr uint32_t FAULT_ITERATIONS = 4;

/**
 * @param extra further flags
 * @return flags of the job: the shape of the default job, with switches so fast that much of the
 * time there is traffic
 */
inline std::vector<std::string>
FaultFlags(const std::vector<std::string>& extra)
{
    std::vector<std::string> flags = SmallJob({"--iterations=4",
                                               "--memoryEfficiency=0.38",
                                               "--reconfigDelay=10us",
                                               "--detectionTime=300us",
                                               "--protectionTime=100us"});
    flags.insert(flags.end(), extra.begin(), extra.end());
    return flags;
}

/// @return the time from the start to the end of the last iteration @param summary of a run
inline Time
GetFaultDuration(const RunSummary& summary)
{
    Time sum;
    for (const auto& iteration : summary.iterations)
    {
        sum += iteration.duration;
    }
    return sum;
}

/// @return a random time within the job, as a flag gives it @param random random numbers
inline std::string
DrawFaultTime(Ptr<UniformRandomVariable> random)
{
    return std::to_string(random->GetInteger(0, 11500000)) + "ns";
}

/// @return random numbers of a stream @param stream number of the stream
inline Ptr<UniformRandomVariable>
MakeRandom(int64_t stream)
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    return random;
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_RUN_H
