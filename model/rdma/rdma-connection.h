// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_CONNECTION_H
#define PHOTONIC_RAILS_RDMA_CONNECTION_H

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class RdmaQueuePair;

/**
 * @brief A reliable connection to one peer GPU, striped over queue pairs on several NIC ports.
 *
 * Post divides a message into one stripe for each queue pair that has not failed and whose port
 * leads to the peer at that time. If there is no such queue pair, Post uses all queue pairs, which
 * wait for a circuit. The receiver reports each stripe as it completes. All stripes of a message
 * carry the same immediate value.
 */
class RdmaConnection : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Called once per signaled message, when all its stripes have been acknowledged or have failed.
     * Also called for each failed stripe of an unsignaled message.
     * Messages posted with the same immediate value are reported in the order of their posts.
     */
    using SentCallback = Callback<void, uint32_t /*immediate*/, bool /*delivered*/>;
    /// Called for each stripe that has arrived in full.
    using ReceivedCallback = Callback<void, uint32_t /*immediate*/, uint64_t /*bytes*/>;

    static constexpr uint32_t MAX_QUEUE_PAIRS = 64;

    /// @param queuePair a connected queue pair to the peer; MAX_QUEUE_PAIRS at most
    void AddQueuePair(Ptr<RdmaQueuePair> queuePair);

    /// @param sent called once per posted message
    void SetSentCallback(SentCallback sent)
    {
        m_sent = sent;
    }

    /// @param received called once per stripe that arrives
    void SetReceivedCallback(ReceivedCallback received)
    {
        m_received = received;
    }

    /**
     * @brief Send a message (RDMA Write with immediate).
     * @param bytes size of the message; 0 is a notification without data
     * @param immediate value delivered to the peer with the message; need not be unique, for
     * instance when the pieces of a message are posted one after another
     * @param signaled false to report the message only if it fails, see RdmaQueuePair::Post. The
     * report of a signaled message also covers the unsignaled messages posted since the previous
     * signaled one. The immediate value of an unsignaled message must differ from those of
     * unfinished signaled messages.
     */
    void Post(uint64_t bytes, uint32_t immediate, bool signaled = true);

    /**
     * @brief Stop sending at the next packet boundary.
     * @param drained called when every packet sent has been acknowledged; called at once if none is
     * outstanding
     */
    void Pause(Callback<void> drained);

    /// Resume sending after Pause.
    void Resume();

    /// Fail all queue pairs, see RdmaQueuePair::Abort.
    void Abort();

    /// @return true if the port of every queue pair leads to the peer now
    bool IsPathOpen() const;

    /// @return RdmaQueuePair::DescribeTrouble of the first queue pair that has any
    std::string DescribeTrouble() const;

  protected:
    void DoDispose() override;

  private:
    /// Called when a stripe on the queue pair `index` has been acknowledged or has failed.
    void StripeSent(uint32_t index, uint32_t immediate, bool delivered);
    /// Called when a stripe has arrived in full.
    void StripeReceived(uint32_t immediate, uint64_t bytes);
    /// Called when a paused queue pair has no packet outstanding.
    void QueuePairDrained();

    /// A message with unfinished stripes.
    struct Unfinished
    {
        uint64_t stripes{0}; //!< bit mask of queue pairs with an unfinished stripe of this message
        uint64_t others{0};  //!< bit mask of queue pairs with unfinished unsignaled stripes
        bool delivered{true};
    };

    using Messages = std::multimap<uint32_t, Unfinished>;

    /// Keep a message until all its stripes have been acknowledged or have failed.
    void Keep(uint32_t immediate, const Unfinished& message);
    /// Make some queue pairs report the last of their unfinished messages.
    /// @return the bit mask of those queue pairs that have unfinished messages
    uint64_t Signal(uint64_t queuePairs);
    /// Process the report of a stripe of an unsignaled message.
    void UnsignaledSent(uint64_t stripe, uint32_t immediate, bool delivered);
    /// Report the oldest messages with an immediate value, as far as they are finished.
    void ReportFinished(uint32_t immediate);

    std::vector<Ptr<RdmaQueuePair>> m_queuePairs;
    uint64_t m_unsignaled{0}; //!< bit mask of queue pairs with unsignaled stripes since the last
                              //!< signaled one
    Messages m_unfinished;    //!< by immediate value; equal values in order of their posts
    std::vector<Messages::node_type> m_spare; //!< nodes of finished messages, for reuse
    SentCallback m_sent;
    ReceivedCallback m_received;
    Callback<void> m_drained;
    uint32_t m_draining{0}; //!< queue pairs that have yet to drain
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_CONNECTION_H
