// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

namespace ns3
{

AllToAllBlocks::AllToAllBlocks(const CollectivePart& part)
    : m_size(part.shape.size),
      m_bytes(part.call.bytes),
      m_sizes(part.call.sizes)
{
    NS_ASSERT_MSG(part.call.kind == CollectiveKind::ALL_TO_ALL,
                  ToString(part.call.kind) << " is no AllToAll");
    NS_ABORT_MSG_IF(m_sizes && m_sizes->GetRanks() != m_size,
                    "an AllToAll of " << m_size << " ranks with sizes for " << m_sizes->GetRanks());
}

uint64_t
AllToAllBlocks::Get(uint32_t from, uint32_t to) const
{
    return m_sizes ? m_sizes->GetBytes(from, to) : SplitEvenly({0, m_bytes}, m_size, to).bytes;
}

uint64_t
AllToAllBlocks::GetSum(uint32_t from, uint32_t first, uint32_t count) const
{
    NS_ASSERT(first < m_size && count <= m_size);
    if (m_sizes)
    {
        return m_sizes->GetSum(from, first, count);
    }
    const auto begin = [this](uint32_t to) {
        return to == m_size ? m_bytes : SplitEvenly({0, m_bytes}, m_size, to).offset;
    };
    const uint32_t end = first + count;
    return end <= m_size ? begin(end) - begin(first) : m_bytes - begin(first) + begin(end - m_size);
}

std::vector<uint64_t>
AllToAllBlocks::GetInputOffsets(uint32_t from) const
{
    std::vector<uint64_t> offsets{0};
    for (uint32_t to = 0; to < m_size; ++to)
    {
        offsets.push_back(offsets.back() + Get(from, to));
    }
    return offsets;
}

std::vector<uint64_t>
AllToAllBlocks::GetOutputOffsets(uint32_t to) const
{
    std::vector<uint64_t> offsets{0};
    for (uint32_t from = 0; from < m_size; ++from)
    {
        offsets.push_back(offsets.back() + Get(from, to));
    }
    return offsets;
}

} // namespace ns3
