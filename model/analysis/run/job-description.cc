// SPDX-License-Identifier: GPL-2.0-only

#include "job-description.h"

#include "ns3/compute-model.h"
#include "ns3/layer-operators.h"
#include "ns3/nic-bytes.h"
#include "ns3/report-table.h"
#include "ns3/report-value.h"
#include "ns3/sharding-plan.h"
#include "ns3/time-unit.h"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// @return FLOPs of matrix products and attention
double
CountFlops(const OperatorCosts& costs)
{
    double flops = 0;
    for (const auto& cost : costs)
    {
        flops += cost.kind == OperatorKind::MEMORY ? 0 : cost.flops;
    }
    return flops;
}

/// @return s in which a GPU computes the FLOPs of matrix products and attention
double
GetFlopSeconds(const OperatorCosts& costs, const ComputeModel& compute)
{
    double seconds = 0;
    for (OperatorCost cost : costs)
    {
        cost.bytes = 0; // the memory is no limit
        seconds += cost.kind == OperatorKind::MEMORY ? 0 : compute.GetSeconds(cost);
    }
    return seconds;
}

/// @return the operators of a block that a backward repeats
OperatorCosts
ListRepeated(const LayerOperators& operators, ModelBlock block, Recomputation recomputation)
{
    switch (recomputation)
    {
    case Recomputation::NONE:
        break;
    case Recomputation::SELECTIVE:
        return operators.GetSelective(block);
    case Recomputation::FULL:
        return operators.Get(block, ComputePass::FORWARD);
    }
    return {};
}

/// @return the blocks of a unit
std::vector<ModelBlock>
ListBlocks(const ShardingUnit& unit, const TransformerSpec& model)
{
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        return {ModelBlock::EMBEDDING};
    case ShardingUnit::OUTPUT:
        return {ModelBlock::OUTPUT, ModelBlock::LOSS};
    case ShardingUnit::EXPERTS:
        return {}; // computed with their layer
    case ShardingUnit::LAYER:
        break;
    }
    std::vector<ModelBlock> blocks{ModelBlock::PROJECTION,
                                   ModelBlock::ATTENTION,
                                   ModelBlock::CONTEXT};
    if (!model.IsMoeLayer(unit.layer))
    {
        blocks.push_back(ModelBlock::FFN);
        return blocks;
    }
    blocks.push_back(ModelBlock::ROUTER);
    blocks.push_back(ModelBlock::EXPERTS);
    blocks.push_back(ModelBlock::COMBINE);
    if (model.moe.sharedExperts > 0)
    {
        blocks.push_back(ModelBlock::SHARED);
    }
    return blocks;
}

/// Reads the programs of a job.
class Describer
{
  public:
    Describer(const JobRanks& ranks, const JobNetwork& network)
        : m_ranks(ranks),
          m_layout(ranks.GetLayout()),
          m_network(network),
          m_nics(m_layout, m_network, ranks.GetAlgorithms()),
          m_called(m_layout.GetRoles())
    {
        m_result.network = network;
    }

    JobDescription Describe()
    {
        m_result.worldSize = m_layout.GetWorldSize();
        m_result.domains = m_layout.GetDomains();
        DescribeClasses();
        DescribeHosts();
        DescribeRoles();
        return std::move(m_result);
    }

  private:
    void DescribeClasses()
    {
        std::vector<std::vector<uint32_t>> ranks(m_ranks.GetPrograms().size());
        for (uint32_t rank = 0; rank < m_layout.GetWorldSize(); ++rank)
        {
            ranks[m_ranks.GetClass(rank)].push_back(rank);
        }
        for (std::size_t i = 0; i < ranks.size(); ++i)
        {
            JobDescription::RankClass entry;
            entry.ranks = static_cast<uint32_t>(ranks[i].size());
            entry.representative = ranks[i].front();
            entry.pipelineRank = m_layout.GetPipelineRank(entry.representative);
            const RankProgram& program = *m_ranks.GetPrograms()[i];
            Count(program, entry);
            CountSent(program, ranks[i], entry);
            m_result.classes.push_back(std::move(entry));
        }
    }

