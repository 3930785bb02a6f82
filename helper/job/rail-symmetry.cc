// SPDX-License-Identifier: GPL-2.0-only

#include "rail-symmetry.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Divide a degree and the remaining number of sets by their greatest common divisor.
void
TakeInside(uint32_t& degree, uint32_t& left)
{
    const uint32_t inside = std::gcd(degree, left);
    degree /= inside;
    left /= inside;
}

} // namespace

RailSymmetry::RailSymmetry(const WorkloadSpec& spec, const JobRanks& ranks, uint32_t sets)
    : m_ranks(ranks),
      m_whole(ranks.GetLayout()),
      m_sets(sets),
      m_set(MakeSet(spec, sets)),
      m_mesh(m_set.parallelism),
      m_classes(m_set, m_mesh)
{
}

WorkloadSpec
RailSymmetry::MakeSet(const WorkloadSpec& spec, uint32_t sets)
{
    WorkloadSpec set = spec;
    ParallelismSpec& parallelism = set.parallelism;
    const auto& dimensions = parallelism.order.GetDimensions();
    uint32_t left = sets;
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension)
    {
        uint32_t& degree = SelectDimension(parallelism, *dimension);
        TakeInside(degree, left);
        if (degree > 1)
        {
            break; // outer dimensions do not tell neighbours apart
        }
    }
    left = sets;
    TakeInside(parallelism.expertTp,
               left); // expertTp is innermost among the ranks of expert parallelism
    TakeInside(parallelism.ep, left);
    parallelism.gpusPerDomain /= sets;
    return set;
}

std::string
RailSymmetry::Check() const
{
    if (uint64_t{m_mesh.GetWorldSize()} * m_sets != m_whole.GetWorldSize())
    {
        return "the " + std::to_string(m_sets) +
               (m_sets == m_whole.GetRails() ? " GPUs of a domain" : " GPUs that no group joins") +
               " are not whole dimensions of the mesh";
    }
    for (uint32_t rank = 0; rank < m_whole.GetWorldSize(); ++rank)
    {
        const uint32_t leader = rank - rank % m_sets;
        const uint32_t representative =
            m_classes.GetRepresentative(m_classes.GetClass(leader / m_sets)) * m_sets;
        if (m_ranks.GetClass(rank) != m_ranks.GetClass(leader) ||
            m_ranks.GetClass(leader) != m_ranks.GetClass(representative))
        {
            return "rank " + std::to_string(rank) + " runs another program than rank " +
                   std::to_string(m_ranks.GetClass(rank) != m_ranks.GetClass(leader)
                                      ? leader
                                      : representative);
        }
    }
    std::vector<Roles> roles;
    for (const auto& program : m_ranks.GetPrograms())
    {
        roles.push_back(GetRoles(*program));
    }
    for (uint32_t rank = 0; rank < m_whole.GetWorldSize(); ++rank)
    {
        if (auto error = CheckGroups(rank, roles[m_ranks.GetClass(rank)]); !error.empty())
        {
            return error;
        }
    }
    return "";
}

RailSymmetry::Roles
RailSymmetry::GetRoles(const RankProgram& program)
{
    Roles roles;
    for (const auto& operation : program.GetOperations())
    {
        if (operation.IsCall())
        {
            roles.emplace(operation.role, operation.place == RankOperation::SCALE_OUT);
        }
    }
    return roles;
}

std::string
RailSymmetry::CheckGroups(uint32_t rank, const Roles& roles) const
{
    for (const auto& [role, leaves] : roles)
    {
        const ProcessGroup& group = m_whole.GetGroup(rank, role);
        const ProcessGroup& inSet = m_mesh.GetGroup(rank / m_sets, role);
        std::vector<uint32_t> expected;
        for (const uint32_t member : inSet.ranks)
        {
            expected.push_back(member * m_sets + rank % m_sets);
        }
        const bool isInside = m_mesh.GetReach(inSet) < RankLayout::SCALE_OUT;
        if (leaves ? group.ranks != expected : !isInside)
        {
            return "the " + ToString(role) + " group of rank " + std::to_string(rank) +
                   " is neither inside a domain nor the same " +
                   (m_sets == m_whole.GetRails() ? "on every rail" : "in every set of rails");
        }
    }
    return "";
}

JobRanks
RailSymmetry::MakeRanks() const
{
    std::vector<uint32_t> classes;
    for (uint32_t rank = 0; rank < m_mesh.GetWorldSize(); ++rank)
    {
        classes.push_back(m_classes.GetClass(rank));
    }
    JobRanks::Programs programs;
    for (uint32_t i = 0; i < m_classes.GetCount(); ++i)
    {
        programs.push_back(m_ranks.GetProgram(m_classes.GetRepresentative(i) * m_sets));
    }
    return JobRanks(m_mesh, std::move(classes), std::move(programs), m_ranks.GetAlgorithms());
}

} // namespace ns3
