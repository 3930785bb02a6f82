// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program-builder.h"

#include "data-parallel-emitter.h"
#include "rank-model.h"
#include "rank-program-emitter.h"
#include "tensor-emitter.h"
#include "unit-emitter.h"

#include "ns3/assert.h"
#include "ns3/compute-model.h"
#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Properties that two ranks of the same program have in common.
struct ClassKey
{
    uint32_t stage;  //!< pipeline rank
    uint32_t expert; //!< index in the expert-parallel group, if relevant
    uint32_t inside; //!< one bit per role, set if the group is inside a domain

    /// @return true if this key sorts first
    bool operator<(const ClassKey& other) const
    {
        return std::tie(stage, expert, inside) < std::tie(other.stage, other.expert, other.inside);
    }
};

static_assert(static_cast<std::size_t>(GroupRole::COUNT) <= 32, "a bit for each role");

/// @return true if ranks of the job may call collectives on groups of a role
bool
IsCalled(GroupRole role, const WorkloadSpec& spec)
{
    switch (role)
    {
    case GroupRole::EP:
    case GroupRole::EXPERT_TP:
    case GroupRole::EXPERT_FSDP:
    case GroupRole::EXPERT_DATA:
        return spec.model.moe.experts > 0;
    case GroupRole::EMBEDDING:
        return spec.model.tiedEmbeddings;
    default:
        return true;
    }
}

} // namespace

RankClasses::RankClasses(const WorkloadSpec& spec, const DeviceMesh& mesh)
{
    std::vector<bool> isInside;
    for (const auto& group : mesh.GetGroups())
    {
        isInside.push_back(mesh.GetReach(group) == DeviceMesh::SCALE_UP);
    }
    const bool byExperts = !ExpertEmitter::AreAlike(spec);
    const uint32_t world = mesh.GetWorldSize();
    std::map<ClassKey, std::vector<uint32_t>> ranks;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        ClassKey key{mesh.GetCoordinate(rank).pp,
                     byExperts ? mesh.GetExpertCoordinate(rank).ep : 0,
                     0};
        for (uint32_t i = 0; i < static_cast<uint32_t>(GroupRole::COUNT); ++i)
        {
            const auto role = static_cast<GroupRole>(i);
            if (IsCalled(role, spec) && isInside[mesh.GetGroup(rank, role).id])
            {
                key.inside |= 1U << i;
            }
        }
        ranks[key].push_back(rank);
    }
    using Class = std::pair<ClassKey, std::vector<uint32_t>>;
    std::vector<Class> classes(ranks.begin(), ranks.end());
    std::sort(classes.begin(), classes.end(), [](const Class& a, const Class& b) {
        return std::tie(a.first.stage, a.first.expert, a.second.front()) <
               std::tie(b.first.stage, b.first.expert, b.second.front());
    });
    m_classes.resize(world);
    for (const auto& [key, members] : classes)
    {
        for (const uint32_t rank : members)
        {
            m_classes[rank] = GetCount();
        }
        m_representatives.push_back(members.front());
    }
}