    /// Add up a program.
    void Count(const RankProgram& program, JobDescription::RankClass& entry)
    {
        Time compute;
        Time scaleUp;
        for (const auto& operation : program.GetOperations())
        {
            CountVolume(entry.volumes, operation);
            entry.flops += operation.flops;
            if (!operation.IsCall())
            {
                compute += operation.place == RankOperation::GPU ? operation.duration : Time();
                continue;
            }
            m_called[static_cast<std::size_t>(operation.role)] = true;
            entry.inputBytes += operation.bytes;
            if (operation.place == RankOperation::SCALE_UP)
            {
                scaleUp += operation.duration;
                continue;
            }
            entry.scaleOutInputBytes += operation.bytes;
        }
        entry.operations = program.GetSize();
        entry.computeSeconds = ToSeconds(compute);
        entry.scaleUpSeconds = ToSeconds(scaleUp);
        entry.expectedSeconds = ToSeconds(GetTimeWithoutScaleOut(program));
    }

    /// Add up the bytes that the NICs of a class send. They differ by rank: not all ranks are at
    /// the edge of a domain.
    void CountSent(const RankProgram& program,
                   const std::vector<uint32_t>& ranks,
                   JobDescription::RankClass& entry)
    {
        using Call = std::tuple<CollectiveKind, GroupRole, uint64_t, const AllToAllSizes*>;
        std::map<Call, std::pair<const RankOperation*, uint64_t>> calls; // an example, and how many
        for (const auto& operation : program.GetOperations())
        {
            if (operation.IsCall())
            {
                const Call call(operation.kind,
                                operation.role,
                                operation.bytes,
                                PeekPointer(operation.sizes));
                ++calls.emplace(call, std::pair(&operation, 0)).first->second.second;
            }
        }
        SentBytes sum;
        for (const uint32_t rank : ranks)
        {
            uint64_t rails = 0;
            for (const auto& [call, use] : calls)
            {
                const SentBytes sent = m_nics.Count(*use.first, rank);
                rails += use.second * sent.rails;
                sum.Add(sent, use.second);
                m_hostNics[m_layout.GetDomain(rank)] += use.second * sent.hostNic;
            }
            entry.scaleOutMostBytes = std::max(entry.scaleOutMostBytes, rails);
        }
        m_result.sent.Add(sum);
        const uint64_t n = ranks.size();
        entry.sent = {sum.rails / n, sum.hosts / n, 0, sum.scaleUp / n, sum.forwarded / n};
        entry.scaleOutSeconds =
            static_cast<double>(entry.scaleOutMostBytes) * 8 / m_network.nicRate;
    }

    /// Find the host whose NIC sends most, and the least time that a step takes.
    void DescribeHosts()
    {
        for (const auto& [domain, bytes] : m_hostNics)
        {
            m_result.hostMostBytes = std::max(m_result.hostMostBytes, bytes);
        }
        m_result.hostSeconds =
            m_network.hostRate > 0
                ? static_cast<double>(m_result.hostMostBytes) * 8 / m_network.hostRate
                : 0;
        for (auto& entry : m_result.classes)
        {
            // A network inside domains may be faster than the formula.
            const double inside =
                m_network.hasScaleUpNetwork ? entry.computeSeconds : entry.expectedSeconds;
            entry.leastSeconds = std::max({inside, entry.scaleOutSeconds, m_result.hostSeconds});
        }
    }

    void DescribeRoles()
    {
        for (std::size_t i = 0; i < m_called.size(); ++i)
        {
            const auto role = static_cast<GroupRole>(i);
            JobDescription::Role entry;
            entry.name = m_layout.GetRoleName(role);
            entry.isCalled = m_called[i];
            std::set<uint32_t> seen;
            for (uint32_t rank = 0; rank < m_layout.GetWorldSize(); ++rank)
            {
                const ProcessGroup& group = m_layout.GetGroup(rank, role);
                if (group.GetSize() < 2 || !seen.insert(group.id).second)
                {
                    continue;
                }
                entry.ranks = std::max(entry.ranks, group.GetSize());
                ++entry.groups;
                const auto reach = m_layout.GetReach(group);
                entry.insideDomain += reach == RankLayout::SCALE_UP ? 1 : 0;
                entry.alongRail += reach == RankLayout::SCALE_OUT ? 1 : 0;
                entry.across += reach == RankLayout::MIXED ? 1 : 0;
            }
            if (entry.groups > 0)
            {
                m_result.roles.push_back(entry);
            }
        }
    }

    const JobRanks& m_ranks;
    const RankLayout& m_layout;
    const JobNetwork m_network;
    NicBytes m_nics;
    std::map<uint32_t, uint64_t> m_hostNics; //!< bytes of the NIC of the host, by domain
    JobDescription m_result;
    std::vector<bool> m_called; //!< by role
};

