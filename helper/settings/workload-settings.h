// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WORKLOAD_SETTINGS_H
#define PHOTONIC_RAILS_WORKLOAD_SETTINGS_H

#include "rule-settings.h"

#include "ns3/flag.h"
#include "ns3/workload-spec.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief What is trained, how it is spread, by which framework, and on which GPU, as flags give it.
 *
 * The defaults are the recorded job of the Opus papers: Llama 3 8B with TorchTitan. Its
 * computeEfficiency is chosen so that an iteration on electrical rails takes the 10.2 s that were
 * measured; nothing else is fitted.
 */
class WorkloadSettings
{
  public:
    WorkloadSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out the job.
     * @param gpusPerDomain GPUs of a scale-up domain
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint32_t gpusPerDomain);

    /// @return the job, after Check
    const WorkloadSpec& Get() const;

    /// @return name of the GPU
    const std::string& GetGpu() const;

    /// @return flags and values that matter for the result, after Check
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /// @return flags that were not given and what holds instead, after Check
    std::vector<std::pair<std::string, std::string>> GetDerived() const;

    /// @return model, GPUs and degrees in a line, after Check
    std::string Describe() const;

  private:
    /// @return an error if a flag cannot be read
    std::string CheckFlags();
    /// @return an error if there is no such model; sets it
    std::string CheckModel();
    /// @return an error if experts cannot be that popular; sets it
    std::string CheckPopularity();
    /// @return degree of tensor parallelism inside an expert: what was given, or the framework's
    uint32_t GetExpertTp() const;
    /// @return every flag that counts something
    std::vector<CountFlag*> GetCounts();

    Flag m_model{"model", "llama3-8b"};
    CountFlag m_tp{"tp", 4};
    CountFlag m_cp{"cp", 1};
    CountFlag m_fsdp{"fsdp", 2};
    CountFlag m_dp{"dp", 1};
    CountFlag m_pp{"pp", 2};
    CountFlag m_ep{"ep", 1};
    CountFlag m_expertTp{CountFlag::Optional("expertTp", 0)};
    CountFlag m_virtualStages{"virtualStages", 1};
    ChoiceFlag m_schedule;
    Flag m_meshOrder;
    CountFlag m_microBatchSize{"microBatchSize", 4};
    CountFlag m_microBatches{"microBatches", 2};
    CountFlag m_seqLen{"seqLen", 8192};
    RuleSettings m_rules;
    ChoiceFlag m_gpu;
    NumberFlag m_computeEfficiency;
    NumberFlag m_groupedMatmulEfficiency;
    NumberFlag m_attentionEfficiency;
    NumberFlag m_memoryEfficiency;
    Flag m_popularity{"popularity", "uniform"};
    CountFlag m_popularitySeed{"popularitySeed", 1};

    bool m_isOwnModel{false}; //!< the model is none of those with a name
    WorkloadSpec m_workload;  //!< what Check has made of the flags
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WORKLOAD_SETTINGS_H
