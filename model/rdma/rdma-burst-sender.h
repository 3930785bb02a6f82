// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_BURST_SENDER_H
#define PHOTONIC_RAILS_RDMA_BURST_SENDER_H

#include "rdma-timer-state.h"

#include "ns3/fifo.h"

#include <cstdint>

namespace ns3
{

/// How long and how large a packet is on the fibre.
struct RdmaBurstSize
{
    int64_t time{0};
    uint32_t bytes{0};
};

/// A message that a queue pair has to send.
struct RdmaBurstMessage
{
    uint64_t firstPsn{0};
    uint64_t packets{1};
    RdmaBurstSize first;  //!< if it has several packets
    RdmaBurstSize middle; //!< those between first and last
    RdmaBurstSize last;
    uint64_t payloadBytes{0};
    uint32_t immediate{0};
    bool awaited{true}; //!< that all of it is acknowledged can be seen from outside
};

/// Messages that have been posted, counted from the first that ever was.
class RdmaBurstMessages
{
  public:
    /// @param message follows those before
    void Post(const RdmaBurstMessage& message)
    {
        m_messages.push_back(message);
    }

    /// @param number of a message that has not been forgotten
    const RdmaBurstMessage& Get(uint64_t number) const
    {
        return m_messages[number - m_first];
    }

    /// @return number of the next message that will be posted
    uint64_t GetEnd() const
    {
        return m_first + m_messages.size();
    }

    /// Forget messages that come before a number.
    void ForgetBefore(uint64_t number)
    {
        while (m_first < number)
        {
            m_messages.pop_front();
            ++m_first;
        }
    }

  private:
    Fifo<RdmaBurstMessage> m_messages;
    uint64_t m_first{0};
};

/**
 * @brief How far a queue pair has come with what it sends, and what follows from that by the rules
 * of RdmaRequester without congestion control and losses.
 *
 * It is a value; its functions are in here so that they can be expanded where they are used.
 */
struct RdmaBurstSender
{
    uint64_t next{0};         //!< PSN that is sent next
    uint64_t unacked{0};      //!< oldest PSN without an acknowledgement
    uint64_t limit{0};        //!< one past the last PSN that has been posted
    uint64_t ackRequested{0}; //!< one past the last PSN that asked for an acknowledgement
    uint64_t sending{0};      //!< number of the message that `next` belongs to
    uint64_t finishing{0};    //!< number of the message that is acknowledged next
    uint64_t answered{0};     //!< one past the last awaited message that is acknowledged
    RdmaTimerState timer;

    /**
     * @param window packets under way
     * @return true if there is a packet that may be sent
     */
    bool HasData(uint32_t window) const
    {
        const bool awaitsAck = ackRequested > unacked;
        return next < limit && (next < unacked + window || !awaitsAck);
    }

    /// A packet that asks for an acknowledgement is sent.
    void Asked(uint64_t psn, int64_t now, const RdmaTimeoutBounds& timeout)
    {
        const bool awaitsAck = ackRequested > unacked;
        timer.Sent(psn, now);
        ackRequested = psn + 1;
        if (!awaitsAck)
        {
            timer.Restart(now, timeout, 0);
        }
    }

    /**
     * @brief Take in an acknowledgement.
     * @param psn one past what has arrived, above `unacked`
     * @param now the time
     * @param timeout of the timer
     * @param messages that have been posted
     * @param roundTrips gets what is measured, if anything is
     * @return true if an awaited message is finished
     */
    template <typename RoundTrips>
    bool Acknowledge(uint64_t psn,
                     int64_t now,
                     const RdmaTimeoutBounds& timeout,
                     const RdmaBurstMessages& messages,
                     RoundTrips& roundTrips)
    {
        if (timer.Acknowledged(psn))
        {
            const int64_t roundTrip = now - timer.timedAt;
            timer.Measured(roundTrip);
            roundTrips.push_back(roundTrip);
        }
        unacked = psn;
        if (ackRequested > psn)
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
            const RdmaBurstMessage& message = messages.Get(finishing);
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

#endif // PHOTONIC_RAILS_RDMA_BURST_SENDER_H
