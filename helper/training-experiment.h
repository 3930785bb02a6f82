// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_EXPERIMENT_H
#define PHOTONIC_RAILS_TRAINING_EXPERIMENT_H

#include "rail-cluster-helper.h"

#include "ns3/command-line.h"
#include "ns3/rank-program-builder.h"
#include "ns3/run-summary.h"

#include <optional>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @brief One training job on one fabric, described by flags: what photonic-rails-training runs.
 *
 * The defaults are the job of the Opus papers: Llama 3 8B with TorchTitan on four servers of four
 * A100 GPUs with one NIC of 200 Gbit/s each (two ports, so that a circuit can lead to each
 * neighbour on a ring).
 */
class TrainingExperiment
{
  public:
    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings; to be called before Run.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Build the cluster, run the job and tear everything down.
     * @param progress where a progress line goes; null for none
     * @return what the run has shown
     */
    RunSummary Run(std::ostream* progress) const;

    /// @return one line that says what is run
    std::string Describe() const;

    /// @return the file that --json names, or an empty string
    const std::string& GetJsonFile() const;

    /// @return true if nothing but errors shall be printed
    bool IsQuiet() const;

  private:
    /// @return an error if the flags for fabric and OCS do not fit; sets the parsed times
    std::string CheckFabric();
    /// @return an error if model, GPU and parallelism do not fit; sets the workload
    std::string CheckWorkload();
    /// @return an error if the NICs have too few ports for the circuits of a group
    std::string CheckCircuits() const;
    /// @return an error if the output files cannot be written
    std::string CheckFiles() const;
    /// @return a helper with the settings of this experiment
    RailClusterHelper MakeClusterHelper() const;
    /// Install Opus and let the recorder hear of reconfigurations and waits for light.
    void InstallOpus(const RailCluster& cluster, TrainingRecorder& recorder) const;
    /// Add what NICs and switches have counted.
    static void AddCounters(const RailCluster& cluster, RunSummary& summary);
    /// @return flags and values for the report
    std::vector<std::pair<std::string, std::string>> GetSettings() const;

    // flags
    std::string m_model{"llama3-8b"};
    uint32_t m_tp{4};
    uint32_t m_fsdp{2};
    uint32_t m_pp{2};
    uint32_t m_microBatchSize{4};
    uint32_t m_microBatches{2};
    uint32_t m_seqLen{8192};
    uint32_t m_iterations{3};
    std::string m_gpu{"a100"};
    double m_computeEfficiency{0.28};
    uint32_t m_gpusPerDomain{4};
    std::string m_fabric{"photonic"};
    std::string m_ocs{"polatis"};
    std::string m_reconfigDelay;
    bool m_provisioning{true};
    uint32_t m_nicPorts{2};
    std::string m_portRate{"100Gbps"};
    std::string m_controlLatency{"10us"};
    std::string m_hostLatency{"1us"};
    std::string m_hopLatency{"500ns"};
    std::string m_fibreDelay{"100ns"};
    std::string m_json;
    std::string m_pcap;
    bool m_quiet{false};

    // what Check has made of them
    WorkloadSpec m_workload;
    DataRate m_portDataRate;
    std::optional<Time> m_reconfigurationDelay; //!< unless the technology's holds
    Time m_controlLatencyTime;
    Time m_hostLatencyTime;
    Time m_hopLatencyTime;
    Time m_fibreDelayTime;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_EXPERIMENT_H
