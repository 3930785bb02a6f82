// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CALL_H
#define PHOTONIC_RAILS_COLLECTIVE_CALL_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief An ordered set of ranks that communicate with each other (an NCCL communicator).
 *
 * Two groups with the same ranks in the same order have the same id, regardless of the dimension of
 * parallelism: on a photonic rail both need the same circuits and share one lease.
 */
struct ProcessGroup
{
    uint32_t id{0};              //!< unique per ordered set of ranks within a job
    std::vector<uint32_t> ranks; //!< global ranks, in ring order
    /// Two stages of a longer pipeline on leased circuits: messages between them take the link of a
    /// ring from the first rank to the second, beside the links to other stages.
    bool isLink{false};

    /// @return the number of ranks
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(ranks.size());
    }

    /**
     * @param rank a global rank
     * @return its index in the group, or GetSize() if it is not a member
     */
    uint32_t GetIndex(uint32_t rank) const
    {
        uint32_t index = 0;
        while (index < ranks.size() && ranks[index] != rank)
        {
            ++index;
        }
        return index;
    }
};

/**
 * @brief How many bytes each rank of a group sends to each other in an AllToAllv.
 *
 * Either any sizes, which take the square of the ranks in memory, or sizes with a pattern, which
 * take as much as the ranks.
 */
class AllToAllSizes : public SimpleRefCount<AllToAllSizes>
{
  public:
    /**
     * @brief Steps in a list of sizes; both are below the number of ranks.
     *
     * {0, 1}: each rank sends alike, entry j to rank j. {1, 0}: rank i sends entry i to each.
     * {n - 1, 1}: entry d to the rank that is d places after the sender.
     */
    struct Pattern
    {
        uint32_t from; //!< from one sender to the next
        uint32_t to;   //!< from one receiver to the next
    };

    /**
     * @param ranks size of the group
     * @param bytes from rank i to rank j at index i * ranks + j; data that a rank keeps counts as
     * sent to itself
     */
    AllToAllSizes(uint32_t ranks, std::vector<uint64_t> bytes);

    /**
     * @param bytes one entry a rank; that from rank i to rank j is at index (i * pattern.from +
     * j * pattern.to) modulo the number of ranks
     * @param pattern the steps
     */
    AllToAllSizes(std::vector<uint64_t> bytes, const Pattern& pattern);

    /// @return the size of the group
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

    /**
     * @param from index of a rank
     * @param to index of a rank
     * @return bytes from the one to the other
     */
    uint64_t GetBytes(uint32_t from, uint32_t to) const;

    /**
     * @param from index of a rank
     * @param first index of a rank
     * @param count how many ranks, at most all
     * @return bytes from the one to `count` ranks from `first` on, round the group
     */
    uint64_t GetSum(uint32_t from, uint32_t first, uint32_t count) const;

    /// @return the most bytes that one of the ranks sends to others, or gets from them
    uint64_t GetMost() const;

  private:
    /// @return the index of the bytes from one rank to another
    uint64_t GetIndex(uint32_t from, uint32_t to) const;

    /**
     * @param own step from one rank to the next
     * @param other step from one of its peers to the next
     * @return the most that one rank exchanges with its peers, in one direction; of a pattern
     */
    uint64_t GetMost(uint32_t own, uint32_t other) const;

    uint32_t m_ranks;
    bool m_hasPattern;
    Pattern m_pattern; //!< if there is one
    std::vector<uint64_t> m_bytes;
    std::vector<uint64_t> m_sums; //!< of the first entries of m_bytes; of a pattern
};

/// The kinds of calls into a collective library.
enum class CollectiveKind : uint8_t
{
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BROADCAST,
    REDUCE,
    SEND,
    RECV,
};

/// The link of a ring that a message between neighbours takes, as the rank sees it that makes the
/// call.
enum class RingLink : uint8_t
{
    NONE,        //!< no single one: the message takes all ports that join the two ranks
    TO_NEXT,     //!< the one to the next rank of the ring
    TO_PREVIOUS, //!< the one to the previous rank
};

/**
 * @brief One call into the collective library, as one rank makes it.
 *
 * `bytes` is the size of the rank's input: the shard for AllGather, the whole tensor for
 * ReduceScatter, AllReduce, AllToAll and Reduce, the message for Send and Recv; for Broadcast
 * the output of every rank. These are the counts that public traces use.
 */
struct CollectiveCall
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};
    uint32_t groupId{0}; //!< ProcessGroup::id
    uint64_t bytes{0};   //!< input bytes of this rank
    uint32_t peer{0};    //!< global rank: other side of Send and Recv, root or straggler
    /// Sizes of an AllToAll whose parts are not alike (AllToAllv), the same on all ranks; or null.
    Ptr<const AllToAllSizes> sizes;
    /// Stream number of the caller: calls on one stream are made one after another. For analysis of
    /// a rank's traffic only; the stream has no effect on the call.
    uint8_t stream{0};
    /// True for a Send or Recv by which CollectiveEngine asks for a round of a collective.
    bool isRound{false};
    /// Set by CollectiveEngine when it asks for the circuits of a Send or Recv.
    RingLink link{RingLink::NONE};

    /// @return true for Send and Recv, which need no other rank of the group to make progress
    bool IsPointToPoint() const
    {
        return kind == CollectiveKind::SEND || kind == CollectiveKind::RECV;
    }

    /// @return true for Broadcast and Reduce, of which `peer` is the root
    bool HasRoot() const
    {
        return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
    }
};

