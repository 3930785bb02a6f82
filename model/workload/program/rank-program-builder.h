// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_BUILDER_H
#define PHOTONIC_RAILS_RANK_PROGRAM_BUILDER_H

#include "rank-program-writer.h"
#include "rank-program.h"
#include "workload-spec.h"

#include "ns3/compute-model.h"
#include "ns3/device-mesh.h"
#include "ns3/layer-operators.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/sharding-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Derives the operations of one training iteration on a rank, as TorchTitan with FSDP2 and
 * a 1F1B pipeline issues them. A pure function of its inputs.
 *
 * **FSDP.** Units are gathered ahead of computation as FSDP2's implicit prefetching does. Forward:
 * the AllGather of a unit follows the one before it, and waits until the unit two before it has
 * begun to compute, since the buffer of that one's AllGather is freed then. Backward: it waits
 * until the unit before it has begun. The first AllGather of a pass waits for the computation
 * issued before the pass and for the received activation or gradient. A forward reshards
 * (ReshardPolicy); how backwards reshard and reduce: ParallelismSpec::ReducesInEveryBackward. A
 * ReduceScatter after the last backward waits for the gradient's Send, which was issued before it.
 *
 * **TP with sequence parallelism.** A layer's forward takes an AllGather before and a ReduceScatter
 * after each half; backward the same with roles exchanged. The embedding adds a ReduceScatter
 * forward and an AllGather backward, the output projection an AllGather forward and a
 * ReduceScatter backward. Without recomputation that is 4 x layers + 2 of each per micro-batch.
 * Full recomputation runs the whole forward of a layer again, collectives included (TorchTitan sets
 * early_stop=False): 6 x layers + 2. Norm weights are whole on every TP rank, so their gradients
 * take an AllReduce (bf16) each, and the loss over a split vocabulary takes three AllReduces of a
 * float per token (maximum, sum of exponentials, score of the target).
 *
 * **Optimizer step.** One AllReduce each of the norms of all gradient tensors (fp32) over FSDP and
 * TP, one of their scalar sum over the pipeline, then clipping and Adam, then three scalar
 * AllReduces over the FSDP ranks ("dp": mean and maximum of the loss, number of tokens).
 */
class RankProgramBuilder
{
  public:
    /**
     * @brief Build the program that every rank of a class (RankClasses) runs in every iteration.
     * @param spec a job that passed validation
     * @param mesh its mesh
     * @param rank a rank of the class
     * @return the program
     */
    static std::shared_ptr<const RankProgram> Build(const WorkloadSpec& spec,
                                                    const DeviceMesh& mesh,
                                                    uint32_t rank);

  private:
    /**
     * @param spec the job
     * @param mesh its mesh
     * @param rank a rank of the class
     */
    RankProgramBuilder(const WorkloadSpec& spec, const DeviceMesh& mesh, uint32_t rank);

    /// What a pass finds of a unit.
    struct UnitState
    {
        bool isGathered{false};         //!< its parameters are in memory or on their way
        std::optional<uint32_t> gather; //!< the AllGather to wait for before first use
    };

    /// Transfers that were started together.
    using Batch = std::vector<uint32_t>;

    /// @return the operations
    std::vector<RankOperation> Write();

    /**
     * @brief One micro-batch through the stage.
     * @param kind FORWARD or BACKWARD
     * @param microBatch which
     */
    void WritePass(PipelineAction::Kind kind, uint32_t microBatch);

    /// @param action starts a transfer
    void WriteTransfer(const PipelineAction& action);

    /// Reduce what the backwards left, and wait for all reductions.
    void WriteReductions();

    /// Gradient norm, clipping, Adam, statistics.
    void WriteOptimizerStep();

    /**
     * @param unit a unit
     * @param pass "forward 0 layer 3"
     */
    void WriteForward(const ShardingUnit& unit, const std::string& pass);

    /**
     * @param unit a unit
     * @param pass "backward 0 layer 3"
     */
    void WriteBackward(const ShardingUnit& unit, const std::string& pass);

    /**
     * @brief Half a layer, or the output projection, forward.
     * @param label for people
     * @param blocks of the model
     * @param isReduced its result is scattered again over the sequence
     */
    void WriteForwardBlock(const std::string& label,
                           const std::vector<ModelBlock>& blocks,
                           bool isReduced);

    /**
     * @brief The same, backward.
     * @param label for people
     * @param blocks of the model
     * @param isReduced its result was scattered
     */
    void WriteBackwardBlock(const std::string& label,
                            const std::vector<ModelBlock>& blocks,
                            bool isReduced);

    /// @return how long blocks take
    Time GetTime(const std::vector<ModelBlock>& blocks, ComputePass pass) const;

    /**
     * @brief A TP collective over the activations of a micro-batch.
     * @param kind AllGather or ReduceScatter
     * @param label for people
     */
    void WriteTp(CollectiveKind kind, const std::string& label);

    /**
     * @brief An AllReduce that computation waits for.
     * @param dimension whom it serves
     * @param role over which group
     * @param bytes its input
     * @param label for people
     */
    void WriteAllReduce(Dimension dimension,
                        GroupRole role,
                        uint64_t bytes,
                        const std::string& label);

    /**
     * @param index a unit of the stage to gather unless it is
     * @param label for people
     */
    void Gather(std::size_t index, const std::string& label);

    /// @param index a unit of the stage to reduce and reshard
    void Reduce(std::size_t index);

    /// @param index a unit of the stage whose forward has been written
    void ReshardAfterForward(std::size_t index);

    const WorkloadSpec& m_spec;           //!< the job
    uint32_t m_stage;                     //!< the pipeline stage
    LayerOperators m_operators;           //!< of a layer
    ShardingPlan m_plan;                  //!< units of the stage
    ComputeModel m_compute;               //!< durations
    uint64_t m_activationBytes;           //!< of 1/tp of a micro-batch's tokens
    RankProgramWriter m_writer;           //!< what was written
    std::vector<UnitState> m_units;       //!< by unit
    std::map<uint32_t, Batch> m_batches;  //!< by number
    std::optional<uint32_t> m_lastReduce; //!< the last ReduceScatter
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_BUILDER_H
