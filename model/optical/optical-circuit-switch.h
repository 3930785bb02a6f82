// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTICAL_CIRCUIT_SWITCH_H
#define PHOTONIC_RAILS_OPTICAL_CIRCUIT_SWITCH_H

#include "circuit-fabric.h"

#include "ns3/callback.h"
#include "ns3/fiber-net-device.h"
#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class OpticalCircuitSwitch;

/**
 * @brief A passive port of an optical circuit switch, which passes light on.
 */
class OcsNetDevice : public FiberNetDevice
{
  public:
    static TypeId GetTypeId();

    /**
     * @param ocs the switch of this port
     * @param port number of this port on the switch
     */
    void SetSwitch(OpticalCircuitSwitch* ocs, uint32_t port);

    /// @return the number of this port on its switch
    uint32_t GetPort() const
    {
        return m_port;
    }

    /**
     * @brief Set whether light enters the switch at this port. The transceiver at the other end of
     * the fiber is notified after the delay of the fiber.
     * @param lit true if the port is lit
     */
    void SetLight(bool lit);

    /// Drop the circuit of this port, because its fiber is attached elsewhere.
    void Unplug();

    void FollowLight(LightPath& path) override;
    void FarEndChanged() override;

    bool IsLinkUp() const override
    {
        return m_lit;
    }

  protected:
    void DoDispose() override;

  private:
    /// Notify the transceiver at the other end of a change after the delay of the fiber.
    void NotifyTransceiver();

    OpticalCircuitSwitch* m_switch{nullptr}; //!< aggregated to the same node
    uint32_t m_port{0};
    bool m_lit{false};
};

/**
 * @brief An optical circuit switch (OCS): a matching of ports that commands change.
 *
 * Aggregated to the node of the OCS, whose OcsNetDevice objects are the ports. The switch has no
 * queues and processes no packets: a sender resolves the light path through the switch when it
 * starts to transmit. Bits in flight when a circuit goes dark are lost, and the switch counts them.
 *
 * A command names circuits to drop and circuits to make, and is atomic. The switch either refuses
 * the command with an error and changes nothing, or all ports of the command go dark immediately,
 * stay dark for ReconfigurationDelay and carry light after the transceivers at the far ends have
 * locked (TransceiverLockTime). Other ports are not disturbed, except in mode WholeSwitch
 * (rotor-like devices), in which every command darkens every port. Commands on disjoint ports may
 * overlap in time.
 *
 * By default every matching is possible. With a CircuitFabric each circuit has a light path from
 * the command that makes the circuit to the command that drops it. The switch refuses commands for
 * which the fabric has no light path. The delay of the light path adds to InsertionDelay. The
 * switch owns the fabric; no other object may change it.
 */
class OpticalCircuitSwitch : public Object, public LightLossCounter
{
  public:
    static TypeId GetTypeId();

    /// The ports that a command darkens.
    enum Mode
    {
        PER_PORT,     //!< the ports of the command
        WHOLE_SWITCH, //!< all ports
    };

    /// The directions of a circuit.
    enum Transceivers
    {
        BIDIRECTIONAL, //!< both directions on one fiber: a circuit joins two ports
        SIMPLEX,       //!< one direction: a circuit leads from an entry side to an exit side
    };

    /// The state of one port.
    enum PortState
    {
        DARK,
        SWITCHING,
        UP,
    };

    OpticalCircuitSwitch();
    ~OpticalCircuitSwitch() override;

    /**
     * @brief Set Radix and ReconfigurationDelay to the values of a technology.
     * @param name name of an OcsTechnology
     * @return false, without a change, if there is no such technology
     */
    bool SetTechnology(const std::string& name);

    /**
     * @brief Set the fabric between the ports and clear it. Aborts while there are circuits.
     *
     * A fabric joins ports in both directions and needs bidirectional transceivers.
     * @param fabric a fabric that only this switch uses; null for none
     */
    void SetFabric(Ptr<CircuitFabric> fabric);
    /// @param transceivers whether circuits carry light both ways; only without circuits
    void SetTransceivers(Transceivers transceivers);

    /// @return whether circuits carry light both ways
    Transceivers GetTransceivers() const
    {
        return m_transceivers;
    }

