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
 * @return the quantile by nearest rank: the least of these times that at least this share of them
 * does not exceed; zero if there are no times
 */
Time FindQuantile(const std::vector<Time>& sorted, double share);

/// Number, extremes and quantiles of a set of times. All are zero if there are no times.
struct LatencySummary
{
    uint64_t count{0}; //!< number of times
    Time min;
    Time median;
    Time p99;  //!< 99 % are at most this
    Time p999; //!< 99.9 % are at most this
    Time max;

    /**
     * @param times any number of them, in any order
     * @return their exact summary, with quantiles by FindQuantile
     */
    static LatencySummary Make(std::vector<Time> times);
};

/**
 * @brief Counts times in buckets whose width grows with the time: log-linear, as HdrHistogram does.
 *
 * Each power of two of picoseconds is divided into 128 buckets of equal width; times below 128 ps
 * have a bucket each. So a quantile is off by less than 1/256 (0.4 %) of its value, over all times
 * that 63 bits can hold; number, minimum and maximum are exact. The memory is 58 KiB, whatever is
 * counted. Times must not be negative.
 */
class LatencyHistogram
{
  public:
    /// A quantile differs from the exact one by at most this part of it.
    static constexpr double RELATIVE_ERROR = 1.0 / 256;

    /// @param time one more, not negative
    void Add(Time time);

    /// @param other one whose times are all added
    void Add(const LatencyHistogram& other);

    /// @return how many times have been added
    uint64_t GetCount() const
    {
        return m_count;
    }

    /**
     * @brief A quantile by nearest rank: the least time that at least the share of all reach.
     * @param share above 0 and at most 1
     * @return the middle of the bucket of that time, not beyond minimum and maximum; zero if there
     * are no times
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
    const LatencyHistogram& GetLatencies() const
    {
        return m_latencies;
    }

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

#endif // PHOTONIC_RAILS_LATENCY_HISTOGRAM_H
