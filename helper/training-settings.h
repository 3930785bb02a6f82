// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_SETTINGS_H
#define PHOTONIC_RAILS_TRAINING_SETTINGS_H

#include "circuit-policy.h"
#include "control-plane-settings.h"
#include "fabric-settings.h"
#include "fault-settings.h"
#include "job-fit.h"
#include "report-settings.h"
#include "spare-settings.h"
#include "timeline-settings.h"
#include "variation-settings.h"
#include "workload-settings.h"

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

    /// Write the operations of a rank, if that is wanted. @return false if it is not possible
    bool WriteOperations() const;

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
    CircuitPolicy GetPolicy() const;
    /// @return controllers, and what goes wrong there
    const ControlPlaneSettings& GetControlPlane() const;
    /// @return for how long circuits that change in turn carry light; zero: by what it takes to
    /// switch, see RotorHelper
    Time GetSlotTime() const;
    /// @return whether one rail is simulated, which stands for all
    bool IsOneRail() const;
    /// @return iterations to run
    uint32_t GetIterations() const;
    /// @return the file for what a shim has learned of its rank's traffic, or an empty string
    const std::string& GetProfileFile() const;
    /// @return that rank
    uint32_t GetProfileRank() const;
    /// @return what is written as a timeline
    const TimelineSettings& GetTimeline() const;
    /// @return the page about the run
    const ReportSettings& GetReport() const;
    /// @return the file for the summary, or an empty string
    const std::string& GetJsonFile() const;
    /// @return the prefix of packet captures, or an empty string
    const std::string& GetPcapPrefix() const;
    /// @return the file for what queue pairs have counted, or an empty string
    const std::string& GetQueuePairFile() const;
    /// @return the prefix of ascii traces, or an empty string
    const std::string& GetAsciiPrefix() const;
    /// @return true if nothing but errors shall be printed
    bool IsQuiet() const;

  private:
    /// @return an error if a flag that counts something is no number
    std::string CheckCounts();
    /// @return an error if there is no such network in scale-up domains; sets it
    std::string CheckScaleUp();
    /// @return how the job fits the fabric
    JobFit GetFit() const;
    /// @return an error if one rail cannot stand for all
    std::string CheckSymmetry() const;
    std::string CheckFaults();
    /// @return an error if spare GPUs do not fit the rest
    std::string CheckSpares() const;
    /// @return an error if there is no shim that could write the profile, or no such timeline
    std::string CheckRecords();
    /// @return an error if the output files cannot be written
    std::string CheckFiles();

    // flags
    WorkloadSettings m_workload;
    VariationSettings m_variation;
    FaultSettings m_faults;
    SpareSettings m_spares;
    CountFlag m_iterations{"iterations", 3, 1, 1000};
    FabricSettings m_fabric{4, "100Gbps"};
    Flag m_scaleUp{"scaleUp", "closed-form"};
    ChoiceFlag m_policy{"policy", "provisioned", GetCircuitPolicyNames()};
    ChoiceFlag m_symmetry{"symmetry", "none", {"none", "rails"}};
    TimeFlag m_slotTime;
    ControlPlaneSettings m_controlPlane;
    Flag m_json{"json", ""};
    Flag m_operations{"operations", ""};
    CountFlag m_operationsRank{"operationsRank", 0};
    Flag m_profile{"profile", ""};
    CountFlag m_profileRank{"profileRank", 0};
    TimelineSettings m_timeline;
    ReportSettings m_report;
    Flag m_pcap{"pcap", ""};
    CountFlag m_pcapSnapLength{"pcapSnapLength", 65535, 96, 65535};
    Flag m_ascii{"ascii", ""};
    Flag m_qpStats{"qpStats", ""};
    bool m_quiet{false};
    bool m_describe{false};
    Flag m_job{"job", ""}; //!< its file; read before the flags are parsed
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_SETTINGS_H
