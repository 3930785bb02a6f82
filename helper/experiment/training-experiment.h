// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_EXPERIMENT_H
#define PHOTONIC_RAILS_TRAINING_EXPERIMENT_H

#include "training-timeline.h"

#include "ns3/fabric-probe.h"
#include "ns3/opus-helper.h"
#include "ns3/run-summary.h"
#include "ns3/training-settings.h"

#include <ostream>
#include <vector>

namespace ns3
{

class FaultInjector;
class RecoveryRecorder;
class TrainingJobHelper;

/// One training job on one fabric: builds the cluster, runs the job and reports.
class TrainingExperiment
{
  public:
    /// @param settings settings that passed their Check, which this object refers to
    explicit TrainingExperiment(const TrainingSettings& settings);

    /**
     * @brief Keep the windows of more than the first rail, for RunSummary::windowsOfRails.
     * @param rails how many, from the first; at least 1
     * @param rule what makes a phase there
     */
    void KeepRails(uint32_t rails, PhaseRule rule);

    /**
     * @brief Run the job in a simulation of its own and tear everything down. Processes that have
     * joined share the simulation (DistributedRun); they all have to call this.
     * @param progress where a progress line goes; null for none
     * @param probe measures what the fabric shows; null for none
     * @return what the run has shown; with several processes, on the first one
     */
    RunSummary Run(std::ostream* progress, FabricProbe* probe = nullptr) const;

  private:
    /// Install what lets ranks move to spares, and what breaks.
    void InstallFaults(const RailCluster& cluster,
                       const TrainingJobHelper& job,
                       const ApplicationContainer& ranks,
                       const ApplicationContainer& spares,
                       OpusHelper& opus,
                       Ptr<FaultInjector> injector,
                       Ptr<RecoveryRecorder> recoveries,
                       TrainingRecorder& recorder) const;
    /// Write what a shim has learned, if that is wanted and it is simulated here.
    void WriteProfile(const RailCluster& cluster, const OpusHelper& opus) const;
    /// Run the simulator, with a progress line. @return the simulator's events
    uint64_t Simulate(const RailCluster& cluster,
                      const TrainingRecorder& recorder,
                      TrainingTimeline& timeline,
                      std::ostream* progress) const;

    const TrainingSettings& m_settings;
    uint32_t m_railsKept{1};
    PhaseRule m_phaseRule{PhaseRule::GROUP};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_EXPERIMENT_H
