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
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The utilisation of ports in a timeline: one counter per port, from 0 to 1.
 *
 * The utilisation in a bin is the number of bytes that the port sends (LinkUtilisation says which
 * bytes count), divided by the port's rate times the length of the bin. A frame counts in the bin
 * in which its first bit leaves; bytes beyond the capacity of this bin count in the next bin. A
 * value holds from the start of its bin, and the timeline gets a value only if the value has
 * changed.
 *
 * The class reads the ports in simulator events of its own. GetEvents counts these events, so that
 * reports can leave them out.
 */
class TimelineCounters : public TimelinePart
{
  public:
    using TimelinePart::TimelinePart;

    /**
     * @param process whose counter it is
     * @param name of the counter
     * @param port the port
     */
    void Observe(uint32_t process, const std::string& name, Ptr<EthernetPortNetDevice> port);

    /**
     * @brief Start to read the ports; call before Simulator::Run.
     * @param isRunning returns false when the job has ended: the class then schedules no more
     * events
     * @param countOthers returns the number of events of other observers
     *
     * The class also schedules no more events when only observers have had events for
     * LONGEST_SILENCE_SECONDS of simulated time. Otherwise a run whose job is stuck would not end.
     */
    void Start(std::function<bool()> isRunning, std::function<uint64_t()> countOthers);

    /// Write the last bin, which may be incomplete; call after Simulator::Run.
    void Finish();

    /// @return the number of simulator events that this class has scheduled
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

    /// Write the bin that ends now, and start the next bin.
    void Look();
    /// Write the utilisation since the start of the bin.
    void Measure();
    /// Stop to measure: all counters become 0.
    void Stop();
    /// Write a value from a moment on, if it is a new one.
    void Write(Port& port, const Time& at, double value);

    std::vector<Port> m_ports;
    std::function<bool()> m_isRunning;
    std::function<uint64_t()> m_countOthers;
    Time m_begin;         //!< of the bin
    Time m_heardOf;       //!< time of the last event that was not an observer's
    uint64_t m_others{0}; //!< number of events at this time, without those of observers
    uint64_t m_events{0};
    bool m_isMeasuring{false};
};

/**
 * @brief Optical circuit switches in a timeline: one process per switch, one thread per port.
 *
 * The thread of a port shows its states as slices: dark, switching, or up to another port. The
 * process of a switch shows each command as a slice, from the start of the reconfiguration until
 * light; these slices may overlap.
 */
class TimelineSwitches : public TimelinePart
{
  public:
    using TimelinePart::TimelinePart;

    /// The GPU and NIC port at the other end of a port's fiber.
    struct Cable
    {
        uint32_t gpu{0}; //!< the GPU; also the number of the rank that starts on it
        uint32_t nicPort{0};
        bool isSpare{false}; //!< whether the GPU is a spare, on which no rank starts
    };

    /// The ports of a switch.
    struct Ports
    {
        std::map<uint32_t, Cable> cables; //!< other ends of fibers, where they are known
        std::vector<uint32_t> written;    //!< ports that the timeline shows
    };

    /**
     * @param ocs a switch without circuits and commands
     * @param name of the switch in the timeline
     * @param ports cables of the switch, and the ports to show
     */
    void Observe(Ptr<OpticalCircuitSwitch> ocs, const std::string& name, const Ports& ports);

    /// Write states and commands that have not ended, up to the end of the sheet.
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

    /// Note the state of a port, and its peer if the port is up.
    void Change(Switch& place,
                uint32_t port,
                OpticalCircuitSwitch::PortState state,
                uint32_t peer = 0);
    /// Write the state of a port, which ends at a given time.
    void WriteState(const Switch& place, const Port& port, const Time& end);
    /// Write a command; isCut: the run or a failure ended before the command did.
    void WriteCommand(const Switch& place, const Command& command, const Time& end, bool isCut);

    std::map<Ptr<const OpticalCircuitSwitch>, Switch> m_switches;
    std::vector<Ptr<const OpticalCircuitSwitch>> m_order; //!< in which they were observed
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_SWITCHES_H
