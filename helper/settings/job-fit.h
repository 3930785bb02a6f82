// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_FIT_H
#define PHOTONIC_RAILS_JOB_FIT_H

#include "fabric-settings.h"

#include "ns3/circuit-policy.h"
#include "ns3/job-description.h"
#include "ns3/workload-spec.h"

#include <string>
#include <vector>

namespace ns3
{

/// Whether a job fits a fabric, both of which have been checked by themselves.
class JobFit
{
  public:
    /**
     * @param workload the job
     * @param fabric hosts, NICs and fabric
     * @param policy of circuits, if the fabric has any
     */
    JobFit(const WorkloadSpec& workload,
           const FabricSettings& fabric,
           const Variant<CircuitPolicy>& policy);

    /// @return scale-up domains that the job takes
    uint32_t GetDomains() const;

    /// @return an empty string, or one line that says what does not fit
    std::string Check() const;

    /**
     * @brief The same for a job that is only described: nothing is built.
     * @param description of the job
     * @return a line for each thing that does not fit
     */
    std::vector<std::string> MakeRemarks(const JobDescription& description) const;

  private:
    /// @return an error if the ranks do not fill whole domains
    std::string CheckWorld() const;
    /// @return an error if the cluster cannot be built
    std::string CheckCluster() const;
    /// @return an error if the fabric cannot join the ranks of a group
    std::string CheckGroups() const;

    const WorkloadSpec& m_workload;
    const FabricSettings& m_fabric;
    Variant<CircuitPolicy> m_policy;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_FIT_H
