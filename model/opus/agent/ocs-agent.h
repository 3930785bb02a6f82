// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_AGENT_H
#define PHOTONIC_RAILS_OCS_AGENT_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

class ManagementPort;
class OpticalCircuitSwitch;

/**
 * @brief The management agent of an optical circuit switch, an application on its node.
 *
 * It listens on the management network, carries out the commands it is sent on the
 * OpticalCircuitSwitch aggregated to the node, and reports when there is light or why not.
 *
 * A command is read, one message at a time (MessageTime), and then takes a while until the switch
 * begins to act (CommandLatency): its software checks it and computes positions of mirrors, for
 * several commands at once. Commands keep their order. The duration that is reported is all of the
 * time from the arrival of the command to light.
 *
 * If there is no light LightTimeout after that, the agent looks which mirrors are stuck, and
 * reports these ports instead; so it does when light goes of itself.
 */
class OcsAgent : public Application
{
  public:
    static TypeId GetTypeId();

    OcsAgent();
    ~OcsAgent() override;

    /**
     * @brief Name a controller: commands of all that have not been named are then ignored. Without
     * this, anybody's are carried out.
     * @param controller address and UDP port
     */
    void AddController(const Address& controller);

    /**
     * @brief Say regularly that the agent is there.
     * @param monitor address and UDP port of a FaultMonitor
     * @param interval from one heartbeat to the next, above 0; the first comes with the start
     * @param end no more after this time
     */
    void SendHeartbeats(const Address& monitor, Time interval, Time end);

    /// The switch loses its power: no light, no memory, no answers.
    void Fail();
    /// Power is back: the switch is dark.
    void Repair();

    /// @return commands carried out and commands refused by the switch
    uint64_t GetCommands() const;
    /// @return messages that could not be read or made no sense here
    uint64_t GetMalformed() const;

    /// @return commands that did not come from a controller, and were ignored
    uint64_t GetForeign() const;

    /// @return what its processor has done
    const MessageServer::Stats& GetServerStats() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    void Serve(const OpusArrival& arrival);
    /// Carry a command out.
    void Begin(const OpusArrival& command, Time begin);
    /// Let the switch act.
    void Act(OpusArrival arrival, Time begin);
    void Report(Address to, uint64_t command, Time begin);
    /// A command has had time to bring light, and some: say that it has, or which ports are stuck.
    void CheckLight(Address to, uint64_t command, Time begin, uint32_t incarnation);
    /// @return true if a circuit of these is dark
    bool IsDark(const CircuitSet& circuits) const;
    void PortStuck(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port, bool stuck);
    /// Tell the controller of a port that has stayed dark for a while.
    void ReportPort(uint32_t port, uint32_t incarnation);
    /// Say to the controller that a port is broken, or whole again.
    void SendPortFault(uint32_t port, bool repaired);
    /// Give a rail this switch.
    void TakeOver(uint32_t rail);
    void TakenOver(uint32_t incarnation);
    void Heartbeat(uint32_t incarnation);

    uint16_t m_port{0};
    Time m_messageTime;
    Time m_byteTime;
    Time m_latency;
    MessageServer m_server;
    std::deque<Time> m_arrivals;   //!< of the messages that the server has
    Ptr<ManagementPort> m_network; //!< of the node
    uint64_t m_commands{0};
    uint64_t m_malformed{0};
    uint64_t m_foreign{0};
    std::vector<Address> m_controllers;
    Address m_controller;      //!< who has spoken last
    uint32_t m_incarnation{1}; //!< one more when all that is under way has become void
    uint32_t m_starts{1};      //!< of the agent
    bool m_isDown{false};      //!< without power
    bool m_takesOver{false};   //!< fibres are being led here; commands wait
    std::deque<std::pair<OpusArrival, Time>> m_waiting; //!< for that, and when they came
    std::map<uint64_t, CircuitSet> m_unreported;        //!< by command, until it is reported
    std::set<uint32_t> m_broken;                        //!< ports that have been reported
    Time m_lightTimeout;
    Address m_monitor; //!< where heartbeats go
    Time m_interval;   //!< of heartbeats; 0: none
    Time m_heartbeatsEnd;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_AGENT_H
