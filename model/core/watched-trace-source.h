// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WATCHED_TRACE_SOURCE_H
#define PHOTONIC_RAILS_WATCHED_TRACE_SOURCE_H

#include "ns3/trace-source-accessor.h"

#include <string>

namespace ns3
{

/**
 * @brief Access to a trace source of an object that is notified before a sink is connected, so that
 * the object ends fast paths, which skip traced events.
 *
 * @tparam T class of the object, with a member function NotifyTraceConnected()
 * @tparam Member pointer to the trace source
 */
template <typename T, typename Member>
class WatchedTraceSourceAccessor : public TraceSourceAccessor
{
  public:
    /// @param member the trace source
    explicit WatchedTraceSourceAccessor(Member member)
        : m_inner(MakeTraceSourceAccessor(member))
    {
    }

    bool ConnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        Notify(object);
        return m_inner->ConnectWithoutContext(object, sink);
    }

    bool Connect(ObjectBase* object, std::string context, const CallbackBase& sink) const override
    {
        Notify(object);
        return m_inner->Connect(object, context, sink);
    }

    bool DisconnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return m_inner->DisconnectWithoutContext(object, sink);
    }

    bool Disconnect(ObjectBase* object,
                    std::string context,
                    const CallbackBase& sink) const override
    {
        return m_inner->Disconnect(object, context, sink);
    }

  private:
    /// Notify the object before a sink is connected.
    static void Notify(ObjectBase* object)
    {
        if (auto* watched = dynamic_cast<T*>(object))
        {
            watched->NotifyTraceConnected();
        }
    }

    Ptr<const TraceSourceAccessor> m_inner;
};

/**
 * @param member pointer to a trace source of a class with a member function NotifyTraceConnected()
 * @return the accessor
 */
template <typename T, typename Source>
Ptr<const TraceSourceAccessor>
MakeWatchedTraceSourceAccessor(Source T::*member)
{
    using Accessor = WatchedTraceSourceAccessor<T, Source T::*>;
    return Ptr<const TraceSourceAccessor>(new Accessor(member), false);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_WATCHED_TRACE_SOURCE_H
