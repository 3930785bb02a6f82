// SPDX-License-Identifier: GPL-2.0-only

#include "collective-call.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace ns3
{

std::string
ToString(CollectiveKind kind)
{
    static constexpr std::array<const char*, 8> NAMES{"AllGather",
                                                      "ReduceScatter",
                                                      "AllReduce",
                                                      "AllToAll",
                                                      "Broadcast",
                                                      "Reduce",
                                                      "Send",
                                                      "Recv"};
    return NAMES.at(static_cast<std::size_t>(kind));
}

std::optional<GroupShape>
GroupShape::FromDomains(const std::vector<uint32_t>& domains)
{
    const std::size_t count = std::set<uint32_t>(domains.begin(), domains.end()).size();
    if (count == 0 || domains.size() % count != 0)
    {
        return std::nullopt;
    }
    const std::size_t perDomain = domains.size() / count;
    for (std::size_t i = 0; i < domains.size(); ++i)
    {
        if (domains[i] != domains[i / perDomain * perDomain])
        {
            return std::nullopt;
        }
    }
    return GroupShape{static_cast<uint32_t>(domains.size()), static_cast<uint32_t>(perDomain)};
}

bool
GroupShape::IsAligned(const std::vector<uint32_t>& domains, const std::vector<uint32_t>& rails)
{
    const auto shape = FromDomains(domains);
    for (std::size_t i = 0; shape && i < rails.size(); ++i)
    {
        if (rails[i] != rails[i % shape->perDomain])
        {
            return false;
        }
    }
    return shape.has_value();
}

uint64_t
GetTensorBytes(CollectiveKind kind, uint32_t size, uint64_t bytes)
{
    return kind == CollectiveKind::ALL_GATHER ? size * bytes : bytes;
}

uint64_t
GetInputBytes(CollectiveKind kind, uint32_t size, uint64_t tensorBytes)
{
    NS_ASSERT_MSG(size > 0, "a group without ranks");
    return kind == CollectiveKind::ALL_GATHER ? tensorBytes / size : tensorBytes;
}

double
RankContext::GetTensor() const
{
    return static_cast<double>(GetTensorBytes(call.kind, shape.size, call.bytes));
}

double
GetAlgorithmBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration)
{
    return static_cast<double>(GetTensorBytes(kind, size, bytes)) / duration.GetSeconds();
}

double
GetBusBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration)
{
    const double share = static_cast<double>(size - 1) / size;
    const bool isToAll = kind == CollectiveKind::ALL_GATHER ||
                         kind == CollectiveKind::REDUCE_SCATTER ||
                         kind == CollectiveKind::ALL_TO_ALL;
    const double factor = kind == CollectiveKind::ALL_REDUCE ? 2 * share : isToAll ? share : 1;
    return factor * GetAlgorithmBandwidth(kind, size, bytes, duration);
}

} // namespace ns3
