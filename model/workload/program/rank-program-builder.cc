// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program-builder.h"

#include "expert-emitter.h"
#include "optimizer-emitter.h"

#include <algorithm>
#include <map>
#include <tuple>

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

} // namespace

RankProgramBuilder::RankProgramBuilder(const WorkloadSpec& spec,
                                       const DeviceMesh& mesh,
                                       uint32_t rank)
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

std::shared_ptr<const RankProgram>
RankProgramBuilder::Build(const WorkloadSpec& spec, const DeviceMesh& mesh, uint32_t rank)
{
    RankProgramBuilder builder(spec, mesh, rank);
    return std::make_shared<const RankProgram>(builder.Write(), spec.rules.waitsForMessages);
}

std::vector<std::size_t>
RankProgramBuilder::FindLasts(const PipelineActions& actions) const
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

std::vector<RankOperation>
RankProgramBuilder::Write()
{
    OptimizerEmitter optimizer(m_spec, m_model, *m_data, m_writer);
    optimizer.Begin();
    const PipelineShape pipeline = m_spec.parallelism.GetPipeline();
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

void
RankProgramBuilder::WritePass(const ModelPass& pass)
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

void
RankProgramBuilder::WriteModule(const ModelPass& pass, std::size_t index)
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

const LayerSteps&
RankProgramBuilder::GetSteps(uint32_t chunk, std::size_t index, ComputePass kind)
{
    std::optional<LayerSteps>& known = m_steps[chunk][index][static_cast<std::size_t>(kind)];
    if (!known)
    {
        const ModelChunk& own = m_model.GetChunks()[chunk];
        known = m_unitSteps.Get(own.plan.GetUnits()[own.modules[index].unit], kind);
    }
    return *known;
}

} // namespace ns3
