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
 * @brief What shims, managers and controllers of Opus say to each other, in a timeline.
 *
 * Each of them is a thread. A message is a slice without length wherever it comes by, and an arrow
 * leads from one to the next: from the shim over the manager to the controller, or back. A message
 * is written when it has come to its end.
 */
class TimelineMessages
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineMessages(TimelineSheet& sheet);

    /**
     * @param shim the shim of a rank in the scope of the sheet
     * @param rank the rank
     * @param process of the rank in the timeline
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

    /// The simulation has ended: write what has not arrived.
    void Finish();

    /**
     * @param group by which number a controller knows the circuits of calls
     * @return the number, or the ranks of a pair within a larger group (OpusShim::GetLeaseGroup)
     */
    static std::string GetGroupName(uint64_t group);

  private:
    /// Where messages come by, in the order of those that ranks say.
    enum Station : uint8_t
    {
        SHIM,
        MANAGER,
        CONTROLLER,
    };

    /// A message came by.
    struct Hop
    {
        TraceEventWriter::Thread thread;
        Time at;
    };

    /// A message under way.
    struct Journey
    {
        OpusMessage message;
        std::vector<Hop> hops;
    };

    /// What tells messages apart; those that are alike keep their order.
    using Key = std::tuple<OpusMessageType, uint32_t, uint32_t, uint64_t, uint32_t>;

    /// One place where messages come by.
    struct Place
    {
        Station station{SHIM};
        TraceEventWriter::Thread thread;
    };

    void ShimSent(uint32_t rank, const OpusMessage& message);
    void ShimReceived(uint32_t rank, const OpusMessage& message);
    void ShimGranted(uint32_t rank, uint64_t group, Time waited, Time exposed, bool speculative);
    void Passed(uint32_t place, const OpusMessage& message);

    /// A message is at a place.
    void Pass(const Place& place, const OpusMessage& message);
    /// Write a message, which is complete if it has arrived.
    void Write(const Journey& journey, bool isComplete);

    TimelineSheet& m_sheet;
    std::map<uint32_t, Place> m_shims; //!< by rank
    std::vector<Place> m_places;       //!< managers and controllers
    std::map<Key, std::deque<Journey>> m_journeys;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_MESSAGES_H
