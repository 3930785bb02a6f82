// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_READER_H
#define PHOTONIC_RAILS_TRACE_READER_H

#include "chakra-message.h"
#include "trace-graph.h"
#include "trace-groups.h"

#include "ns3/compute-model.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Reads the trace of one rank in Chakra's format.
 *
 * Attributes may have any type of Chakra's schema that can hold their value. Nodes are in any
 * order. The page on traces lists the attributes that are read.
 */
class TraceReader
{
  public:
    /**
     * @param costs time of computations that have no duration
     * @param groups process groups of all ranks, which must outlive this object
     */
    TraceReader(const ComputeModel& costs, TraceGroups& groups);

    /**
     * @brief Read the file of a rank. Throws a TraceError.
     * @param file name of the file
     * @param rank the rank
     * @param trace gets groups and tags
     * @return the nodes
     */
    TraceGraph Read(const std::string& file, uint32_t rank, TraceRank& trace);

    /// @return the begin of an error about a node: file, id and name
    static std::string Describe(const std::string& file, uint64_t id, const std::string& name);

    /// @return the pipeline rank that the last file names, or 0
    uint32_t GetPipelineRank() const;

    static constexpr uint64_t MAX_NODES = 1U << 24;                       //!< of a rank
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 40;              //!< of a call
    static constexpr int64_t MAX_PICOSECONDS = 1'000'000'000'000'000'000; //!< of all of a rank

  private:
    /// Ids of nodes, and the dependencies of each: ids until all nodes are known.
    struct Draft
    {
        TraceNode node;
        uint64_t first{0}; //!< of the dependencies in m_dependencies
        uint64_t end{0};   //!< behind the last one
    };

    /// Read GlobalMetadata.
    void ReadMetadata(const ChakraMessage& message);
    /// Read a node.
    void ReadNode(const ChakraMessage& message);
    /// Read a computation, memory operation or the host's part of a collective.
    void ReadComputation(const ChakraMessage& message, bool isMemory);
    /// Read a call of a collective.
    void ReadCollective(const ChakraMessage& message);
    /// Read a send or receive.
    void ReadMessage(const ChakraMessage& message, bool isSend);
    /// Read the attributes of this module.
    void ReadOwn(const ChakraMessage& message);
    /// Set the role of the node's group, and the node to INSTANT if there is nobody else in it.
    void SetGroup(const ChakraMessage& message, uint32_t group);
    /// Sort the nodes, and turn ids into indices. @return the graph
    TraceGraph Finish();
    /// Refuse dependencies in a circle.
    void CheckCircles(const TraceGraph& graph);
    /// Renumber roles, tags and texts in the order in which sorted nodes use them.
    void Renumber(TraceGraph& graph);
    /// @return the duration of a computation
    int64_t GetPicoseconds(const OperatorCost& cost) const;

    /// @return a number of a message, or a default; refuses other values and those above a limit
    uint64_t GetNumber(const ChakraMessage& message,
                       const char* name,
                       uint64_t initial,
                       uint64_t most) const;
    /// Refuse the node that is read.
    [[noreturn]] void Refuse(const std::string& reason) const;

    ComputeModel m_costs;
    TraceGroups& m_groups;

    std::string m_file;                   //!< name of the file
    uint32_t m_rank{0};                   //!< of the file
    TraceRank* m_trace{nullptr};          //!< groups and tags
    bool m_waitsForControl{true};         //!< control dependencies are dependencies
    uint32_t m_pipelineRank{0};           //!< see GetPipelineRank
    Draft m_draft;                        //!< the node that is read
    std::string m_name;                   //!< its name
    std::vector<Draft> m_drafts;          //!< nodes so far
    std::vector<uint64_t> m_dependencies; //!< ids
    std::vector<std::string> m_texts;
    std::unordered_map<std::string, uint32_t> m_textOf;             //!< indices of texts
    std::vector<std::pair<std::string, uint32_t>> m_roles;          //!< names, and ids of groups
    std::map<std::pair<std::string, uint32_t>, uint32_t> m_roleOf;  //!< indices of m_roles
    std::unordered_map<uint64_t, uint32_t> m_tagOf;                 //!< indices of tags
    std::unordered_map<uint64_t, Ptr<const AllToAllSizes>> m_sizes; //!< by id of the node
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_READER_H
