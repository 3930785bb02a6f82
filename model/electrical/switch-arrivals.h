// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_ARRIVALS_H
#define PHOTONIC_RAILS_SWITCH_ARRIVALS_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/recurring-event.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief The next arrival at each port of a switch. Arrivals are delivered in the order of time,
 * and at the same time in the order of the ports, independent of the order of events.
 *
 * Usually one event is pending for all ports. Arrivals that may wait are delivered late, by that
 * event or because something else needs the state of the switch, and mostly have no event of their
 * own.
 */
class SwitchArrivals
{
  public:
    /**
     * @param deliver called with port and time of each arrival
     * @param slack returns the time for which the next arrival may wait
     */
    SwitchArrivals(std::function<void(uint32_t port, const Time& at)> deliver,
                   std::function<Time()> slack);
    ~SwitchArrivals();
    SwitchArrivals(const SwitchArrivals&) = delete;
    SwitchArrivals& operator=(const SwitchArrivals&) = delete;

    /// @param context node id for the events
    void SetContext(uint32_t context)
    {
        m_context = context;
    }

    /**
     * @param at time at which a frame arrives, not before now
     * @param port number of the port
     */
    void Add(const Time& at, uint32_t port);

    /// Deliver the arrivals up to now.
    void Take();

    /// Deliver the arrivals up to now, and the next one at its time.
    void TakeAndAwaitNext();

    /// Discard all arrivals and events.
    void Stop();

  private:
    struct Arrival
    {
        Time at;
        uint32_t port;

        /// @return true if the other arrival is earlier, for a heap with the earliest on top
        bool operator<(const Arrival& other) const
        {
            return at > other.at || (at == other.at && port > other.port);
        }
    };

    /// An event, which may be pending.
    struct Wake
    {
        Ptr<RecurringEvent> event;
        Time at;
    };

    /// The earliest event is due.
    void WakeUp();
    /// Schedule an event for the first arrival.
    void Await();
    /// Have an event at a time or before.
    void WakeBy(const Time& at);
    /// Replace the first arrival.
    void ReplaceFirst(const Arrival& arrival);

    std::function<void(uint32_t, const Time&)> m_deliver;
    std::function<Time()> m_slack;
    uint32_t m_context{0xffffffff};
    std::vector<Arrival> m_arrivals; //!< heap, the earliest on top
    bool m_taking{false};            //!< arrivals are being delivered
    bool m_firstTaken{false};        //!< the arrival on top has been delivered
    std::vector<Wake> m_wakes;       //!< in descending order of time
    std::size_t m_pending{0};        //!< number of pending events in m_wakes
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_ARRIVALS_H
