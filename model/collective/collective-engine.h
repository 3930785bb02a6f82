// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_ENGINE_H
#define PHOTONIC_RAILS_COLLECTIVE_ENGINE_H

#include "collective-connector.h"
#include "connectivity-provider.h"

#include "ns3/assert.h"
#include "ns3/callback.h"
#include "ns3/collective-algorithm.h"
#include "ns3/collective-call.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// A call that a rank has made and that has not ended, as its engine sees it.
struct CallWait
{
    /// The event for which the call waits.
    enum Cause
    {
        GRANT,           //!< its connectivity provider
        DATA,            //!< messages of other ranks
        ACKNOWLEDGEMENT, //!< of what it has sent
        NOTHING,         //!< a message was not delivered: calls of the group never end
    };

    CollectiveCall call;   //!< the call, the first one of its stream
    CollectiveCall asked;  //!< what its provider has been asked for: the call, or that of a round
    ProcessGroup group;    //!< of the call
    Cause cause{GRANT};    //!< what it waits for
    uint64_t sequence{0};  //!< calls of this rank in the stream before it
    uint64_t behind{0};    //!< calls of this rank in the stream that wait for it
    bool onHosts{false};   //!< it takes the host network
    bool suspended{false}; //!< the provider has stopped the group's traffic
    /// GRANT: ranks that the provider names; DATA: those whose messages are missing.
    std::vector<uint32_t> peers;
    std::string
        fidelity; //!< in words, by the provider or of a connector that is stuck; may be empty
};

/// A call of a rank and its times; see the trace source CallRecord.
struct CollectiveCallRecord
{
    uint32_t rank{0};     //!< global rank
    CollectiveCall call;  //!< the call
    uint64_t sequence{0}; //!< calls of this rank on the group before this one
    CollectiveNetwork network{CollectiveNetwork::RAILS}; //!< that the call took
    bool failed{false}; //!< a message on the call's group was not delivered: the call never ends
    Time made;          //!< when the rank made the call
    Time started;       //!< when the call could first send; for a call that has failed perhaps zero
    Time ended;         //!< when the call ended or failed
    Time waited;        //!< time between requests to the connectivity provider and its grants
};

/// A message between two ranks and when it was sent; see the trace source MessageRecord.
struct CollectiveMessageRecord
{
    uint32_t rank{0};     //!< global rank of the sender
    uint32_t peer{0};     //!< global rank of the receiver
    CollectiveCall call;  //!< the call of the sender to which the message belongs
    uint64_t sequence{0}; //!< calls of the sender on the group before this one
    CollectiveNetwork network{CollectiveNetwork::RAILS}; //!< that the message took
    uint64_t bytes{0};                                   //!< payload
    Time posted;                                         //!< when the message was handed to RDMA
    Time ended;           //!< when all of it was acknowledged, or failed
    Time waited;          //!< CollectiveCallRecord::waited of the call when the message was posted
    bool delivered{true}; //!< false if the message failed
};

/**
 * @brief The immediate value by which a receiver finds the call of a message.
 *
 *     bit 31          1 for Send and Recv, 0 for a collective of the whole group
 *     bits 30 to 16   sequence number of the call, modulo 2^15
 *     bits 15 to 0    transfer id: index among the receives of the call
 *
 * Calls are counted per group for collectives, and per group, peer and direction for Send and
 * Recv, so both ends count alike. A rank may run ahead of its peer by fewer than 2^14 calls; an
 * arrival outside of that window is a mismatch of calls.
 */
struct CollectiveImmediate
{
    static constexpr uint32_t SEQUENCES = 1U << 15; //!< sequence numbers are modulo this

    bool pointToPoint{false}; //!< Send or Recv
    uint16_t sequence{0};     //!< modulo SEQUENCES
    uint16_t transferId{0};   //!< index among the receives

    /**
     * @param call number of the call, not reduced
     * @return the number that a message carries
     */
    static uint16_t Wrap(uint64_t call)
    {
        return static_cast<uint16_t>(call % SEQUENCES);
    }

