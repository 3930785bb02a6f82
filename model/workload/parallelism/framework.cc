// SPDX-License-Identifier: GPL-2.0-only

#include "framework.h"

#include "ns3/assert.h"

namespace ns3
{

namespace
{

using Names = std::vector<std::string>;

/// @return the name of a value
template <typename Rule>
std::string
GetRuleName(Rule value)
{
    const Names& names = GetRuleNames<Rule>();
    const auto index = static_cast<std::size_t>(value);
    NS_ASSERT(index < names.size());
    return names[index];
}

} // namespace

template <>
const Names&
GetRuleNames<DataParallelism>()
{
    static const Names NAMES{"fsdp", "ddp", "distributed-optimizer"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<ReshardPolicy>()
{
    static const Names NAMES{"default", "always", "never"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<Recomputation>()
{
    static const Names NAMES{"none", "selective", "full"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<Precision>()
{
    static const Names NAMES{"bf16", "fp32"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<TensorParallelStyle>()
{
    static const Names NAMES{"dtensor", "megatron"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<ContextExchange>()
{
    static const Names NAMES{"all-gather", "ring"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<StageSplit>()
{
    static const Names NAMES{"even", "weighted"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<NormReduction>()
{
    static const Names NAMES{"per-tensor", "scalar"};
    return NAMES;
}

template <>
const Names&
GetRuleNames<StepStatistics>()
{
    static const Names NAMES{"none", "loss", "loss-tokens", "valid-tokens"};
    return NAMES;
}

std::string
ToString(DataParallelism value)
{
    return GetRuleName(value);
}

std::string
ToString(ReshardPolicy value)
{
    return GetRuleName(value);
}

std::string
ToString(Recomputation value)
{
    return GetRuleName(value);
}

std::string
ToString(Precision value)
{
    return GetRuleName(value);
}

std::string
ToString(TensorParallelStyle value)
{
    return GetRuleName(value);
}

std::string
ToString(ContextExchange value)
{
    return GetRuleName(value);
}

std::string
ToString(StageSplit value)
{
    return GetRuleName(value);
}

std::string
ToString(NormReduction value)
{
    return GetRuleName(value);
}

std::string
ToString(StepStatistics value)
{
    return GetRuleName(value);
}

NS_OBJECT_ENSURE_REGISTERED(Framework);

TypeId
Framework::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Framework").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

} // namespace ns3
