// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTICAL_CIRCUIT_SWITCH_H
#define PHOTONIC_RAILS_OPTICAL_CIRCUIT_SWITCH_H

#include "circuit-fabric.h"

#include "ns3/callback.h"
#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class OcsNetDevice;

/**
 * @brief An optical circuit switch: a matching of its ports that is changed on command.
 *
 * Aggregated to the OCS's node, whose OcsNetDevices are its ports. It has no queue and sees no
 * packet: a sender follows the light through it when it starts to transmit, and the bits that are
 * under way when a circuit goes dark are lost and counted where the light ends.
 *
 * A command names circuits to drop and circuits to make. It is atomic: either it is refused with an
 * error and nothing changes, or every port it names goes dark at once, stays dark for
 * ReconfigurationDelay and, after the transceivers at the far ends have locked
 * (TransceiverLockTime), carries light. Other ports are not disturbed, except in whole-switch mode
 * (rotor-like devices), where every command darkens every port. Commands on disjoint ports may
 * overlap in time.
 *
 * By default any matching can be up. A switch with a CircuitFabric has a light path for each
 * circuit, from the command that makes it to the one that drops it, and refuses commands for which
 * the fabric has none. Light then takes the time of its path beside InsertionDelay. The fabric is
 * the switch's own: nobody else may change it.
 */
class OpticalCircuitSwitch : public Object, public LightLossCounter
{
  public:
    static TypeId GetTypeId();

    /// Which ports a command darkens.
    enum Mode
    {
        PER_PORT,     //!< only those it names
        WHOLE_SWITCH, //!< all of them
    };

    /// What a circuit carries.
    enum Transceivers
    {
        BIDIRECTIONAL, //!< light both ways on one fibre: a circuit joins two ports
        SIMPLEX,       //!< light one way: a circuit leads from an entry side to an exit side
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
     * @brief Use a technology of the catalogue: sets Radix and ReconfigurationDelay.
     * @param name a name of OcsTechnology
     * @return false, and nothing changed, if there is no such technology
     */
    bool SetTechnology(const std::string& name);

    /**
     * @brief Have a fabric between the ports, or none (null). Aborts while there are circuits.
     *
     * It is cleared. A fabric joins ports both ways, so that it needs bidirectional transceivers.
     * @param fabric of this switch alone
     */
    void SetFabric(Ptr<CircuitFabric> fabric);
    /// @return what lies between the ports, or null if any matching can be up
    Ptr<CircuitFabric> GetFabric() const;

    /**
     * @param port a port below the radix
     * @return how long light that enters there takes to the port where it leaves; zero if it is in
     * no circuit
     */
    Time GetInsertionDelay(uint32_t port) const;
    /**
     * @param port a port below the radix
     * @return the insertion loss of the circuit that the port is in, in dB; zero if it is in none,
     * or without a fabric, as other switches have none here
     */
    double GetInsertionLoss(uint32_t port) const;

    /// @return the number of ports that the switch can have
    uint32_t GetRadix() const;
    /// @return which ports a command darkens
    Mode GetMode() const;
    /// @return the time for which a command keeps ports dark, without the transceivers' lock time
    Time GetReconfigurationDelay() const;
    /// @return the time from a command to light: reconfiguration delay plus transceiver lock time
    Time GetSwitchingTime() const;

    /**
     * @brief Change the matching.
     * @param drop circuits that exist and shall go
     * @param make circuits to make on ports that are dark or freed by `drop`
     * @param done called when all new circuits carry light (when the ports are dark, if `make` is
     * empty); may be null
     * @return an empty string, or why the command was refused: the error names the circuit or port
     */
    std::string Reconfigure(const CircuitSet& drop,
                            const CircuitSet& make,
                            Callback<void> done = Callback<void>());

    /// @return the circuits that carry light or are being made, in order of their first port
    CircuitSet GetCircuits() const;

    /**
     * @param port a port below the radix
     * @return the state of its entry side (of both sides with bidirectional transceivers)
     */
    PortState GetPortState(uint32_t port) const;

    // --- faults ---

    /// It breaks down: all light goes, commands under way are forgotten and new ones refused.
    void Fail();
    /// It is as when it was new: dark, and ready for commands.
    void Repair();
    /// @return true from Fail to Repair
    bool HasFailed() const;
    /// Drop all circuits at once, also those that are being made; commands are not reported on.
    void Clear();

