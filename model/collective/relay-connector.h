// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RELAY_CONNECTOR_H
#define PHOTONIC_RAILS_RELAY_CONNECTOR_H

#include "collective-connector.h"

#include "ns3/callback.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <string>

namespace ns3
{

class RdmaConnection;

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
     * @param out connection to the relay for what is sent
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

#endif // PHOTONIC_RAILS_RELAY_CONNECTOR_H
