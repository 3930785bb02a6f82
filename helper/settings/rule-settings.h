// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RULE_SETTINGS_H
#define PHOTONIC_RAILS_RULE_SETTINGS_H

#include "ns3/framework.h"
#include "ns3/option-group.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The rules of a framework: a preset, and an option for each rule.
 *
 * A rule whose flag is not given is what the framework says. With no framework given either, they
 * are those of the recorded job of the Opus papers: torchtitan-0.1.0 that always reshards and
 * recomputes fully. Naming a framework, that one included, leaves both to it.
 */
class RuleSettings : public OptionGroup
{
  public:
    using OptionGroup::OptionGroup;

    /// Work out the rules, when each option has been checked.
    void Finish();

    /// @return the rules, after Finish
    const FrameworkRules& Get() const
    {
        return m_rules;
    }

  private:
    /// A rule that has names.
    template <typename Rule>
    struct Choice : ChoiceOption
    {
        /**
         * @param group that has this option as a member
         * @param name of the flag
         * @param rule that the option changes
         * @param help what it is
         */
        Choice(RuleSettings* group,
               const std::string& name,
               Rule FrameworkRules::*rule,
               const std::string& help)
            : ChoiceOption(group, name, "", GetRuleNames<Rule>(), help + ": {}")
        {
            group->m_changes.push_back([this, rule](FrameworkRules& rules) {
                rules.*rule = ParseRule<Rule>(GetText()).value_or(rules.*rule);
                SetDerived(ToString(rules.*rule));
            });
        }
    };

    /// A rule that holds or not.
    struct Truth : ChoiceOption
    {
        /**
         * @param group that has this option as a member
         * @param name of the flag
         * @param rule that the option changes
         * @param help what it is
         */
        Truth(RuleSettings* group,
              const std::string& name,
              bool FrameworkRules::*rule,
              const std::string& help)
            : ChoiceOption(group, name, "", {"true", "false"}, help + ": {}")
        {
            group->m_changes.push_back([this, rule](FrameworkRules& rules) {
                rules.*rule = IsSet() ? GetText() == "true" : rules.*rule;
                SetDerived(rules.*rule ? "true" : "false");
            });
        }
    };

    /// A rule that is a number.
    struct Number : CountOption
    {
        /**
         * @param group that has this option as a member
         * @param name of the flag
         * @param rule that the option changes
         * @param least smallest number allowed
         * @param help what it is
         */
        template <typename Rule>
        Number(RuleSettings* group,
               const std::string& name,
               Rule FrameworkRules::*rule,
               uint32_t least,
               const std::string& help)
            : CountOption(group, name, "", {least}, help)
        {
            group->m_changes.push_back([this, rule](FrameworkRules& rules) {
                rules.*rule = IsSet() ? Get() : rules.*rule;
                SetDerived(std::to_string(rules.*rule));
            });
        }
    };

    std::vector<std::function<void(FrameworkRules&)>> m_changes; //!< by the options, in order
    FrameworkRules m_rules;

    using F = FrameworkRules;
    OptionHeading m_heading{this, "framework"};
    ChoiceOption m_framework{this,
                             "framework",
                             "",
                             Variant<Framework>::GetNames(),
                             "framework whose rules hold: {}; if not given, torchtitan-0.1.0 with "
                             "--reshard=always and --recomputation=full. A rule that is not given "
                             "is the framework's"};
    Choice<DataParallelism> m_dataParallelism{this,
                                              "dataParallelism",
                                              &F::dataParallelism,
                                              "what replicas share"};
    Choice<ReshardPolicy> m_reshard{this,
                                    "reshard",
                                    &F::reshard,
                                    "FSDP units that give up parameters after a forward"};
    Number m_prefetch{this, "prefetch", &F::prefetch, 0, "FSDP units gathered ahead"};
    Choice<Precision> m_gradients{this,
                                  "gradients",
                                  &F::gradients,
                                  "number format in which gradients are reduced"};
    Truth m_overlapsReduction{this,
                              "overlapsReduction",
                              &F::overlapsReduction,
                              "buckets of gradients are reduced beside the last backward"};
    Truth m_accumulatesGradients{this,
                                 "accumulatesGradients",
                                 &F::accumulatesGradients,
                                 "DDP reduces after the last micro-batch instead of each"};
    Number m_bucketParameters{this,
                              "bucketParameters",
                              &F::bucketParameters,
                              1,
                              "parameters of a bucket of gradients, without FSDP"};
    Number m_bucketParametersPerRank{this,
                                     "bucketParametersPerRank",
                                     &F::bucketParametersPerRank,
                                     0,
                                     "and at least so many for each data rank"};
    Choice<Recomputation> m_recomputation{this,
                                          "recomputation",
                                          &F::recomputation,
                                          "activations that are computed again"};
    Choice<TensorParallelStyle> m_tensorParallelism{
        this,
        "tensorParallelism",
        &F::tensorParallelism,
        "who decides what tensor parallelism communicates"};
    Number m_vocabularyMultiple{this,
                                "vocabularyMultiple",
                                &F::vocabularyMultiple,
                                0,
                                "the vocabulary is padded to a multiple of this x tp; 0: not"};
    Truth m_sequenceParallel{this,
                             "sequenceParallel",
                             &F::sequenceParallel,
                             "TP ranks share tokens between operators"};
    Truth m_lossParallel{this,
                         "lossParallel",
                         &F::lossParallel,
                         "TP ranks share the vocabulary in the loss"};
    Choice<ContextExchange> m_context{this,
                                      "context",
                                      &F::context,
                                      "how CP ranks see each other's keys and values"};
    Truth m_repeatsKeys{this,
                        "repeatsKeys",
                        &F::repeatsKeys,
                        "CP exchanges keys and values of every query head"};
    Choice<StageSplit> m_split{this, "split", &F::split, "how layers are dealt out to stages"};
    Choice<NormReduction> m_norms{this, "norms", &F::norms, "how the norm of gradients is reduced"};
    Choice<StepStatistics> m_statistics{this,
                                        "statistics",
                                        &F::statistics,
                                        "scalars that are reduced in every step"};
    Truth m_balancesExperts{this,
                            "balancesExperts",
                            &F::balancesExperts,
                            "tokens of each expert are reduced for its routing bias"};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RULE_SETTINGS_H
