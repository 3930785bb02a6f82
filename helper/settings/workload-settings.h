// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WORKLOAD_SETTINGS_H
#define PHOTONIC_RAILS_WORKLOAD_SETTINGS_H

#include "ns3/collective-algorithm.h"
#include "ns3/expert-routing.h"
#include "ns3/flag-parser.h"
#include "ns3/framework.h"
#include "ns3/gpu-server.h"
#include "ns3/job-ranks.h"
#include "ns3/option-group.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/transformer-spec.h"
#include "ns3/variant.h"
#include "ns3/workload-spec.h"

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Reads the algorithms of a job's collectives: KIND=NAME,KIND=NAME such as
 * "AllReduce=tree,AllGather=direct".
 *
 * A + may stand for the comma, for lists whose own values are separated by commas. Algorithms that
 * need a root are not allowed, because the calls of a job name none. For ValueOption.
 */
struct AlgorithmLimits
{
    using Value = CollectiveAlgorithms; //!< the choice

    /**
     * @param text the list
     * @param value gets the choice if the list is right
     * @return an empty string, or a description of the allowed lists
     */
    std::string Read(const std::string& text, CollectiveAlgorithms& value) const;
};

/**
 * @brief Reads how layers are dealt out to pipeline stages: the name of a rule, or the layers of
 * each stage, such as "8,8,8,7".
 *
 * A + may stand for the comma, as in AlgorithmLimits. For ValueOption.
 */
struct StageSplitLimits
{
    /// A rule, or layers of each stage.
    struct Value
    {
        std::optional<StageSplit> rule; //!< nothing: layers are given
        std::vector<uint32_t> layers;   //!< of each stage, in the order of the model
    };

    /**
     * @param text the name or the list
     * @param value gets the value if the text is right
     * @return an empty string, or a description of the allowed texts
     */
    std::string Read(const std::string& text, Value& value) const;
};

/**
 * @brief The rules of a framework: a preset, and an option for each rule.
 *
 * A rule whose flag is not given is that of the framework. With no framework given either, rules
 * are those of the recorded job of the Opus papers: torchtitan-0.1.0 that always reshards. A
 * framework that is named, this one included, has its own rule of resharding.
 *
 * Recomputation is the framework's unless the job needs more to fit into the memory of its GPUs
 * (RecomputationChoice); with no framework given, none unless it needs some. The recorded job has
 * full recomputation, for which its memory is no reason: its authors recorded it so. Its kernels
 * are fused, because its efficiency was fitted with that.
 */
class RuleSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit RuleSettings(OptionGroup* parent);

    /**
     * @brief Work out the rules but recomputation, when each option has been checked.
     * @param isRecorded the job has the recorded model and GPU
     */
    void Finish(bool isRecorded);

    /**
     * @brief Work out recomputation, after Finish.
     * @param job with these rules, which has passed validation
     */
    void ChooseRecomputation(const WorkloadSpec& job);

    /// @return the name of the framework, after Finish
    std::string GetFramework() const
    {
        return m_framework.GetInForce();
    }

    /// @return true if this is the recorded job, and no framework is named; after Finish
    bool IsRecorded() const
    {
        return m_isRecorded;
    }

    /// @return why recomputation is as it is, for people
    const std::string& GetReason() const
    {
        return m_reason;
    }

    /// @return the rules, after Finish
    const FrameworkRules& Get() const
    {
        return m_rules;
    }

  private:
    /**
     * @brief Add the option of a rule that has names.
     * @param name of the flag
     * @param rule that the option changes
     * @param help meaning of the rule
     * @return the option
     */
    template <typename Rule>
    Option* Add(const std::string& name, Rule FrameworkRules::*rule, const std::string& help);
    /// Add the option of a rule that holds or not. @param name of the flag @param rule that the
    /// option changes @param help meaning of the rule
    void Add(const std::string& name, bool FrameworkRules::*rule, const std::string& help);
    /// Add the option of a rule that is a number. @param name of the flag @param rule that the
    /// option changes @param least smallest number allowed @param help meaning of the rule
    template <typename Rule>
    void AddNumber(const std::string& name,
                   Rule FrameworkRules::*rule,
                   uint32_t least,
                   const std::string& help);

    /// Add the option that deals out layers to stages.
    void AddSplit();

    OptionHeading m_heading{this, "framework"};
    VariantOption<Framework> m_framework{
        this,
        "framework",
        "",
        "framework whose rules hold: {}; if not given, torchtitan-0.1.0 with "
        "--reshard=always. A rule that is not given is the framework's"};
    std::vector<std::unique_ptr<Option>> m_ofRules;              //!< in the order of help
    std::vector<std::function<void(FrameworkRules&)>> m_changes; //!< by these options, in order
    const Option* m_dataParallelism{nullptr};                    //!< one of these options
    Option* m_recomputation{nullptr};                            //!< one of these options
    FrameworkRules m_rules;
    bool m_isRecorded{false}; //!< the recorded job, without a framework
    std::string m_reason;     //!< for the recomputation
};

