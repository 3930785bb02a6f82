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

namespace ns3
{

class ManagementPort;

/**
 * @brief Hears the heartbeats of the agents of switches, and tells the controller of those that it
 * hears no more.
 *
 * A node of its own on the management network: so that heartbeats take none of the controller's
 * time. An agent is lost when DetectionTime has passed since its last heartbeat; with heartbeats
 * every third of that, two may be late, as in BFD (RFC 5880, detection time). Heartbeats say how
 * often the agent has been started, so that a switch that was off for less than DetectionTime is
 * noticed too: its circuits are gone.
 */
class FaultMonitor : public Application
{
  public:
    static TypeId GetTypeId();

    FaultMonitor();
    ~FaultMonitor() override;

    /// @param controller address and UDP port of the controller
    void SetController(const Address& controller);

    /**
     * @brief Expect heartbeats from now on.
     * @param ocs number of the switch
     * @param agent address and UDP port of its agent
     */
    void Watch(uint32_t ocs, const Address& agent);

    /**
     * @brief Nothing is missed after a time at which agents may fall silent.
     * @param end that time
     */
    void SetEnd(Time end);

    /// @return the time after which an agent is lost
    Time GetDetectionTime() const;

    /// TracedCallback signature of a switch whose agent is lost, or heard again.
    typedef void (*NoticedTracedCallback)(uint32_t ocs, bool lost);

  protected:
    void DoDispose() override;

  private:
    struct Agent
    {
        uint32_t ocs{0};
        uint64_t started{0}; //!< how often
        Time heard;          //!< when last
        bool lost{false};
        EventId check;
    };

    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    /// Look whether an agent is lost when it must have been heard again.
    void Await(const Address& address);
    void Check(Address agent);
    void Tell(const Agent& agent, bool mended);

    uint16_t m_port{0};
    Time m_detectionTime;
    Time m_end;
    Address m_controller;
    Ptr<ManagementPort> m_network; //!< of the node, from the start on
    std::map<Address, Agent> m_agents;
    TracedCallback<uint32_t, bool> m_noticed;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_MONITOR_H
