// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_STANDBY_H
#define PHOTONIC_RAILS_CONTROLLER_STANDBY_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"
#include "ns3/replicated-log.h"

#include <cstdint>

namespace ns3
{

class ManagementPort;
class OpusController;

/**
 * @brief Keeps a copy of a controller's log on another node, and starts a second controller on that
 * node when the first controller is silent.
 *
 * The first controller acts on a message, and acknowledges the message to its sender, only after
 * this application has stored the message. The log therefore contains every message that has had an
 * effect. The first controller sends a LEAD at regular intervals. The second controller takes over
 * when the first controller has been silent for several intervals, or when the first controller
 * requests the takeover after losing its memory. The second controller then acts on the log and
 * announces itself to managers and agents with a higher epoch. From then on managers and agents
 * refuse frames of the first controller. If the first controller was only slow or disconnected, a
 * refusal or a YIELD from this application tells it to stop. The first controller does not return,
 * and there is no third one.
 */
class ControllerStandby : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5814; //!< UDP port for messages of the first controller

    ControllerStandby();
    ~ControllerStandby() override;

    /**
     * @brief Set both controllers; call before the start.
     * @param primary address of the first controller
     * @param second controller on the node of this application, with a log and the complete
     * configuration; it waits for its start (OpusController::SetPassive)
     * @param log log of the second controller
     */
    void SetControllers(Ipv4Address primary, Ptr<OpusController> second, Ptr<ControllerLog> log);

    /// End the supervision at the end of the job: the second controller stays idle from now on.
    void StopWatching();

    /// @return true if the second controller has taken over
    bool HasTakenOver() const;
    /// @return number of messages that are not from the first controller or have an unexpected type
    uint64_t GetForeign() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    /// Take over if the first controller has been silent for too long, else schedule the next
    /// check.
    void Watch();
    void TakeOver();

    Time m_interval;
    Time m_latency;
    uint32_t m_missed{0};
    Ipv4Address m_primary;
    Ptr<OpusController> m_second;
    Ptr<ControllerLog> m_log;
    Ptr<ManagementPort> m_network; //!< management port of the node, set at the start
    uint32_t m_epoch{0};           //!< epoch of the first controller
    Time m_lastRx;
    EventId m_watch;
    bool m_isOver{false};
    bool m_hasTakenOver{false};
    uint64_t m_foreign{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_STANDBY_H
