// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_GRAPH_H
#define PHOTONIC_RAILS_TRACE_GRAPH_H

#include "ns3/collective-call.h"
#include "ns3/ptr.h"
#include "ns3/rank-program.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The process groups of a set of traces by name, each list of ranks once, with an id.
 *
 * Pairs of ranks that exchange messages get a group when they are first named.
 */
class TraceGroups
{
  public:
    /**
     * @param worldSize number of ranks
     * @param isReplicated true if every name stands for all ranks
     */
    TraceGroups(uint32_t worldSize, bool isReplicated);

    /**
     * @brief Read names and ranks: a JSON object with a list of ranks for each name.
     * @param file name of the file
     */
    void Read(const std::string& file);

    /**
     * @param name name of a group; empty for all ranks
     * @return the id of the group; without a file of groups, the only name stands for all ranks
     */
    uint32_t Find(const std::string& name);

    /**
     * @param a a rank
     * @param b another rank
     * @return the id of the group of both
     */
    uint32_t FindPair(uint32_t a, uint32_t b);

    /**
     * @param ranks ranks, each once
     * @return the id of the group of these ranks in this order
     */
    uint32_t Add(const std::vector<uint32_t>& ranks);

    /// @return true if there is at least one rank, and each is there once
    static bool AreDistinct(std::vector<uint32_t> ranks);

    /// @return number of ranks of the job
    uint32_t GetWorldSize() const
    {
        return m_worldSize;
    }

    /// @return the groups by id
    const std::vector<ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

    /// @return the groups, with one of each rank alone; the object is empty afterwards
    std::vector<ProcessGroup> Take();

  private:
    uint32_t m_worldSize;
    bool m_isReplicated;
    bool m_hasFile{false};
    std::string m_only; //!< the only name, without a file
    std::vector<ProcessGroup> m_groups;
    std::map<std::vector<uint32_t>, uint32_t> m_ids; //!< by ranks
    std::map<std::string, uint32_t> m_names;         //!< ids by name
};

/// An error in a set of traces: one line that names file and node.
class TraceError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// A node of an execution trace, without its dependencies.
struct TraceNode
{
    /// The operation of a node.
    enum Kind : uint8_t
    {
        INSTANT,    //!< nothing; it ends when its dependencies have ended
        HOST,       //!< takes `picoseconds` of the host
        GPU,        //!< takes `picoseconds` of the GPU
        COLLECTIVE, //!< calls a collective
        SEND,       //!< sends a message
        RECV,       //!< receives a message
    };

    static constexpr uint16_t NO_STREAM = 0xFFFF;

    uint64_t id{0};          //!< in the file
    uint64_t bytes{0};       //!< input bytes of a call
    int64_t picoseconds{-1}; //!< duration; -1 for a call whose duration is not in the file
    double flops{0};         //!< of a computation
    uint32_t label{0};       //!< index in TraceGraph::texts
    uint32_t role{0};        //!< of the group of a call, see TraceRank::groups
    uint32_t tag{0};         //!< of a message: index in TraceRank::tags
    uint32_t root{0};        //!< index of the root of a Broadcast or Reduce in its group
    Kind kind{INSTANT};
    CollectiveKind collective{CollectiveKind::ALL_REDUCE};
    Dimension dimension{Dimension::COMPUTE};
    uint16_t stream{NO_STREAM}; //!< a RankOperation::Stream, if the file names one

    /// @return true for a collective or one side of a message
    bool IsCall() const
    {
        return kind >= COLLECTIVE;
    }
};

/// @return true if two nodes are alike
bool operator==(const TraceNode& a, const TraceNode& b);

/// @return the bytes from each rank to each, by sender, then by receiver
std::vector<uint64_t> ListSizes(const AllToAllSizes& sizes);

/**
 * @brief The nodes of a rank in ascending order of their ids, without numbers of ranks: ranks with
 * equal graphs share one.
 */
struct TraceGraph
{
    std::vector<TraceNode> nodes;
    std::vector<uint32_t> offsets;      //!< of the dependencies of each node, and the end
    std::vector<uint32_t> dependencies; //!< indices of nodes
    std::vector<std::string> texts;     //!< labels
    std::vector<std::string> roles;     //!< names of roles; empty for roles without a name
    /// Sizes of each AllToAll whose parts differ, by index of the node.
    std::map<uint32_t, Ptr<const AllToAllSizes>> sizes;

    /**
     * @param other a graph
     * @return true if both are alike
     */
    bool IsLike(const TraceGraph& other) const;

    /// @return a hash that is the same for graphs that are alike
    std::size_t GetHash() const;

    /// @return the number of dependencies of each node
    std::vector<uint32_t> CountDependencies() const;

    /**
     * @brief List the nodes that wait for each node.
     * @param offsets gets the offsets of the successors of each node, and the end
     * @param successors gets indices of nodes
     */
    void FindSuccessors(std::vector<uint32_t>& offsets, std::vector<uint32_t>& successors) const;
};

/// The trace of one rank.
struct TraceRank
{
    uint32_t graph{0};            //!< index of the graph
    std::vector<uint32_t> groups; //!< ids of groups, by role
    std::vector<uint64_t> tags;   //!< tags of messages, by index
    uint32_t pipelineRank{0};     //!< pipeline rank, if the trace names one
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_GRAPH_H
