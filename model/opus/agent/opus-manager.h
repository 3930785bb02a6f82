// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_MANAGER_H
#define PHOTONIC_RAILS_OPUS_MANAGER_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/host-link.h"
#include "ns3/message-server.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

class ManagementPort;

/**
 * @brief The shim manager of a scale-up domain, an application on its host.
 *
 * The manager forwards messages of the ranks of its domain from the host links to the controller on
 * the management network, and replies in the other direction. Messages of the same instant share
 * frames, in the order of the links. The manager learns the link of a rank from the messages of the
 * rank.
 *
 * With CoalesceTime, requests and releases of the ranks, which tend to be alike on all rails, are
 * sent to the controller as one message: when every rank of the domain has sent a message, or
 * CoalesceTime after the first of them.
 *
 * A controller that begins anew sends a LEARN. The manager sends the faults of its host again, and
 * passes the LEARN on to all ranks. What it has received from a rank before the answer (LEASES, or
 * RESTART of a shim that was down) is void.
 *
 * The host serves one message at a time, in either direction.
 */
class OpusManager : public Application
{
  public:
    static TypeId GetTypeId();

    OpusManager();

    /// @param controller address and port of the controller
    void SetController(const Address& controller)
    {
        m_controller = controller;
    }

    /**
     * @brief Add a link for any rank without a link of its own, or whose own GPU is lost.
     * @param device the host's end of the link to a GPU
     */
    void AddHostLink(Ptr<NetDevice> device);

    /**
     * @brief Add a link for one rank only.
     * @param device the host's end of the link to a GPU
     * @param job job of the rank
     * @param rank global rank
     */
    void AddHostLink(Ptr<NetDevice> device, uint32_t job, uint32_t rank);

    /**
     * @return number of messages that could not be parsed, or whose rank is unknown or does not
     * belong to the link
     */
    uint64_t GetMalformed() const;

    /// @return number of messages of nodes other than the controller
    uint64_t GetForeign() const
    {
        return m_foreign;
    }

    /// @return counts of the processor
    const MessageServer::Stats& GetServerStats() const
    {
        return m_server.GetStats();
    }

    /// TracedCallback signature of a forwarded message.
    typedef void (*MessageTracedCallback)(const OpusMessage& message);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleRankMessage(uint32_t link, const OpusMessage& message);
    void Serve(const OpusArrival& arrival);
    void ServeRank(uint32_t link, const OpusMessage& message);
    /// Queue a message of a rank for the controller.
    void Accept(uint32_t link, const OpusMessage& message);
    /// Handle the first sign of a fault or repair of a GPU or NIC port.
    void Suspect(uint32_t link, const OpusFault& fault);
    /// Report a fault that has lasted for DetectionTime.
    void ConfirmFault(uint32_t link, OpusFault fault);
    void ServeController(const OpusMessage& message);
    /// Send all that only this host knows.
    void Learn(const OpusLearn& message);
    /// @return false for a message that a rank has sent before it answers a LEARN
    bool HasAnswered(uint32_t link, const OpusMessage& message);
    /// @return true if a rank may send on a link
    bool IsAllowed(uint32_t link, const std::pair<uint32_t, uint32_t>& rank) const;
    /// Send all queued messages to the controller.
    void Forward();
    /// Send the messages of a batch, if there are any.
    void SendBatch(OpusBatch& batch);
    /// @return longest time for which queued messages may wait for more
    Time GetForwardDelay() const;
    void HandleControllerMessage(const Address& from, const OpusMessage& message);

    Address m_controller;
    uint16_t m_port{0};
    Time m_messageTime;
    Time m_byteTime;
    Time m_coalesceTime;
    Time m_detectionTime;
    MessageServer m_server;
    Ptr<ManagementPort> m_network; //!< of the node, from the start on
    std::vector<std::unique_ptr<HostLink>> m_links;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_linkOfRank; //!< by job and rank
    std::map<uint32_t, std::pair<uint32_t, uint32_t>>
        m_rankOfLink;                               //!< job and rank, for links of one rank
    std::set<std::pair<uint32_t, uint32_t>> m_gone; //!< ranks whose own GPUs are lost
    std::vector<std::pair<uint32_t, OpusMessage>> m_pending; //!< by link, not forwarded yet
    EventId m_forward;
    std::map<std::tuple<uint32_t, FaultKind, uint32_t>, EventId>
        m_suspected; //!< by link, kind and port
    std::map<std::tuple<uint32_t, FaultKind, uint32_t>, OpusFault>
        m_confirmed;             //!< faults that last, by the same
    std::set<uint32_t> m_silent; //!< links without an answer to the last LEARN
    uint64_t m_epoch{0};         //!< of the last LEARN
    uint64_t m_foreign{0};
    uint64_t m_malformed{0};

    TracedCallback<const OpusMessage&> m_toController;
    TracedCallback<const OpusMessage&> m_toRank;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_MANAGER_H
