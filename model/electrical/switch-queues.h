// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_QUEUES_H
#define PHOTONIC_RAILS_SWITCH_QUEUES_H

#include "ns3/fifo.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3
{

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
