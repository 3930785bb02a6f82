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
 * @brief When frames arrive at the ports of a switch: it takes them by time, and those of one
 * instant in the order of the ports, whichever event of that instant runs first.
 *
 * It holds the next arrival of each port, and mostly one event of the simulator is pending.
 */
class SwitchArrivals
{
  public:
    /// @param deliver takes what arrives at a port at a time
    explicit SwitchArrivals(std::function<void(uint32_t port, const Time& at)> deliver);
    ~SwitchArrivals();
    SwitchArrivals(const SwitchArrivals&) = delete;
    SwitchArrivals& operator=(const SwitchArrivals&) = delete;

    /// @param context node id to run under
    void SetContext(uint32_t context);

    /**
     * @param at when a frame arrives, not before now
     * @param port where
     */
    void Add(const Time& at, uint32_t port);

    /// Deliver what has arrived by now.
    void Take();

    /// Forget all arrivals, and deliver nothing any more.
    void Stop();

  private:
    struct Arrival
    {
        Time at;
        uint32_t port;

        /// @return true if the other comes first: the standard heap has the largest on top
        bool operator<(const Arrival& other) const
        {
            return at > other.at || (at == other.at && port > other.port);
        }
    };

    /// An event that is pending, or has been.
    struct Wake
    {
        Ptr<RecurringEvent> event;
        Time at;
    };

    /// The earliest event is due.
    void WakeUp();
    /// Have an event pending for the first arrival.
    void Await();
    /// Put an arrival in the place of the first.
    void ReplaceFirst(const Arrival& arrival);

    std::function<void(uint32_t, const Time&)> m_deliver;
    uint32_t m_context{0xffffffff};
    std::vector<Arrival> m_arrivals; //!< heap, the first on top
    bool m_taking{false};            //!< arrivals are being delivered
    bool m_firstTaken{false};        //!< the first has been, and is still on top
    std::vector<Wake> m_wakes;       //!< each earlier than the one before it
    std::size_t m_pending{0};        //!< how many of them are pending
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_ARRIVALS_H