    /// @return the fabric, or null if every matching is possible
    Ptr<CircuitFabric> GetFabric() const
    {
        return m_fabric;
    }

    /**
     * @param port a port below the radix
     * @return delay from the port to the other port of its circuit; zero without a circuit
     */
    Time GetInsertionDelay(uint32_t port) const;
    /**
     * @param port a port below the radix
     * @return insertion loss of the circuit of the port in dB; zero without a circuit or without a
     * fabric
     */
    double GetInsertionLoss(uint32_t port) const;

    /// @return the maximum number of ports
    uint32_t GetRadix() const
    {
        return m_radix;
    }

    /// @return the mode
    Mode GetMode() const
    {
        return m_mode;
    }

    /// @return time for which a command keeps ports dark, without TransceiverLockTime
    Time GetReconfigurationDelay() const
    {
        return m_reconfigurationDelay;
    }

    /// @return time from a command to light: ReconfigurationDelay plus TransceiverLockTime
    Time GetSwitchingTime() const
    {
        return m_reconfigurationDelay + m_transceiverLockTime;
    }

    /**
     * @brief Change the matching.
     * @param drop existing circuits to drop
     * @param make circuits to make on ports that are dark or freed by `drop`
     * @param done called when all new circuits carry light (when the ports are dark, if `make` is
     * empty); may be null
     * @return an empty string, or the reason for a refusal, which names the circuit or port
     */
    std::string Reconfigure(const CircuitSet& drop,
                            const CircuitSet& make,
                            Callback<void> done = Callback<void>());

    /// @return the circuits that carry light or are being made, in order of their first port
    CircuitSet GetCircuits() const;

    /**
     * @param port a port below the radix
     * @return state of the entry side (of both sides with bidirectional transceivers)
     */
    PortState GetPortState(uint32_t port) const
    {
        return port < m_ports.size() ? m_ports[port].state : DARK;
    }

    // --- faults ---

    /// Let the switch fail: all ports go dark, commands in progress are discarded, and new commands
    /// refused.
    void Fail();
    /// End a failure: the switch is dark and accepts commands.
    void Repair();

    /// @return true from Fail to Repair
    bool HasFailed() const
    {
        return m_failed;
    }

    /// Drop all circuits immediately, also circuits in the making. Commands in progress are not
    /// reported.
    void Clear();

    /**
     * @brief Let the mirror of a port stick, or repair it. Circuits of a stuck port are dark. The
     * switch does not detect the fault and executes commands as before.
     * @param port a port below the radix
     * @param stuck true to stick; false to repair, so that the circuit of the port carries light
     */
    void SetPortStuck(uint32_t port, bool stuck);

    /**
     * @param port a port
     * @return true if circuits of the port are dark
     */
    bool IsPortStuck(uint32_t port) const
    {
        return port < m_ports.size() && m_ports[port].stuck;
    }

    /**
     * @brief Drop the circuit of a port immediately, because its fiber is attached elsewhere.
     * @param port a port below the radix
     */
    void Unplug(uint32_t port);

    /// @return bits lost at this switch so far
    uint64_t GetBitsLost() const
    {
        return m_bitsLost;
    }

    /// @return frames that lost bits at this switch so far
    uint64_t GetFramesLost() const
    {
        return m_framesLost;
    }

    /**
     * @brief Add a device as the next port. Aborts if the radix is exhausted.
     * @param device a device of the same node
     * @return the number of the port
     */
    uint32_t AddPort(Ptr<OcsNetDevice> device);

    /**
     * @param port number of a port
     * @return the device of the port, or null
     */
    Ptr<OcsNetDevice> GetPort(uint32_t port) const
    {
        return port < m_ports.size() ? m_ports[port].device : nullptr;
    }

    /**
     * @brief Extend a light path that enters at a port by the circuit and the path behind it.
     * @param port the port where the light enters
     * @param path the path to extend
     */
    void FollowLight(uint32_t port, LightPath& path);

    /**
     * @brief Count the lost bits of a frame.
     * @param port the port where the light enters
     * @param bits bits that were lost
     * @param reason the reason
     */
    void CountLoss(uint32_t port, uint64_t bits, LossReason reason) override;

