// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_EXPERIMENT_H
#define PHOTONIC_RAILS_TRAINING_EXPERIMENT_H

#include "ns3/fabric-probe.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"
#include "ns3/run-summary.h"
#include "ns3/step-split.h"
#include "ns3/training-recorder.h"
#include "ns3/training-settings.h"

#include <ostream>
#include <vector>

namespace ns3
{

/**
 * @brief Install the circuit policy of a training job and the connectivity providers of its GPUs,
 * and report reconfigurations to the recorder. Without optical circuit switches every call may send
 * at once.
 * @param settings of the run
 * @param cluster with optical circuit switches, or without
 * @param opus not changed unless the policy installs Opus
 * @param recorder of the run
 */
void InstallCircuits(const TrainingSettings& settings,
                     RailCluster& cluster,
                     OpusHelper& opus,
                     TrainingRecorder& recorder);

/// @param cluster of any fabric @return the optical circuit switches of this process, spares last
std::vector<Ptr<OpticalCircuitSwitch>> GetCircuitSwitches(const RailCluster& cluster);

/// One training job on one fabric: builds the cluster, runs the job and reports.
class TrainingExperiment
{
  public:
    /// @param settings settings that passed their Check, which this object refers to
    explicit TrainingExperiment(const TrainingSettings& settings)
        : m_settings(settings)
    {
    }

    /**
     * @brief Keep the windows of more than the first rail, for RunSummary::windowsOfRails.
     * @param rails number of rails, from the first; at least 1
     * @param rule divides the traffic of these rails into phases
     */
    void KeepRails(uint32_t rails, PhaseRule rule)
    {
        m_railsKept = rails;
        m_phaseRule = rule;
    }

    /**
     * @brief Name the run in its lines of progress, for runs that share a terminal.
     * @param name in front of each line
     */
    void SetName(const std::string& name)
    {
        m_name = name;
    }

    /**
     * @brief Run the job in a simulation of its own and tear everything down. Processes that have
     * joined share the simulation (DistributedRun); they all have to call this.
     * @param progress gets progress lines; null for none
     * @param probe measures the fabric; null for none
     * @param split receives the parts of the last step, if all iterations have ended; null for
     * none, as in a run of several processes
     * @return the results of the run; with several processes, on the first one
     */
    RunSummary Run(std::ostream* progress,
                   FabricProbe* probe = nullptr,
                   StepSplit* split = nullptr) const;

  private:
    const TrainingSettings& m_settings;
    std::string m_name;
    uint32_t m_railsKept{1};
    PhaseRule m_phaseRule{PhaseRule::GROUP};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_EXPERIMENT_H
