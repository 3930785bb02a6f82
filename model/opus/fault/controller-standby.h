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
 * @brief Keeps a copy of the log of the active controller while the controller on the same node is
 * passive, and activates that controller when the active one is silent.
 *
 * Two nodes form a pair. Each has an OpusController and a ControllerStandby; one of the controllers
 * is active. The active controller acts on a message, and acknowledges the message to its sender,
 * only after the standby has stored the message. The log therefore contains every message that has
 * had an effect. The active controller sends a LEAD at regular intervals. The standby takes over
 * when the active controller has been silent for several intervals, or when the active controller
 * has lost its memory. The new controller then acts on the log and announces itself to managers and
 * agents with a higher epoch. From then on managers and agents refuse frames of the former
 * controller. If the former controller was only slow or disconnected, a refusal or a YIELD from
 * this application tells it to stop.
 *
 * A node whose controller has stopped, has returned from a crash or was refused joins the other
 * node as its standby: this application sends a JOIN at regular intervals, until the active
 * controller sends the missing entries of the log. If no controller of the pair is active, the one
 * that led alone continues; of two that wait, the one with the longer log continues, which contains
 * all that the other controller has processed. The other node concedes first: a message on its way
 * may be older than the state of its sender, so that no node can conclude from a JOIN alone that
 * the other node still waits. Two nodes never concede to each other. Entries that a standby has
 * stored but no controller has processed are removed when the standby joins again.
 */
class ControllerStandby : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5814; //!< UDP port for messages of the other node

    /**
     * @brief Set the pair; call before the start.
     * @param other address of the other node
     * @param own controller on the node of this application, with a log and the complete
     * configuration
     * @param log log of that controller
     * @param identity address for which either controller acts: that of the first node
     * @param isFirst true for the node whose controller is active first
     */
    void SetPair(Ipv4Address other,
                 Ptr<OpusController> own,
                 Ptr<ControllerLog> log,
                 Ipv4Address identity,
                 bool isFirst);

    /// End the supervision at the end of the job: nothing is sent or started from now on.
    void StopWatching()
    {
        m_watch.Cancel();
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
    void HandleJoin(const OpusJoin& join);
    void HandleLead(const Address& from, const OpusLead& lead);
    void HandleEntry(const Address& from, const OpusEntry& entry);
    /// Tell the active controller which entries are stored.
    void Confirm(const Address& to) const;
    /// Take over if the active controller has been silent for too long, else schedule the next
    /// check.
    void Watch();
    /// The process on the node has crashed.
    void Crash();
    /// Become the standby of the other node.
    void Join();
    void SendJoin();
    void TakeOver();

    Time m_interval;
    Time m_latency;
    uint32_t m_missed{0};
    Ipv4Address m_other;
    Ipv4Address m_identity;
    bool m_isFirst{false};
    Ptr<OpusController> m_own;
    Ptr<ControllerLog> m_log;
    Ptr<ManagementPort> m_network; //!< management port of the node, set at the start
    bool m_isJoining{false};       //!< the active controller has not sent anything yet
    bool m_isComplete{true};       //!< the active controller processes nothing that is not stored
    uint64_t m_attempt{0};         //!< number of the JOIN, kept with the log
    uint64_t m_conceded{0};        //!< attempt of the other node that may lead; 0 for none
    Address m_leader;              //!< channel of the active controller, after its first LEAD
    Time m_joined;                 //!< time of the first JOIN of the attempt
    Time m_lastRx;
    EventId m_watch; //!< the next check, or the next JOIN
    bool m_isOver{false};
    uint32_t m_takeovers{0};
    uint64_t m_foreign{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_STANDBY_H
