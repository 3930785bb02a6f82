// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_JOB_H
#define PHOTONIC_RAILS_TRACE_JOB_H

#include "trace-graph.h"
#include "trace-groups.h"
#include "trace-order.h"
#include "traffic-file.h"

#include "ns3/collective-algorithm.h"
#include "ns3/compute-model.h"
#include "ns3/job-ranks.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// Execution traces, and what they do not say of their job.
struct TraceSource
{
    std::string prefix;              //!< of PREFIX.RANK.et and PREFIX.json, or an OperationsFile
    uint32_t replicas{0};            //!< ranks that all run one trace; 0: a trace for each rank
    uint32_t gpusPerDomain{1};       //!< ranks in a scale-up domain
    GpuSpec gpu;                     //!< the GPU model of all ranks
    ComputeEfficiency efficiency;    //!< shares of the GPU's peaks
    CollectiveAlgorithms algorithms; //!< chosen algorithms of collectives
};

/**
 * @brief Makes the ranks of a job from execution traces in Chakra's format, or from a table of the
 * operations of all ranks (OperationsFile).
 *
 * A node becomes an operation of its rank. Computations run on the GPU and operations of the host
 * on the host, one at a time each, the earliest that is ready first (RankOperation::GPU_QUEUE,
 * HOST_QUEUE). The calls of a group, and the messages to and from a peer, are streams whose order
 * all ranks agree on (TraceOrder).
 */
class TraceJob
{
  public:
    /**
     * @brief Read traces. Throws a TraceError.
     * @param source files and settings
     * @return the ranks
     */
    static JobRanks Read(const TraceSource& source);

    static constexpr uint64_t MAX_NODES = 1U << 25; //!< of graphs that differ

  private:
    /// @param source files and settings
    explicit TraceJob(const TraceSource& source);

    /// Find the files of the ranks.
    void FindFiles();
    /// Read the files.
    void ReadFiles();
    /// Add the next rank, with a graph of an earlier rank if there is an equal one.
    void AddRank(TraceRank&& trace, TraceGraph&& graph);
    /// @return the ranks
    JobRanks MakeRanks();
    /// @return domains and groups of the ranks
    RankLayout MakeLayout();
    /// @return the program of a rank, whose calls have an order on which all ranks agree
    std::shared_ptr<const RankProgram> MakeProgram(uint32_t rank,
                                                   const std::vector<uint32_t>& order,
                                                   const RankLayout& layout) const;
    /// @return the operation of a node, without dependencies
    RankOperation MakeOperation(uint32_t rank, uint32_t node, const RankLayout& layout) const;
    /// @return the sizes of an AllToAll whose parts differ, or null
    Ptr<const AllToAllSizes> FindSizes(uint32_t rank, uint32_t node) const;
    /// @return true if a node is a call for which some rank of its group has data
    bool HasData(uint32_t rank, uint32_t node) const;
    /// @return the streams of the nodes of a rank
    std::vector<uint16_t> FindStreams(uint32_t rank) const;
    /// @return file and name of a node
    std::string GetName(uint32_t rank, uint32_t node) const;

    const TraceSource& m_source;
    ScaleUpModel m_scaleUp;
    std::vector<std::string> m_files;     //!< by rank
    std::optional<TrafficFile> m_traffic; //!< the messages of a table of traffic
    std::unique_ptr<TraceGroups> m_groups;
    std::vector<TraceGraph> m_graphs;
    std::unordered_multimap<std::size_t, uint32_t> m_graphOf; //!< graphs by their hashes
    uint64_t m_nodes{0};                                      //!< of all graphs
    std::vector<TraceRank> m_ranks;
    std::vector<std::map<uint32_t, GroupRole>> m_roles; //!< roles of the layout, by rank and role
    TraceOrder::Uneven m_uneven; //!< sizes of an AllToAll of which the traces have only sums
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_JOB_H
