// SPDX-License-Identifier: GPL-2.0-only

#include "collective-communicator.h"

namespace ns3
{

CollectiveStream&
CollectiveCommunicator::GetStream(const CollectiveCall& call)
{
    if (!call.IsPointToPoint())
    {
        return collectives;
    }
    auto& streams = call.kind == CollectiveKind::SEND ? sends : receives;
    return streams[group.GetIndex(call.peer)];
}

std::vector<CollectiveStream*>
CollectiveCommunicator::GetStreams()
{
    std::vector<CollectiveStream*> all{&collectives};
    for (auto* streams : {&sends, &receives})
    {
        for (auto& entry : *streams)
        {
            all.push_back(&entry.second);
        }
    }
    return all;
}

} // namespace ns3
