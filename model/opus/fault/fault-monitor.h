// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_MONITOR_H
#define PHOTONIC_RAILS_FAULT_MONITOR_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

class ManagementPort;

/**
 * @brief Receives the heartbeats of the switch agents and reports lost agents to the controller.
 *
 * The monitor runs on its own node of the management network, so heartbeats take no time of the
 * controller, and as datagrams, so that none waits for the retransmission of another message. An
 * agent is lost when DetectionTime has passed since its last heartbeat. With heartbeats every third
 * of DetectionTime, two may be late, as in BFD (RFC 5880, detection time). A heartbeat carries the
 * number of starts of its agent. The monitor therefore also detects a switch that was off for less
 * than DetectionTime, and whose circuits are gone. The first heartbeat of an agent may be late by
 * Latency, the time that all heartbeats take on the network. A controller that begins anew (LEARN)
 * receives the lost agents again.
 */
class FaultMonitor : public Application
{
  public:
    static TypeId GetTypeId();

    FaultMonitor();

    /// @param controller address and UDP port of the controller
    void SetController(const Address& controller)
    {
        m_controller = controller;
    }

    /**
     * @brief Expect heartbeats from now on.
     * @param ocs number of the switch
     * @param agent address and UDP port of its agent
     */
    void Watch(uint32_t ocs, const Address& agent)
    {
        m_agents[agent].ocs = ocs;
    }

    /**
     * @brief Set the times of supervision: an agent counts as lost at no other time, since agents
     * may then send no heartbeats.
     * @param spans beginnings and ends of the times in which heartbeats are sent, in order and at
     * least DetectionTime apart; supervision is later by Latency
     */
    void SetSpans(const std::vector<std::pair<Time, Time>>& spans)
    {
        m_spans = spans;
    }

    /// @return the time without heartbeats after which an agent is lost
    Time GetDetectionTime() const
    {
        return m_detectionTime;
    }

    /// TracedCallback signature of a switch whose agent is lost or back.
    typedef void (*NoticedTracedCallback)(uint32_t ocs, bool lost);

  protected:
    void DoDispose() override;

  private:
    struct Agent
    {
        uint32_t ocs{0};
        uint64_t started{1}; //!< number of starts
        Time lastHeartbeat;  //!< time of the last heartbeat
        bool lost{false};
        EventId check;
    };

    void StartApplication() override;
    void StopApplication() override;
    /// Begin supervision when it is time. @param span index of the span
    void AwaitSpan(std::size_t span);
    /// Supervise all agents that are not lost. @param span index of the span
    void Supervise(std::size_t span);
    void HandleMessage(const Address& from, const OpusMessage& message);
    /// Schedule the check for the time at which the agent's next heartbeat is overdue.
    void ScheduleCheck(const Address& address);
    void Check(Address agent);
    void Report(const Agent& agent, bool repaired);
    /// Send a fault or repair of a switch to the controller.
    void Send(const Agent& agent, bool repaired);

    uint16_t m_port{0};
    Time m_detectionTime;
    Time m_latency;
    std::vector<std::pair<Time, Time>> m_spans;
    EventId m_supervision; //!< begins the next supervision
    Time m_end;            //!< of the supervision that has begun last
    Address m_controller;
    Ptr<ManagementPort> m_network; //!< management port of the node, set at the start
    std::map<Address, Agent> m_agents;
    TracedCallback<uint32_t, bool> m_noticed;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_MONITOR_H
