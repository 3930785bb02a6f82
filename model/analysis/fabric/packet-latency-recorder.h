// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PACKET_LATENCY_RECORDER_H
#define PHOTONIC_RAILS_PACKET_LATENCY_RECORDER_H

#include "latency-histogram.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief Measures the one-way latency of RDMA data packets: from the first bit that leaves the
 * NIC of the sender to the last bit that arrives at the NIC of the receiver.
 *
 * It covers all that happens in the network, and no waiting in the sender. Lost packets have none,
 * packets that are sent again have one of their own. Departing packets are tagged with the time, so
 * nothing is kept for packets under way, and nothing is done at the hops between.
 */
class PacketLatencyRecorder
{
  public:
    PacketLatencyRecorder() = default;
    PacketLatencyRecorder(const PacketLatencyRecorder&) = delete;
    PacketLatencyRecorder& operator=(const PacketLatencyRecorder&) = delete;

    /**
     * @brief Listen to a port; both ends of all traffic have to be heard. The recorder must outlive
     * the simulation.
     * @param port a port of a NIC
     */
    void Observe(Ptr<EthernetPortNetDevice> port);

    /// @return the latencies so far
    const LatencyHistogram& GetLatencies() const;

    /// Forget all latencies; packets under way will be counted.
    void Clear();

    /**
     * @param frame an Ethernet frame
     * @return true if it is a RoCEv2 packet that carries data
     */
    static bool IsData(Ptr<const Packet> frame);

  private:
    /// A port starts to send a frame.
    void Departed(Ptr<const Packet> frame);
    /// A port has received a frame.
    void Arrived(Ptr<const Packet> frame);

    LatencyHistogram m_latencies;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PACKET_LATENCY_RECORDER_H