/// Kinds of ranks in the table for people.
constexpr std::size_t MAX_CLASSES = 32;

/// @return a number with three decimals and a prefix of its unit
std::string
Short(double value)
{
    static const char* const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    std::size_t i = 0;
    while (value >= 1000 && i + 1 < std::size(prefixes))
    {
        value /= 1000;
        ++i;
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(i == 0 ? 0 : 3) << value << prefixes[i];
    return text.str();
}

/// @return the share of input bytes that leaves the domain; 0 of none
double
GetScaleOutShare(const JobDescription::RankClass& entry)
{
    return entry.inputBytes > 0 ? static_cast<double>(entry.scaleOutInputBytes) /
                                      static_cast<double>(entry.inputBytes)
                                : 0;
}

const ReportTable<JobDescription::Role> ROLES{
    {"role", "", &JobDescription::Role::name, {"groups", -13}},
    {"ranks", "ranks", &JobDescription::Role::ranks, {"ranks", 7}},
    {"groups", "", &JobDescription::Role::groups, {"groups", 9}},
    {"inside_domain", "", &JobDescription::Role::insideDomain, {"in a domain", 14}},
    {"along_rail", "", &JobDescription::Role::alongRail, {"on a rail", 12}},
    {"across", "", &JobDescription::Role::across, {"across both", 14}},
    {"called",
     "",
     &JobDescription::Role::isCalled,
     {"called", 9, [](const auto& one) { return one.isCalled ? "yes" : "no"; }}},
};

const ReportTable<JobDescription::Stage> STAGES{
    {"stage", "", &JobDescription::Stage::stage, {"stage", 5}},
    {"pipeline_rank", "", &JobDescription::Stage::pipelineRank, {"pipeline rank", 16}},
    {"layers", "", &JobDescription::Stage::layers, {"layers", 9}},
    {"parameters", "parameters", &JobDescription::Stage::parameters, {"parameters of a rank", 25}},
    {"owned_parameters",
     "parameters",
     &JobDescription::Stage::shardParameters,
     {"owned by it", 16}},
    {"model_flops",
     "FLOP",
     &JobDescription::Stage::modelFlops,
     {"model FLOP", 13, [](const auto& one) { return Short(one.modelFlops); }}},
    {"compute_s", "s", &JobDescription::Stage::computeSeconds, {"time {}", 12, ReportUnit::FITS}},
};

const ReportTable<JobDescription::RankClass> RANK_CLASSES{
    {"ranks", "ranks", &JobDescription::RankClass::ranks},
    {"representative", "", &JobDescription::RankClass::representative},
    {"pipeline_rank", "", &JobDescription::RankClass::pipelineRank},
    {"parameters", "parameters", &JobDescription::RankClass::parameters},
    {"owned_parameters", "parameters", &JobDescription::RankClass::shardParameters},
    {"operations", "", &JobDescription::RankClass::operations},
    {"collectives",
     "",
     {[](const auto& one) { return MakeJson(one.volumes); }, {{"", "object", ""}}}},
    {"input_bytes", "bytes", &JobDescription::RankClass::inputBytes},
    {"scale_out_input_bytes", "bytes", &JobDescription::RankClass::scaleOutInputBytes},
    {"scale_out_share", "", GetScaleOutShare},
    {"scale_out_sent_bytes", "bytes", [](const auto& one) { return one.sent.rails; }},
    {"scale_out_most_bytes", "bytes", &JobDescription::RankClass::scaleOutMostBytes},
    {"host_network_sent_bytes", "bytes", [](const auto& one) { return one.sent.hosts; }},
    {"scale_up_sent_bytes", "bytes", [](const auto& one) { return one.sent.scaleUp; }},
    {"forwarded_bytes", "bytes", [](const auto& one) { return one.sent.forwarded; }},
    {"flops", "FLOP", &JobDescription::RankClass::flops},
    {"model_flops", "FLOP", &JobDescription::RankClass::modelFlops},
    {"compute_s", "s", &JobDescription::RankClass::computeSeconds},
    {"scale_up_s", "s", &JobDescription::RankClass::scaleUpSeconds},
    {"scale_out_s", "s", &JobDescription::RankClass::scaleOutSeconds},
    {"expected_s", "s", &JobDescription::RankClass::expectedSeconds},
    {"least_s", "s", &JobDescription::RankClass::leastSeconds},
    {"memory_bytes", "bytes", [](const auto& one) { return one.memory.GetTotal(); }},
    {"memory_states_bytes", "bytes", [](const auto& one) { return one.memory.states; }},
    {"memory_gathered_bytes", "bytes", [](const auto& one) { return one.memory.gathered; }},
    {"memory_activations_bytes", "bytes", [](const auto& one) { return one.memory.activations; }},
    {"memory_logits_bytes", "bytes", [](const auto& one) { return one.memory.logits; }},
};

// Parts of the description that are objects of their own in the JSON.

const ReportTable<JobDescription> DESCRIBED_MODEL{
    {"name", "", &JobDescription::model},
    {"parameters", "parameters", &JobDescription::parameters},
    {"active_parameters", "parameters", &JobDescription::activeParameters},
};

const ReportTable<JobDescription> DESCRIBED_MESH{
    {"order", "", &JobDescription::meshOrder},
    {"roles", "", ReportRows(&JobDescription::roles, ROLES)},
};

const ReportTable<JobDescription> DESCRIBED_PIPELINE{
    {"schedule", "", &JobDescription::schedule},
    {"bubble", "", &JobDescription::bubble},
};

/// @return the description itself
const JobDescription&
GetAll(const JobDescription& job)
{
    return job;
}

void
WriteRoles(std::ostream& os, const JobDescription& job)
{
    std::vector<JobDescription::Role> called;
    std::copy_if(job.roles.begin(),
                 job.roles.end(),
                 std::back_inserter(called),
                 [](const auto& role) { return role.isCalled; });
    ROLES.WriteText(os << "\n", called);
}

/// @return a number of bytes with a prefix
std::string
ShortBytes(uint64_t bytes)
{
    return Short(static_cast<double>(bytes)) + "B";
}

/// Write model, mesh and pipeline.
void
WriteModel(std::ostream& os, const JobDescription& job)
{
    os << "model " << job.model << ": " << job.parameters << " parameters";
    if (job.activeParameters != job.parameters)
    {
        os << ", " << job.activeParameters << " active";
    }
    os << "\n"
       << job.worldSize << " ranks in " << job.domains << " scale-up domains, mesh "
       << job.meshOrder << ", " << job.tokens << " tokens a step\n";
    os << "pipeline " << job.schedule << ", bubble by the textbook " << std::setprecision(4)
       << 100 * job.bubble << " % of the time that a rank computes\n"
       << "recomputation " << job.recomputation << "\n";
    WriteRoles(os, job);
    STAGES.WriteText(os << "\n", job.stages);
}

void
WriteClass(std::ostream& os, const JobDescription& job, const JobDescription::RankClass& entry)
{
    std::ostringstream title;
    title << entry.ranks << " like rank " << entry.representative;
    WriteVolumes(os << "\n", title.str(), entry.volumes);
    os << std::setprecision(4) << "  leaves the domain " << 100 * GetScaleOutShare(entry)
       << " % of input bytes; the NIC sends " << ShortBytes(entry.sent.rails);
    if (job.network.hasHostNetwork)
    {
        os << ", over the host network " << ShortBytes(entry.sent.hosts);
    }
    if (job.network.hasScaleUpNetwork)
    {
        os << ", over the network of the domain " << ShortBytes(entry.sent.scaleUp);
    }
    os << "; passed on for others " << ShortBytes(entry.sent.forwarded) << "\n  computed "
       << Short(entry.flops) << "FLOP, of the model " << Short(entry.modelFlops)
       << "FLOP\n  computation " << TimeUnit::Write(entry.computeSeconds)
       << ", collectives in the domain by closed form " << TimeUnit::Write(entry.scaleUpSeconds)
       << ", on the NIC at line rate " << TimeUnit::Write(entry.scaleOutSeconds);
    if (job.network.hasHostNetwork)
    {
        os << ", on the NIC of the busiest host " << TimeUnit::Write(job.hostSeconds);
    }
    os << "\n  step, if " << (job.network.hasHostNetwork ? "NIC and host network" : "the NIC")
       << " took no time, " << TimeUnit::Write(entry.expectedSeconds) << "; at least "
       << TimeUnit::Write(entry.leastSeconds) << "; left out: waiting for "
       << (job.network.isRingOnly ? "circuits, " : "")
       << "other stages and messages on their way\n";
    if (!job.stages.empty())
    {
        os << "  memory by estimate " << entry.memory.Describe() << "\n";
    }
}

} // namespace