    /// @return the 32 bits on the wire
    uint32_t Encode() const
    {
        NS_ASSERT_MSG(sequence < SEQUENCES, "sequence number " << sequence << " is not reduced");
        return (pointToPoint ? 1U << 31 : 0U) | static_cast<uint32_t>(sequence) << 16 | transferId;
    }

    /**
     * @param immediate 32 bits from the wire
     * @return the decoded fields
     */
    static CollectiveImmediate Decode(uint32_t immediate)
    {
        return {(immediate >> 31) != 0,
                static_cast<uint16_t>((immediate >> 16) % SEQUENCES),
                static_cast<uint16_t>(immediate & 0xFFFF)};
    }

    /**
     * @param current number of the oldest call that has not ended at the receiver
     * @return number of calls by which the message is ahead; SEQUENCES / 2 or more if it is older
     */
    uint32_t GetCallsAhead(uint64_t current) const
    {
        return (sequence + SEQUENCES - Wrap(current)) % SEQUENCES;
    }
};

class CollectiveRun;
class RdmaConnection;
struct CollectiveCallState;
struct CollectiveCommunicator;
struct CollectiveStream;
struct CollectiveSuspension;
struct ScheduledSend;

/**
 * @brief The collective library of one rank: runs its part of collectives over RDMA.
 *
 * CollectiveEngine is aggregated to the node of the GPU. Only its own RDMA completions and the
 * grants of its connectivity provider drive it. It communicates with other ranks by packets only.
 *
 * **Order.** The calls on a group form independent streams, in each of which one call runs at a
 * time, in the order in which they were made:
 * - the collectives of the group;
 * - for each peer, the Sends to it: the k-th matches the k-th Recv from this rank there;
 * - for each peer, the Recvs from it.
 *
 * Streams do not wait for each other. A Recv that waits for its peer blocks neither a later Send
 * nor a later collective, as if NCCL calls were grouped, so pipeline stages that all receive before
 * they send do not deadlock. A program that needs a stricter order makes a call when the previous
 * call has ended.
 *
 * Streams share connectors, however, and connectors stop while a provider has suspended a
 * collective of the group. Messages that must pass meanwhile in a group of more than two ranks (a
 * pipeline whose ranks also have collectives of the whole pipeline, on circuits) need a separate
 * group: a Send that is granted on a suspended group aborts.
 *
 * **Life of a call.** Made (CallArrived); at the head of its stream it asks the provider; granted
 * (CallStarted) it sends as its schedule allows; when all it has to receive has arrived and all it
 * sent is acknowledged it ends (CallEnded), the provider's Release is called, the next call of the
 * stream asks, and then the caller is notified. A Send ends when the data is in the peer's memory,
 * whether or not the peer has made its Recv. Data that arrives before this rank has started the
 * call is kept. A group of one rank needs no connectivity: its calls end at once, through an event.
 *
 * **Rounds.** The schedule of a collective on circuits that are lent to pairs is divided into
 * rounds (CollectiveAlgorithm::HasRounds, CircuitTerms). The provider is not asked for the group
 * then, but in each round for a Send to the peer of the round and a Recv from it, and these are
 * released when all that is sent in the round is acknowledged, or has arrived. The next round
 * begins when both have been released. Data that arrives for a later round is kept.
 *
 * **Networks.** A group may be joined on the host network as well. The provider chooses the network
 * of each call, or there is no choice if the group is on one only. On the host network a group has
 * connectors and streams of its own, and the provider is asked for nothing: so calls on different
 * networks do not wait for each other, as if they were made on two communicators of NCCL.
 *
 * **Connectors.** A rank has connectors only to the peers that the group's algorithms need.
 * MakeSchedule converts each call into a schedule that names connectors. The engine does not depend
 * on the network of a connector: circuits, a switched fabric, the network of a scale-up domain or a
 * relay.
 *
 * **Failure.** If a message cannot be delivered, all calls on its group that take the same network
 * fail on this rank, made or yet to be made: CallFailed is traced for each, nothing more is sent,
 * and neither Release nor the caller's callback is called, since other packets of the call may be
 * on their way.
 *
 * **Time on GPUs and proxies.** A call begins after its launch, and a message that has arrived
 * takes a step until the sends that wait for it, by NCCL's latencies (CollectiveProtocol). Groups
 * joined without rates (CollectiveAlgorithms::SetRates) take neither.
 */
