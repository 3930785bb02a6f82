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
 * A message is cut into one stripe per queue pair whose port leads to the peer at that moment
 * and that has not failed (all queue pairs if there is none: they wait for light). The receiver is
 * told of each stripe as it completes; stripes of one message carry the same immediate value.
 */
class RdmaConnection : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Called once per signaled message, when all its stripes have been acknowledged or have failed,
     * and for each stripe of another one that has failed.
     * Messages posted with the same immediate value are reported in the order of their posts.
     */
    using SentCallback = Callback<void, uint32_t /*immediate*/, bool /*delivered*/>;
    /// Called for each stripe that has arrived in full.
    using ReceivedCallback = Callback<void, uint32_t /*immediate*/, uint64_t /*bytes*/>;

    static constexpr uint32_t MAX_QUEUE_PAIRS = 64;

    /// @param queuePair a connected queue pair to the peer; MAX_QUEUE_PAIRS at most
    void AddQueuePair(Ptr<RdmaQueuePair> queuePair);

    /// @param sent called once per posted message
    void SetSentCallback(SentCallback sent);
    /// @param received called once per stripe that arrives
    void SetReceivedCallback(ReceivedCallback received);

    /**
     * @brief Send a message (RDMA Write with immediate).
     * @param bytes its size; 0 is a notification without data
     * @param immediate delivered to the peer with the message; need not be unique, for instance
     * when pieces of one message are posted as they come
     * @param signaled false: it is reported only if it fails, see RdmaQueuePair::Post. The report
     * of a signaled message stands for those that are not, and were posted since the one before it.
     * Those have other immediate values than signaled messages that are on their way.
     */
    void Post(uint64_t bytes, uint32_t immediate, bool signaled = true);

    /**
     * @brief Stop sending at the next packet boundary.
     * @param drained called when every packet sent has been acknowledged, at once if that is so
     */
    void Pause(Callback<void> drained);

    /// Go on sending.
    void Resume();

    /// Fail all queue pairs, see RdmaQueuePair::Abort.
    void Abort();

    /// @return true if every queue pair leads to the peer now
    bool IsPathOpen() const;

    /// @return RdmaQueuePair::DescribeTrouble of the first queue pair that has any
    std::string DescribeTrouble() const;

  protected:
    void DoDispose() override;

  private:
    /// A stripe on the queue pair of that index has been acknowledged or has failed.
    void StripeSent(uint32_t index, uint32_t immediate, bool delivered);
    /// A stripe has arrived.
    void StripeReceived(uint32_t immediate, uint64_t bytes);
    /// A paused queue pair has nothing outstanding any more.
    void QueuePairDrained();

    /// A message some of whose stripes are on their way.
    struct Unfinished
    {
        uint64_t stripes{0}; //!< a bit for each queue pair whose stripe is on its way
        uint64_t others{0};  //!< and for each that has to finish stripes of unsignaled messages
        bool delivered{true};
    };

    using Messages = std::multimap<uint32_t, Unfinished>;

    /// Keep a message until all its stripes have been acknowledged or have failed.
    void Keep(uint32_t immediate, const Unfinished& message);
    /// @return of some queue pairs, those with unfinished messages, the last of which they report
    uint64_t Signal(uint64_t queuePairs);
    /// A stripe of an unsignaled message has been reported.
    void UnsignaledSent(uint64_t stripe, uint32_t immediate, bool delivered);
    /// Report messages at the head of those with the same immediate value.
    void ReportFinished(uint32_t immediate);

    std::vector<Ptr<RdmaQueuePair>> m_queuePairs;
    uint64_t m_unsignaled{0}; //!< a bit for each queue pair that has sent some since it was asked
                              //!< to report one
    Messages m_unfinished;    //!< by immediate value; equal ones in order of their posts
    std::vector<Messages::node_type> m_spare; //!< of messages that have ended, for those to come
    SentCallback m_sent;
    ReceivedCallback m_received;
    Callback<void> m_drained;
    uint32_t m_draining{0}; //!< queue pairs that have yet to drain
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_CONNECTION_H
