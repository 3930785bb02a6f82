// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_SCHEDULE_H
#define PHOTONIC_RAILS_COLLECTIVE_SCHEDULE_H

#include "collective-call.h"

#include <boost/range/iterator_range_core.hpp>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief The kinds of connectors on which a rank reaches others of its group.
 *
 * A connector is a connection to one peer over a share of the ports that lead there. On a ring,
 * messages that one rank sends on its CONNECTOR_NEXT arrive at the following rank on that rank's
 * CONNECTOR_PREVIOUS, and the other way round; messages sent on CONNECTOR_DIRECT arrive on
 * CONNECTOR_DIRECT.
 */
enum CollectiveConnectorKind : uint16_t
{
    CONNECTOR_NEXT = 0,     //!< to the following rank, over the first half of the ports
    CONNECTOR_PREVIOUS = 1, //!< to the preceding rank, over the second half of the ports
    CONNECTOR_DIRECT = 2,   //!< to any rank, over all ports that lead there
};

/// @param connector a kind of connector @return the kind of the same connector at the other rank
uint16_t GetOtherEnd(uint16_t connector);

/// A connector that a schedule uses: a way to a peer.
struct CollectiveConnectorId
{
    uint32_t peer{0};      //!< index in the group
    uint16_t connector{0}; //!< one of CollectiveConnectorKind

    /// Order by peer, then by connector.
    bool operator<(const CollectiveConnectorId& other) const
    {
        return std::tie(peer, connector) < std::tie(other.peer, other.connector);
    }

    /// @return true if both are the same connector
    bool operator==(const CollectiveConnectorId& other) const
    {
        return std::tie(peer, connector) == std::tie(other.peer, other.connector);
    }
};

/// A part of a tensor.
struct ByteRange
{
    uint64_t offset{0}; //!< first byte
    uint64_t bytes{0};  //!< size, may be zero
};

/**
 * @brief One of several consecutive parts whose sizes differ by at most one byte.
 *
 * The larger parts come first, so the parts of a range are the same on every rank and add up to
 * the range to the byte, whatever its size.
 *
 * @param range the range to divide
 * @param parts number of parts, at least 1
 * @param index number of the part, from 0
 * @return the part
 */
ByteRange SplitEvenly(const ByteRange& range, uint64_t parts, uint64_t index);

/**
 * @brief The number of pieces into which a pipeline divides its data.
 * @param bytes size of the data
 * @param chunkBytes size that a piece shall have, not 0
 * @param most an upper limit, as a rank must not receive too many messages
 * @return number of pieces, at least 1
 */
uint32_t GetPipelineChunks(uint64_t bytes, uint64_t chunkBytes, uint32_t most);

/// One message that a rank sends.
struct ScheduledSend
{
    ByteRange data;         //!< where the data lies in the buffer of the sender
    uint32_t peer{0};       //!< index in the group of the rank that receives it
    uint16_t connector{0};  //!< connector on which it leaves
    uint16_t transferId{0}; //!< index among the receives of the peer
    uint32_t firstAfter{0}; //!< set by CollectiveSchedule: where its dependencies begin
    uint32_t afterCount{0}; //!< set by CollectiveSchedule: number of its dependencies
};

/// One message that a rank receives. Its transfer id is its index among the receives.
struct ScheduledReceive
{
    /// The action on data that arrives.
    enum class Action : uint8_t
    {
        COPY,   //!< it replaces what is in the buffer
        REDUCE, //!< it is added to what is in the buffer
        /// Sender and receiver send each other the same range: it is added to what is in the buffer
        /// once that has been read to be sent, at the earliest. Libraries send copies, and receive
        /// into memory of their own; both take no simulated time.
        SWAP,
        /// It is kept in scratch memory and passed on as it is: the rank is the proxy of another
        /// one, whose NIC it lends (PXN in NCCL), and has no part in the step.
        RELAY,
    };

    ByteRange data;              //!< where it goes in the buffer of the receiver
    uint32_t peer{0};            //!< index in the group of the rank that sends it
    uint16_t connector{0};       //!< connector on which it arrives
    Action action{Action::COPY}; //!< what happens to it
};

/**
 * @brief A part of a schedule in which a rank exchanges messages with one peer only.
 *
 * Rounds of the same number form a matching: each rank has at most one peer, of which it is the
 * peer. Where circuits are lent a rank has those to its peer for the round only: it asks for them
 * when it has ended the round before, and ends the round when all messages of the round have
 * arrived, here and at the peer.
 */
struct ScheduledRound
{
    uint32_t number{0};       //!< the same at both ranks; increases, but need not be consecutive
    uint32_t peer{0};         //!< index in the group
    uint32_t firstSend{0};    //!< set by CollectiveSchedule: where the sends of the round begin
    uint32_t firstReceive{0}; //!< set by CollectiveSchedule: where its receives begin
};

