// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_STANDBY_H
#define PHOTONIC_RAILS_CONTROLLER_STANDBY_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"

#include <cstdint>

namespace ns3
{

class ManagementPort;
class OpusController;

/**
 * @brief Sends the heartbeats of the controller on the same node while that is active, and
 * otherwise supervises those of the controller on the other node of a pair.
 *
 * Both nodes have an OpusController with the same configuration, and this application; one of the
 * controllers is active. The heartbeat (LEAD) contains its epoch. When none has come for
 * MissedHeartbeats intervals, this application activates the controller of its node, which begins
 * anew in a higher epoch and learns what it needs. A standby stores nothing, and the active
 * controller does not know whether there is one.
 *
 * Managers and agents obey the highest epoch only. A controller that was slow or disconnected steps
 * down when it receives a heartbeat of a higher epoch, or when a node of the infrastructure refuses
 * it. Its node, or a node that returns from a crash, listens to heartbeats, and takes over if none
 * comes. Epochs of the first node are even, those of the second odd, so that of two controllers
 * that take over at the same time one steps down.
 */
class ControllerStandby : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5814; //!< UDP port for messages of the other node

    /**
     * @brief Set the pair; call before the start.
     * @param other address of the other node
     * @param own controller on the node of this application, with the complete configuration
     * @param identity address for which either controller acts: that of the first node
     */
    void SetPair(Ipv4Address other, Ptr<OpusController> own, Ipv4Address identity);

    /// End the supervision at the end of the job: nothing is sent or started from now on.
    void StopWatching()
    {
        m_next.Cancel();
        m_isOver = true;
    }

    /// @return number of times that this application has activated its controller
    uint32_t GetTakeovers() const
    {
        return m_takeovers;
    }

    /// @return number of messages that are not from the other node or have an unexpected type
    uint64_t GetForeign() const
    {
        return m_foreign;
    }

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    /// Send a heartbeat, and the next one an interval later.
    void Lead();
    /// Supervise the heartbeats of the other node from now on.
    void Follow();
    /// Take over if the active controller has been silent for too long, else check again later.
    void Watch();
    /// The node has crashed.
    void Crash();

    Time m_interval;
    Time m_latency;
    uint32_t m_missed{0};
    Ipv4Address m_other;
    Ipv4Address m_identity;
    Ptr<OpusController> m_own;
    Ptr<ManagementPort> m_network; //!< management port of the node, set at the start
    Time m_lastRx;
    EventId m_next; //!< the next heartbeat or check
    bool m_isOver{false};
    uint32_t m_takeovers{0};
    uint64_t m_foreign{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_STANDBY_H
