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
 * It speaks for the ranks of the domain: their messages come over the host links and go to the
 * controller over the management network, and back. What several ranks say at one instant, and what
 * is said to several, shares frames there, in the order of the links. Which link leads to a rank is
 * learned from the rank's messages.
 *
 * With a CoalesceTime, requests and releases of the ranks, which tend to be alike on all rails, go
 * to the controller as one message: when every rank of the domain has said something, or that time
 * after the first of them has.
 *
 * Each message takes the host time, in whichever direction it
 * goes, one after the other.
 */
class OpusManager : public Application
{
  public:
    static TypeId GetTypeId();

    OpusManager();
    ~OpusManager() override;

    /// @param controller address and port of the controller
    void SetController(const Address& controller);

    /**
     * @brief Add a link on which any rank is heard that has no link of its own, or whose GPU on
     * that is gone.
     * @param device the host's end of the link to a GPU
     */
    void AddHostLink(Ptr<NetDevice> device);

    /**
     * @brief Add a link on which one rank is heard and no other.
     * @param device the host's end of the link to a GPU
     * @param job its job
     * @param rank its rank
     */
    void AddHostLink(Ptr<NetDevice> device, uint32_t job, uint32_t rank);

    /// @return messages that could not be read, or whose rank is unknown or not that of the link
    uint64_t GetMalformed() const;

    /// @return what its processor has done
    const MessageServer::Stats& GetServerStats() const;

    /// TracedCallback signature of a message that is passed on.
    typedef void (*MessageTracedCallback)(const OpusMessage& message);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleRankMessage(uint32_t link, const OpusMessage& message);
    void Serve(const OpusArrival& arrival);
    void ServeRank(uint32_t link, const OpusMessage& message);
    /// Say something of a rank.
    void Accept(uint32_t link, const OpusMessage& message);
    /// Something of a rank seems to be broken, or mended.
    void Suspect(uint32_t link, const OpusFault& fault);
    /// What was seen to be broken is believed to be by now.
    void ConfirmFault(uint32_t link, OpusFault fault);
    void ServeController(const OpusMessage& message);
    /// @return whether a rank may be heard on a link
    bool IsAllowed(uint32_t link, const std::pair<uint32_t, uint32_t>& rank) const;
    /// Tell the controller what has been heard.
    void Forward();
    /// Send what is in a batch, if anything.
    void SendBatch(OpusBatch& batch);
    /// @return how long what has been heard may wait for more
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
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> m_rankOfLink; //!< job and rank, if one alone
    std::set<std::pair<uint32_t, uint32_t>> m_gone; //!< ranks whose GPUs were on links of their own
    std::vector<std::pair<uint32_t, OpusMessage>> m_pending; //!< by link, not yet passed on
    EventId m_forward;
    std::map<std::tuple<uint32_t, FaultKind, uint32_t>, EventId> m_suspected; //!< link, what, port
    uint64_t m_malformed{0};

    TracedCallback<const OpusMessage&> m_toController;
    TracedCallback<const OpusMessage&> m_toRank;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_MANAGER_H
