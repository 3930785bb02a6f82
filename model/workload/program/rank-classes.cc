// SPDX-License-Identifier: GPL-2.0-only

#include "rank-classes.h"

#include <limits>

namespace ns3
{

RankClasses::RankClasses(const WorkloadSpec& spec, const DeviceMesh& mesh)
    : m_mesh(mesh),
      m_byExperts(spec.parallelism.ep > 1 && spec.popularity.kind != ExpertPopularity::UNIFORM),
      m_ep(spec.parallelism.ep)
{
    constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
    m_representatives.assign(spec.parallelism.pp * (m_byExperts ? m_ep : 1), NONE);
    for (uint32_t rank = mesh.GetWorldSize(); rank-- > 0;)
    {
        m_representatives[GetClass(rank)] = rank;
    }
}

uint32_t
RankClasses::GetCount() const
{
    return static_cast<uint32_t>(m_representatives.size());
}

uint32_t
RankClasses::GetClass(uint32_t rank) const
{
    const uint32_t stage = m_mesh.GetCoordinate(rank).pp;
    return m_byExperts ? stage * m_ep + m_mesh.GetExpertCoordinate(rank).ep : stage;
}

uint32_t
RankClasses::GetRepresentative(uint32_t index) const
{
    return m_representatives[index];
}

} // namespace ns3
