// SPDX-License-Identifier: GPL-2.0-only

#include "rule-settings.h"

#include "ns3/framework.h"
#include "ns3/rule-names.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The framework of the recorded job.
constexpr const char* RECORDED = "torchtitan-0.1.0";

const std::vector<std::string> TRUTH{"true", "false"};

/// Let a flag change a rule if it was given.
template <typename Rule>
void
Apply(const ChoiceFlag& flag, Rule& rule)
{
    rule = ParseRule<Rule>(flag.GetText()).value_or(rule);
}

/// The same for a rule that holds or not.
void
Apply(const ChoiceFlag& flag, bool& rule)
{
    rule = flag.GetText().empty() ? rule : flag.GetText() == "true";
}

/// The same for a rule that is a number.
template <typename Number>
void
Apply(const CountFlag& flag, Number& rule)
{
    rule = flag.IsGiven() ? flag.Get() : rule;
}

std::string
RuleToText(bool rule)
{
    return rule ? "true" : "false";
}

} // namespace

RuleSettings::RuleSettings()
    : m_framework("framework", "", Variant<Framework>::GetNames()),
      m_dataParallelism("dataParallelism", "", GetRuleNames<DataParallelism>()),
      m_reshard("reshard", "", GetRuleNames<ReshardPolicy>()),
      m_gradients("gradients", "", GetRuleNames<Precision>()),
      m_overlapsReduction("overlapsReduction", "", TRUTH),
      m_accumulatesGradients("accumulatesGradients", "", TRUTH),
      m_recomputation("recomputation", "", GetRuleNames<Recomputation>()),
      m_tensorParallelism("tensorParallelism", "", GetRuleNames<TensorParallelStyle>()),
      m_sequenceParallel("sequenceParallel", "", TRUTH),
      m_lossParallel("lossParallel", "", TRUTH),
      m_context("context", "", GetRuleNames<ContextExchange>()),
      m_repeatsKeys("repeatsKeys", "", TRUTH),
      m_split("split", "", GetRuleNames<StageSplit>()),
      m_norms("norms", "", GetRuleNames<NormReduction>()),
      m_statistics("statistics", "", GetRuleNames<StepStatistics>()),
      m_balancesExperts("balancesExperts", "", TRUTH)
{
}

void
RuleSettings::AddFlags(CommandLine& cmd)
{
    const auto add = [&cmd](ChoiceFlag& flag, const std::string& help) {
        flag.AddTo(cmd, help + ": " + flag.GetChoices());
    };
    m_framework.AddTo(cmd,
                      "framework whose rules hold: " + m_framework.GetChoices() +
                          "; if not given, torchtitan-0.1.0 with --reshard=always and "
                          "--recomputation=full. A rule that is not given is the framework's");
    add(m_dataParallelism, "what replicas share");
    add(m_reshard, "FSDP units that give up parameters after a forward");
    m_prefetch.AddTo(cmd, "FSDP units gathered ahead");
    add(m_gradients, "number format in which gradients are reduced");
    add(m_overlapsReduction, "buckets of gradients are reduced beside the last backward");
    add(m_accumulatesGradients, "DDP reduces after the last micro-batch instead of each");
    m_bucketParameters.AddTo(cmd, "parameters of a bucket of gradients, without FSDP");
    m_bucketParametersPerRank.AddTo(cmd, "and at least so many for each data rank");
    add(m_recomputation, "activations that are computed again");
    add(m_tensorParallelism, "who decides what tensor parallelism communicates");
    m_vocabularyMultiple.AddTo(cmd, "the vocabulary is padded to a multiple of this x tp; 0: not");
    add(m_sequenceParallel, "TP ranks share tokens between operators");
    add(m_lossParallel, "TP ranks share the vocabulary in the loss");
    add(m_context, "how CP ranks see each other's keys and values");
    add(m_repeatsKeys, "CP exchanges keys and values of every query head");
    add(m_split, "how layers are dealt out to stages");
    add(m_norms, "how the norm of gradients is reduced");
    add(m_statistics, "scalars that are reduced in every step");
    add(m_balancesExperts, "tokens of each expert are reduced for its routing bias");
}

std::vector<const Flag*>
RuleSettings::GetFlags() const
{
    return {&m_framework,
            &m_dataParallelism,
            &m_reshard,
            &m_prefetch,
            &m_gradients,
            &m_overlapsReduction,
            &m_accumulatesGradients,
            &m_bucketParameters,
            &m_bucketParametersPerRank,
            &m_recomputation,
            &m_tensorParallelism,
            &m_vocabularyMultiple,
            &m_sequenceParallel,
            &m_lossParallel,
            &m_context,
            &m_repeatsKeys,
            &m_split,
            &m_norms,
            &m_statistics,
            &m_balancesExperts};
}

std::vector<ChoiceFlag*>
RuleSettings::GetChoices()
{
    return {&m_framework,
            &m_dataParallelism,
            &m_reshard,
            &m_gradients,
            &m_overlapsReduction,
            &m_accumulatesGradients,
            &m_recomputation,
            &m_tensorParallelism,
            &m_sequenceParallel,
            &m_lossParallel,
            &m_context,
            &m_repeatsKeys,
            &m_split,
            &m_norms,
            &m_statistics,
            &m_balancesExperts};
}