namespace
{

/**
 * @param kind kind of a computation of the pipeline
 * @return the pass
 */
ComputePass
GetPass(PipelineAction::Kind kind)
{
    switch (kind)
    {
    case PipelineAction::BACKWARD:
        return ComputePass::BACKWARD;
    case PipelineAction::BACKWARD_INPUT:
        return ComputePass::BACKWARD_INPUT;
    case PipelineAction::BACKWARD_WEIGHT:
        return ComputePass::BACKWARD_WEIGHT;
    default:
        return ComputePass::FORWARD;
    }
}

/**
 * @param pass a pass
 * @return the name of the pass, for output
 */
std::string
GetPassName(ComputePass pass)
{
    static const char* const NAMES[] = {"forward ",
                                        "backward ",
                                        "input backward ",
                                        "weight backward "};
    return NAMES[static_cast<std::size_t>(pass)];
}

/**
 * @brief Writes transfers between pipeline ranks, in batches that run one after the other.
 *
 * A rank sends to the rank with the same TP coordinate. With sequence parallelism it sends its part
 * of the tokens, without it all tokens (Megatron-LM, get_tensor_shapes in
 * pipeline_parallel/schedules.py; TorchTitan's recording).
 */
class TransferEmitter
{
  public:
    /**
     * @param spec the job, which must outlive this object
     * @param pipelineRank pipeline rank of the rank
     * @param program receives the operations; must outlive this object
     */
    TransferEmitter(const WorkloadSpec& spec, uint32_t pipelineRank, RankProgramEmitter& program)
        : m_rank(pipelineRank),
          m_shape(spec.parallelism.GetPipeline()),
          m_bytes(spec.parallelism.GetContextTokens() /
                  (spec.rules.sequenceParallel ? spec.parallelism.tp : 1) * spec.model.hidden *
                  GetBytes(spec.parallelism.GetPrecision(spec.rules))),
          m_program(program)
    {
    }

    /// @param action a transfer to start
    void Start(const PipelineAction& action)
    {
        const bool isSend = action.kind == PipelineAction::SEND_ACTIVATION ||
                            action.kind == PipelineAction::SEND_GRADIENT;
        const bool isActivation = action.kind == PipelineAction::SEND_ACTIVATION ||
                                  action.kind == PipelineAction::RECV_ACTIVATION;
        std::string label = std::string(isSend ? "send " : "receive ") +
                            (isActivation ? "activation " : "gradient ") +
                            std::to_string(action.microBatch);
        if (m_shape.chunks > 1)
        {
            label += " chunk " + std::to_string(action.chunk);
        }
        // Batches run in order on the pipeline's communicator; the two streams alone would order
        // sends only after sends and receives only after receives.
        std::vector<uint32_t> dependencies = m_program.GetFront();
        m_batches.resize(std::max<std::size_t>(m_batches.size(), action.batch + 1));
        if (action.batch > 0)
        {
            const auto& before = m_batches[action.batch - 1];
            dependencies.insert(dependencies.end(), before.begin(), before.end());
        }
        m_batches[action.batch].push_back(
            m_program.Parallel({Dimension::PP,
                                GetRole(action.peer, isSend == isActivation),
                                isSend ? CollectiveKind::SEND : CollectiveKind::RECV,
                                m_bytes},
                               label,
                               std::move(dependencies)));
    }

    /// @param batch batch for which computation waits
    void Wait(uint32_t batch)
    {
        NS_ASSERT(batch < m_batches.size());
        for (const uint32_t transfer : m_batches[batch])
        {
            m_program.Wait(transfer);
        }
    }

  private:
    /**
     * @param peer pipeline rank of the other end of a transfer
     * @param isForward true for an activation that is sent or a gradient that is received
     * @return the role of the group of this rank and the peer
     */
    GroupRole GetRole(uint32_t peer, bool isForward) const
    {
        const bool isNext = peer == (m_rank + 1) % m_shape.ranks;
        const bool isPrevious = m_rank == (peer + 1) % m_shape.ranks;
        NS_ASSERT_MSG(isNext || isPrevious,
                      "pipeline rank " << m_rank << " has no group with " << peer);
        if (isNext && isPrevious) // two ranks: both roles name the same group, unless the rank is
                                  // at an end of the pipeline
        {
            const bool goesOn = isForward && m_program.HasPeers(GroupRole::PP_NEXT);
            return goesOn || !m_program.HasPeers(GroupRole::PP_PREVIOUS) ? GroupRole::PP_NEXT
                                                                         : GroupRole::PP_PREVIOUS;
        }
        return isNext ? GroupRole::PP_NEXT : GroupRole::PP_PREVIOUS;
    }

