// SPDX-License-Identifier: GPL-2.0-only

#include "collective-time.h"

namespace ns3
{

double
GetAlgorithmBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration)
{
    return static_cast<double>(GetTensorBytes(kind, size, bytes)) / duration.GetSeconds();
}

double
GetBusBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration)
{
    const double share = static_cast<double>(size - 1) / size;
    double factor = 1;
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        factor = 2 * share;
        break;
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
        factor = share;
        break;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    return factor * GetAlgorithmBandwidth(kind, size, bytes, duration);
}

} // namespace ns3
