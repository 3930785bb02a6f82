// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_JOB_HELPER_H
#define PHOTONIC_RAILS_TRAINING_JOB_HELPER_H

#include "rail-cluster.h"

#include "ns3/application-container.h"
#include "ns3/device-mesh.h"
#include "ns3/rank-program-builder.h"

#include <string>

namespace ns3
{

/// Runs a training job on a cluster: one TrainingApplication per GPU.
class TrainingJobHelper
{
  public:
    /// @param spec what is trained and how
    explicit TrainingJobHelper(const WorkloadSpec& spec);

    /// @param iterations how many to run, at least 1
    void SetIterations(uint32_t iterations);

    /**
     * @brief Check that the job fits a cluster.
     * @param gpus GPUs of the cluster
     * @param gpusPerDomain GPUs of a scale-up domain
     * @return an empty string, or what does not fit
     */
    std::string Check(uint32_t gpus, uint32_t gpusPerDomain) const;

    /**
     * @brief Give every GPU its collective library, its groups and its program.
     *
     * Install a control plane before (OpusHelper); its shims are told of the ends of iterations.
     *
     * @param cluster as many GPUs as the job has ranks
     * @return the applications, by rank
     */
    ApplicationContainer Install(const RailCluster& cluster) const;

    /// @return the mesh of the job
    const DeviceMesh& GetMesh() const;

  private:
    WorkloadSpec m_spec;
    DeviceMesh m_mesh;
    uint32_t m_iterations{1};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_JOB_HELPER_H
