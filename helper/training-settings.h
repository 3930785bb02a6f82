// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_SETTINGS_H
#define PHOTONIC_RAILS_TRAINING_SETTINGS_H

#include "rail-cluster-helper.h"

#include "ns3/command-line.h"
#include "ns3/rank-program-builder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The settings of one training job on one fabric, as flags give them.
 *
 * The defaults are the job of the Opus papers: Llama 3 8B with TorchTitan on four servers of four
 * A100 GPUs with one NIC of 200 Gbit/s each (two ports, so that a circuit can lead to each
 * neighbour on a ring). ComputeEfficiency is chosen so that an iteration on electrical rails takes
 * the 10.2 s that were measured; nothing else is fitted.
 */
class TrainingSettings
{
  public:
    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what the getters below return.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return one line that says what is run
    std::string Describe() const;
    /// @return flags and values that matter for the result
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /// @return a helper that builds the cluster
    RailClusterHelper MakeClusterHelper() const;
    /// @return what is trained and how
    const WorkloadSpec& GetWorkload() const;
    /// @return "photonic" or "electrical"
    const std::string& GetFabric() const;
    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const;
    /// @return whether circuits are requested ahead of time
    bool IsProvisioning() const;
    /// @return one-way latency between a host or an OCS and the controller
    Time GetControlLatency() const;
    /// @return one-way latency between a GPU and its host
    Time GetHostLatency() const;
    /// @return iterations to run
    uint32_t GetIterations() const;
    /// @return the file for the summary, or an empty string
    const std::string& GetJsonFile() const;
    /// @return the prefix of packet captures, or an empty string
    const std::string& GetPcapPrefix() const;
    /// @return true if nothing but errors shall be printed
    bool IsQuiet() const;

  private:
    /// A flag that counts something: the text as given, and the number that Check makes of it.
    struct Count
    {
        Count(uint32_t initial)
            : text(std::to_string(initial)),
              value(initial)
        {
        }

        std::string text;
        uint32_t value;
    };

    /// @return an error if a flag that counts something is no number
    std::string CheckCounts();
    /// @return an error if the flags for fabric and OCS are wrong; sets the rates and times
    std::string CheckFabric();
    /// @return an error if model, GPU and parallelism do not fit; sets the workload
    std::string CheckWorkload();
    /// @return an error if the NICs have too few ports for the circuits of a group
    std::string CheckCircuits() const;
    /// @return the reconfiguration delay in force
    std::string GetReconfigurationDelay() const;
    /// @return an error if the output files cannot be written
    std::string CheckFiles() const;

    // flags
    std::string m_model{"llama3-8b"};
    Count m_tp{4};
    Count m_fsdp{2};
    Count m_pp{2};
    Count m_microBatchSize{4};
    Count m_microBatches{2};
    Count m_seqLen{8192};
    Count m_iterations{3};
    std::string m_gpu{"a100"};
    std::string m_computeEfficiency{"0.28"};
    Count m_gpusPerDomain{4};
    std::string m_fabric{"photonic"};
    std::string m_ocs{"polatis"};
    std::string m_reconfigDelay;
    bool m_provisioning{true};
    Count m_nicPorts{2};
    std::string m_portRate{"100Gbps"};
    std::string m_controlLatency{"10us"};
    std::string m_hostLatency{"1us"};
    std::string m_hopLatency{"500ns"};
    std::string m_fibreDelay{"100ns"};
    std::string m_json;
    std::string m_pcap;
    Count m_pcapSnapLength{65535};
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

#endif // PHOTONIC_RAILS_TRAINING_SETTINGS_H
