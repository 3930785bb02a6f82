// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LATENCY_HISTOGRAM_H
#define PHOTONIC_RAILS_LATENCY_HISTOGRAM_H

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @param sorted times in ascending order
 * @param share above 0 and at most 1
 * @return the quantile by nearest rank: the shortest of the times that at least this share of the
 * times does not exceed; zero without times
 */
Time FindQuantile(const std::vector<Time>& sorted, double share);

/// Number, extremes and quantiles of a set of times; zero without times.
struct LatencySummary
{
    uint64_t count{0}; //!< number of times
    Time min;
    Time median;
    Time p99;  //!< 99 % of the times are at most this time
    Time p999; //!< 99.9 % of the times are at most this time
    Time max;

    /**
     * @param times the times, in any order
     * @return the exact summary, with quantiles by FindQuantile
     */
    static LatencySummary Make(std::vector<Time> times);
};

/**
 * @brief Counts times in buckets whose width grows with the time: log-linear, as HdrHistogram does.
 *
 * Each power of two of picoseconds is divided into 128 buckets of equal width; each time below
 * 128 ps has a bucket. The error of a quantile is therefore less than 1/256 (0.4 %) of its value
 * for all times of 63 bits; number, minimum and maximum are exact. The histogram takes 58 KiB for
 * any number of times. Times must not be negative.
 */
class LatencyHistogram
{
  public:
    /// Largest error of a quantile, relative to the exact quantile.
    static constexpr double RELATIVE_ERROR = 1.0 / 256;

    /// @param time the time to add, not negative
    void Add(Time time);

    /// @param other the histogram whose times are added
    void Add(const LatencyHistogram& other);

    /// @return the number of times
    uint64_t GetCount() const
    {
        return m_count;
    }

    /**
     * @brief Find a quantile by nearest rank.
     * @param share above 0 and at most 1
     * @return the middle of the bucket of the quantile, within minimum and maximum; zero without
     * times
     */
    Time GetQuantile(double share) const;

    /// @return number, minimum, quantiles and maximum
    LatencySummary GetSummary() const;

  private:
    static constexpr uint32_t LINEAR_BITS = 7; //!< 128 buckets for each power of two
    static constexpr uint32_t BUCKETS = (63 - LINEAR_BITS + 1) << LINEAR_BITS;

    /// @return the bucket of a time in picoseconds
    static uint32_t GetBucket(uint64_t picoseconds);
    /// @return the middle of a bucket in picoseconds, rounded down
    static uint64_t GetMiddle(uint32_t bucket);

    std::array<uint64_t, BUCKETS> m_buckets{};
    uint64_t m_count{0};
    uint64_t m_min{0};
    uint64_t m_max{0};
};

class EthernetPortNetDevice;

/**
 * @brief Measures the one-way latency of RDMA data packets: from the first bit that leaves the
 * NIC of the sender to the last bit that arrives at the NIC of the receiver.
 *
 * The latency includes all delays in the network, and no wait in the sender. A lost packet has no
 * latency; a retransmitted packet has its own. A departing packet is tagged with the time: the
 * recorder keeps nothing for packets in flight and does nothing at hops.
 */
class PacketLatencyRecorder
{
  public:
    PacketLatencyRecorder() = default;
    PacketLatencyRecorder(const PacketLatencyRecorder&) = delete;
    PacketLatencyRecorder& operator=(const PacketLatencyRecorder&) = delete;

    /**
     * @brief Observe a port. All ports at both ends of the traffic must be observed. The recorder
     * must outlive the simulation.
     * @param port a port of a NIC
     */
    void Observe(Ptr<EthernetPortNetDevice> port);

    /// @return the latencies so far
    const LatencyHistogram& GetLatencies() const
    {
        return m_latencies;
    }

    /// Delete all latencies; packets in flight will count.
    void Clear();

    /**
     * @param frame an Ethernet frame
     * @return true if the frame is a RoCEv2 data packet
     */
    static bool IsData(Ptr<const Packet> frame);

  private:
    /// Tag a frame that a port begins to send.
    void Departed(Ptr<const Packet> frame);
    /// Add the latency of a frame that a port has received.
    void Arrived(Ptr<const Packet> frame);

    LatencyHistogram m_latencies;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LATENCY_HISTOGRAM_H
