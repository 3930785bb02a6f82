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
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

class ManagementPort;
class OpticalCircuitSwitch;

/**
 * @brief The management agent of an optical circuit switch, an application on the node of the
 * switch.
 *
 * The agent receives commands on the management network, executes them on the OpticalCircuitSwitch
 * of the node, and reports light or the reason of a refusal.
 *
 * A command is served (MessageTime, one message at a time) and then waits for CommandLatency, in
 * which the software of a switch checks the command and computes mirror positions; several commands
 * can wait at once and keep their order. The reported duration begins with the arrival of the
 * command and ends with light.
 *
 * If a port of a command is still dark LightTimeout later, the agent reports the stuck ports and
 * then the command. The agent also reports ports that lose light without a command.
 *
 * A switch that has lost power has no circuits when it starts again, and commands on their way were
 * made for circuits that are lost. The agent drops such commands until a TAKE_OVER shows that the
 * controller knows of the restart.
 *
 * A controller that begins anew sends a LEARN. Commands that have not begun become void, and the
 * others end without a report. When the switch is at rest, the agent answers with its circuits and
 * its stuck ports.
 */
class OcsAgent : public Application
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Add a controller. If there is at least one, commands of other senders are ignored and
     * counted; otherwise all commands are executed.
     * @param controller address and UDP port
     */
    void AddController(const Address& controller)
    {
        m_controllers.push_back(controller);
    }

    /**
     * @brief Send heartbeats from the start of the application on.
     * @param monitor address and UDP port of a FaultMonitor
     * @param interval interval of heartbeats, above 0
     * @param spans beginnings and ends of the times in which heartbeats are sent, in order; the
     * agent sends one before each beginning, too
     */
    void SendHeartbeats(const Address& monitor,
                        Time interval,
                        const std::vector<std::pair<Time, Time>>& spans);

    /// Loss of power: all circuits, commands and messages are lost, and the agent is silent.
    void Fail();
    /// Return of power: the switch is dark, and heartbeats continue.
    void Repair();

    /// @return number of commands, refused ones included
    uint64_t GetCommands() const
    {
        return m_commands;
    }

    /// @return number of messages that could not be parsed or have an unexpected type
    uint64_t GetMalformed() const;

    /// @return number of ignored commands of other senders than the controllers
    uint64_t GetForeign() const
    {
        return m_foreign;
    }

    /// @return counts of the processor
    const MessageServer::Stats& GetServerStats() const
    {
        return m_server.GetStats();
    }

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    void Serve(const OpusArrival& arrival);
    /// Begin a command after its service.
    void Begin(const OpusArrival& command, Time begin);
    /// Reconfigure the switch.
    void Act(OpusArrival arrival, Time begin);
    void Report(Address to, uint64_t command, Time begin);
    /// Handle a LEARN.
    void Learn(const OpusArrival& arrival);
    /// Answer a LEARN if the switch is at rest.
    void AnswerAtRest();
    /**
     * @brief Report a command LightTimeout after its reconfiguration, after its stuck ports if
     * there are any.
     */
    void CheckLight(Address to, uint64_t command, Time begin, uint32_t incarnation);
    /// @return true if at least one of the circuits is dark
    bool IsDark(const CircuitSet& circuits) const;
    void PortStuck(Ptr<const OpticalCircuitSwitch> ocs, uint32_t port, bool stuck);
    /// Report a port to the controller if it is stuck.
    void ReportPort(uint32_t port, uint32_t incarnation);
    /// Send a fault or repair of a port to the controller.
    void SendPortFault(uint32_t port, bool repaired);
    /// Let this switch carry a rail, unless the message was sent before its last start.
    void TakeOver(const OpusTakeOver& message);
    void TakenOver(uint32_t incarnation);
    void Heartbeat(uint32_t incarnation);

    uint16_t m_port{0};
    Time m_messageTime;
    Time m_byteTime;
    Time m_latency;
    MessageServer m_server;
    std::deque<Time> m_arrivals;   //!< of the messages in the server
    Ptr<ManagementPort> m_network; //!< of the node
    uint64_t m_commands{0};
    uint64_t m_malformed{0};
    uint64_t m_foreign{0};
    std::vector<Address> m_controllers;
    Address m_controller;      //!< sender of the last command
    uint32_t m_incarnation{1}; //!< incremented when commands in progress become void
    uint32_t m_starts{1};      //!< number of starts of the agent
    uint32_t m_round{1};       //!< incremented when commands that have not begun become void
    std::optional<OpusArrival> m_learn; //!< a LEARN without an answer
    bool m_isDown{false};               //!< without power
    bool m_isForgotten{false};          //!< the controller does not know of the last start
    bool m_takesOver{false};            //!< fibers are being switched to this switch; commands wait
    std::deque<std::pair<OpusArrival, Time>>
        m_waiting; //!< commands that wait for the fibers, and their arrivals
    std::map<uint64_t, CircuitSet> m_unreported; //!< circuits of unreported commands
    std::set<uint32_t> m_broken;                 //!< ports reported as stuck
    Time m_lightTimeout;
    Address m_monitor; //!< receiver of heartbeats
    Time m_interval;   //!< of heartbeats; 0: none
    std::vector<std::pair<Time, Time>> m_heartbeatSpans;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_AGENT_H
