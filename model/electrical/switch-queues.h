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
 * @brief Which share of the packets that find a queue of some depth are marked with Congestion
 * Experienced: none up to Kmin, from there linearly up to Pmax at Kmax, all above.
 *
 * The curve of RED (Floyd and Jacobson, IEEE/ACM ToN 1993) on the instantaneous depth, as DCQCN
 * uses it (Zhu et al., SIGCOMM 2015).
 */
class EcnMarker
{
  public:
    /// Marks nothing.
    EcnMarker() = default;

    /**
     * @brief Check what the constructor gets.
     * @return an empty string, or one line that says what is wrong: unless kmin <= kmax and
     * 0 <= pmax <= 1
     */
    static std::string Check(uint64_t kmin, uint64_t kmax, double pmax);

    /**
     * @brief Aborts if Check finds something wrong.
     * @param kmin bytes up to which nothing is marked
     * @param kmax bytes above which everything is marked
     * @param pmax share that is marked at kmax
     */
    EcnMarker(uint64_t kmin, uint64_t kmax, double pmax);

    /**
     * @param depth bytes that the packet finds in the queue
     * @return true if marking is possible at all
     */
    bool MayMark(uint64_t depth) const
    {
        return depth > m_kmin;
    }

    /**
     * @param depth bytes that the packet finds in the queue
     * @return probability of a mark
     */
    double GetProbability(uint64_t depth) const;

    /// @return bytes up to which nothing is marked
    uint64_t GetKmin() const;
    /// @return bytes above which everything is marked
    uint64_t GetKmax() const;

  private:
    uint64_t m_kmin{UINT64_MAX};
    uint64_t m_kmax{UINT64_MAX};
    double m_pmax{0};
};

/**
 * @brief The queues of an output port, one for each priority, and who is next.
 *
 * Priorities 7 and 6 (network control) go first, 7 before 6. The others share what is left by
 * deficit round robin with equal weights (Shreedhar and Varghese, SIGCOMM 1995). A queue takes
 * memory when it is used for the first time.
 */
class SwitchQueues
{
  public:
    static constexpr uint32_t PRIORITIES = 8;
    /// Priorities that go before all others.
    static constexpr uint8_t STRICT = 0xc0;
    /// Bytes of a turn in round robin; at least those of the largest frame.
    static constexpr uint32_t QUANTUM_BYTES = 16384;

    /// A frame in a queue.
    struct Waiting
    {
        Ptr<Packet> frame;
        Time readyAt;      //!< when the pipeline of the switch has let it through
        uint32_t bytes{0}; //!< its size
        uint32_t input{0}; //!< port where it came in
    };

    /**
     * @param priority 0 to 7
     * @param waiting becomes the last in that queue
     */
    void Push(uint8_t priority, Waiting waiting);

    /// @return bit mask of the priorities whose queues are not empty
    uint8_t GetBacklog() const
    {
        return m_backlog;
    }

    /// @return the first in a queue that is not empty
    const Waiting& GetHead(uint8_t priority) const
    {
        return m_queues[priority]->frames.front();
    }

    /**
     * @param priority 0 to 7
     * @return the frames in a queue, the first one first
     */
    std::vector<Waiting> GetFrames(uint8_t priority) const;

    /// @return true if no queue has begun a turn of round robin
    bool IsFair() const;

    /// @return bytes in a queue
    uint64_t GetDepth(uint8_t priority) const
    {
        return m_queues[priority] ? m_queues[priority]->bytes : 0;
    }

    /**
     * @brief Choose the queue that is next.
     * @param eligible those to choose from: a bit mask, not 0, of queues that are not empty
     * @return the priority
     */
    uint8_t Select(uint8_t eligible);

    /// @return the first in a queue, which is taken out
    Waiting Pop(uint8_t priority);

  private:
    struct Queue
    {
        Fifo<Waiting> frames;
        uint64_t bytes{0};
        uint32_t deficit{0}; //!< bytes that it may still send in its turn
    };

    std::array<std::unique_ptr<Queue>, PRIORITIES> m_queues;
    uint8_t m_backlog{0};
    uint8_t m_turn{0}; //!< whose turn it is in round robin
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_QUEUES_H
