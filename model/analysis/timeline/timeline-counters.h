// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_COUNTERS_H
#define PHOTONIC_RAILS_TIMELINE_COUNTERS_H

#include "timeline-sheet.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief How busy ports are, in a timeline: a counter for each, from 0 to 1.
 *
 * The bytes that a port has sent in a bin (LinkUtilisation says which) over its rate times the bin.
 * A frame counts when it begins; what a bin has no room for counts in the next. Values hold from
 * the begin of a bin on, and only changes are written.
 *
 * It looks at ports at intervals, in events of its own, which are counted apart.
 */
class TimelineCounters
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineCounters(TimelineSheet& sheet);

    /**
     * @param process whose counter it is
     * @param name of the counter
     * @param port the port
     */
    void Observe(uint32_t process, const std::string& name, Ptr<EthernetPortNetDevice> port);

    /**
     * @brief Start to look. Before Simulator::Run.
     * @param isRunning false ends it, so that the simulation can end
     * @param countOthers counts events of other observers, see below
     *
     * It also ends when for LONGEST_SILENCE nothing but observers has had an event: a run that is
     * stuck would otherwise never end.
     */
    void Start(std::function<bool()> isRunning, std::function<uint64_t()> countOthers);

    /// The simulation has ended: write what it has cut short.
    void Finish();

    /// @return simulator events that it has caused
    uint64_t GetEvents() const;

  private:
    struct Port
    {
        uint32_t process;
        std::string name;
        Ptr<EthernetPortNetDevice> device;
        uint64_t bytes;    //!< sent at the begin of the bin
        double excess{0};  //!< bytes for which the bin before had no room
        double written{0}; //!< last value
    };

    /// A bin has ended.
    void Look();
    /// Write what has been sent since the begin of the bin, which ends now.
    void Measure();
    /// Nothing is measured from now on.
    void Stop();
    /// Write a value from a moment on, if it is a new one.
    void Write(Port& port, const Time& at, double value);

    TimelineSheet& m_sheet;
    std::vector<Port> m_ports;
    std::function<bool()> m_isRunning;
    std::function<uint64_t()> m_countOthers;
    Time m_begin;         //!< of the bin
    Time m_heardOf;       //!< when anybody else had an event for the last time
    uint64_t m_others{0}; //!< events of the simulator at that time, but those of observers
    uint64_t m_events{0};
    bool m_isMeasuring{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_COUNTERS_H
