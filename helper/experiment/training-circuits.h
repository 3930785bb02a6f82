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

/// Installs the circuit policy of a training job and the connectivity providers of its GPUs.
class TrainingCircuits
{
  public:
    /// @param settings of the run; they must outlive this object
    explicit TrainingCircuits(const TrainingSettings& settings);

    /**
     * @brief Install the policy, and report reconfigurations to the recorder. Without optical
     * circuit switches every call may send at once.
     * @param cluster with optical circuit switches, or without
     * @param opus not changed unless the policy installs Opus
     * @param recorder of the run
     */
    void Install(RailCluster& cluster, OpusHelper& opus, TrainingRecorder& recorder) const;

    /// @param cluster of any fabric @return its optical circuit switches, spares last
    static std::vector<Ptr<OpticalCircuitSwitch>> GetSwitches(const RailCluster& cluster);

  private:
    /// Give Opus the settings of the control plane and of the policy.
    void Configure(OpusHelper& opus) const;
    /// Give each GPU without a provider one that grants every call at once; calls of fewer bytes
    /// than a threshold use the host network.
    void InstallAlwaysConnected(const RailCluster& cluster) const;

    const TrainingSettings& m_settings;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_CIRCUITS_H