const ReportTable<JobDescription>&
JobDescription::GetTable()
{
    static const ReportTable<JobDescription> table{
        {"fabric", "", &JobDescription::fabric},
        {"settings", "", &JobDescription::settings},
        {"derived", "", &JobDescription::derived},
        {"remarks", "", &JobDescription::remarks},
        {"world_size", "ranks", &JobDescription::worldSize},
        {"domains", "", &JobDescription::domains},
        {"tokens", "tokens", &JobDescription::tokens},
        {"scale_out_sent_bytes", "bytes", [](const auto& job) { return job.sent.rails; }},
        {"host_network_sent_bytes", "bytes", [](const auto& job) { return job.sent.hosts; }},
        {"host_most_bytes", "bytes", &JobDescription::hostMostBytes},
        {"host_s", "s", &JobDescription::hostSeconds},
        {"scale_up_sent_bytes", "bytes", [](const auto& job) { return job.sent.scaleUp; }},
        {"forwarded_bytes", "bytes", [](const auto& job) { return job.sent.forwarded; }},
        {"gpu", "", &JobDescription::gpu},
        {"gpu_memory_bytes", "bytes", &JobDescription::gpuMemory},
        {"model", "", ReportObject(GetAll, DESCRIBED_MODEL)},
        {"mesh", "", ReportObject(GetAll, DESCRIBED_MESH)},
        {"pipeline", "", ReportObject(GetAll, DESCRIBED_PIPELINE)},
        {"recomputation", "", &JobDescription::recomputation},
        {"stages", "", ReportRows(&JobDescription::stages, STAGES)},
        {"collectives",
         "",
         {[](const auto& job) { return ns3::MakeJson(job.classes.front().volumes); },
          ListVolumeKeys()}},
        {"rank_classes", "", ReportRows(&JobDescription::classes, RANK_CLASSES)},
    };
    return table;
}

