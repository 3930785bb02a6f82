// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_QUEUES_H
#define PHOTONIC_RAILS_SWITCH_QUEUES_H

#include "ns3/fifo.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The probability that a packet is marked with Congestion Experienced at a queue depth: 0 up
 * to Kmin, rising linearly to Pmax at Kmax, and 1 above Kmax.
 *
 * The curve of RED (Floyd and Jacobson, IEEE/ACM ToN 1993) on the instantaneous depth, as DCQCN
 * uses it (Zhu et al., SIGCOMM 2015).
 */
class EcnMarker
{
  public:
    /// Create a marker that never marks.
    EcnMarker() = default;

    /**
     * @brief Check the arguments of the constructor.
     * @return an empty string, or one line with the error unless kmin <= kmax and 0 <= pmax <= 1
     */
    static std::string Check(uint64_t kmin, uint64_t kmax, double pmax);

    /**
     * @brief Create a marker. Aborts if Check reports an error.
     * @param kmin bytes up to which no packet is marked
     * @param kmax bytes above which every packet is marked
     * @param pmax probability of a mark at kmax
     */
    EcnMarker(uint64_t kmin, uint64_t kmax, double pmax);

    /**
     * @param depth bytes in the queue before the packet
     * @return true if the probability of a mark may exceed 0
     */
    bool MayMark(uint64_t depth) const
    {
        return depth > m_kmin;
    }

    /**
     * @param depth bytes in the queue before the packet
     * @return probability of a mark
     */
    double GetProbability(uint64_t depth) const;

    /// @return bytes up to which nothing is marked
    uint64_t GetKmin() const
    {
        return m_kmin;
    }

    /// @return bytes above which everything is marked
    uint64_t GetKmax() const
    {
        return m_kmax;
    }

  private:
    uint64_t m_kmin{UINT64_MAX};
    uint64_t m_kmax{UINT64_MAX};
    double m_pmax{0};
};

/**
 * @brief The queues of an output port, one for each priority, and their scheduler.
 *
 * Priorities 7 and 6 (network control) have strict priority, 7 before 6. The others share the
 * remaining bandwidth by deficit round robin with equal weights (Shreedhar and Varghese, SIGCOMM
 * 1995). A queue is allocated when it is first used.
 */
class SwitchQueues
{
  public:
    static constexpr uint32_t PRIORITIES = 8;
    /// Bit mask of the strict priorities.
    static constexpr uint8_t STRICT = 0xc0;
    /// Quantum of deficit round robin in bytes; at least the size of the largest frame.
    static constexpr uint32_t QUANTUM_BYTES = 16384;

    /// A frame in a queue.
    struct Waiting
    {
        Ptr<Packet> frame;
        Time readyAt;      //!< earliest time to send the frame
        uint32_t bytes{0}; //!< size of the frame
        uint32_t input{0}; //!< number of the input port
    };

    /**
     * @param priority 0 to 7
     * @param waiting the new last frame of the queue
     */
    void Push(uint8_t priority, Waiting waiting);

    /// @return bit mask of the priorities with frames
    uint8_t GetBacklog() const
    {
        return m_backlog;
    }

    /// @return the first frame of a queue, which must not be empty
    const Waiting& GetHead(uint8_t priority) const
    {
        return m_queues[priority]->frames.front();
    }

    /**
     * @param priority 0 to 7
     * @return the frames of the queue, in order
     */
    std::vector<Waiting> GetFrames(uint8_t priority) const;

    /// @return true if no queue is in the middle of its turn of round robin
    bool IsFair() const;

    /// @return bytes in a queue
    uint64_t GetDepth(uint8_t priority) const
    {
        return m_queues[priority] ? m_queues[priority]->bytes : 0;
    }

    /**
     * @brief Choose the next queue.
     * @param eligible bit mask of the queues to choose from, not 0; these queues are not empty
     * @return the priority of the queue
     */
    uint8_t Select(uint8_t eligible);

    /// Remove the first frame of a queue. @return the frame
    Waiting Pop(uint8_t priority);

  private:
    struct Queue
    {
        Fifo<Waiting> frames;
        uint64_t bytes{0};
        uint32_t deficit{0}; //!< bytes that the queue may still send in its turn
    };

    std::array<std::unique_ptr<Queue>, PRIORITIES> m_queues;
    uint8_t m_backlog{0};
    uint8_t m_turn{0}; //!< priority whose turn it is in round robin
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_QUEUES_H
