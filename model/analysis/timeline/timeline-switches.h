// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_SWITCHES_H
#define PHOTONIC_RAILS_TIMELINE_SWITCHES_H

#include "trace-event-writer.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/nstime.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
    uint64_t GetEvents() const
    {
        return m_events;
    }

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

/**
 * @brief Optical circuit switches in a timeline: a process each, with a thread for each port.
 *
 * A port is dark, switching, or up to another port; each is a slice. A command is a slice of the
 * switch from its begin to light; commands may overlap.
 */
class TimelineSwitches
{
  public:
    /// @param sheet where they are written; it must outlive this object
    explicit TimelineSwitches(TimelineSheet& sheet);

    /// What a port of a switch is cabled to.
    struct Cable
    {
        uint32_t gpu{0}; //!< has the number of the rank that begins there
        uint32_t nicPort{0};
        bool isSpare{false}; //!< no rank begins there
    };

    /// The ports of a switch.
    struct Ports
    {
        std::map<uint32_t, Cable> cables; //!< of all ports whose other end is known
        std::vector<uint32_t> written;    //!< those that are written
    };

    /**
     * @param ocs a switch, before anything happens there
     * @param name for people
     * @param ports what is known of its ports, and which are written
     */
    void Observe(Ptr<OpticalCircuitSwitch> ocs, const std::string& name, const Ports& ports);

    /// The simulation has ended: write what has not, up to the end of the sheet.
    void Finish();

  private:
    /// A port that is written.
    struct Port
    {
        TraceEventWriter::Thread thread;
        OpticalCircuitSwitch::PortState state{OpticalCircuitSwitch::DARK};
        uint32_t peer{0}; //!< if it is up
        Time since;
    };

    /// A command under way.
    struct Command
    {
        Time begin;
        CircuitSet dropped;
        CircuitSet made;
    };

    struct Switch
    {
        uint32_t process{0};
        std::map<uint32_t, Cable> cables;
        std::map<uint32_t, Port> ports;
        std::vector<Command> commands;
    };

    void CircuitUp(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    void CircuitDown(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    void Started(Ptr<const OpticalCircuitSwitch> ocs,
                 const CircuitSet& dropped,
                 const CircuitSet& made);
    void Ended(Ptr<const OpticalCircuitSwitch> ocs,
               const CircuitSet& dropped,
               const CircuitSet& made);
    void Failed(Ptr<const OpticalCircuitSwitch> ocs, bool failed);

    /// A port may have changed; if it is up it leads to a peer.
    void Change(Switch& place,
                uint32_t port,
                OpticalCircuitSwitch::PortState state,
                uint32_t peer = 0);
    /// Write the state in which a port has been until a moment.
    void WriteState(const Switch& place, const Port& port, const Time& end);
    /// Write a command, which is cut if it has not ended by itself.
    void WriteCommand(const Switch& place, const Command& command, const Time& end, bool isCut);

    TimelineSheet& m_sheet;
    std::map<Ptr<const OpticalCircuitSwitch>, Switch> m_switches;
    std::vector<Ptr<const OpticalCircuitSwitch>> m_order; //!< in which they were observed
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_SWITCHES_H
