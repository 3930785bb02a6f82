// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_PORT_SCHEDULER_H
#define PHOTONIC_RAILS_RDMA_PORT_SCHEDULER_H

#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fifo.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/recurring-event.h"

#include <vector>

namespace ns3
{

/**
 * @brief Chooses the next frame of a NIC port among its queue pairs.
 *
 * Acknowledgements and CNPs precede data. Queue pairs with data take turns, one packet each. A
 * queue pair whose congestion control defers its next packet waits outside the turns. A busy port
 * checks after each frame whether the wait is over; an idle port schedules an event for the
 * earliest end of a wait. The scheduler sends nothing of a priority that the link partner has
 * paused (PFC).
 *
 * Packets of an IP stack, which wait in the transmit queue of the port, have the priority of their
 * DSCP, as in switches: packets of priority 7 precede acknowledgements, packets of priority 6
 * follow them, and all others share the rest with the data of the queue pairs, by equal numbers of
 * bytes.
 */
class RdmaPortScheduler
{
  public:
    /// @param port the port, which outlives the scheduler
    explicit RdmaPortScheduler(EthernetPortNetDevice& port)
        : m_port(&port)
    {
    }

    /**
     * @brief Give a queue pair with data its turn, or shorten its wait.
     * @param queuePair a queue pair of the port; ignored without data to send
     * @return true if the port must choose again
     */
    bool AddData(RdmaQueuePair& queuePair)
    {
        RdmaQueuePair::Queued& queued = queuePair.GetQueued();
        if (queued.waiting)
        {
            return ShortenWait(queuePair);
        }
        if (queued.data || !queuePair.HasDataToSend())
        {
            return false;
        }
        PutLast(queuePair);
        return true;
    }

    /// Queue the acknowledgement or CNP of a queue pair.
    void AddAck(RdmaQueuePair& queuePair)
    {
        queuePair.GetQueued().ack = true;
        m_acks.push_back(&queuePair);
    }

    /// Give a queue pair the last turn, whether or not it has data to send.
    void PutLast(RdmaQueuePair& queuePair)
    {
        queuePair.GetQueued().data = true;
        m_data.push_back(&queuePair);
    }

    /// @return the next acknowledgement or CNP, or null
    Ptr<Packet> NextAck();

    /**
     * @brief Find the queue pair whose data packet is next. Without one, schedule an event for the
     * end of the earliest wait.
     * @return the queue pair, which has the first turn; or null
     */
    RdmaQueuePair* FindSender();

    /// @return the data packet of the queue pair that FindSender has just returned
    Ptr<Packet> NextData();

    /// @return the next frame while the port has packets of an IP stack, or null
    Ptr<Packet> NextBesidePackets();

    /// Remove a queue pair from all queues.
    void Remove(RdmaQueuePair& queuePair);
    /// Remove all queue pairs that do not wait.
    void Clear();
    /// Cancel the scheduled event.
    void Stop();

    /// @return queue pairs with an acknowledgement or CNP to send, in order
    const Fifo<RdmaQueuePair*>& GetAcks() const
    {
        return m_acks;
    }

    /// @return queue pairs that may have data to send, in the order of their turns
    const Fifo<RdmaQueuePair*>& GetData() const
    {
        return m_data;
    }

    /// @return true if a queue pair waits outside the turns
    bool HasWaiting() const
    {
        return !m_waiting.empty();
    }

  private:
    /// A queue pair that may not send yet.
    struct Waiting
    {
        Time until;
        RdmaQueuePair* queuePair{nullptr};

        /// @return true if the wait ends later than another one; waits that end together are
        /// ordered by the numbers of the queue pairs
        bool operator<(const Waiting& other) const
        {
            return until > other.until ||
                   (until == other.until &&
                    queuePair->GetEndpoint().queuePair > other.queuePair->GetEndpoint().queuePair);
        }
    };

    /// @return true if the queue pair may now send earlier than before
    bool ShortenWait(RdmaQueuePair& queuePair);
    /// Give queue pairs whose wait is over their turns.
    void EndWaits();
    /// Schedule an event for the end of the earliest wait.
    void WakeUp();

    EthernetPortNetDevice* m_port;
    Fifo<RdmaQueuePair*> m_acks;
    Fifo<RdmaQueuePair*> m_data;
    std::vector<Waiting> m_waiting; //!< heap, the earliest end on top
    Ptr<RecurringEvent> m_wake;     //!< null until a queue pair has to wait
    Time m_wakeAt;                  //!< when m_wake is due, if pending
    int64_t m_lead{0}; //!< bytes of data by which queue pairs are ahead of the IP stack
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_PORT_SCHEDULER_H
