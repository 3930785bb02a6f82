// SPDX-License-Identifier: GPL-2.0-only

#include "run-share.h"

#include "ns3/abort.h"
#include "ns3/text-archive.h"

namespace ns3
{

template <typename Archive>
void
VisitFields(Archive& archive, IterationLog::Exposure& exposure)
{
    archive(exposure.at, exposure.rank, exposure.exposed);
}

template <typename Archive>
void
VisitFields(Archive& archive, LightLog::Change& change)
{
    archive(change.at, change.ports);
}

template <typename Archive>
void
VisitFields(Archive& archive, RunTraffic& traffic)
{
    archive(traffic.packetsSent,
            traffic.retransmissions,
            traffic.bytesPosted,
            traffic.bytesDelivered,
            traffic.bursts,
            traffic.burstPackets,
            traffic.bytesFailed);
}

template <typename Archive>
void
VisitFields(Archive& archive, RunShare& share)
{
    archive(share.log.ends,
            share.log.reconfigurations,
            share.log.exposures,
            share.rails,
            share.scaleUp,
            share.hosts,
            share.packetsLostAtOcs,
            share.light.ports,
            share.light.changes,
            share.bytesForwarded,
            share.control,
            share.events,
            share.setupCpuSeconds,
            share.cpuSeconds,
            share.peakRssBytes,
            share.stall);
}

void
RunTraffic::Add(const RunTraffic& other)
{
    packetsSent += other.packetsSent;
    retransmissions += other.retransmissions;
    bytesPosted += other.bytesPosted;
    bytesDelivered += other.bytesDelivered;
    bursts += other.bursts;
    burstPackets += other.burstPackets;
    bytesFailed += other.bytesFailed;
}

std::string
RunShare::ToText() const
{
    return WriteText(*this);
}

RunShare
RunShare::FromText(const std::string& text)
{
    const auto share = ReadText<RunShare>(text);
    NS_ABORT_MSG_UNLESS(share, "another process has sent what is no share of a run");
    return *share;
}

} // namespace ns3