    uint32_t m_rank;                              //!< pipeline rank
    PipelineShape m_shape;                        //!< of the pipeline
    uint64_t m_bytes;                             //!< bytes of an activation, and of its gradient
    RankProgramEmitter& m_program;                //!< receives the operations
    std::vector<std::vector<uint32_t>> m_batches; //!< operations of the transfers, by batch
};

/**
 * @brief Writes the operations that a step executes once, before and after its passes.
 *
 * Before: the number of valid tokens, over the ranks with different sequences (VALID_TOKENS,
 * TorchTitan's train.py). After the reduction of the gradients:
 * - MEGATRON with sequence parallelism: one AllReduce over TP of the gradients of all parameters
 *   that every TP rank holds (norms, latents, router; finalize_model_grads.py);
 * - DTENSOR without FSDP: the reductions of GetPartialGradients, gradientReductions times, since
 *   DTensor does not replace a gradient by its sum. All of them are written before the norm, which
 *   is their first use;
 * - tied embeddings in a pipeline: an AllReduce of the embedding's gradient between first and last
 *   pipeline rank, unless one rank has both ends of the model;
 * - the norm of all gradients. PER_TENSOR: a float for each tensor over each mesh dimension of more
 *   than one rank over which the tensor is distributed: FSDP and TP; expert shards, EP and expert
 *   TP for routed experts with a unit of their own; then a float over the pipeline (PyTorch's
 *   get_total_norm on DTensors, torchtitan/distributed/utils.py). All floats of a dimension form
 *   one AllReduce here. SCALAR: a float over all ranks if the optimizer is distributed, else over
 *   the ranks of one copy of the model, TP and pipeline in one (Megatron-LM, clip_grads.py);
 * - clipping;
 * - the number of tokens of each expert, as a float, for all MoE layers at once, over the ranks
 *   with different data (TorchTitan's optimizer.py);
 * - Adam, and the operations of data parallelism after the optimizer;
 * - SCALAR: the success of the update and again the norm, four bytes each, over the ranks of a copy
 *   of the model (Megatron-LM, training.py);
 * - statistics. LOSS: sum of losses and number of tokens in one AllReduce, on the ranks with the
 *   last stage. LOSS_TOKENS: mean and maximum loss (floats) and seen tokens (int64), on all ranks.
 */
class OptimizerEmitter
{
  public:
    /**
     * @brief All arguments must outlive this object.
     * @param spec the job
     * @param model part of the model on the rank
     * @param data data parallelism of the rank
     * @param program program to which operations are added
     */
    OptimizerEmitter(const WorkloadSpec& spec,
                     const RankModel& model,
                     DataParallelEmitter& data,
                     RankProgramEmitter& program)
        : m_spec(spec),
          m_model(model),
          m_data(data),
          m_program(program),
          m_compute(spec.gpu, spec.efficiency)
    {
    }

    /// Write the operations before the first pass.
    void Begin()
    {
        if (m_spec.rules.statistics == StepStatistics::VALID_TOKENS)
        {
            AllReduce(Dimension::DP, GroupRole::BATCH, COUNT_BYTES, "valid tokens");
        }
    }

    /// Write the operations after the last pass.
    void End()
    {
        WriteReplicated();
        m_program.Compute("gradient norm", m_compute, LayerOperators::GetNorm(m_data.GetOwned()));
        WriteNorm();
        if (m_spec.rules.balancesExperts)
        {
            uint64_t counts = 0;
            for (const ShardingUnit* unit : m_model.GetUnits())
            {
                const bool isMoe =
                    unit->kind == ShardingUnit::LAYER && m_spec.model.IsMoeLayer(unit->layer);
                counts += isMoe ? m_spec.model.moe.experts : 0;
            }
            AllReduce(Dimension::DP, GroupRole::DATA, counts * FP32_BYTES, "tokens of experts");
        }
        m_program.Compute("clip and Adam",
                          m_compute,
                          LayerOperators::GetOptimizer(m_data.GetOwned()));
        m_data.EndStep();
        if (m_spec.rules.norms == NormReduction::SCALAR)
        {
            AllReduceModel("success of the update");
            AllReduceModel("largest gradient norm");
        }
        WriteStatistics();
    }

