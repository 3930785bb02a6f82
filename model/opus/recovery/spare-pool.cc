// SPDX-License-Identifier: GPL-2.0-only

#include "spare-pool.h"

#include <algorithm>

namespace ns3
{

std::string
ToString(SparePool::Policy policy)
{
    switch (policy)
    {
    case SparePool::IN_DOMAIN:
        return "spare";
    case SparePool::ON_RAIL:
        return "rail";
    case SparePool::MIGRATION:
        return "migration";
    }
    return "?";
}

SparePool::SparePool(Policy policy, const std::vector<Place>& places, uint32_t ranks)
    : m_policy(policy),
      m_places(places),
      m_works(places.size(), true),
      m_ranks(ranks)
{
}

bool
SparePool::Lose(uint32_t gpu)
{
    const bool isNew = gpu < m_works.size() && m_works[gpu];
    if (isNew)
    {
        m_works[gpu] = false;
    }
    return isNew;
}

bool
SparePool::IsWorking(uint32_t gpu) const
{
    return gpu < m_works.size() && m_works[gpu];
}

uint32_t
SparePool::GetSize() const
{
    return static_cast<uint32_t>(m_places.size());
}

uint32_t
SparePool::CountSpares(const Map& map) const
{
    uint32_t spares = 0;
    for (uint32_t gpu = m_ranks; gpu < GetSize(); ++gpu)
    {
        spares += m_works[gpu] && std::find(map.begin(), map.end(), gpu) == map.end() ? 1 : 0;
    }
    return spares;
}

std::optional<uint32_t>
SparePool::FindSpare(const Map& map, uint32_t rank) const
{
    const Place& own = m_places[rank]; // initial place of the rank, which a replacement must match
    for (uint32_t gpu = m_ranks; gpu < GetSize(); ++gpu)
    {
        const Place& place = m_places[gpu];
        const bool fits = m_policy == IN_DOMAIN ? place.domain == own.domain &&
                                                      (!place.rail || place.rail == own.rail)
                                                : place.rail == own.rail;
        if (m_works[gpu] && fits && std::find(map.begin(), map.end(), gpu) == map.end())
        {
            return gpu;
        }
    }
    return std::nullopt;
}

std::string
SparePool::Replace(Map& map) const
{
    if (m_policy == MIGRATION)
    {
        return Migrate(map);
    }
    Map replaced = map;
    for (uint32_t rank = 0; rank < map.size(); ++rank)
    {
        if (IsWorking(map[rank]))
        {
            continue;
        }
        const auto spare = FindSpare(replaced, rank);
        if (!spare)
        {
            const std::string where =
                m_policy == IN_DOMAIN
                    ? "in scale-up domain " + std::to_string(m_places[rank].domain)
                    : "on rail " + std::to_string(*m_places[rank].rail);
            return "GPU " + std::to_string(map[rank]) + " has left and no spare is left " + where +
                   " for rank " + std::to_string(rank);
        }
        replaced[rank] = *spare;
    }
    map = replaced;
    return "";
}

bool
SparePool::IsIdle(const Map& map, uint32_t firstDomain, uint32_t domains) const
{
    for (uint32_t gpu = 0; gpu < GetSize(); ++gpu)
    {
        const uint32_t domain = m_places[gpu].domain;
        const bool isUsed = std::find(map.begin(), map.end(), gpu) != map.end();
        if (domain >= firstDomain && domain < firstDomain + domains && (isUsed || !m_works[gpu]))
        {
            return false;
        }
    }
    return true;
}

std::string
SparePool::Migrate(Map& map) const
{
    const auto lost =
        std::find_if(map.begin(), map.end(), [this](uint32_t gpu) { return !IsWorking(gpu); });
    if (lost == map.end())
    {
        return "";
    }
    const uint32_t needed = m_places[map.size() - 1].domain + 1;
    uint32_t first = needed;
    while (first + needed <= m_places.back().domain + 1 && !IsIdle(map, first, needed))
    {
        first += needed;
    }
    if (first + needed > m_places.back().domain + 1)
    {
        return "GPU " + std::to_string(*lost) + " has left and no rack of " +
               std::to_string(needed) + " idle scale-up domains is left";
    }
    for (uint32_t rank = 0; rank < map.size(); ++rank)
    {
        const Place& own = m_places[rank];
        for (uint32_t gpu = m_ranks; gpu < GetSize(); ++gpu)
        {
            if (m_places[gpu].domain == first + own.domain && m_places[gpu].rail == own.rail)
            {
                map[rank] = gpu;
            }
        }
    }
    return "";
}

} // namespace ns3
