// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_SENDER_H
#define PHOTONIC_RAILS_FAST_PATH_SENDER_H

#include "rdma-requester.h"

#include "ns3/fifo.h"

#include <cstdint>

namespace ns3
{

/// The size of a frame on the fiber.
struct FastPathSize
{
    int64_t time{0};   //!< transmission time, in time steps
    uint32_t bytes{0}; //!< wire bytes, with FCS, preamble and gap
};

/// A message that a queue pair sends.
struct FastPathMessage
{
    uint64_t firstPsn{0};
    uint64_t packets{1};
    FastPathSize first;  //!< first packet of several
    FastPathSize middle; //!< each packet between the first and the last
    FastPathSize last;   //!< last or only packet
    uint64_t payloadBytes{0};
    uint32_t immediate{0};
    bool awaited{true}; //!< its completion is observable outside the fast path
};

/// The posted messages of a queue pair, numbered from the first message ever posted.
class FastPathMessages
{
  public:
    /// @param message the next message
    void Post(const FastPathMessage& message)
    {
        m_messages.push_back(message);
    }

    /// @param number number of a message that ForgetBefore has not removed
    /// @return the message
    const FastPathMessage& Get(uint64_t number) const
    {
        return m_messages[number - m_first];
    }

    /// @return number of the next message that will be posted
    uint64_t GetEnd() const
    {
        return m_first + m_messages.size();
    }

    /// Remove the messages with lower numbers.
    void ForgetBefore(uint64_t number)
    {
        while (m_first < number)
        {
            m_messages.pop_front();
            ++m_first;
        }
    }

  private:
    Fifo<FastPathMessage> m_messages;
    uint64_t m_first{0};
};

/**
 * @brief The progress of the sending side of a queue pair without congestion control and losses.
 *
 * A value type. The functions are defined in the header so that the compiler can inline them.
 */
struct FastPathSender : RdmaSenderState
{
    uint64_t sending{0};   //!< number of the message that `next` belongs to
    uint64_t finishing{0}; //!< number of the oldest message not yet acknowledged in full
    uint64_t answered{0};  //!< one past the number of the last awaited message that is acknowledged

    /// Account for a packet that is sent with an acknowledgement request.
    void Asked(uint64_t psn, int64_t now, const RdmaTimeoutBounds& timeout)
    {
        timer.Sent(psn, now);
        if (Ask(psn))
        {
            timer.Restart(now, timeout, 0);
        }
    }

    /**
     * @param psn one past the last PSN received
     * @param messages the posted messages
     * @return true if an acknowledgement would finish an awaited message
     */
    bool Finishes(uint64_t psn, const FastPathMessages& messages) const
    {
        for (uint64_t number = finishing; number < messages.GetEnd(); ++number)
        {
            const FastPathMessage& message = messages.Get(number);
            if (message.firstPsn + message.packets > psn)
            {
                return false;
            }
            if (message.awaited)
            {
                return true;
            }
        }
        return false;
    }

    /**
     * @brief Process an acknowledgement.
     * @param psn one past the last PSN received, above `unacked`
     * @param now the time, in time steps
     * @param timeout bounds of the retransmission timer
     * @param messages the posted messages
     * @param measured called with the round trip, if this acknowledgement measures one
     * @return true if an awaited message is finished
     */
    template <typename Measured>
    bool Acknowledge(uint64_t psn,
                     int64_t now,
                     const RdmaTimeoutBounds& timeout,
                     const FastPathMessages& messages,
                     const Measured& measured)
    {
        if (timer.Acknowledged(psn))
        {
            const int64_t roundTrip = now - timer.timedAt;
            timer.Measured(roundTrip);
            measured(roundTrip);
        }
        unacked = psn;
        if (AwaitsAck())
        {
            timer.Restart(now, timeout, 0);
        }
        else
        {
            timer.running = false;
        }
        bool finished = false;
        while (finishing < messages.GetEnd())
        {
            const FastPathMessage& message = messages.Get(finishing);
            if (message.firstPsn + message.packets > psn)
            {
                break;
            }
            ++finishing;
            if (message.awaited)
            {
                answered = finishing;
                finished = true;
            }
        }
        return finished;
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_SENDER_H