    /**
     * @brief A mirror sticks: circuits of the port stay dark, or go dark, until it is mended. The
     * switch does not know it; commands are carried out as ever.
     * @param port a port below the radix
     * @param stuck false: it is mended, and its circuit carries light
     */
    void SetPortStuck(uint32_t port, bool stuck);
    /**
     * @param port a port
     * @return true if its circuits stay dark
     */
    bool IsPortStuck(uint32_t port) const;
    /**
     * @brief The fibre of a port leads elsewhere from now on: drop its circuit at once.
     * @param port a port below the radix
     */
    void Unplug(uint32_t port);

    /// @return bits lost at this switch so far
    uint64_t GetBitsLost() const;
    /// @return frames that lost bits at this switch so far
    uint64_t GetFramesLost() const;

    /**
     * @brief Make a device the next port of the switch. Aborts if the radix is exhausted.
     * @param device a device on the same node
     * @return its port number
     */
    uint32_t AddPort(Ptr<OcsNetDevice> device);

    /**
     * @param port a port number
     * @return its device, or null
     */
    Ptr<OcsNetDevice> GetPort(uint32_t port) const;

    /**
     * @brief Follow light that enters at a port through the circuit to what lies beyond.
     * @param port where the light enters
     * @param path extended by this method
     */
    void FollowLight(uint32_t port, LightPath& path);

    /**
     * @brief Count light that did not get through.
     * @param port where it entered
     * @param bits how much of the frame was lost
     * @param reason why
     */
    void CountLoss(uint32_t port, uint64_t bits, LossReason reason) override;

    /// TracedCallback signature of a circuit that comes up or goes down.
    typedef void (*CircuitTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs, Circuit circuit);
    /// TracedCallback signature of a circuit's light path: time from port to port beside
    /// InsertionDelay, and loss in dB.
    typedef void (*LightPathTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                            Circuit circuit,
                                            Time delay,
                                            double loss);
    /// TracedCallback signature of a command's begin and end.
    typedef void (*ReconfigurationTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                                  const CircuitSet& dropped,
                                                  const CircuitSet& made);
    /// TracedCallback signature of lost light: the port where it entered, and how much.
    typedef void (*BitsLostTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                           uint32_t port,
                                           uint64_t bits,
                                           LossReason reason);
    /// TracedCallback signature of a port that gets stuck or is mended.
    typedef void (*PortStuckTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs,
                                            uint32_t port,
                                            bool stuck);
    /// TracedCallback signature of a switch that fails or is repaired.
    typedef void (*FailureTracedCallback)(Ptr<const OpticalCircuitSwitch> ocs, bool failed);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NONE = 0xffffffff;

    /// One port. With bidirectional transceivers entry and exit belong to the same circuit.
    struct Port
    {
        Ptr<OcsNetDevice> device;
        PortState state{DARK}; //!< of the entry side
        bool stuck{false};     //!< its circuits stay dark
        uint32_t exit{NONE};   //!< where light that enters here leaves
        uint32_t entry{NONE};  //!< where light that leaves here has entered
        Ptr<LightEpoch> epoch; //!< while the entry side is up
        Time pathDelay;        //!< of the light path through the fabric, if there is one
    };

    /// A command that waits for its light.
    struct Command
    {
        CircuitSet drop;
        CircuitSet make;
        CircuitSet relight; //!< circuits darkened in whole-switch mode that come back
        Callback<void> done;
        uint32_t generation; //!< of the switch; it is forgotten when that has changed
    };

    /// @return why the command cannot be carried out, or an empty string
    std::string Check(const CircuitSet& drop, const CircuitSet& make) const;
    /// @return why a port cannot be switched, or an empty string
    std::string CheckPort(uint32_t port) const;
    /// @return why the fabric has no light paths for it; if there are, it has them from now on
    std::string ChangeFabric(const CircuitSet& drop, const CircuitSet& make);
    /// @return true if the circuit exists, in either order of its ports if bidirectional
    bool Exists(const Circuit& circuit) const;
    /// @return the circuits, each with its lower port first if that has no meaning
    CircuitSet Normalize(CircuitSet circuits) const;
    /// Enter a circuit into the port table (no light yet), or take it out.
    void Join(const Circuit& circuit);
    void Part(const Circuit& circuit);
    /// Make one circuit carry light, or go dark.
    void Light(const Circuit& circuit);
    void Darken(const Circuit& circuit, PortState state);
    /// Light or darken the entry side of one port.
    void LightEntry(uint32_t port);
    void DarkenEntry(uint32_t port, PortState state);
    /// The light of a command has come up.
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
    uint32_t m_generation{0};    //!< times that it has been cleared
    Ptr<CircuitFabric> m_fabric; //!< null: any matching

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
