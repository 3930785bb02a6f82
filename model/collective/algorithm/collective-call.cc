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

AllToAllSizes::AllToAllSizes(uint32_t ranks, std::vector<uint64_t> bytes)
    : m_ranks(ranks),
      m_hasPattern(false),
      m_pattern{0, 0},
      m_bytes(std::move(bytes))
{
    NS_ABORT_MSG_IF(m_bytes.size() != uint64_t{ranks} * ranks,
                    "an AllToAll of " << ranks << " ranks has " << uint64_t{ranks} * ranks
                                      << " sizes, not " << m_bytes.size());
}

AllToAllSizes::AllToAllSizes(std::vector<uint64_t> bytes, const Pattern& pattern)
    : m_ranks(static_cast<uint32_t>(bytes.size())),
      m_hasPattern(true),
      m_pattern(pattern),
      m_bytes(std::move(bytes))
{
    NS_ABORT_MSG_IF(pattern.from >= m_ranks || pattern.to >= m_ranks,
                    "steps of " << pattern.from << " and " << pattern.to << " among " << m_ranks
                                << " sizes");
    m_sums.reserve(m_bytes.size() + 1);
    m_sums.push_back(0);
    for (const uint64_t entry : m_bytes)
    {
        m_sums.push_back(m_sums.back() + entry);
    }
}

uint64_t
AllToAllSizes::GetIndex(uint32_t from, uint32_t to) const
{
    if (!m_hasPattern)
    {
        return uint64_t{from} * m_ranks + to;
    }
    if (m_pattern.from == 0 && m_pattern.to == 1) // a division fewer
    {
        return to;
    }
    return (uint64_t{from} * m_pattern.from + uint64_t{to} * m_pattern.to) % m_ranks;
}

uint64_t
AllToAllSizes::GetBytes(uint32_t from, uint32_t to) const
{
    NS_ASSERT(from < m_ranks && to < m_ranks);
    return m_bytes[GetIndex(from, to)];
}

uint64_t
AllToAllSizes::GetSum(uint32_t from, uint32_t first, uint32_t count) const
{
    NS_ASSERT(from < m_ranks && first < m_ranks && count <= m_ranks);
    if (m_hasPattern && m_pattern.to == 0)
    {
        return count * GetBytes(from, first);
    }
    if (m_hasPattern && m_pattern.to == 1) // neighbours in the list, round its end
    {
        const uint64_t begin = GetIndex(from, first);
        const uint64_t end = begin + count;
        return end <= m_ranks ? m_sums[end] - m_sums[begin]
                              : m_sums[m_ranks] - m_sums[begin] + m_sums[end - m_ranks];
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += GetBytes(from, (first + i) % m_ranks);
    }
    return sum;
}

uint64_t
AllToAllSizes::GetMost() const
{
    if (m_hasPattern)
    {
        return std::max(GetMost(m_pattern.from, m_pattern.to),
                        GetMost(m_pattern.to, m_pattern.from));
    }
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        uint64_t sent = 0;
        uint64_t received = 0;
        for (uint32_t peer = 0; peer < m_ranks; ++peer)
        {
            sent += peer == rank ? 0 : GetBytes(rank, peer);
            received += peer == rank ? 0 : GetBytes(peer, rank);
        }
        most = std::max({most, sent, received});
    }
    return most;
}

uint64_t
AllToAllSizes::GetMost(uint32_t own, uint32_t other) const
{
    // Steps over the peers come back to where they began after all entries that are a multiple of
    // `stride` away, and do so `stride` times.
    const uint32_t stride = std::gcd(other, m_ranks);
    std::vector<uint64_t> sums(stride, 0);
    for (uint32_t i = 0; i < m_ranks; ++i)
    {
        sums[i % stride] += m_bytes[i];
    }
    uint64_t most = 0;
    for (uint64_t rank = 0; rank < m_ranks; ++rank)
    {
        const uint64_t all = sums[rank * own % stride] * stride;
        most = std::max(most, all - m_bytes[rank * (uint64_t{own} + other) % m_ranks]);
    }
    return most;
}

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
