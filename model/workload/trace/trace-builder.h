// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_BUILDER_H
#define PHOTONIC_RAILS_TRACE_BUILDER_H

#include "trace-graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Collects the nodes of a rank, which come in any order, and makes a graph of them.
 *
 * Readers of file formats call Begin for each rank, then BeginNode, setters and EndNode for each
 * node, then Finish. Whatever is wrong with a node is thrown as a TraceError that names it.
 */
class TraceBuilder
{
  public:
    static constexpr uint64_t MAX_NODES = 1U << 24;          //!< of a rank
    static constexpr uint64_t MAX_DEPENDENCIES = 1U << 26;   //!< of all nodes of a rank
    static constexpr uint64_t MAX_TEXT_BYTES = 1U << 28;     //!< of all names of a rank
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 40; //!< of a call
    /// Sum over all nodes of a rank.
    static constexpr int64_t MAX_PICOSECONDS = 1'000'000'000'000'000'000;

    /// @param groups process groups of all ranks, which must outlive this object
    explicit TraceBuilder(TraceGroups& groups);

    /**
     * @brief Begin with the nodes of a rank.
     * @param file name of the file, for errors
     * @param rank the rank
     * @param trace gets groups and tags
     * @param isProgram true if ids are in the order of issue: a node depends on the one before it
     * on its stream, and a call on the one before it of its group
     */
    void Begin(const std::string& file, uint32_t rank, TraceRank& trace, bool isProgram = false);

    /**
     * @brief Begin with a node.
     * @param id of the node
     * @param name for output
     * @return the node, to be filled in before EndNode
     */
    TraceNode& BeginNode(uint64_t id, const std::string& name);
    /// @param ids nodes on which the node depends, besides those of former calls
    void AddDependencies(const std::vector<uint64_t>& ids);
    /**
     * @brief Set the group of a call. Calls without data and of a group of one rank become INSTANT,
     * but not an AllToAll without data, of which other ranks of the group may have some.
     * @param role name of the role of the group, or empty
     * @param group id of the group, of which the rank is a member
     */
    void SetGroup(const std::string& role, uint32_t group);
    /// @param tag of a message
    void SetTag(uint64_t tag);
    /// @param sizes of an AllToAll whose parts differ, from each rank of the group to each
    void SetSizes(const std::vector<uint64_t>& sizes);
    /// @param name of a stream of RankOperation
    void SetStream(const std::string& name);
    /// @param name of a dimension; others are ignored
    void SetDimension(const std::string& name);
    /// Add the node.
    void EndNode();

    /// @return the graph of the rank
    TraceGraph Finish();

    /// @return the groups
    TraceGroups& GetGroups() const
    {
        return m_groups;
    }

    /// @return the rank whose nodes are read
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /// Throw a TraceError about the node that is read.
    [[noreturn]] void Refuse(const std::string& reason) const;

    /// @return the begin of an error about a node: file, id and name
    static std::string Describe(const std::string& file, uint64_t id, const std::string& name);

  private:
    /// A node, and where its dependencies are.
    struct Draft
    {
        TraceNode node;
        uint64_t first{0}; //!< of the dependencies in m_dependencies
        uint64_t end{0};   //!< behind the last one
    };

    /// Sort the nodes into a graph, and check each.
    void AddNodes(TraceGraph& graph, const std::vector<uint32_t>& sorted);
    /// Turn ids of dependencies into indices, and add those that follow from the order of issue.
    void AddDependencies(TraceGraph& graph, const std::vector<uint32_t>& sorted);
    /// Refuse dependencies in a circle.
    void CheckCircles(const TraceGraph& graph);
    /// Renumber roles, tags and texts in the order in which sorted nodes use them.
    void Renumber(TraceGraph& graph);
    /// Throw a TraceError about a node of a graph.
    [[noreturn]] void Refuse(const TraceNode& node, const std::string& reason);

    TraceGroups& m_groups;
    std::string m_file;                   //!< name of the file
    uint32_t m_rank{0};                   //!< of the file
    TraceRank* m_trace{nullptr};          //!< groups and tags
    bool m_isProgram{false};              //!< ids are in the order of issue
    Draft m_draft;                        //!< the node that is read
    std::string m_name;                   //!< its name
    std::vector<Draft> m_drafts;          //!< nodes so far
    std::vector<uint64_t> m_dependencies; //!< ids
    std::vector<std::string> m_texts;
    uint64_t m_textBytes{0};                                        //!< of m_texts
    std::unordered_map<std::string, uint32_t> m_textOf;             //!< indices of texts
    std::vector<std::pair<std::string, uint32_t>> m_roles;          //!< names, and ids of groups
    std::map<std::pair<std::string, uint32_t>, uint32_t> m_roleOf;  //!< indices of m_roles
    std::unordered_map<uint64_t, uint32_t> m_tagOf;                 //!< indices of tags
    std::unordered_map<uint64_t, Ptr<const AllToAllSizes>> m_sizes; //!< by id of the node
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_BUILDER_H
