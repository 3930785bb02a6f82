// SPDX-License-Identifier: GPL-2.0-only

#include "switch-queues.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

EcnMarker::EcnMarker(uint64_t kmin, uint64_t kmax, double pmax)
    : m_kmin(kmin),
      m_kmax(kmax),
      m_pmax(pmax)
{
    const std::string error = Check(kmin, kmax, pmax);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
}

std::string
EcnMarker::Check(uint64_t kmin, uint64_t kmax, double pmax)
{
    if (kmin > kmax)
    {
        return "Kmin is " + std::to_string(kmin) + " bytes, above Kmax of " + std::to_string(kmax);
    }
    if (!(pmax >= 0 && pmax <= 1))
    {
        return "Pmax is a probability, not " + std::to_string(pmax);
    }
    return "";
}

double
EcnMarker::GetProbability(uint64_t depth) const
{
    if (depth <= m_kmin)
    {
        return 0;
    }
    if (depth > m_kmax)
    {
        return 1;
    }
    return m_pmax * static_cast<double>(depth - m_kmin) / static_cast<double>(m_kmax - m_kmin);
}

void
SwitchQueues::Push(uint8_t priority, Waiting waiting)
{
    auto& queue = m_queues[priority];
    if (!queue)
    {
        queue = std::make_unique<Queue>();
    }
    m_backlog |= 1 << priority;
    queue->bytes += waiting.bytes;
    queue->frames.push_back(std::move(waiting));
}

SwitchQueues::Waiting
SwitchQueues::Pop(uint8_t priority)
{
    Queue& queue = *m_queues[priority];
    Waiting waiting = std::move(queue.frames.front());
    queue.frames.pop_front();
    queue.bytes -= waiting.bytes;
    if (queue.frames.empty())
    {
        m_backlog &= ~(1 << priority);
        queue.deficit = 0;
    }
    else
    {
        // Thousands of frames move in a large network before the next one leaves this queue.
        __builtin_prefetch(PeekPointer(queue.frames.front().frame));
    }
    return waiting;
}

std::vector<SwitchQueues::Waiting>
SwitchQueues::GetFrames(uint8_t priority) const
{
    std::vector<Waiting> frames;
    for (std::size_t i = 0; m_queues[priority] && i < m_queues[priority]->frames.size(); ++i)
    {
        frames.push_back(m_queues[priority]->frames[i]);
    }
    return frames;
}

bool
SwitchQueues::IsFair() const
{
    return std::none_of(m_queues.begin(), m_queues.end(), [](const auto& queue) {
        return queue && queue->deficit > 0;
    });
}

uint8_t
SwitchQueues::Select(uint8_t eligible)
{
    NS_ASSERT(eligible != 0 && (eligible & ~m_backlog) == 0);
    if (eligible & STRICT)
    {
        return eligible & 0x80 ? 7 : 6;
    }
    if ((eligible & (eligible - 1)) == 0) // a single queue needs no deficit
    {
        uint8_t priority = 0;
        while ((eligible >> priority) != 1)
        {
            ++priority;
        }
        return priority;
    }
    while (true)
    {
        if ((eligible >> m_turn) & 1)
        {
            Queue& queue = *m_queues[m_turn];
            const uint32_t bytes = queue.frames.front().bytes;
            NS_ASSERT_MSG(bytes <= QUANTUM_BYTES, "a turn is shorter than a frame");
            if (bytes <= queue.deficit)
            {
                queue.deficit -= bytes;
                return m_turn;
            }
        }
        do
        {
            m_turn = (m_turn + 1) % PRIORITIES;
        } while (((eligible >> m_turn) & 1) == 0);
        m_queues[m_turn]->deficit += QUANTUM_BYTES;
    }
}

} // namespace ns3
