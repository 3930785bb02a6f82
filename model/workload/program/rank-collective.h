// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_COLLECTIVE_H
#define PHOTONIC_RAILS_RANK_COLLECTIVE_H

#include "rank-operation.h"

#include <cstdint>

namespace ns3
{

/// A collective, or one side of a transfer, issued by a rank.
struct RankCollective
{
    Dimension dimension{Dimension::TP};
    GroupRole role{GroupRole::TP};
    CollectiveKind kind{CollectiveKind::ALL_GATHER};
    uint64_t bytes{0};              //!< input bytes of the rank
    Ptr<const AllToAllSizes> sizes; //!< sizes of an AllToAll whose parts differ, or null
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_COLLECTIVE_H