/**
 * @param kind a kind of collective
 * @return its name as PyTorch and NCCL users write it: AllGather, ReduceScatter, ...
 */
std::string ToString(CollectiveKind kind);

/// How the ranks of a group lie in scale-up domains.
struct GroupShape
{
    uint32_t size{1};      //!< ranks in the group
    uint32_t perDomain{1}; //!< ranks i * perDomain to (i + 1) * perDomain - 1 share a domain

    /// @return domains that the group spans
    uint32_t GetDomains() const
    {
        return size / perDomain;
    }

    /**
     * @param domains domains of the ranks of a group, by index
     * @return the shape, or nothing unless every domain has equally many ranks, domain after domain
     */
    static std::optional<GroupShape> FromDomains(const std::vector<uint32_t>& domains);

    /**
     * @param domains domains of the ranks of a group, by index
     * @param rails rails of the ranks of the group
     * @return true if every domain has equally many ranks, domain after domain, on the same rails
     * in the same order
     */
    static bool IsAligned(const std::vector<uint32_t>& domains, const std::vector<uint32_t>& rails);
};

/**
 * @brief The terms on which the network between domains lends circuits, as algorithms need them.
 *
 * The terms are set when a group is joined, from the switches and the control plane, and are the
 * same on all ranks. So an algorithm that chooses by them makes the same choice on every rank.
 */
struct CircuitTerms
{
    /// True if a group has the circuits of its ring, or a rank those to one peer at a time; false
    /// if every rank can be reached at any time.
    bool lendsPairs{false};
    bool hasRings{true};     //!< false if ranks have too few ports for a ring of several ranks
    double switchSeconds{0}; //!< from the request for circuits that are not up to the grant
    double latency{0};       //!< of a message without data, seconds
    double byteSeconds{0};   //!< seconds for each byte that a rank sends over all its ports
};

/// Rates of the networks of a group for one rank, byte/s per direction; 0 if unknown. Set when the
/// group is joined, the same on all ranks.
struct CollectiveRates
{
    double network{0}; //!< over all ports of its NIC
    double domain{0};  //!< into its scale-up domain
};

/// The values from which a rank computes its part of a collective.
struct RankContext
{
    CollectiveCall call;    //!< what is called; its root, if any, is in `root`
    GroupShape shape;       //!< of the group
    uint32_t index{0};      //!< of this rank in the group
    uint32_t root{0};       //!< index of the root, or of the rank that is late (stragglar)
    uint32_t directions{2}; //!< ways round a ring at the same time, 1 or 2
    uint64_t chunkBytes{
        512 << 10}; //!< size of the pieces in which trees and chains pipeline, not 0
    uint64_t eagerBytes{
        64 << 10};      //!< what halving-doubling sends of a message before its receiver has called
    CircuitTerms terms; //!< of the network between domains
    CollectiveRates rates; //!< of the networks
    uint64_t sequence{0};  //!< collectives of the group before the call, the same on all ranks

    /// @return GetTensorBytes of the call, as formulas need it
    double GetTensor() const;
};

/**
 * @brief Size of the whole tensor of a collective, the larger of a rank's input and output.
 *
 * This is the size that nccl-tests print, and by which they divide the time for algbw.
 *
 * @param kind a collective, Send or Recv
 * @param size number of ranks in the group
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @return for AllGather the output, for all others the input
 */
uint64_t GetTensorBytes(CollectiveKind kind, uint32_t size, uint64_t bytes);

/**
 * @brief The reverse of GetTensorBytes.
 * @param kind a collective, Send or Recv
 * @param size number of ranks in the group
 * @param tensorBytes size of the whole tensor
 * @return bytes for a CollectiveCall; for AllGather rounded down to the same for all ranks
 */
uint64_t GetInputBytes(CollectiveKind kind, uint32_t size, uint64_t tensorBytes);

/**
 * @brief Algorithm bandwidth as nccl-tests print it.
 * @param kind a collective, Send or Recv
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param duration time of the call, not zero
 * @return bytes per second: GetTensorBytes over the time
 */
double GetAlgorithmBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration);

/**
 * @brief Bus bandwidth as nccl-tests print it: the least that each rank must send, over the time.
 *
 * The algorithm bandwidth times 2 (N - 1) / N for AllReduce, (N - 1) / N for AllGather,
 * ReduceScatter and AllToAll, 1 for Broadcast, Reduce, Send and Recv (doc/PERFORMANCE.md of
 * nccl-tests). It can be compared with the rate of the hardware.
 *
 * @param kind a collective, Send or Recv
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param duration time of the call, not zero
 * @return bytes per second
 */
double GetBusBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALL_H
