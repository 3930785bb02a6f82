// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RULE_NAMES_H
#define PHOTONIC_RAILS_RULE_NAMES_H

#include "framework-rules.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The names of the values of a rule in flags, job files and tables.
 *
 * | rule                | names                              |
 * |---------------------|------------------------------------|
 * | DataParallelism     | fsdp, ddp, distributed-optimizer   |
 * | ReshardPolicy       | default, always, never             |
 * | Recomputation       | none, selective, full              |
 * | Precision           | bf16, fp32                         |
 * | TensorParallelStyle | dtensor, megatron                  |
 * | ContextExchange     | all-gather, ring                   |
 * | StageSplit          | even, weighted                     |
 * | NormReduction       | per-tensor, scalar                 |
 * | StepStatistics      | none, loss, loss-tokens, valid-tokens |
 *
 * The template has no other instances.
 * @tparam Rule an enumeration of framework-rules.h
 * @return the names, in the order of the enumeration
 */
template <typename Rule>
const std::vector<std::string>& GetRuleNames();

/// @return the names of DataParallelism
template <>
const std::vector<std::string>& GetRuleNames<DataParallelism>();
/// @return the names of ReshardPolicy
template <>
const std::vector<std::string>& GetRuleNames<ReshardPolicy>();
/// @return the names of Recomputation
template <>
const std::vector<std::string>& GetRuleNames<Recomputation>();
/// @return the names of Precision
template <>
const std::vector<std::string>& GetRuleNames<Precision>();
/// @return the names of TensorParallelStyle
template <>
const std::vector<std::string>& GetRuleNames<TensorParallelStyle>();
/// @return the names of ContextExchange
template <>
const std::vector<std::string>& GetRuleNames<ContextExchange>();
/// @return the names of StageSplit
template <>
const std::vector<std::string>& GetRuleNames<StageSplit>();
/// @return the names of NormReduction
template <>
const std::vector<std::string>& GetRuleNames<NormReduction>();
/// @return the names of StepStatistics
template <>
const std::vector<std::string>& GetRuleNames<StepStatistics>();

/**
 * @tparam Rule an enumeration of framework-rules.h
 * @param name a name
 * @return the value with this name, or nothing for an unknown name
 */
template <typename Rule>
std::optional<Rule>
ParseRule(const std::string& name)
{
    const auto& names = GetRuleNames<Rule>();
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (names[i] == name)
        {
            return static_cast<Rule>(i);
        }
    }
    return std::nullopt;
}

/// @return the name of a value
std::string ToString(DataParallelism value);
/// @return the name of a value
std::string ToString(ReshardPolicy value);
/// @return the name of a value
std::string ToString(Recomputation value);
/// @return the name of a value
std::string ToString(Precision value);
/// @return the name of a value
std::string ToString(TensorParallelStyle value);
/// @return the name of a value
std::string ToString(ContextExchange value);
/// @return the name of a value
std::string ToString(StageSplit value);
/// @return the name of a value
std::string ToString(NormReduction value);
/// @return the name of a value
std::string ToString(StepStatistics value);

} // namespace ns3

#endif // PHOTONIC_RAILS_RULE_NAMES_H