template struct JsonReport<JobDescription>;

StageCost
StageCost::Make(const WorkloadSpec& spec, const ShardingPlan& plan)
{
    const LayerOperators operators(spec.model, spec.parallelism, spec.rules);
    const ComputeModel compute(spec.gpu, spec.efficiency);
    std::map<ModelBlock, StageCost> costs; // of each kind of block once
    StageCost sum;
    for (const auto& unit : plan.GetUnits())
    {
        for (const auto block : ListBlocks(unit, spec.model))
        {
            const auto [place, isNew] = costs.emplace(block, StageCost());
            StageCost& cost = place->second;
            if (isNew)
            {
                const auto forward = operators.Get(block, ComputePass::FORWARD);
                const auto input = operators.Get(block, ComputePass::BACKWARD_INPUT);
                const auto weight = operators.Get(block, ComputePass::BACKWARD_WEIGHT);
                cost.modelFlops = 3 * CountFlops(forward); // a backward takes two forwards
                cost.modelSeconds = 3 * GetFlopSeconds(forward, compute);
                const auto repeated = unit.kind == ShardingUnit::LAYER
                                          ? ListRepeated(operators, block, spec.rules.recomputation)
                                          : OperatorCosts();
                for (const auto& costs : {forward, input, weight, repeated})
                {
                    cost.flopSeconds += GetFlopSeconds(costs, compute);
                }
                cost.forward = compute.GetTime(forward);
                cost.repeated = compute.GetTime(repeated);
                cost.backwardInput = compute.GetTime(input);
                cost.backwardWeight = compute.GetTime(weight);
            }
            sum.modelFlops += cost.modelFlops;
            sum.modelSeconds += cost.modelSeconds;
            sum.flopSeconds += cost.flopSeconds;
            sum.forward += cost.forward;
            sum.repeated += cost.repeated;
            sum.backwardInput += cost.backwardInput + cost.repeated;
            sum.backwardWeight += cost.backwardWeight;
        }
    }
    return sum;
}

StepWork
StepWork::Make(const WorkloadSpec& spec)
{
    const ParallelismSpec& parallelism = spec.parallelism;
    StepWork work;
    work.tokens = parallelism.GetTokens() * parallelism.microBatches * parallelism.fsdp *
                  parallelism.replicate;
    const double copies = static_cast<double>(parallelism.GetWorldSize()) / parallelism.pp;
    for (uint32_t stage = 0; stage < parallelism.GetPipeline().GetStages(); ++stage)
    {
        const ShardingPlan plan(spec.model, parallelism, spec.rules, stage);
        const StageCost cost = StageCost::Make(spec, plan);
        work.modelFlops += copies * parallelism.microBatches * cost.modelFlops;
        const double share = 1.0 * parallelism.microBatches / parallelism.pp;
        work.modelSeconds += share * cost.modelSeconds;
        work.flopSeconds += share * cost.flopSeconds;
        work.repeatedSeconds += share * cost.repeated.GetSeconds();
    }
    return work;
}

