// SPDX-License-Identifier: GPL-2.0-only

#include "job-ranks.h"

#include "rank-program-builder.h"

#include "ns3/assert.h"

#include <utility>

namespace ns3
{

namespace
{

/// @return JobRanks::GetStateBytes
uint64_t
CountStateBytes(const WorkloadSpec& spec)
{
    constexpr uint64_t BYTES_PER_PARAMETER = 12;
    const auto& parallelism = spec.parallelism;
    const uint64_t shards = uint64_t{parallelism.tp} * parallelism.pp * parallelism.fsdp;
    return BYTES_PER_PARAMETER * spec.model.GetParameters() / shards;
}

} // namespace

JobRanks::JobRanks(const WorkloadSpec& spec)
    : m_layout(1, 1),
      m_algorithms(spec.algorithms),
      m_stateBytes(CountStateBytes(spec))
{
    DeviceMesh mesh(spec.parallelism);
    const RankClasses classes(spec, mesh);
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        m_classes.push_back(classes.GetClass(rank));
    }
    for (uint32_t i = 0; i < classes.GetCount(); ++i)
    {
        m_programs.push_back(RankProgramBuilder::Build(spec, mesh, classes.GetRepresentative(i)));
    }
    m_layout = std::move(mesh);
}

JobRanks::JobRanks(RankLayout layout,
                   std::vector<uint32_t> classes,
                   Programs programs,
                   CollectiveAlgorithms algorithms)
    : m_layout(std::move(layout)),
      m_classes(std::move(classes)),
      m_programs(std::move(programs)),
      m_algorithms(std::move(algorithms))
{
    NS_ASSERT(m_classes.size() == m_layout.GetWorldSize());
}

void
JobRanks::SetPrograms(Programs programs)
{
    NS_ASSERT(programs.size() == m_programs.size());
    m_programs = std::move(programs);
}

RankBinding
JobRanks::Bind(uint32_t rank) const
{
    RankBinding binding(m_layout, rank);
    binding.AddRoots(*GetProgram(rank), m_layout);
    return binding;
}

} // namespace ns3