  private:
    /**
     * @param dimension dimension of parallelism, for reports
     * @param role role of the group
     * @param bytes input bytes
     * @param label label for output
     */
    void AllReduce(Dimension dimension, GroupRole role, uint64_t bytes, const std::string& label)
    {
        if (bytes > 0)
        {
            m_program.Serial({dimension, role, CollectiveKind::ALL_REDUCE, bytes}, label);
        }
    }

    /**
     * @brief Reduce a float over the ranks of one copy of the model.
     * @param label label for output
     */
    void AllReduceModel(const std::string& label)
    {
        const Dimension dimension = m_spec.parallelism.pp > 1 ? Dimension::PP : Dimension::TP;
        AllReduce(dimension, GroupRole::MODEL, FP32_BYTES, label);
    }

    /// Reduce gradients that are neither sharded nor complete.
    void WriteReplicated()
    {
        const uint64_t gradient = GetBytes(m_spec.rules.gradients);
        if (m_spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON &&
            m_spec.rules.sequenceParallel)
        {
            uint64_t parameters = 0;
            for (const ShardingUnit* unit : m_model.GetUnits())
            {
                for (const auto& tensor : unit->tensors)
                {
                    const bool isWhole = tensor.split == TensorSplit::REPLICATED &&
                                         tensor.part != ModelPart::EMBEDDING &&
                                         tensor.part != ModelPart::EXPERT;
                    parameters += isWhole ? tensor.GetSize() : 0;
                }
            }
            AllReduce(Dimension::TP, GroupRole::TP, parameters * gradient, "replicated gradients");
        }
        if (m_spec.rules.dataParallelism != DataParallelism::FSDP ||
            !m_spec.parallelism.HasDataParallelism())
        {
            WritePartial();
        }
        if (HasTiedEmbedding())
        {
            uint64_t parameters = GetVocabularyShare(m_spec) * m_spec.model.hidden;
            if (m_spec.rules.dataParallelism == DataParallelism::FSDP)
            {
                const uint64_t shards = m_program.GetSize(GroupRole::FSDP);
                parameters = (parameters + shards - 1) / shards;
            }
            AllReduce(Dimension::PP,
                      GroupRole::EMBEDDING,
                      parameters * gradient,
                      "tied embedding gradients");
        }
    }

    /// Reduce gradients that stay partial sums until the step, each time that the step uses them.
    void WritePartial()
    {
        for (const ShardingUnit* unit : m_model.GetUnits())
        {
            for (auto gradient : GetPartialGradients(m_spec, *unit))
            {
                const std::string label = RankModel::GetName(*unit) + gradient.label;
                for (uint32_t i = 0; i < m_spec.rules.gradientReductions; ++i)
                {
                    m_program.Serial(gradient.collective, label);
                }
            }
        }
    }

    /// @return true if this rank and another rank hold copies of tied embeddings
    bool HasTiedEmbedding() const
    {
        const auto& chunks = m_model.GetChunks();
        const uint32_t last = m_spec.parallelism.GetPipeline().GetStages() - 1;
        const bool isFirst = chunks.front().stage == 0;
        const bool isLast = chunks.back().stage == last;
        return m_spec.model.tiedEmbeddings && isFirst != isLast;
    }

