// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_H
#define PHOTONIC_RAILS_FAST_PATH_H

#include "ns3/ptr.h"
#include "ns3/recurring-event.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <limits>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;
class EthernetPortNetDevice;

/**
 * @brief Base class of the fast path: computes the traffic of a set of ports ahead of simulated
 * time, without an event for each packet, until these ports receive other traffic.
 *
 * The NIC ports are the ends of a FastPath and are numbered from 0. Each end, and each port of a
 * switch between the ends, holds a reference to the FastPath and queries the state of its traffic.
 */
class FastPath : public SimpleRefCount<FastPath>
{
  public:
    virtual ~FastPath() = default;

    /// @return the number of the end that a port is
    virtual uint32_t GetEnd(const EthernetPortNetDevice& port) const = 0;
    /// @return true if the fast path computes the traffic of a queue pair
    virtual bool Has(const RdmaQueuePair& queuePair) const = 0;
    /// @return true if no frame is in flight, and nothing is due or waits to be sent
    virtual bool IsQuiet() const = 0;
    /// @return true if the port of an end is sending
    virtual bool IsSending(uint32_t end) const = 0;
    /// @return true if an output port of the switch between the ends is sending
    virtual bool IsPassing(const EthernetPortNetDevice& output) const = 0;

    /**
     * @brief Take over the messages that a queue pair has posted. Its port decides what to send
     * later at the same simulated time.
     * @return false if the fast path does not take the messages: the queue pair does not belong to
     * it, or the fast path has nothing else to compute and packets can take over
     */
    virtual bool Posted(const RdmaQueuePair& queuePair) = 0;
    /// Let the port of an end decide what to send at this simulated time.
    virtual void Decide(uint32_t end) = 0;
    /**
     * @brief Record that the port of an end processes its arrivals.
     * @param port the port
     * @param now the time, in time steps
     * @return true if the caller must call DeliverDue for this end
     */
    virtual bool IsDue(const EthernetPortNetDevice& port, int64_t now) = 0;
    /// Report the messages that have arrived at an end, and those acknowledged there, by now.
    virtual void DeliverDue(uint32_t end) = 0;
    /// Update the counters of all ends to the present.
    virtual void Settle() = 0;
    /// End the fast path: convert all traffic in flight into packets.
    virtual void Leave() = 0;
    /// End the fast path without creating packets, because the simulation is being destroyed.
    virtual void Abandon() = 0;

  protected:
    /// The next observable event of an end, such as a message that arrives.
    struct Outlook
    {
        Ptr<RecurringEvent> wake;                               //!< calls Woken for the end
        int64_t wakeAt{0};                                      //!< when `wake` is due, if pending
        int64_t visibleAt{std::numeric_limits<int64_t>::max()}; //!< when the event happens
    };

    /// @return the present, in time steps
    static int64_t Now();
    /// @return an Outlook for an end, without a scheduled event
    Outlook MakeOutlook(uint32_t end);
    /**
     * @brief Schedule Woken for an end, in the context of the node of its port.
     * @param outlook the outlook of the end
     * @param end the number of the end
     * @param port the port of the end
     * @param at the time, in time steps
     */
    void WakeAt(Outlook& outlook, uint32_t end, const EthernetPortNetDevice& port, int64_t at);
    /**
     * @brief Process the arrivals of an end, and schedule Woken again if its observable event is
     * not due yet.
     * @param outlook the outlook of the end
     * @param end the number of the end
     * @param port the port of the end
     * @param nic the NIC of the port
     * @param ends true if the fast path cannot compute the event that is due (a time-out, for
     * example). When that event is due, the NIC interrupts the fast path instead.
     */
    void WakeUp(Outlook& outlook,
                uint32_t end,
                EthernetPortNetDevice& port,
                RdmaNic& nic,
                bool ends);

    bool m_over{false}; //!< the fast path has ended and packets have taken over

  private:
    /// Called when the observable event of an end may be due.
    virtual void Woken(uint32_t end) = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_H
