// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-sizes.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <utility>

namespace ns3
{

AllToAllSizes::AllToAllSizes(uint32_t ranks, std::vector<uint64_t> bytes)
    : m_ranks(ranks),
      m_bytes(std::move(bytes))
{
    NS_ABORT_MSG_IF(m_bytes.size() != uint64_t{ranks} * ranks,
                    "an AllToAll of " << ranks << " ranks has " << uint64_t{ranks} * ranks
                                      << " sizes, not " << m_bytes.size());
}

uint32_t
AllToAllSizes::GetRanks() const
{
    return m_ranks;
}

uint64_t
AllToAllSizes::GetBytes(uint32_t from, uint32_t to) const
{
    NS_ASSERT(from < m_ranks && to < m_ranks);
    return m_bytes[uint64_t{from} * m_ranks + to];
}

} // namespace ns3
