// SPDX-License-Identifier: GPL-2.0-only

#include "collective-call.h"

namespace ns3
{

std::string
ToString(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
        return "AllGather";
    case CollectiveKind::REDUCE_SCATTER:
        return "ReduceScatter";
    case CollectiveKind::ALL_REDUCE:
        return "AllReduce";
    case CollectiveKind::ALL_TO_ALL:
        return "AllToAll";
    case CollectiveKind::BROADCAST:
        return "Broadcast";
    case CollectiveKind::REDUCE:
        return "Reduce";
    case CollectiveKind::SEND:
        return "Send";
    case CollectiveKind::RECV:
        return "Recv";
    }
    return "?";
}

} // namespace ns3
