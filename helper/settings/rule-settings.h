// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RULE_SETTINGS_H
#define PHOTONIC_RAILS_RULE_SETTINGS_H

#include "ns3/flag.h"
#include "ns3/framework-rules.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The rules of a framework, as flags give them: a preset, and a flag for each rule.
 *
 * A rule whose flag is not given is what the framework says. With no framework given either, they
 * are those of the recorded job of the Opus papers: torchtitan-0.1.0 that always reshards and
 * recomputes fully. Naming a framework, that one included, leaves both to it.
 */
class RuleSettings
{
  public:
    RuleSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out the rules.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return the rules, after Check
    const FrameworkRules& Get() const;

    /// @return flags and what was given; an empty text if nothing was
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /// @return the rules that hold because none was given, after Check
    std::vector<std::pair<std::string, std::string>> GetDerived() const;

  private:
    /// @return every flag
    std::vector<const Flag*> GetFlags() const;
    /// @return flags and the rules that hold, given or not
    std::vector<std::pair<std::string, std::string>> GetHolding() const;
    /// @return every flag but those of numbers
    std::vector<ChoiceFlag*> GetChoices();

    ChoiceFlag m_framework;
    ChoiceFlag m_dataParallelism;
    ChoiceFlag m_reshard;
    CountFlag m_prefetch{CountFlag::Optional("prefetch", 0)};
    ChoiceFlag m_gradients;
    ChoiceFlag m_overlapsReduction;
    ChoiceFlag m_accumulatesGradients;
    CountFlag m_bucketParameters{CountFlag::Optional("bucketParameters", 1)};
    CountFlag m_bucketParametersPerRank{CountFlag::Optional("bucketParametersPerRank", 0)};
    ChoiceFlag m_recomputation;
    ChoiceFlag m_tensorParallelism;
    CountFlag m_vocabularyMultiple{CountFlag::Optional("vocabularyMultiple", 0)};
    ChoiceFlag m_sequenceParallel;
    ChoiceFlag m_lossParallel;
    ChoiceFlag m_context;
    ChoiceFlag m_repeatsKeys;
    ChoiceFlag m_split;
    ChoiceFlag m_norms;
    ChoiceFlag m_statistics;
    ChoiceFlag m_balancesExperts;

    FrameworkRules m_rules; //!< what Check has made of the flags
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RULE_SETTINGS_H
