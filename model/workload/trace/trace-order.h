// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_ORDER_H
#define PHOTONIC_RAILS_TRACE_ORDER_H

#include "trace-graph.h"

#include "ns3/collective-call.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Finds an order of the calls of all ranks in which the ranks of each group agree.
 *
 * The class executes the traces once, without times. Nodes that are no calls end when they are
 * ready. Of the calls that could be made, the one with the lowest node takes its place next:
 * - a collective when all ranks of its group are ready for one of the same kind, bytes and root;
 *   each rank takes its lowest such node;
 * - a Send together with a Recv of the same tag, when both are ready;
 * - if there is neither: the lowest Send alone. Later Sends to this rank wait behind it;
 * - if there is no Send either: an AllToAll for which all ranks of its group are ready, with
 *   different bytes. Each rank then sends equal parts of its own bytes (GetUneven).
 *
 * The places of calls are a sequence of all calls of the job in which each call comes after all
 * that it depends on, on every rank. Ranks that make the calls of each group in this order
 * therefore never wait for each other in a circle. Traces for which the search ends before all
 * nodes are refused: ranks of a group then call different collectives, or wait for each other.
 */
class TraceOrder
{
  public:
    /**
     * @param graphs graphs of the ranks
     * @param ranks graph, groups and tags of each rank
     * @param groups process groups by id
     */
    TraceOrder(const std::vector<TraceGraph>& graphs,
               const std::vector<TraceRank>& ranks,
               const std::vector<ProcessGroup>& groups);

    /**
     * @brief Find the order.
     * @param name makes the begin of an error from a rank and a node: file and name of the node
     * @return for each rank, indices of its calls in this order; throws a TraceError
     */
    std::vector<std::vector<uint32_t>> Find(
        const std::function<std::string(uint32_t, uint32_t)>& name);

    /// Sizes of each AllToAll whose ranks send different numbers of bytes, by rank and node.
    using Uneven = std::map<std::pair<uint32_t, uint32_t>, Ptr<const AllToAllSizes>>;

    /// @return the sizes, after Find
    const Uneven& GetUneven() const
    {
        return m_uneven;
    }

  private:
    using Nodes = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>;
    using CollectiveKey = std::tuple<uint32_t, CollectiveKind, uint64_t, uint32_t>;
    using Pair = std::pair<uint32_t, uint32_t>;

    /// Calls of a group that are alike.
    struct Calls
    {
        std::vector<Nodes> ready; //!< nodes, by index of the rank in the group
        std::size_t members{0};   //!< ranks with a node
        bool isListed{false};     //!< in m_possible
    };

    /// Messages from one rank to another with one tag.
    struct Tag
    {
        Nodes sends;
        Nodes receives;
    };

    /// Messages from one rank to another.
    struct Channel
    {
        std::map<uint64_t, Tag> tags;
        std::deque<std::pair<uint64_t, uint64_t>> sent; //!< tags and bytes of Sends without Recv
        std::deque<uint64_t> waiting; //!< tags that are ready on both sides, behind `sent`
    };

    /// Something that may take its place: a collective, or messages of a tag.
    struct Possible
    {
        uint32_t node; //!< its lowest node
        bool isMessage;
        CollectiveKey collective;
        Pair pair;
        uint64_t tag;

        /// @return true if this one comes later
        bool operator>(const Possible& other) const;
    };

    /// Handle a node whose dependencies have ended.
    void HandleReady(uint32_t rank, uint32_t node);
    /// End a node. Nodes that become ready are in m_stack afterwards.
    void End(uint32_t rank, uint32_t node);
    /// Handle all nodes in m_stack.
    void Drain();
    void AddCollective(uint32_t rank, uint32_t node);
    void AddMessage(uint32_t rank, uint32_t node, bool isSend);
    void TakeCollective(const CollectiveKey& key);
    void TakeMessages(const Pair& pair, uint64_t tag);
    /// Let the lowest Send take its place alone. @return false if there is none
    bool TakeSend();
    /// Let an AllToAll of different bytes take its place. @return false if there is none
    bool TakeUneven();
    /**
     * @param first begin of the calls of an AllToAll in one group
     * @param end behind the last one
     * @return for each rank of the group the place of its lowest call; empty if one has none
     */
    std::vector<std::map<CollectiveKey, Calls>::iterator> FindUneven(
        std::map<CollectiveKey, Calls>::iterator first,
        std::map<CollectiveKey, Calls>::iterator end) const;
    /// @return true if the trace says how large the parts of an AllToAll are
    bool HasSizes(uint32_t rank, uint32_t node) const;
    /// End the Recvs for which a Send waits, and list messages that had to wait.
    void Advance(const Pair& pair);
    /// End a Recv, whose Send has a number of bytes.
    void EndReceive(const Pair& pair, uint64_t tag, uint64_t bytes);
    /// @return true if a rank of a group is ready for a collective of the kind of the key
    bool IsCalling(const CollectiveKey& key, uint32_t index) const;
    /// Throw a TraceError about a collective that could not end, if there is one.
    /// @param isAbsent only about one of which some rank is ready for none of this kind
    void RefuseCollectives(bool isAbsent) const;
    /// Throw a TraceError about nodes that could not end.
    [[noreturn]] void Refuse() const;

    const TraceNode& GetNode(uint32_t rank, uint32_t node) const;

    const std::vector<TraceGraph>& m_graphs;
    const std::vector<TraceRank>& m_ranks;
    const std::vector<ProcessGroup>& m_groups;
    std::function<std::string(uint32_t, uint32_t)> m_name;
    std::vector<std::vector<uint32_t>> m_offsets;    //!< of successors, by graph
    std::vector<std::vector<uint32_t>> m_successors; //!< by graph
    std::vector<std::vector<uint32_t>> m_indices;    //!< in the groups of roles, by rank
    std::vector<std::vector<uint32_t>> m_waiting;    //!< dependencies left, by rank and node
    std::vector<std::vector<uint32_t>> m_order;      //!< the result
    Uneven m_uneven;                                 //!< sizes, by rank and node
    std::vector<Pair> m_stack;                       //!< ranks and nodes that are ready
    std::map<CollectiveKey, Calls> m_collectives;
    std::map<Pair, Channel> m_channels; //!< by sender and receiver
    std::priority_queue<Possible, std::vector<Possible>, std::greater<>> m_possible;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<>> m_sends; //!< nodes and ranks
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_ORDER_H