    /// Write the norm of all gradients.
    void WriteNorm()
    {
        if (m_spec.rules.norms == NormReduction::SCALAR)
        {
            if (m_spec.rules.dataParallelism == DataParallelism::DISTRIBUTED_OPTIMIZER)
            {
                AllReduce(Dimension::DP,
                          GroupRole::WORLD,
                          FP32_BYTES,
                          "gradient norm over all ranks");
                return;
            }
            AllReduceModel("gradient norm over the model");
            return;
        }
        uint64_t dense = 0;
        uint64_t routed = 0;
        for (const ShardingUnit* unit : m_model.GetUnits())
        {
            (unit->kind == ShardingUnit::EXPERTS ? routed : dense) += unit->tensors.size();
        }
        AllReduce(Dimension::FSDP, GroupRole::FSDP, dense * FP32_BYTES, "gradient norm over fsdp");
        AllReduce(Dimension::FSDP,
                  GroupRole::EXPERT_FSDP,
                  routed * FP32_BYTES,
                  "gradient norm over expert-fsdp");
        AllReduce(Dimension::TP, GroupRole::TP, dense * FP32_BYTES, "gradient norm over tp");
        AllReduce(Dimension::EP, GroupRole::EP, routed * FP32_BYTES, "gradient norm over ep");
        AllReduce(Dimension::TP,
                  GroupRole::EXPERT_TP,
                  routed * FP32_BYTES,
                  "gradient norm over expert-tp");
        AllReduce(Dimension::PP, GroupRole::PP, FP32_BYTES, "gradient norm over pp");
    }

    /// Write the scalars of the step.
    void WriteStatistics()
    {
        switch (m_spec.rules.statistics)
        {
        case StepStatistics::NONE:
        case StepStatistics::VALID_TOKENS:
            break;
        case StepStatistics::LOSS:
            for (const auto& chunk : m_model.GetChunks())
            {
                if (chunk.stage + 1 == m_spec.parallelism.GetPipeline().GetStages())
                {
                    AllReduce(Dimension::DP, GroupRole::DATA, 2 * FP32_BYTES, "loss and tokens");
                }
            }
            break;
        case StepStatistics::LOSS_TOKENS:
            AllReduce(Dimension::DP, GroupRole::DATA, FP32_BYTES, "mean loss");
            AllReduce(Dimension::DP, GroupRole::DATA, FP32_BYTES, "maximum loss");
            AllReduce(Dimension::DP, GroupRole::DATA, COUNT_BYTES, "tokens");
            break;
        }
    }

    const WorkloadSpec& m_spec;
    const RankModel& m_model;
    DataParallelEmitter& m_data;
    RankProgramEmitter& m_program;
    ComputeModel m_compute; //!< computation times
};

/// Writes the program of a rank: see RankProgramBuilder.
class RankProgramWriter
{
  public:
    /**
     * @param spec the job
     * @param mesh the mesh of the job
     * @param rank a rank of the class
     */
    RankProgramWriter(const WorkloadSpec& spec, const DeviceMesh& mesh, uint32_t rank)
        : m_spec(spec),
          m_pipelineRank(mesh.GetCoordinate(rank).pp),
          m_model(spec, m_pipelineRank),
          m_unitSteps(spec, mesh.GetExpertCoordinate(rank).ep),
          m_writer(mesh, rank, ScaleUpModel(spec.gpu)),
          m_data(DataParallelEmitter::Create(spec, m_model, m_writer)),
          m_transfers(spec, m_pipelineRank, m_writer)
    {
        for (const auto& chunk : m_model.GetChunks())
        {
            m_steps.emplace_back(chunk.modules.size());
        }
    }

    /// @return the operations
    std::vector<RankOperation> Write()
    {
        OptimizerEmitter optimizer(m_spec, m_model, *m_data, m_writer);
        optimizer.Begin();
        const PipelineShape pipeline = m_spec.GetPipeline();
        const auto actions = pipeline.schedule->MakeProgram(pipeline, m_pipelineRank);
        const std::vector<std::size_t> lasts = FindLasts(actions);
        for (std::size_t i = 0; i < actions.size(); ++i)
        {
            const PipelineAction& action = actions[i];
            if (action.IsTransfer())
            {
                m_transfers.Start(action);
            }
            else if (action.kind == PipelineAction::WAIT)
            {
                m_transfers.Wait(action.batch);
            }
            else
            {
                const ComputePass kind = GetPass(action.kind);
                WritePass({kind,
                           action.chunk,
                           lasts[action.chunk] == i,
                           *std::max_element(lasts.begin(), lasts.end()) == i,
                           GetPassName(kind) + std::to_string(action.microBatch)});
            }
        }
        m_data->Finish();
        optimizer.End();
        return m_writer.Take();
    }

