// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_READER_H
#define PHOTONIC_RAILS_TRACE_READER_H

#include "chakra-format.h"
#include "trace-builder.h"

#include "ns3/compute-model.h"

#include <cstdint>
#include <string>

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
     * @param trace gets groups, tags and pipeline rank
     * @return the nodes
     */
    TraceGraph Read(const std::string& file, uint32_t rank, TraceRank& trace);

  private:
    /// Read GlobalMetadata.
    void ReadMetadata(const ChakraMessage& message, TraceRank& trace);
    /// Read a node.
    void ReadNode(const ChakraMessage& message);
    /// Read a computation, memory operation or the host's part of a call.
    void ReadComputation(const ChakraMessage& message, TraceNode& node, bool isMemory);
    /// Read a call of a collective.
    void ReadCollective(const ChakraMessage& message, TraceNode& node);
    /// Read a send or receive.
    void ReadTransfer(const ChakraMessage& message, TraceNode& node, bool isSend);
    /// Read the attributes of this module that any node may have.
    void ReadOwn(const ChakraMessage& message, TraceNode& node);
    /// @return id of the group of a collective
    uint32_t FindGroup(const ChakraMessage& message);
    /// @return true for the part of a call that the host does, without the attribute of the call
    bool IsOnHost(const ChakraMessage& message, const char* attribute) const;
    /// @return the duration of a computation
    int64_t GetPicoseconds(const OperatorCost& cost) const;

    /// @return a number of a message, or a default; refuses other values and those above a limit
    uint64_t GetNumber(const ChakraMessage& message,
                       const char* name,
                       uint64_t initial,
                       uint64_t most) const;

    ComputeModel m_costs;
    TraceBuilder m_builder;
    bool m_waitsForControl{true}; //!< control dependencies are dependencies
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_READER_H
