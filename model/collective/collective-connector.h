// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CONNECTOR_H
#define PHOTONIC_RAILS_COLLECTIVE_CONNECTOR_H

#include "ns3/callback.h"
#include "ns3/collective-algorithm.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

class RdmaConnection;

/**
 * @brief Interface of a connection to a peer, as CollectiveEngine uses it.
 *
 * Collectives run over RDMA (RdmaConnector). The interface allows tests of the engine on connectors
 * that lose, delay and reorder messages under the control of the test.
 */
class CollectiveConnector
{
  public:
    /// Called once per signaled message: acknowledged in full; and for others that fail.
    using SentCallback = Callback<void, uint32_t /*immediate*/, bool /*delivered*/>;
    /// Called once per stripe of a message that has arrived.
    using ReceivedCallback = Callback<void, uint32_t /*immediate*/, uint64_t /*bytes*/>;

    virtual ~CollectiveConnector() = default;

    /**
     * @param sent called once per posted message
     * @param received called once per stripe that arrives
     */
    virtual void SetCallbacks(SentCallback sent, ReceivedCallback received) = 0;

    /**
     * @param bytes size of the message, may be 0
     * @param immediate delivered with it
     * @param signaled report that it has been acknowledged, and with it all that was posted before
     */
    virtual void Post(uint64_t bytes, uint32_t immediate, bool signaled) = 0;

    /**
     * @brief Stop sending; messages may still be posted and wait.
     * @param drained called when all that was sent has been acknowledged, possibly at once
     */
    virtual void Pause(Callback<void> drained) = 0;

    /// Go on sending.
    virtual void Resume() = 0;

    /// Give up: what is posted is reported as failed, and nothing is sent or taken any more.
    virtual void Abort() = 0;

    /// @return why what has been posted is stuck, for people; empty if that is not known, or
    /// nothing is
    virtual std::string DescribeTrouble() const;
};

/// A connector with which a rank joins a group, and what it is to the group.
struct CollectiveConnectorPlace
{
    CollectiveConnectorId id;                       //!< where it leads
    std::unique_ptr<CollectiveConnector> connector; //!< this rank's end
    bool leavesDomain{true};                        //!< false inside a scale-up domain
};

/// A connector over a reliable RDMA connection.
class RdmaConnector : public CollectiveConnector
{
  public:
    /// @param connection the connection, which this connector alone uses
    explicit RdmaConnector(Ptr<RdmaConnection> connection);
    ~RdmaConnector() override;

    void SetCallbacks(SentCallback sent, ReceivedCallback received) override;
    void Post(uint64_t bytes, uint32_t immediate, bool signaled) override;
    void Pause(Callback<void> drained) override;
    void Resume() override;
    void Abort() override;
    std::string DescribeTrouble() const override;

  private:
    Ptr<RdmaConnection> m_connection; //!< carries the messages
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CONNECTOR_H
