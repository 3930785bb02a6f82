// SPDX-License-Identifier: GPL-2.0-only

#include "algorithm-choice.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

const std::vector<CollectiveKind>&
CollectiveAlgorithms::GetKinds()
{
    static const std::vector<CollectiveKind> kinds{CollectiveKind::ALL_GATHER,
                                                   CollectiveKind::REDUCE_SCATTER,
                                                   CollectiveKind::ALL_REDUCE,
                                                   CollectiveKind::ALL_TO_ALL,
                                                   CollectiveKind::BROADCAST,
                                                   CollectiveKind::REDUCE};
    return kinds;
}

CollectiveAlgorithms
CollectiveAlgorithms::Rings()
{
    const Variant<CollectiveAlgorithm> ring("ring");
    CollectiveAlgorithms rings;
    for (const CollectiveKind kind : GetKinds())
    {
        if (ring->Supports(kind))
        {
            rings.Choose(kind, ring);
        }
    }
    return rings;
}

std::size_t
CollectiveAlgorithms::GetPlace(CollectiveKind kind)
{
    const auto& kinds = GetKinds();
    const auto found = std::find(kinds.begin(), kinds.end(), kind);
    NS_ABORT_MSG_IF(found == kinds.end(), ToString(kind) << " needs no algorithm");
    return static_cast<std::size_t>(found - kinds.begin());
}

CollectiveAlgorithms&
CollectiveAlgorithms::Choose(CollectiveKind kind, Variant<CollectiveAlgorithm> algorithm)
{
    m_chosen[GetPlace(kind)] = algorithm;
    return *this;
}

bool
CollectiveAlgorithms::IsChosen(CollectiveKind kind) const
{
    return m_chosen[GetPlace(kind)].has_value();
}

Variant<CollectiveAlgorithm>
CollectiveAlgorithms::Get(CollectiveKind kind) const
{
    const auto& chosen = m_chosen[GetPlace(kind)];
    return chosen ? *chosen : CollectiveAlgorithm::GetDefault(kind);
}

std::string
CollectiveAlgorithms::Check(const GroupShape& shape) const
{
    for (const CollectiveKind kind : GetKinds())
    {
        if (IsChosen(kind))
        {
            if (auto error = Get(kind)->Check(kind, shape); !error.empty())
            {
                return error;
            }
        }
    }
    return "";
}

std::vector<CollectiveConnectorId>
CollectiveAlgorithms::GetConnectors(const GroupShape& shape, uint32_t index) const
{
    std::vector<CollectiveConnectorId> connectors;
    for (const CollectiveKind kind : GetKinds())
    {
        if (IsChosen(kind))
        {
            const auto more = Get(kind)->GetConnectors(kind, shape, index);
            connectors.insert(connectors.end(), more.begin(), more.end());
        }
    }
    std::sort(connectors.begin(), connectors.end());
    connectors.erase(std::unique(connectors.begin(), connectors.end()), connectors.end());
    return connectors;
}

} // namespace ns3
