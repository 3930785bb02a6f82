// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_HOSTS_H
#define PHOTONIC_RAILS_RDMA_HOSTS_H

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-header.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * Shared by the tests of the RDMA layer: hosts of one GPU on one rail, at 400 Gbit/s, where a byte
 * lasts 20 ps; logs of sent and received messages; and frames that a test chooses to lose.
 */

namespace ns3
{
namespace test
{

/// Ethernet, IPv4, UDP, BTH and ICRC; FCS, preamble and gap.
constexpr uint32_t FIXED_BYTES = 14 + 20 + 8 + 12 + 4 + 24;

/// How long so many bytes last at 400 Gbit/s.
inline Time
WireTime(uint32_t bytes)
{
    return PicoSeconds(20 * uint64_t{bytes});
}

/// How long an acknowledgement lasts.
inline Time
AckTime()
{
    return WireTime(FIXED_BYTES + 4);
}

/// Two fibers of 100 ns.
inline Time
PathDelay()
{
    return NanoSeconds(200);
}

/// How long each packet of a message lasts.
inline std::vector<Time>
PacketTimes(uint64_t bytes, uint32_t mtu = 4096)
{
    std::vector<Time> times;
    const uint64_t packets = std::max<uint64_t>(1, (bytes + mtu - 1) / mtu);
    for (uint64_t i = 0; i < packets; ++i)
    {
        const auto payload = static_cast<uint32_t>(std::min<uint64_t>(mtu, bytes - i * mtu));
        const uint32_t extension = (i == 0 ? 16 : 0) + (i + 1 == packets ? 4 : 0);
        times.push_back(WireTime(FIXED_BYTES + extension + (payload + 3) / 4 * 4));
    }
    return times;
}

/// The sum of the first so many.
inline Time
Sum(const std::vector<Time>& times, std::size_t count)
{
    Time sum;
    for (std::size_t i = 0; i < count; ++i)
    {
        sum += times.at(i);
    }
    return sum;
}

/// Loses the frames that a function picks, by their number and header.
class PickedErrorModel : public ErrorModel
{
  public:
    /// @param pick true for a frame to be lost; its number counts from 0
    explicit PickedErrorModel(std::function<bool(uint32_t, const RoceHeader&)> pick)
        : m_pick(std::move(pick))
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        RoceHeader header;
        packet->PeekHeader(header);
        return m_pick(m_number++, header);
    }

    void DoReset() override
    {
        m_number = 0;
    }

    std::function<bool(uint32_t, const RoceHeader&)> m_pick;
    uint32_t m_number{0};
};

/// The callbacks of one end of a connection.
struct EndLog
{
    struct Event
    {
        Time at;
        uint32_t immediate;
        uint64_t value; //!< bytes received, or 1 for delivered and 0 for failed
    };

    std::vector<Event> sent;
    std::vector<Event> received;

    uint64_t GetBytesReceived() const
    {
        uint64_t bytes = 0;
        for (const auto& event : received)
        {
            bytes += event.value;
        }
        return bytes;
    }
};

/// Hosts of one GPU on one rail.
class RdmaHosts
{
  public:
    /// @param count hosts
    /// @param ports NIC ports of each
    explicit RdmaHosts(uint32_t count, uint32_t ports = 1)
        : logs(count)
    {
        helper.SetDomains(count, 1);
        helper.SetNic(ports, DataRate("400Gbps"));
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(10)));
    }

    ~RdmaHosts()
    {
        Simulator::Destroy();
    }

    /// Let the timer expire after 4 ms before a round trip is known and after 0.5 ms from then on,
    /// so that tests of losses take little simulated time, with back-off up to 1 s. Call before
    /// Build.
    void UseShortTimeouts()
    {
        helper.SetQueuePairAttribute("InitialTimeout", TimeValue(MilliSeconds(4)));
        helper.SetQueuePairAttribute("MinTimeout", TimeValue(MicroSeconds(500)));
        helper.SetQueuePairAttribute("MaxTimeout", TimeValue(Seconds(1)));
    }

    /// Build the cluster, and make circuits.
    void Build(const CircuitSet& circuits, bool photonic = true)
    {
        cluster = photonic ? helper.InstallPhotonic() : helper.InstallElectrical();
        if (photonic)
        {
            Switch({}, circuits);
            Simulator::Stop(MilliSeconds(1));
            Simulator::Run();
        }
        start = Simulator::Now();
    }

    void Switch(const CircuitSet& drop, const CircuitSet& make)
    {
        const std::string error = cluster.GetOcs(0)->Reconfigure(drop, make);
        NS_ABORT_MSG_UNLESS(error.empty(), error);
    }

    /// Connect two hosts over some of their ports; both ends log to the hosts' logs.
    RdmaHelper::ConnectionPair Connect(uint32_t a, uint32_t b, const std::vector<uint32_t>& ports)
    {
        auto pair = RdmaHelper::Connect(cluster.GetNic(a), ports, cluster.GetNic(b), ports);
        Watch(a, pair.first);
        Watch(b, pair.second);
        return pair;
    }

    /// Connect two hosts over the network of their scale-up domain.
    RdmaHelper::ConnectionPair ConnectScaleUp(uint32_t a, uint32_t b)
    {
        return ConnectNics(a, cluster.GetScaleUpNic(a), b, cluster.GetScaleUpNic(b));
    }

    /// Connect one-port NICs of two hosts.
    RdmaHelper::ConnectionPair ConnectNics(uint32_t a,
                                           Ptr<RdmaNic> nicOfA,
                                           uint32_t b,
                                           Ptr<RdmaNic> nicOfB)
    {
        auto pair = RdmaHelper::Connect(nicOfA, {0}, nicOfB, {0});
        Watch(a, pair.first);
        Watch(b, pair.second);
        return pair;
    }

    /// Lose frames that arrive at a host's port.
    void Lose(uint32_t host, uint32_t port, std::function<bool(uint32_t, const RoceHeader&)> pick)
    {
        cluster.GetNic(host)->GetPort(port)->SetAttribute(
            "ReceiveErrorModel",
            PointerValue(CreateObject<PickedErrorModel>(std::move(pick))));
    }

    RdmaQueuePair::Statistics GetStatistics(uint32_t host) const
    {
        return cluster.GetNic(host)->GetQueuePairStatistics();
    }

    RailClusterHelper helper;
    RailCluster cluster;
    std::vector<EndLog> logs; //!< of each host
    Time start;               //!< when the circuits were up

  private:
    void Watch(uint32_t host, Ptr<RdmaConnection> connection)
    {
        EndLog* log = &logs[host];
        connection->SetSentCallback(
            ToCallback<uint32_t, bool>([log](uint32_t immediate, bool delivered) {
                log->sent.push_back({Simulator::Now(), immediate, delivered ? 1u : 0u});
            }));
        connection->SetReceivedCallback(
            ToCallback<uint32_t, uint64_t>([log](uint32_t immediate, uint64_t bytes) {
                log->received.push_back({Simulator::Now(), immediate, bytes});
            }));
    }
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_HOSTS_H