class CollectiveEngine : public Object
{
  public:
    static TypeId GetTypeId();

    CollectiveEngine();
    ~CollectiveEngine() override;

    /// @param rank the global rank that this engine serves
    void SetRank(uint32_t rank)
    {
        m_rank = rank;
    }

    /// @return the global rank
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /// @param provider provider that grants traffic before it is sent, and may suspend it
    void SetConnectivityProvider(Ptr<ConnectivityProvider> provider);

    /// @return bytes that this rank passes on for others, see CountForwardedBytes; of all calls
    /// that have been granted
    uint64_t GetBytesForwarded() const
    {
        return m_bytesForwarded;
    }

    /// @return size of the pieces in which long messages are pipelined
    uint64_t GetChunkBytes() const
    {
        return m_chunkBytes;
    }

    /**
     * @brief Join a group on a ring, as ncclCommInitRank does.
     * @param group the group, which contains this rank; one of size 1 needs no connections
     * @param next connection to the following rank of the ring
     * @param previous connection to the preceding rank of the ring; for a group of two a second
     * connection to the same rank
     */
    void Join(const ProcessGroup& group, Ptr<RdmaConnection> next, Ptr<RdmaConnection> previous);

    /**
     * @brief Join a group on a ring of connectors.
     * @param group the group, which contains this rank
     * @param next connector to the following rank; null only in a group of size 1
     * @param previous connector to the preceding rank; null only in a group of size 1
     */
    void JoinOver(const ProcessGroup& group,
                  std::unique_ptr<CollectiveConnector> next,
                  std::unique_ptr<CollectiveConnector> previous);

    /**
     * @brief Join a group over connectors to any of its ranks.
     *
     * The connectivity provider is never asked for the calls of a group inside one scale-up domain,
     * nor for messages between two ranks of a domain.
     *
     * @param group the group, which contains this rank
     * @param perDomain ranks of each scale-up domain that the group spans, see GroupShape
     * @param algorithms algorithms of its collectives, the same on all ranks; aborts if one
     * cannot serve the group
     * @param connectors this rank's ends of the connectors that they need, each once, in any order
     */
    void JoinOver(const ProcessGroup& group,
                  uint32_t perDomain,
                  const CollectiveAlgorithms& algorithms,
                  std::vector<CollectiveConnectorPlace> connectors);

    /**
     * @brief Join a group on the host network, beside the rails or instead of them.
     * @param group the group, which contains this rank
     * @param perDomain ranks of each scale-up domain that the group spans, see GroupShape
     * @param algorithms algorithms of its collectives there, the same on all ranks
     * @param connectors as for JoinOver
     */
    void JoinHosts(const ProcessGroup& group,
                   uint32_t perDomain,
                   const CollectiveAlgorithms& algorithms,
                   std::vector<CollectiveConnectorPlace> connectors);

    /**
     * @param call a call on a group that was joined
     * @return the network that it takes
     */
    CollectiveNetwork GetNetwork(const CollectiveCall& call);

    /**
     * @brief Say that the host has issued a call that is made later: the connectivity provider is
     * told, if it will be asked. Calls are announced in the order in which they are issued.
     * @param call the call, on a group that was joined
     * @param lent called once, possibly from within Announce, when the call could send if it were
     * made, or when it is granted
     */
    void Announce(const CollectiveCall& call, Callback<void> lent);

    /**
     * @brief Make a call.
     *
     * Send and Recv use the direct connector to their peer if this rank has one, otherwise the ring
     * connectors. Aborts if the group was not joined, if a peer or root is no member of it, or if
     * the group has no connector that the call needs: to a rank that is neither a neighbour on the
     * ring nor connected directly.
     *
     * @param call the call, on a group that was joined
     * @param ended called when the call has ended on this rank; may be null
     */
    void Run(const CollectiveCall& call, Callback<void> ended);

