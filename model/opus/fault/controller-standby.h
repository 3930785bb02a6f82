// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_STANDBY_H
#define PHOTONIC_RAILS_CONTROLLER_STANDBY_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/controller-log.h"
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
 * @brief Keeps a copy of a controller's log on another node, and lets a second controller there
 * take over when the first is silent.
 *
 * The first controller acts on a message, and tells its sender that it has arrived, only when this
 * application has it: so what the second controller finds in its log is all that ever had a
 * consequence. The first says at intervals that it is there. When it has been silent for several of
 * them, or asks for it because it has lost its memory, the second controller acts on the log and
 * makes itself known to managers and agents with a higher epoch. From then on they refuse frames of
 * the first; if it was not dead but slow or cut off, it learns from them, or from here, that it is
 * over. It does not come back, and there is no third.
 */
class ControllerStandby : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5814; //!< UDP port on which the first controller is heard

    ControllerStandby();
    ~ControllerStandby() override;

    /**
     * @brief Say who is who; before the start.
     * @param primary address of the first controller
     * @param second on the node of this application, with a log and everything else that is known
     * by configuration; it waits to be told (OpusController::SetWaiting)
     * @param log of the second
     */
    void SetControllers(Ipv4Address primary, Ptr<OpusController> second, Ptr<ControllerLog> log);

    /// The job has ended: whatever becomes of the first controller, this one remains idle.
    void StopWatching();

    /// @return whether the second controller has been told to take over
    bool HasTakenOver() const;
    /// @return messages that did not come from the first controller
    uint64_t GetForeign() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    /// Has the first controller been silent for too long?
    void Watch();
    void TakeOver();

    Time m_interval;
    uint32_t m_missed{0};
    Ipv4Address m_primary;
    Ptr<OpusController> m_second;
    Ptr<ControllerLog> m_log;
    Ptr<ManagementPort> m_network; //!< of the node, from the start on
    uint32_t m_epoch{0};           //!< of the first controller
    Time m_lastHeard;
    EventId m_watch;
    bool m_isOver{false};
    bool m_hasTakenOver{false};
    uint64_t m_foreign{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_STANDBY_H