std::string
RuleSettings::Check()
{
    for (const auto* choice : GetChoices())
    {
        if (auto error = choice->Check(); !error.empty())
        {
            return error;
        }
    }
    for (auto* count :
         {&m_prefetch, &m_bucketParameters, &m_bucketParametersPerRank, &m_vocabularyMultiple})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    const std::string& framework = m_framework.GetText();
    m_rules = Variant<Framework>(framework.empty() ? RECORDED : framework)->MakeRules();
    if (framework.empty())
    {
        const auto replicas = ParseRule<DataParallelism>(m_dataParallelism.GetText());
        const bool isSharded = replicas.value_or(DataParallelism::FSDP) == DataParallelism::FSDP;
        m_rules.reshard = isSharded ? ReshardPolicy::ALWAYS : ReshardPolicy::DEFAULT;
        m_rules.recomputation = Recomputation::FULL;
    }
    Apply(m_dataParallelism, m_rules.dataParallelism);
    Apply(m_reshard, m_rules.reshard);
    Apply(m_prefetch, m_rules.prefetch);
    Apply(m_gradients, m_rules.gradients);
    Apply(m_overlapsReduction, m_rules.overlapsReduction);
    Apply(m_accumulatesGradients, m_rules.accumulatesGradients);
    Apply(m_bucketParameters, m_rules.bucketParameters);
    Apply(m_bucketParametersPerRank, m_rules.bucketParametersPerRank);
    Apply(m_recomputation, m_rules.recomputation);
    Apply(m_tensorParallelism, m_rules.tensorParallelism);
    Apply(m_vocabularyMultiple, m_rules.vocabularyMultiple);
    Apply(m_sequenceParallel, m_rules.sequenceParallel);
    Apply(m_lossParallel, m_rules.lossParallel);
    Apply(m_context, m_rules.context);
    Apply(m_repeatsKeys, m_rules.repeatsKeys);
    Apply(m_split, m_rules.split);
    Apply(m_norms, m_rules.norms);
    Apply(m_statistics, m_rules.statistics);
    Apply(m_balancesExperts, m_rules.balancesExperts);
    return "";
}

const FrameworkRules&
RuleSettings::Get() const
{
    return m_rules;
}

std::vector<std::pair<std::string, std::string>>
RuleSettings::GetHolding() const
{
    const std::string& framework = m_framework.GetText();
    return {{m_framework.GetName(), framework.empty() ? RECORDED : framework},
            {m_dataParallelism.GetName(), ToString(m_rules.dataParallelism)},
            {m_reshard.GetName(), ToString(m_rules.reshard)},
            {m_prefetch.GetName(), std::to_string(m_rules.prefetch)},
            {m_gradients.GetName(), ToString(m_rules.gradients)},
            {m_overlapsReduction.GetName(), RuleToText(m_rules.overlapsReduction)},
            {m_accumulatesGradients.GetName(), RuleToText(m_rules.accumulatesGradients)},
            {m_bucketParameters.GetName(), std::to_string(m_rules.bucketParameters)},
            {m_bucketParametersPerRank.GetName(), std::to_string(m_rules.bucketParametersPerRank)},
            {m_recomputation.GetName(), ToString(m_rules.recomputation)},
            {m_tensorParallelism.GetName(), ToString(m_rules.tensorParallelism)},
            {m_vocabularyMultiple.GetName(), std::to_string(m_rules.vocabularyMultiple)},
            {m_sequenceParallel.GetName(), RuleToText(m_rules.sequenceParallel)},
            {m_lossParallel.GetName(), RuleToText(m_rules.lossParallel)},
            {m_context.GetName(), ToString(m_rules.context)},
            {m_repeatsKeys.GetName(), RuleToText(m_rules.repeatsKeys)},
            {m_split.GetName(), ToString(m_rules.split)},
            {m_norms.GetName(), ToString(m_rules.norms)},
            {m_statistics.GetName(), ToString(m_rules.statistics)},
            {m_balancesExperts.GetName(), RuleToText(m_rules.balancesExperts)}};
}

std::vector<std::pair<std::string, std::string>>
RuleSettings::GetList() const
{
    std::vector<std::pair<std::string, std::string>> list;
    for (const auto* flag : GetFlags())
    {
        list.emplace_back(flag->GetName(), flag->GetText());
    }
    return list;
}

std::vector<std::pair<std::string, std::string>>
RuleSettings::GetDerived() const
{
    std::vector<std::pair<std::string, std::string>> derived = GetHolding();
    const auto isGiven = [this](const std::pair<std::string, std::string>& rule) {
        const auto flags = GetFlags();
        return std::any_of(flags.begin(), flags.end(), [&rule](const Flag* flag) {
            return flag->GetName() == rule.first && !flag->GetText().empty();
        });
    };
    derived.erase(std::remove_if(derived.begin(), derived.end(), isGiven), derived.end());
    return derived;
}

} // namespace ns3