    /**
     * @brief Leave all groups at once, as ncclCommAbort does.
     *
     * All calls fail (CallFailed), without a call of the provider's Release or of the caller's
     * callback. Afterwards the engine can join groups again, over new connectors, possibly as
     * another rank.
     */
    void Abort();

    /**
     * @brief List the waits of this rank's calls, for reports after a run. Changes nothing.
     * @return the first call of each stream that has not ended, by group; and of a group that has
     * failed, its first call that failed
     */
    std::vector<CallWait> GetWaits() const;

    /**
     * @param call a call
     * @param onHosts it takes the host network
     * @return calls that this rank has made in the stream of such a call; 0 if it has not joined
     * the group
     */
    uint64_t CountCalls(const CollectiveCall& call, bool onHosts) const;

    /**
     * TracedCallback signature of the life of a call on this rank.
     * @param rank global rank
     * @param call the call
     * @param sequence number of calls that this rank made on this group before this one
     */
    typedef void (*CallTracedCallback)(uint32_t rank,
                                       const CollectiveCall& call,
                                       uint64_t sequence);

    /**
     * TracedCallback signature of the life of a round of a collective on this rank.
     * @param rank global rank
     * @param call the Send to the peer of the round, or the Recv from it
     * @param sequence number of calls that this rank made on this group before the collective
     */
    typedef void (*RoundTracedCallback)(uint32_t rank,
                                        const CollectiveCall& call,
                                        uint64_t sequence);

    /**
     * TracedCallback signature of a call that has ended or failed.
     * @param record the call and its times
     */
    typedef void (*CallRecordTracedCallback)(const CollectiveCallRecord& record);

    /**
     * TracedCallback signature of a message that has been acknowledged or has failed.
     * @param record the message and its times
     */
    typedef void (*MessageRecordTracedCallback)(const CollectiveMessageRecord& record);

  protected:
    void DoDispose() override;

  private:
    /// Trace source of a step in the life of a call.
    using CallTrace = TracedCallback<uint32_t, const CollectiveCall&, uint64_t>;

    /// The communicators of a group.
    struct Membership
    {
        std::unique_ptr<CollectiveCommunicator> own; //!< on the rails, or inside a domain; or null
        std::unique_ptr<CollectiveCommunicator> hosts; //!< on the host network, or null
        uint64_t made{0};                              //!< number of calls on both
    };

    /// @return this rank's membership in a group; aborts if it has not joined the group
    Membership& Find(uint32_t groupId);
    /// @return the communicator of a group that the provider suspends; aborts if there is none
    CollectiveCommunicator& FindLent(uint32_t groupId);
    /// Make the communicator of the rank's group, with these connectors; aborts if there is one.
    void MakeCommunicator(std::unique_ptr<CollectiveCommunicator>& communicator,
                          const ProcessGroup& group,
                          uint32_t perDomain,
                          const CollectiveAlgorithms& algorithms,
                          std::vector<CollectiveConnectorPlace> connectors);
    /// Launch the call at the head of a stream, if none is in progress.
    void StartNext(CollectiveCommunicator& communicator, CollectiveStream& stream);

    /// @return true if the groups are gone, to which events may still refer
    bool IsDisposed() const
    {
        return m_memberships.empty() && m_left.empty();
    }

