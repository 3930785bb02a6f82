// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-relay.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRelay");
NS_OBJECT_ENSURE_REGISTERED(RdmaRelay);

TypeId
RdmaRelay::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaRelay")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RdmaRelay>();
    return tid;
}

void
RdmaRelay::DoDispose()
{
    m_paths.clear();
    Object::DoDispose();
}

void
RdmaRelay::AddPath(Ptr<RdmaConnection> from, Ptr<RdmaConnection> to, Onward onward)
{
    NS_LOG_FUNCTION(this << from << to);
    m_paths.push_back(std::make_unique<Path>());
    Path* path = m_paths.back().get();
    path->from = from;
    path->to = to;
    path->onward = onward;
    from->SetReceivedCallback(MakeCallback(&RdmaRelay::Arrived, this).Bind(path));
    to->SetSentCallback(MakeCallback(&RdmaRelay::PassedOn, this).Bind(path));
    if (onward == RELAY)
    {
        to->SetReceivedCallback(MakeCallback(&RdmaRelay::Reported, this).Bind(path));
    }
}

void
RdmaRelay::Arrived(Path* path, uint32_t immediate, uint64_t bytes)
{
    NS_LOG_FUNCTION(this << immediate << bytes);
    path->buffered.emplace(immediate, bytes);
    m_statistics.bytesBuffered += bytes;
    m_statistics.peakBytesBuffered =
        std::max(m_statistics.peakBytesBuffered, m_statistics.bytesBuffered);
    path->to->Post(bytes, immediate);
}

void
RdmaRelay::PassedOn(Path* path, uint32_t immediate, bool delivered)
{
    const auto piece = path->buffered.find(immediate);
    NS_ASSERT(piece != path->buffered.end());
    m_statistics.bytesBuffered -= piece->second;
    if (delivered)
    {
        ++m_statistics.pieces;
        m_statistics.bytes += piece->second;
    }
    else
    {
        NS_LOG_WARN("piece " << immediate << " of " << piece->second << " bytes is not passed on");
        ++m_statistics.failedPieces;
    }
    path->buffered.erase(piece);
    if (path->onward == DESTINATION || !delivered)
    {
        path->from->Post(delivered ? DELIVERED_BYTES : FAILED_BYTES, immediate);
    }
}

void
RdmaRelay::Reported(Path* path, uint32_t immediate, uint64_t bytes)
{
    path->from->Post(bytes, immediate);
}

} // namespace ns3
