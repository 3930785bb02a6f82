// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_CIRCUITS_H
#define PHOTONIC_RAILS_TRAINING_CIRCUITS_H

#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"
#include "ns3/training-recorder.h"
#include "ns3/training-settings.h"

#include <vector>

namespace ns3
{

/// Installs what gives the ranks of a training job connectivity: a policy of circuits, or nothing.
class TrainingCircuits
{
  public:
    /// @param settings of the run; they must outlive this object
    explicit TrainingCircuits(const TrainingSettings& settings);

    /**
     * @brief Install what makes circuits, and let the recorder hear of reconfigurations. Without
     * optical circuit switches all calls go ahead.
     * @param cluster with optical circuit switches, or without
     * @param opus remains as it is if no circuits are lent
     * @param recorder of the run
     */
    void Install(RailCluster& cluster, OpusHelper& opus, TrainingRecorder& recorder) const;

    /// @param cluster of any fabric @return its optical circuit switches, spares last
    static std::vector<Ptr<OpticalCircuitSwitch>> GetSwitches(const RailCluster& cluster);

  private:
    /// Give Opus the settings of the control plane and of the policy.
    void Configure(OpusHelper& opus) const;
    /// Let all calls go ahead, those of fewer bytes than a threshold over the host network.
    void InstallAlwaysConnected(const RailCluster& cluster) const;

    const TrainingSettings& m_settings;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_CIRCUITS_H
