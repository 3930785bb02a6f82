// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_MESSAGES_H
#define PHOTONIC_RAILS_TIMELINE_MESSAGES_H

#include "trace-event-writer.h"

#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/opus-shim.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief The messages between shims, managers and controllers of Opus in a timeline.
 *
 * Each shim, manager and controller is a thread. A message has a slice of zero length on each
 * thread that it passes, and arrows between these slices: from the shim through the manager to the
 * controller, or back. The class writes a message when the message arrives at its destination;
 * Finish writes messages that have not arrived.
 */
class TimelineMessages
{
  public:
    /// @param sheet gets the messages; must outlive this object
    explicit TimelineMessages(TimelineSheet& sheet);

    /**
     * @param shim the shim of a rank in the scope of the sheet
     * @param rank the rank
     * @param process the process of the rank in the timeline
     */
    void Observe(Ptr<OpusShim> shim, uint32_t rank, uint32_t process);
    /**
     * @param manager a manager
     * @param name for people
     */
    void Observe(Ptr<OpusManager> manager, const std::string& name);
    /**
     * @param controller a controller
     * @param name for people
     */
    void Observe(Ptr<OpusController> controller, const std::string& name);

    /// Write messages that have not arrived; call after Simulator::Run.
    void Finish();

    /**
     * @param group the number of a group of a lease, see OpusShim::GetLeaseGroup
     * @return the number as text, or both ranks if the lease is for a pair within a group
     */
    static std::string GetGroupName(uint64_t group);

  private:
    /// The components that a message passes, in the order of a message from a rank.
    enum Station : uint8_t
    {
        SHIM,
        MANAGER,
        CONTROLLER,
    };

    /// A message at a component.
    struct Hop
    {
        TraceEventWriter::Thread thread;
        Time at;
    };

    /// A message and the components that it has passed so far.
    struct Journey
    {
        OpusMessage message;
        std::vector<Hop> hops;
    };

    /// Key of a message: type, job, rank, group, lease. Messages with equal keys keep their order.
    using Key = std::tuple<OpusMessageType, uint32_t, uint32_t, uint64_t, uint32_t>;

    /// A component and its thread.
    struct Place
    {
        Station station{SHIM};
        TraceEventWriter::Thread thread;
    };

    void ShimSent(uint32_t rank, const OpusMessage& message);
    void ShimReceived(uint32_t rank, const OpusMessage& message);
    void ShimGranted(uint32_t rank, uint64_t group, Time waited, Time exposed, bool speculative);
    void Passed(uint32_t place, const OpusMessage& message);

    /// Add a component to a message; write the message if the component is its destination.
    void Pass(const Place& place, const OpusMessage& message);
    /// Write a message; isComplete: the message has arrived.
    void Write(const Journey& journey, bool isComplete);

    TimelineSheet& m_sheet;
    std::map<uint32_t, Place> m_shims; //!< by rank
    std::vector<Place> m_places;       //!< managers and controllers
    std::map<Key, std::deque<Journey>> m_journeys;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_MESSAGES_H
