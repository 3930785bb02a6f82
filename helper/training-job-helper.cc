// SPDX-License-Identifier: GPL-2.0-only

#include "training-job-helper.h"

#include "collective-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/opus-shim.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"

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

} // namespace

TrainingJobHelper::TrainingJobHelper(const std::string& model)
{
    const auto spec = TransformerSpec::Find(model);
    NS_ABORT_MSG_UNLESS(spec, "there is no model " << model);
    m_spec.model = *spec;
    SetGpu("a100", m_spec.computeEfficiency);
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
    m_spec.computeEfficiency = computeEfficiency;
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
    if (auto error = spec.parallelism.Validate(spec.model); !error.empty())
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

    CollectiveHelper::Install(cluster);
    for (const auto& group : mesh.GetGroups())
    {
        const auto reach = mesh.GetReach(group);
        if (reach == DeviceMesh::SCALE_OUT ||
            (reach == DeviceMesh::SCALE_UP && cluster.HasScaleUpNetwork()))
        {
            CollectiveHelper::Join(cluster, group);
        }
    }

    std::vector<std::shared_ptr<const RankProgram>> programs;
    for (uint32_t stage = 0; stage < mesh.GetStages(); ++stage)
    {
        programs.push_back(RankProgramBuilder::Build(spec, mesh, stage));
    }
    ApplicationContainer ranks;
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("Iterations", UintegerValue(m_iterations));
        application->SetAttribute("ScaleUpOnNetwork", BooleanValue(cluster.HasScaleUpNetwork()));
        application->SetProgram(programs[mesh.GetCoordinate(rank).pp], RankBinding(mesh, rank));
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
