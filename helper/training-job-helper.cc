// SPDX-License-Identifier: GPL-2.0-only

#include "training-job-helper.h"

#include "collective-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/opus-shim.h"
#include "ns3/rank-classes.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"

#include <set>

namespace ns3
{

namespace
{

/// @return the shim on a node, or null
Ptr<OpusShim>
FindShim(Ptr<Node> node)
{
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        if (auto shim = DynamicCast<OpusShim>(node->GetApplication(i)))
        {
            return shim;
        }
    }
    return nullptr;
}

/// The hook by which a framework tells its shim that an iteration has ended.
void
TellShim(Ptr<OpusShim> shim, uint32_t /* rank */, uint32_t /* iteration */)
{
    shim->NotifyIterationEnd();
}

/// @return ids of the groups that some rank calls
std::set<uint32_t>
FindGroups(const DeviceMesh& mesh,
           const RankClasses& classes,
           const std::vector<std::shared_ptr<const RankProgram>>& programs)
{
    std::vector<std::set<GroupRole>> roles(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i)
    {
        for (const auto& operation : programs[i]->GetOperations())
        {
            if (operation.place != RankOperation::GPU)
            {
                roles[i].insert(operation.role);
            }
        }
    }
    std::set<uint32_t> ids;
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        for (const auto role : roles[classes.GetClass(rank)])
        {
            ids.insert(mesh.GetGroup(rank, role).id);
        }
    }
    return ids;
}

} // namespace

TrainingJobHelper::TrainingJobHelper(const std::string& model)
{
    const auto spec = TransformerSpec::Find(model);
    NS_ABORT_MSG_UNLESS(spec, "there is no model " << model);
    m_spec.model = *spec;
    m_spec.rules = *FrameworkRules::Find("torchtitan-0.1.0");
    SetGpu("a100", 0.28);
}

TrainingJobHelper::TrainingJobHelper(const WorkloadSpec& spec)
    : m_spec(spec)
{
}

void
TrainingJobHelper::SetParallelism(const ParallelismSpec& parallelism)
{
    m_spec.parallelism = parallelism;
}

void
TrainingJobHelper::SetGpu(const std::string& gpu, double computeEfficiency)
{
    const auto spec = GpuSpec::Find(gpu);
    NS_ABORT_MSG_UNLESS(spec, "there is no GPU " << gpu);
    m_spec.gpu = *spec;
    m_spec.efficiency.matmul = computeEfficiency;
    m_spec.efficiency.groupedMatmul = computeEfficiency;
    m_spec.efficiency.attention = computeEfficiency;
}

void
TrainingJobHelper::SetIterations(uint32_t iterations)
{
    m_iterations = iterations;
}

WorkloadSpec
TrainingJobHelper::GetSpec(const RailCluster& cluster) const
{
    WorkloadSpec spec = m_spec;
    spec.parallelism.gpusPerDomain = cluster.GetGpusPerDomain();
    return spec;
}

std::string
TrainingJobHelper::Check(const RailCluster& cluster) const
{
    const WorkloadSpec spec = GetSpec(cluster);
    if (auto error = spec.Validate(); !error.empty())
    {
        return error;
    }
    const uint64_t world = spec.parallelism.GetWorldSize();
    if (cluster.GetNGpus() != world)
    {
        return "the job has " + std::to_string(world) + " ranks, the cluster " +
               std::to_string(cluster.GetNGpus()) + " GPUs";
    }
    return "";
}

DeviceMesh
TrainingJobHelper::GetMesh(const RailCluster& cluster) const
{
    return DeviceMesh(GetSpec(cluster).parallelism);
}

ApplicationContainer
TrainingJobHelper::Install(const RailCluster& cluster) const
{
    const std::string error = Check(cluster);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    const WorkloadSpec spec = GetSpec(cluster);
    const DeviceMesh mesh = GetMesh(cluster);

    std::vector<std::shared_ptr<const RankProgram>> programs;
    const RankClasses classes(spec, mesh);
    for (uint32_t i = 0; i < classes.GetCount(); ++i)
    {
        programs.push_back(RankProgramBuilder::Build(spec, mesh, classes.GetRepresentative(i)));
    }
    CollectiveHelper::Install(cluster);
    for (const uint32_t id : FindGroups(mesh, classes, programs))
    {
        const ProcessGroup& group = mesh.GetGroups()[id];
        const auto reach = mesh.GetReach(group);
        if (reach == DeviceMesh::SCALE_OUT ||
            (reach == DeviceMesh::SCALE_UP && cluster.HasScaleUpNetwork()))
        {
            CollectiveHelper::Join(cluster, group);
        }
    }
    ApplicationContainer ranks;
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("Iterations", UintegerValue(m_iterations));
        application->SetAttribute("ScaleUpOnNetwork", BooleanValue(cluster.HasScaleUpNetwork()));
        application->SetProgram(programs[classes.GetClass(rank)], RankBinding(mesh, rank));
        Ptr<Node> node = cluster.GetGpu(rank);
        if (auto shim = FindShim(node))
        {
            application->TraceConnectWithoutContext("IterationEnd",
                                                    MakeBoundCallback(&TellShim, shim));
        }
        node->AddApplication(application);
        ranks.Add(application);
    }
    return ranks;
}

} // namespace ns3