  private:
    /**
     * @param actions actions of the rank
     * @return index of the last action that adds to gradients, by chunk
     */
    std::vector<std::size_t> FindLasts(const PipelineActions& actions) const
    {
        std::vector<std::size_t> lasts(m_model.GetChunks().size(), 0);
        for (std::size_t i = 0; i < actions.size(); ++i)
        {
            if (actions[i].kind == PipelineAction::BACKWARD ||
                actions[i].kind == PipelineAction::BACKWARD_WEIGHT)
            {
                lasts[actions[i].chunk] = i;
            }
        }
        return lasts;
    }

    /// @param pass pass of a micro-batch through a chunk
    void WritePass(const ModelPass& pass)
    {
        const std::size_t modules = m_model.GetChunks()[pass.chunk].modules.size();
        m_data->BeginPass(pass);
        for (std::size_t position = 0; position < modules; ++position)
        {
            const bool isForward = pass.kind == ComputePass::FORWARD;
            WriteModule(pass, isForward ? position : modules - 1 - position);
        }
        m_data->EndPass(pass);
    }

    /**
     * @param pass the pass
     * @param index index of a module of the chunk
     */
    void WriteModule(const ModelPass& pass, std::size_t index)
    {
        const std::string label =
            pass.label + " " + m_model.GetChunks()[pass.chunk].modules[index].name;
        m_data->Need(pass, index, false);
        std::vector<uint32_t>
            beside; // collectives for which only the computation after the next one waits
        for (const auto& step : GetSteps(pass.chunk, index, pass.kind))
        {
            if (!step.isCollective)
            {
                if (step.needsExperts)
                {
                    m_data->Need(pass, index, true);
                }
                m_writer.Compute(label + step.label, step.duration, step.flops);
                for (const uint32_t operation : beside)
                {
                    m_writer.Wait(operation);
                }
                beside.clear();
            }
            else if (!m_writer.HasPeers(step.collective.role))
            {
                continue;
            }
            else if (step.isBeside)
            {
                beside.push_back(
                    m_writer.Parallel(step.collective, label + step.label, m_writer.GetFront()));
            }
            else
            {
                m_writer.Serial(step.collective, label + step.label);
            }
        }
        for (const uint32_t operation : beside)
        {
            m_writer.Wait(operation);
        }
        m_data->EndModule(pass, index);
    }

    /**
     * @param chunk chunk of the rank
     * @param index index of a module of the chunk
     * @param kind kind of a pass
     * @return the steps, which are the same for all micro-batches
     */
    const LayerSteps& GetSteps(uint32_t chunk, std::size_t index, ComputePass kind)
    {
        std::optional<LayerSteps>& known = m_steps[chunk][index][static_cast<std::size_t>(kind)];
        if (!known)
        {
            const ModelChunk& own = m_model.GetChunks()[chunk];
            known = m_unitSteps.Get(own.plan.GetUnits()[own.modules[index].unit], kind);
        }
        return *known;
    }

    /// Steps of a module, by kind of pass.
    using ModuleSteps = std::array<std::optional<LayerSteps>, 4>;

    const WorkloadSpec& m_spec;  //!< the job
    uint32_t m_pipelineRank;     //!< pipeline rank of the rank
    RankModel m_model;           //!< the rank's part of the model
    UnitEmitter m_unitSteps;     //!< steps of the units
    RankProgramEmitter m_writer; //!< operations written so far
    std::unique_ptr<DataParallelEmitter> m_data;
    TransferEmitter m_transfers;
    std::vector<std::vector<ModuleSteps>> m_steps; //!< cache, by chunk and module
};

} // namespace

std::shared_ptr<const RankProgram>
RankProgramBuilder::Build(const WorkloadSpec& spec, const DeviceMesh& mesh, uint32_t rank)
{
    RankProgramWriter writer(spec, mesh, rank);
    return std::make_shared<const RankProgram>(writer.Write(), spec.rules.waitsForMessages);
}

} // namespace ns3