/**
 * @brief Read the popularity of experts.
 * @param text uniform, zipf or initial, also with :EXPONENT from 0 to 10, or the name of a file of
 * weights
 * @return the popularity, and an empty string or the allowed values
 */
std::pair<ExpertPopularity, std::string> ReadPopularity(const std::string& text);

/**
 * @brief Read weights of experts: numbers that are not negative, one at least above 0, between
 * blanks, ends of lines or commas. At most 1 MiB.
 * @param file the text
 * @return the popularity, and an empty string or the allowed values
 */
std::pair<ExpertPopularity, std::string> ReadPopularity(std::istream& file);

/**
 * @brief The model that is trained, its parallelism, the framework and the GPU.
 *
 * The defaults are the recorded job of the Opus papers: Llama 3 8B with TorchTitan. Its
 * computeEfficiency is chosen so that an iteration on electrical rails takes the 10.2 s that were
 * measured; nothing else is fitted. That of any other job is from published steps
 * (KernelEfficiency).
 */
class WorkloadSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit WorkloadSettings(OptionGroup* parent);

    /**
     * @brief Work out the job, when each option has been checked.
     * @param gpusPerDomain GPUs of a scale-up domain
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint32_t gpusPerDomain);

    /// @return true if the job is a set of execution traces, and not a model
    bool IsTrace() const
    {
        return m_trace.IsSet();
    }

    /// @return the condition that the job is a model, for options without effect otherwise
    OptionNeed NeedsModel() const;

    /**
     * @brief Make the ranks of the job, after Check. Parts of an AllToAll of a model are equal.
     * @param ranks gets them
     * @return an empty string, or one line with the file, the node and the reason
     */
    std::string PlanRanks(std::shared_ptr<const JobRanks>& ranks) const;

    /// @return the job, after Check; of traces only GPU, efficiency and algorithms
    const WorkloadSpec& Get() const
    {
        return m_workload;
    }

    /// @return name of the GPU
    const std::string& GetGpu() const
    {
        return m_gpu.GetText();
    }

    /// @return the chosen algorithms of collectives, as text; empty if none is chosen
    const std::string& GetAlgorithms() const
    {
        return m_algorithms.GetText();
    }

    /// @return name of the model or prefix of the traces
    std::string GetName() const;

    /**
     * @param worldSize number of ranks
     * @return model, GPUs and degrees in a line, after Check
     */
    std::string Describe(uint32_t worldSize) const;

    /// @return the recomputation of a model, why, and the memory that the job then needs; after
    /// Check
    std::string DescribeRecomputation() const;

    /// @return lines on properties of the job that a reader may not expect, after Check
    std::vector<std::string> GetRemarks() const;

    /// @return a line if messages of a table send nothing, or an empty string; after Check
    std::string GetTraceRemark() const;

  private:
    /// The efficiency that was fitted to the recorded job.
    static constexpr const char* RECORDED_EFFICIENCY = "0.293";
    /// Limits of an efficiency.
    static constexpr NumberLimits EFFICIENCY{0.001, 1};

    /// Work out the efficiencies.
    void FindEfficiency();
    /// @return a line if the efficiency in force is not one of published steps, or an empty string
    std::string GetEfficiencyRemark() const;
    /// @return a line if tensor parallelism leaves scale-up domains, or an empty string
    std::string GetTensorRemark() const;
    /// @return an error if there is no such model; sets it
    std::string CheckModel();
    /// @return an error if experts cannot be that popular; sets it
    std::string CheckPopularity();
    /// @return degree of tensor parallelism inside an expert: as given, or the framework's
    uint32_t GetExpertTp() const;

    OptionHeading m_job{this, "job"};
    TextOption m_model{
        this,
        "model",
        "llama3-8b",
        OptionHelp("model: a JSON file, or one of " + FlagParser::List(TransformerSpec::GetNames()))
            .First()
            .Reads({""}, ".json")};
    TextOption m_trace{this,
                       "trace",
                       "",
                       OptionHelp("run execution traces in Chakra's format instead of a model: "
                                  "prefix of the files PREFIX.RANK.et and PREFIX.json; or a "
                                  "FILE.csv, a table of operations that --operationsRank=all "
                                  "has written, or of messages with the columns time_s, source, "
                                  "destination and bytes")
                           .First()
                           .Reads({"", ".json", ".et", ".0.et"})};
    CountOption m_traceRanks{
        this,
        "traceRanks",
        0,
        {0, 65536},
        "ranks that all run the one trace of --trace, a file or its prefix; 0: "
        "each rank has a trace of its own"};
    OptionHeading m_parallel{this, "parallelism"};
    CountOption m_tp{this, "tp", 4, {}, OptionHelp("degree of tensor parallelism").First()};
    CountOption m_cp{this, "cp", 1, {}, "degree of context parallelism"};
    CountOption m_fsdp{
        this,
        "fsdp",
        2,
        {},
        OptionHelp("ranks with different data over which parameters are sharded").First()};
    CountOption m_replicate{
        this,
        "dpReplicate",
        1,
        {},
        OptionHelp("replicas of the parameters: of HSDP, DDP, a distributed optimizer")};
    CountOption m_pp{this, "pp", 2, {}, OptionHelp("pipeline ranks").First()};
    CountOption m_ep{this,
                     "ep",
                     1,
                     {},
                     "degree of expert parallelism; borrows ranks of fsdp, cp and tp"};
    CountOption m_expertTp{this,
                           "expertTp",
                           "",
                           {},
                           "degree of tensor parallelism inside an expert; if not given, 1 with "
                           "TorchTitan and ep above 1, else tp"};
    CountOption m_virtualStages{this, "virtualStages", 1, {}, "model chunks of a pipeline rank"};
    VariantOption<PipelineSchedule> m_schedule{this,
                                               "schedule",
                                               "1f1b",
                                               OptionHelp("pipeline schedule: {}").First()};
    TextOption m_meshOrder{this,
                           "meshOrder",
                           MeshOrder().ToString(),
                           "dimensions of the mesh, outermost first; dp are the replicas"};
    CountOption m_microBatchSize{this, "microBatchSize", 4, {}, "sequences in a micro-batch"};
    CountOption m_microBatches{this,
                               "microBatches",
                               2,
                               {},
                               "micro-batches of a rank in an iteration"};
    CountOption m_seqLen{this, "seqLen", 8192, {}, "tokens in a sequence"};
    ValueOption<AlgorithmLimits> m_algorithms{
        this,
        "algorithms",
        "",
        {},
        "algorithms of the collectives, KIND=NAME,KIND=NAME such as AllReduce=tree; if not given, "
        "rings, and direct for AllToAll where all ranks reach each other"};
    RuleSettings m_rules{this};
    OptionHeading m_compute{this, "compute"};
    ChoiceOption m_gpu{this,
                       "gpu",
                       "a100",
                       GpuSpec::GetNames(),
                       OptionHelp("GPU in its server, whose --gpusPerDomain and --nicPorts x "
                                  "--portRate hold unless given: " +
                                  GpuServer::List())
                           .First()};
    NumberOption m_computeEfficiency{this,
                                     "computeEfficiency",
                                     "",
                                     EFFICIENCY,
                                     "share of the GPU's peak FLOP/s while it computes; if not "
                                     "given, by --gpu, --framework and --precision from published "
                                     "steps, and 0.293 for the recorded job, to which it was "
                                     "fitted"};
    NumberOption m_groupedMatmulEfficiency{this,
                                           "groupedMatmulEfficiency",
                                           "",
                                           EFFICIENCY,
                                           "the same of experts; computeEfficiency if not given"};
    NumberOption m_attentionEfficiency{this,
                                       "attentionEfficiency",
                                       "",
                                       EFFICIENCY,
                                       "the same of attention; computeEfficiency if not given"};
    NumberOption m_memoryEfficiency{this,
                                    "memoryEfficiency",
                                    "0.8",
                                    EFFICIENCY,
                                    "share of the GPU's memory bandwidth while it is the limit"};
    TextOption m_popularity{this,
                            "popularity",
                            "uniform",
                            OptionHelp("how often tokens choose experts: uniform, zipf:EXPONENT, "
                                       "initial:EXPONENT (random weights, words by Zipf's law), or "
                                       "a file with a weight for each")
                                .Reads()};
    CountOption m_popularitySeed{this,
                                 "popularitySeed",
                                 1,
                                 {},
                                 "which experts are popular in which layer, with zipf and "
                                 "initial"};

    WorkloadSpec m_workload; //!< what Check has made of the options
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WORKLOAD_SETTINGS_H
