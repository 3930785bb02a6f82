// SPDX-License-Identifier: GPL-2.0-only

#include "training-job-helper.h"

#include "collective-helper.h"

#include "ns3/abort.h"
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

TrainingJobHelper::TrainingJobHelper(const WorkloadSpec& spec)
    : m_spec(spec),
      m_mesh(spec.parallelism)
{
}

void
TrainingJobHelper::SetIterations(uint32_t iterations)
{
    m_iterations = iterations;
}

const DeviceMesh&
TrainingJobHelper::GetMesh() const
{
    return m_mesh;
}

std::string
TrainingJobHelper::Check(uint32_t gpus, uint32_t gpusPerDomain) const
{
    if (auto error = m_spec.parallelism.Validate(m_spec.model); !error.empty())
    {
        return error;
    }
    if (gpus != m_mesh.GetWorldSize() || gpusPerDomain != m_mesh.GetRails())
    {
        return "the job needs " + std::to_string(m_mesh.GetDomains()) + " domains of " +
               std::to_string(m_mesh.GetRails()) + " GPUs, the cluster has " +
               std::to_string(gpus) + " GPUs in domains of " + std::to_string(gpusPerDomain);
    }
    return "";
}

ApplicationContainer
TrainingJobHelper::Install(const RailCluster& cluster) const
{
    const std::string error = Check(cluster.GetNGpus(), cluster.GetGpusPerDomain());
    NS_ABORT_MSG_UNLESS(error.empty(), error);

    CollectiveHelper::Install(cluster);
    for (const auto& group : m_mesh.GetGroups())
    {
        const auto reach = m_mesh.GetReach(group);
        if (reach == DeviceMesh::SCALE_OUT)
        {
            CollectiveHelper::Join(cluster, group);
        }
    }

    std::vector<std::shared_ptr<const RankProgram>> programs;
    for (uint32_t stage = 0; stage < m_mesh.GetStages(); ++stage)
    {
        programs.push_back(RankProgramBuilder::Build(m_spec, m_mesh, stage));
    }
    ApplicationContainer ranks;
    for (uint32_t rank = 0; rank < m_mesh.GetWorldSize(); ++rank)
    {
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("Iterations", UintegerValue(m_iterations));
        application->SetProgram(programs[m_mesh.GetCoordinate(rank).pp],
                                RankBinding(m_mesh, rank));
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
