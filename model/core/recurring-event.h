// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECURRING_EVENT_H
#define PHOTONIC_RAILS_RECURRING_EVENT_H

#include "ns3/assert.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <functional>

namespace ns3
{

/**
 * @brief An event that is scheduled repeatedly, at most once at a time.
 *
 * Simulator::Schedule allocates an event for every call. A port that sends millions of frames keeps
 * two RecurringEvent objects instead.
 */
class RecurringEvent : public EventImpl
{
  public:
    /// @param action called when the event is due
    explicit RecurringEvent(std::function<void()> action)
        : m_action(std::move(action))
    {
    }

    /// @return true while the event is scheduled
    bool IsPending() const
    {
        return m_pending;
    }

    /**
     * @param context node id to run under
     * @param delay time from now
     */
    void Schedule(uint32_t context, const Time& delay)
    {
        NS_ASSERT_MSG(!m_pending, "a recurring event can be scheduled once at a time");
        m_pending = true;
        Ref(); // the simulator drops this reference after running the event
        Simulator::ScheduleWithContext(context, delay, this);
    }

    /// Discard the action, because its owner is being destroyed. A scheduled event does nothing.
    void Disarm()
    {
        m_action = nullptr;
    }

  protected:
    void Notify() override
    {
        m_pending = false;
        if (m_action)
        {
            m_action();
        }
    }

  private:
    std::function<void()> m_action;
    bool m_pending{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECURRING_EVENT_H