    /// Let a call that has been launched ask for connectivity.
    void Ask(std::shared_ptr<CollectiveCallState> state);
    /// A message of a call has arrived in full: take it in the time of a step.
    void Take(CollectiveCallState& state, const ScheduledReceive& receive, uint16_t transferId);
    /// A step of a call has ended.
    void StepEnded(std::shared_ptr<CollectiveCallState> state, uint16_t transferId);
    /// The provider has granted a call.
    void Granted(std::shared_ptr<CollectiveCallState> state);
    /// @return the run of a call on this rank
    std::unique_ptr<CollectiveRun> MakeRun(CollectiveCallState& state);
    /// Ask for connectivity with the peer of the next round of a call.
    void RequestRound(const std::shared_ptr<CollectiveCallState>& state);
    /// The provider has granted the Send of a round.
    void RoundGranted(std::shared_ptr<CollectiveCallState> state);
    /// Begin a round, which is granted.
    void StartRound(const std::shared_ptr<CollectiveCallState>& state);
    /// Release the ended calls of a round, and ask for the next one. @return true after the last
    bool EndRound(const std::shared_ptr<CollectiveCallState>& state);
    /// End a call if nothing is left to be done.
    void EndIfDone(const std::shared_ptr<CollectiveCallState>& state);

    /// Post a message of a call on the connector of its schedule.
    void Post(const CollectiveCallState& state,
              const ScheduledSend& send,
              uint32_t immediate,
              bool last);
    /// Trace a message that has been acknowledged or has failed.
    /// @return false if it is not the last message of its call on the connector
    bool RecordMessage(const CollectiveConnectorPlace& place, uint32_t immediate, bool delivered);
    /// Trace a call that has ended or failed.
    void RecordCall(const CollectiveCallState& state, bool failed) const;
    /// A connector reports a message sent.
    void MessageSent(CollectiveCommunicator* communicator,
                     const CollectiveConnectorPlace* place,
                     uint32_t immediate,
                     bool delivered);
    /// A connector reports a stripe received.
    void StripeReceived(CollectiveCommunicator* communicator,
                        uint32_t peer,
                        uint32_t immediate,
                        uint64_t bytes);
    /// Give up all calls of a group.
    void Fail(CollectiveCommunicator& communicator);
    /// @return why the first call of a stream waits; the stream must not be empty
    CallWait GetWait(const CollectiveCommunicator& communicator,
                     const CollectiveStream& stream) const;

    /// ConnectivityProvider::Traffic::suspend
    void Suspend(uint32_t groupId, Callback<void> drained);
    /// ConnectivityProvider::Traffic::resume
    void Resume(uint32_t groupId);
    /// One of the connectors of a suspended group has drained.
    void ConnectorDrained(std::shared_ptr<CollectiveSuspension> suspension);

    uint32_t m_rank{0};                   //!< global rank
    uint64_t m_bytesForwarded{0};         //!< bytes of granted calls that are passed on for others
    uint32_t m_directions;                //!< ways round the ring, 1 or 2
    uint64_t m_chunkBytes;                //!< size of the pieces in which messages are pipelined
    bool m_takesTime;                     //!< calls have launches, steps and protocols
    uint64_t m_eagerBytes;                //!< what is sent before the receiver has called for more
    Ptr<ConnectivityProvider> m_provider; //!< asked before traffic is sent
    std::map<uint32_t, Membership> m_memberships; //!< by group id
    /// Memberships that Abort has ended; queue pairs and events may still refer to their
    /// connectors.
    std::vector<std::map<uint32_t, Membership>> m_left;

    /// A message that is traced and has not been acknowledged.
    struct PostedMessage
    {
        CollectiveMessageRecord record;
        uint32_t immediate{0};
        bool last{false}; //!< the last message of its call on the connector
    };

    /// Messages in the order in which they were posted, while MessageRecord has sinks.
    std::map<const CollectiveConnectorPlace*, std::deque<PostedMessage>> m_posted;

    CallTrace m_callArrived; //!< this rank made a call
    CallTrace m_callStarted; //!< a call was granted connectivity
    CallTrace m_callEnded;   //!< a call ended on this rank
    CallTrace m_callFailed;  //!< a call will never end

    CallTrace m_roundStarted; //!< the Send of a round was granted, or its Recv requested
    CallTrace m_roundEnded;   //!< the Send of a round, or its Recv, has ended

    TracedCallback<const CollectiveCallRecord&> m_callRecord;       //!< a call ended or failed
    TracedCallback<const CollectiveMessageRecord&> m_messageRecord; //!< a message was acknowledged
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_ENGINE_H
