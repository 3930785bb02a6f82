// SPDX-License-Identifier: GPL-2.0-only

#include "collective-cost.h"

namespace ns3
{

double
CollectiveCost::GetSeconds(const AlphaBeta& network, const AlphaBeta& domain) const
{
    return rounds * network.alpha + bytes * network.beta + domainRounds * domain.alpha +
           domainBytes * domain.beta;
}

CollectiveCost
operator*(double times, const CollectiveCost& cost)
{
    return {times * cost.rounds,
            times * cost.bytes,
            times * cost.domainRounds,
            times * cost.domainBytes};
}

} // namespace ns3
