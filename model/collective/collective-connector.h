// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CONNECTOR_H
#define PHOTONIC_RAILS_COLLECTIVE_CONNECTOR_H

#include "ns3/callback.h"
#include "ns3/collective-algorithm.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

    /// Report all posted messages as failed; send and take nothing from now on.
    virtual void Abort() = 0;

    /// @return the reason why posted messages are stuck, for people; empty if that is not known,
    /// or no message is stuck
    virtual std::string DescribeTrouble() const
    {
        return "";
    }
};

/// A connector with which a rank joins a group, and its id in the group.
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

    void SetCallbacks(SentCallback sent, ReceivedCallback received) override;
    void Post(uint64_t bytes, uint32_t immediate, bool signaled) override;
    void Pause(Callback<void> drained) override;
    void Resume() override;
    void Abort() override;
    std::string DescribeTrouble() const override;

  private:
    Ptr<RdmaConnection> m_connection; //!< carries the messages
};

/**
 * @brief Lists the queue pairs that each rank of a job must create for all connectors.
 *
 * A connector needs queue pairs at both ends, and each queue pair must know the number of its peer.
 * If each rank creates its queue pairs in the order of GetSides, the k-th queue pair on a NIC has
 * the number of the first one plus k. Ranks therefore exchange only the number of their first queue
 * pair, as NCCL's bootstrap exchanges addresses. Pure.
 */
class ConnectorPlan
{
  public:
    /// The networks on which a rank has a NIC.
    enum Network
    {
        RAIL,     //!< between scale-up domains
        SCALE_UP, //!< inside a scale-up domain
    };

    static constexpr std::size_t NETWORKS = 2;

    /// Ports of a NIC, and of the peer's NIC, in pairs.
    using Ports = std::vector<std::pair<uint32_t, uint32_t>>;

    /// A rank's side of a connector.
    struct Side
    {
        uint32_t group{0};        //!< a number of the caller's
        CollectiveConnectorId id; //!< among the connectors of the group
        uint32_t peer{0};         //!< the rank at the other end
        Network network{RAIL};    //!< that the connector crosses
        Ports ports;              //!< a queue pair each, in this order
        uint32_t first{0};        //!< place of the first of them among those of the rank on the NIC
        uint32_t peerFirst{0};    //!< the same of the peer
    };

    /// @param ranks of the job
    explicit ConnectorPlan(uint32_t ranks);

    /// One end of a connector that is added.
    struct End
    {
        uint32_t rank{0};         //!< the rank
        CollectiveConnectorId id; //!< of the connector, seen from there
    };

    /**
     * @brief Add a connector.
     * @param group a number by which the caller finds its group
     * @param a one end
     * @param b the other end
     * @param network that it crosses
     * @param ports of the NIC of a, and of that of b
     */
    void Add(uint32_t group, const End& a, const End& b, Network network, const Ports& ports);

    /**
     * @param rank a rank
     * @return its sides, in the order in which it has to make them
     */
    const std::vector<Side>& GetSides(uint32_t rank) const
    {
        return m_sides.at(rank);
    }

    /**
     * @param rank a rank
     * @param network a network
     * @return queue pairs that it makes there
     */
    uint32_t GetQueuePairs(uint32_t rank, Network network) const
    {
        return m_queuePairs.at(rank)[network];
    }

  private:
    std::vector<std::vector<Side>> m_sides;                   //!< by rank
    std::vector<std::array<uint32_t, NETWORKS>> m_queuePairs; //!< by rank
};

/**
 * @brief A connector to a peer that is reachable only through other GPUs, which run an RdmaRelay.
 *
 * This rank sends to a relay in its own scale-up domain and receives from a relay in the domain of
 * the peer. The connector divides messages into chunks, so that both hops are busy at the same
 * time, and limits the number of chunks in flight. With NCCL's 8 slots of 512 KiB, a relay buffers
 * at most 4 MiB per connector.
 *
 * A message is reported as sent when relays have reported all its chunks as acknowledged by the
 * peer. If a chunk fails on either hop, the connector fails: RelayConnector reports all messages as
 * failed, including those posted later.
 */
class RelayConnector : public CollectiveConnector
{
  public:
    /// Chunks on their way at most: the steps of an NCCL buffer (NCCL_STEPS).
    static constexpr uint32_t SLOTS = 8;

    /**
     * @param out connection to the relay for messages that are sent
     * @param in connection from the relay of the peer, or null if the peer never sends
     * @param chunkBytes size of a chunk, at least 1
     * @param slots chunks on their way at most, at least 1
     */
    RelayConnector(Ptr<RdmaConnection> out,
                   Ptr<RdmaConnection> in,
                   uint64_t chunkBytes,
                   uint32_t slots = SLOTS);

    void SetCallbacks(SentCallback sent, ReceivedCallback received) override;
    void Post(uint64_t bytes, uint32_t immediate, bool signaled) override;
    /// @copydoc CollectiveConnector::Pause() Chunks that have been started are finished.
    void Pause(Callback<void> drained) override;
    void Resume() override;
    void Abort() override;
    std::string DescribeTrouble() const override;

  private:
    /// A message of which not all chunks have been started.
    struct Unstarted
    {
        uint64_t bytesLeft;
        uint32_t immediate;
    };

    /// A message of which not all chunks have been reported.
    struct Unreported
    {
        uint32_t immediate;
        uint64_t chunks;
        bool signaled;
    };

    /// Start chunks while there are slots for them.
    void StartChunks();
    /// The relay has acknowledged a chunk, or the first hop has failed.
    void FirstHopDone(uint32_t immediate, bool delivered);
    /// @return a message of which not all chunks have been reported
    std::deque<Unreported>::iterator FindUnreported(uint32_t immediate);
    /// Report the messages whose chunks have all been reported, in the order of their posts.
    void ReportWhole();
    /// A report of the relay has arrived.
    void Reported(uint32_t immediate, uint64_t bytes);
    /// Report all messages as failed.
    void Fail();

    /// Report a message that was posted after the failure.
    void ReportFailed(uint32_t immediate)
    {
        m_sent(immediate, false);
    }

    /// Call m_drained if a pause is pending and no chunk is in flight.
    void CheckDrained();

    Ptr<RdmaConnection> m_out;
    Ptr<RdmaConnection> m_in;
    uint64_t m_chunkBytes;
    uint32_t m_slots;
    SentCallback m_sent;
    Callback<void> m_drained;
    std::deque<Unstarted> m_unstarted;
    std::deque<Unreported> m_unreported; //!< in the order of their posts
    uint32_t m_onTheirWay{0};            //!< chunks started but not reported
    bool m_paused{false};
    bool m_failed{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CONNECTOR_H