    /// TracedCallback signature of a circuit that comes up or goes down.
    typedef void (*CircuitTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    /// TracedCallback signature of the light path of a circuit: delay from port to port in addition
    /// to InsertionDelay, and loss in dB.
    typedef void (*LightPathTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                            Circuit circuit,
                                            Time delay,
                                            double loss);
    /// TracedCallback signature of the beginning and the end of a command.
    typedef void (*ReconfigurationTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                                  const CircuitSet& dropped,
                                                  const CircuitSet& made);
    /// TracedCallback signature of lost bits: the port where the light enters, bits, and reason.
    typedef void (*BitsLostTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                           uint32_t port,
                                           uint64_t bits,
                                           LossReason reason);
    /// TracedCallback signature of a port that sticks or has been repaired.
    typedef void (*PortStuckTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                            uint32_t port,
                                            bool stuck);
    /// TracedCallback signature of a switch that has failed or has been repaired.
    typedef void (*FailureTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs, bool failed);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NONE = 0xffffffff;

    /// One port. With bidirectional transceivers entry and exit belong to the same circuit.
    struct Port
    {
        Ptr<OcsNetDevice> device;
        PortState state{DARK}; //!< state of the entry side
        bool stuck{false};     //!< circuits of the port are dark
        uint32_t exit{NONE};   //!< port where light from this port leaves
        uint32_t entry{NONE};  //!< port from which light leaves at this port
        Ptr<LightEpoch> epoch; //!< light from this port while the entry side is up
        Time pathDelay;        //!< delay of the light path through the fabric
    };

    /// A command in progress.
    struct Command
    {
        CircuitSet drop;
        CircuitSet make;
        CircuitSet relight; //!< circuits darkened in whole-switch mode that come back
        Callback<void> done;
        uint32_t generation; //!< m_generation at the beginning; the command ends without effect if
                             //!< it changes
    };

    /// @return an empty string, or the reason for which the command is refused
    std::string Check(const CircuitSet& drop, const CircuitSet& make) const;
    /// @return an empty string, or the reason for which a port of a circuit cannot be switched
    std::string CheckPorts(const Circuit& circuit) const;

    /// @return true if the circuit exists, in either order of its ports if bidirectional
    bool Exists(const Circuit& circuit) const
    {
        return m_ports[circuit.a].exit == circuit.b;
    }

    /// @return the circuits, with the lower port first if they are bidirectional
    CircuitSet Normalize(CircuitSet circuits) const;
    /// Add a circuit to the port table, without light, or remove it.
    void Join(const Circuit& circuit);
    void Part(const Circuit& circuit);
    /// Let a circuit carry light or go dark.
    void Light(const Circuit& circuit);
    void Darken(const Circuit& circuit, PortState state);
    /// Light or darken the entry side of one port.
    void LightEntry(uint32_t port);
    void DarkenEntry(uint32_t port, PortState state);
    /// Let the circuits of a command carry light and report the command.
    void Finish(const std::shared_ptr<Command>& command);
    /// Grow the port table to the radix.
    void SetRadix(uint32_t radix);

    uint32_t m_radix{0};
    Time m_reconfigurationDelay;
    Time m_transceiverLockTime;
    Time m_insertionDelay;
    Mode m_mode{PER_PORT};
    Transceivers m_transceivers{BIDIRECTIONAL};
    std::vector<Port> m_ports;
    uint32_t m_portsUsed{0};
    uint64_t m_bitsLost{0};
    uint64_t m_framesLost{0};
    bool m_failed{false};
    uint32_t m_generation{0};    //!< number of calls of Clear
    Ptr<CircuitFabric> m_fabric; //!< null if every matching is possible

    TracedCallback<Ptr<const OpticalCircuitSwitch>, Circuit> m_circuitUpTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, Circuit> m_circuitDownTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, Circuit, Time, double> m_lightPathTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, const CircuitSet&, const CircuitSet&>
        m_reconfigurationStartTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, const CircuitSet&, const CircuitSet&>
        m_reconfigurationEndTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, uint32_t, uint64_t, LossReason> m_bitsLostTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, uint32_t, bool> m_portStuckTrace;
    TracedCallback<Ptr<const OpticalCircuitSwitch>, bool> m_failureTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTICAL_CIRCUIT_SWITCH_H