/**
 * @brief The sends and receives of one rank in one collective, and their order.
 *
 * A send may start when all the receives that it names have arrived, one without any at once;
 * nothing else orders it. So a ring names the receive of the step before, a tree the receives from
 * all children, and a direct AllToAll none. Peers are indices in the group: ring schedules name
 * neighbours, others may name anyone to whom the communicator has a connector.
 *
 * A schedule for circuits that are lent to pairs is divided into rounds. The sends of a round then
 * wait for the grant of its circuits, too. A schedule has no rounds, or each of its messages
 * belongs to one.
 *
 * The byte ranges are carried for tests and tools, which move contributions about as the schedule
 * says and check that all ranks end with the right ones; sending needs only the sizes.
 *
 * Memory is in proportion to the number of messages of this rank.
 */
class CollectiveSchedule
{
  public:
    /// A transfer id is carried in 16 bits of the immediate.
    static constexpr uint32_t MAX_RECEIVES = 1U << 16;

    /**
     * @brief Add a message that arrives; aborts beyond MAX_RECEIVES.
     * @param receive the message
     * @return its transfer id
     */
    uint16_t AddReceive(const ScheduledReceive& receive);

    /**
     * @brief Add a message that is sent.
     * @param send the message
     * @param after transfer ids of the receives that must have arrived first
     */
    void AddSend(ScheduledSend send, const std::vector<uint16_t>& after = {});

    /**
     * @brief Begin a round, to which messages belong that are added from now on.
     * @param number of the round, above that of the round before
     * @param peer index in the group of the rank at the other end of all these messages
     */
    void BeginRound(uint32_t number, uint32_t peer);

    /// @return the rounds, in order; empty if the schedule is not divided into rounds
    const std::vector<ScheduledRound>& GetRounds() const
    {
        return m_rounds;
    }

    /// @return the sends, in the order in which they are posted if several may start
    const std::vector<ScheduledSend>& GetSends() const
    {
        return m_sends;
    }

    /// @return the receives; the index is the transfer id
    const std::vector<ScheduledReceive>& GetReceives() const
    {
        return m_receives;
    }

    /**
     * @param send one of GetSends()
     * @return transfer ids of the receives that must have arrived before it
     */
    boost::iterator_range<const uint16_t*> GetAfter(const ScheduledSend& send) const
    {
        const uint16_t* const first = m_after.data() + send.firstAfter;
        return {first, first + send.afterCount};
    }

    /// @return transfer ids of all receives so far
    std::vector<uint16_t> GetReceiveIds() const;

    /// @return the connectors of all messages, sorted, each once
    std::vector<CollectiveConnectorId> GetConnectors() const;

    /// @return the sum of the sizes of all sends
    uint64_t GetBytesSent() const;
    /// @return the sum of the sizes of all receives
    uint64_t GetBytesReceived() const;

  private:
    std::vector<ScheduledSend> m_sends;       //!< in posting order
    std::vector<ScheduledReceive> m_receives; //!< by transfer id
    std::vector<uint16_t> m_after;            //!< dependencies of all sends, one after the other
    std::vector<ScheduledRound> m_rounds;     //!< in order
};

/**
 * @file
 * The layout of a rank's data in the one buffer to which the byte ranges of a schedule refer.
 *
 * A collective is defined as in MPI, by the input and the output of each rank. A layout says which
 * bytes of the buffer hold which bytes of the input before the call, and which hold which bytes of
 * the output after it. Copies within the memory of a rank, which may be needed to bring data into
 * this layout, take no simulated time, like reductions.
 *
 * - AllReduce, Broadcast, Reduce: the buffer is the tensor.
 * - AllGather, ReduceScatter: the buffer is the output or the input, one chunk per rank; in order
 *   of ranks, unless the algorithm says otherwise.
 * - AllToAll: the input, in the order in which it is sent, then scratch memory and the output; a
 *   rank's block for itself is input and output in the same place. See the schedule of each
 *   algorithm.
 *
 * Everything else in the buffer is scratch memory without defined content.
 */

/// A part of a rank's input or output and its place.
struct LayoutSegment
{
    ByteRange buffer;   //!< place in the buffer
    uint64_t offset{0}; //!< of its first byte in the input or output
};

/// Where a rank's data lies.
struct CollectiveLayout
{
    uint64_t bytes{0};                 //!< size of the buffer
    std::vector<LayoutSegment> input;  //!< before the call
    std::vector<LayoutSegment> output; //!< after it
};

/**
 * @brief The layout with everything in the order of ranks.
 * @param part the call and the rank
 * @return the layout; of an AllToAll the input, then the output without the rank's block
 * for itself
 */
CollectiveLayout MakeLayoutInOrder(const RankContext& part);

/**
 * @brief The layout of an AllGather or a ReduceScatter whose chunks have an order of their own.
 * @param part the call and the rank
 * @param getChunk returns the place in the buffer of the chunk of a rank
 * @return the layout
 */
CollectiveLayout MakeChunkLayout(const RankContext& part,
                                 const std::function<ByteRange(uint32_t)>& getChunk);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_SCHEDULE_H