JobDescription
JobDescription::Make(const JobRanks& ranks, const JobNetwork& network)
{
    return Describer(ranks, network).Describe();
}

void
JobDescription::AddModel(const WorkloadSpec& spec)
{
    const ParallelismSpec& parallelism = spec.parallelism;
    model = spec.model.name;
    parameters = spec.model.GetParameters();
    activeParameters = spec.model.GetActiveParameters();
    tokens = StepWork::Make(spec).tokens;
    meshOrder = parallelism.order.ToString();
    schedule = parallelism.schedule->GetName();
    AddStages(spec);
    for (RankClass& entry : classes)
    {
        for (const Stage& stage : stages)
        {
            if (stage.pipelineRank == entry.pipelineRank)
            {
                entry.parameters += stage.parameters;
                entry.shardParameters += stage.shardParameters;
                entry.modelFlops += stage.modelFlops;
            }
        }
        entry.memory = MemoryEstimate::Make(spec, entry.pipelineRank);
    }
}

void
JobDescription::AddStages(const WorkloadSpec& spec)
{
    const PipelineShape pipeline = spec.parallelism.GetPipeline();
    StageCost total;
    for (uint32_t stage = 0; stage < pipeline.GetStages(); ++stage)
    {
        const ShardingPlan plan(spec.model, spec.parallelism, spec.rules, stage);
        Stage entry;
        entry.stage = stage;
        entry.pipelineRank = pipeline.GetRank(stage);
        for (const auto& unit : plan.GetUnits())
        {
            entry.layers += unit.kind == ShardingUnit::LAYER ? 1 : 0;
        }
        entry.parameters = plan.GetParameters();
        entry.shardParameters = spec.rules.dataParallelism == DataParallelism::DDP
                                    ? plan.GetParameters()
                                    : plan.GetShardParameters();
        const StageCost cost = StageCost::Make(spec, plan);
        entry.modelFlops = cost.modelFlops * spec.parallelism.microBatches;
        entry.computeSeconds = ToSeconds(cost.forward + cost.backwardInput + cost.backwardWeight) *
                               spec.parallelism.microBatches;
        stages.push_back(entry);
        total.forward += cost.forward;
        total.backwardInput += cost.backwardInput;
        total.backwardWeight += cost.backwardWeight;
    }
    const auto mean = [&pipeline](const Time& sum) {
        return PicoSeconds(sum.GetPicoSeconds() / pipeline.GetStages());
    };
    bubble = pipeline.GetBubbleRatio(
        {mean(total.forward), mean(total.backwardInput), mean(total.backwardWeight)});
}

Time
GetTimeWithoutScaleOut(const RankProgram& program)
{
    std::vector<int64_t> ends; // of the operations, in ps
    std::map<uint16_t, int64_t> streams;
    int64_t last = 0;
    for (const auto& operation : program.GetOperations())
    {
        int64_t begin = operation.stream == RankOperation::INSTANT ? 0 : streams[operation.stream];
        for (const uint32_t dependency : operation.dependencies)
        {
            begin = std::max(begin, ends[dependency]);
        }
        const bool isTimed = operation.place != RankOperation::SCALE_OUT;
        const int64_t end = begin + (isTimed ? operation.duration.GetPicoSeconds() : 0);
        streams[operation.stream] = end;
        ends.push_back(end);
        last = std::max(last, end);
    }
    return PicoSeconds(last);
}

void
JobDescription::WriteTable(std::ostream& os) const
{
    if (stages.empty())
    {
        os << "traces " << model << ": " << worldSize << " ranks in " << domains
           << " scale-up domains\n";
        WriteRoles(os, *this);
    }
    else
    {
        WriteModel(os, *this);
    }
    for (std::size_t i = 0; i < std::min(classes.size(), MAX_CLASSES); ++i)
    {
        WriteClass(os, *this, classes[i]);
    }
    if (classes.size() > MAX_CLASSES)
    {
        os << "\n... and " << classes.size() - MAX_CLASSES << " other kinds of ranks\n";
    }
    for (const auto& remark : remarks)
    {
        os << (&remark == remarks.data() ? "\n" : "") << "remark: " << remark << "\n";
    }
}

} // namespace ns3
