// SPDX-License-Identifier: GPL-2.0-only

#include "expert-routing.h"

namespace ns3
{

ExpertRouting::ExpertRouting(uint32_t experts,
                             uint32_t topK,
                             uint32_t ranks,
                             uint64_t tokens,
                             const ExpertPopularity& popularity)
    : m_experts(experts),
      m_topK(topK),
      m_ranks(ranks),
      m_tokens(tokens),
      m_popularity(popularity)
{
}

bool
ExpertRouting::IsUniform() const
{
    return m_popularity.kind == ExpertPopularity::UNIFORM;
}

uint64_t
ExpertRouting::GetRows(uint32_t, uint32_t, uint32_t) const
{
    return m_tokens * m_topK / m_ranks;
}

uint64_t
ExpertRouting::GetReceived(uint32_t layer, uint32_t to) const
{
    uint64_t sum = 0;
    for (uint32_t from = 0; from < m_ranks; ++from)
    {
        sum += GetRows(layer, from, to);
    }
    return sum;
}

Ptr<const AllToAllSizes>
ExpertRouting::GetSizes(uint32_t, uint64_t, bool) const
{
    return nullptr;
}

} // namespace ns3
