// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_SETTINGS_H
#define PHOTONIC_RAILS_TRAINING_SETTINGS_H

#include "control-plane-settings.h"
#include "fabric-settings.h"
#include "fault-settings.h"
#include "job-fit.h"
#include "output-settings.h"
#include "spare-settings.h"
#include "variation-settings.h"
#include "workload-settings.h"

#include "ns3/circuit-policy.h"
#include "ns3/command-line.h"
#include "ns3/job-description.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The settings of one training job on one fabric, as flags give them.
 *
 * The defaults are the job of the Opus papers (WorkloadSettings) on four servers of four A100 GPUs
 * with one NIC of 200 Gbit/s each (two ports, so that a circuit can lead to each neighbour on a
 * ring).
 */
class TrainingSettings
{
  public:
    TrainingSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);
    /// @param cmd gets a flag for each setting but the fabric and what becomes of the results
    void AddJobFlags(CommandLine& cmd);
    /// @param fabric a name of a fabric, as if the flag had been given
    void SetFabric(const std::string& fabric);

    /**
     * @brief Put what a job file says before the flags, see JobFile.
     * @param arguments of the program, before they are parsed
     * @param hasFabric there is a flag for the fabric, and for what becomes of the results
     * @return an empty string, or one line that says what is wrong with the file
     */
    std::string InsertJob(std::vector<std::string>& arguments, bool hasFabric = true) const;

    /**
     * @brief Check all settings and work out what the getters below return.
     *
     * A job that shall only be described need not fit the fabric.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return one line that says what is run
    std::string Describe() const;
    /// @return its part that says nothing of the fabric
    std::string DescribeJob() const;
    /// @return flags and values that matter for the result
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /// @return flags that were not given and what holds instead, after Check
    std::vector<std::pair<std::string, std::string>> GetDerived() const;

    /// @return true if the job shall be described and not run
    bool IsDescribing() const;
    /// @return the description of the job, with a remark for each thing that the fabric cannot do
    JobDescription MakeDescription() const;

    /// @return a helper that builds the cluster
    RailClusterHelper MakeClusterHelper() const;
    /// @return what is trained and how
    const WorkloadSpec& GetWorkload() const;
    /// @return how ranks differ in the time that they compute
    const VariationSettings& GetVariation() const;
    /// @return what breaks
    const FaultSettings& GetFaults() const;
    /// @return which GPUs are spares
    const SpareSettings& GetSpares() const;
    /// @return hosts, NICs and fabric
    const FabricSettings& GetFabric() const;
    /// @return when switches make circuits
    Variant<CircuitPolicy> GetPolicy() const;
    /// @return controllers, and what goes wrong there
    const ControlPlaneSettings& GetControlPlane() const;
    /// @return for how long circuits that change in turn carry light; zero: by what it takes to
    /// switch, see RotorHelper
    Time GetSlotTime() const;
    /// @return whether one rail is simulated, which stands for all
    bool IsOneRail() const;
    /// @return iterations to run
    uint32_t GetIterations() const;
    /// @return what is written of the run, and where
    const OutputSettings& GetOutput() const;

  private:
    /// @return an error if a flag that counts something is no number
    std::string CheckCounts();
    /// @return an error if there is no such network in scale-up domains; sets it
    std::string CheckScaleUp();
    /// @return how the job fits the fabric
    JobFit GetFit() const;
    /// @return an error if one rail cannot stand for all
    std::string CheckSymmetry() const;
    /// @return an error if what shall break is not there, or nobody would notice
    std::string CheckFaults();
    /// @return an error if spare GPUs do not fit the rest
    std::string CheckSpares() const;

    // flags
    WorkloadSettings m_workload;
    VariationSettings m_variation;
    FaultSettings m_faults;
    SpareSettings m_spares;
    CountFlag m_iterations{"iterations", 3, 1, 1000};
    FabricSettings m_fabric{4, "100Gbps"};
    Flag m_scaleUp{"scaleUp", "closed-form"};
    ChoiceFlag m_policy{"policy", "provisioned", Variant<CircuitPolicy>::GetNames()};
    ChoiceFlag m_symmetry{"symmetry", "none", {"none", "rails"}};
    TimeFlag m_slotTime;
    ControlPlaneSettings m_controlPlane;
    OutputSettings m_output;
    bool m_describe{false};
    Flag m_job{"job", ""}; //!< its file; read before the flags are parsed
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_SETTINGS_H
