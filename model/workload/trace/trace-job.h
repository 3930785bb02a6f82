// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_JOB_H
#define PHOTONIC_RAILS_TRACE_JOB_H

#include "trace-graph.h"

#include "ns3/collective-algorithm.h"
#include "ns3/compute-model.h"
#include "ns3/job-ranks.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Execution traces, and the settings of their job that they do not contain.
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
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_JOB_H
