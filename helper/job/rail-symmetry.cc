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

/// Divide a degree, and the remaining size of the domain, by their common part.
void
TakeInside(uint32_t& degree, uint32_t& left)
{
    const uint32_t inside = std::gcd(degree, left);
    degree /= inside;
    left /= inside;
}

} // namespace

RailSymmetry::RailSymmetry(const WorkloadSpec& spec, const JobRanks& ranks)
    : m_ranks(ranks),
      m_whole(ranks.GetLayout()),
      m_rail(MakeRail(spec)),
      m_mesh(m_rail.parallelism),
      m_classes(m_rail, m_mesh)
{
}

WorkloadSpec
RailSymmetry::MakeRail(const WorkloadSpec& spec)
{
    WorkloadSpec rail = spec;
    ParallelismSpec& parallelism = rail.parallelism;
    const auto& dimensions = parallelism.order.GetDimensions();
    uint32_t left = parallelism.gpusPerDomain;
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension)
    {
        uint32_t& degree = SelectDimension(parallelism, *dimension);
        TakeInside(degree, left);
        if (degree > 1)
        {
            break; // all outer dimensions are outside the domain
        }
    }
    left = parallelism.gpusPerDomain;
    TakeInside(parallelism.expertTp,
               left); // expertTp is innermost among the ranks of expert parallelism
    TakeInside(parallelism.ep, left);
    parallelism.gpusPerDomain = 1;
    return rail;
}

std::string
RailSymmetry::Check() const
{
    if (uint64_t{m_mesh.GetWorldSize()} * GetRails() != m_whole.GetWorldSize())
    {
        return "the " + std::to_string(GetRails()) +
               " GPUs of a domain are not whole dimensions of the mesh";
    }
    for (uint32_t rank = 0; rank < m_whole.GetWorldSize(); ++rank)
    {
        const uint32_t leader = rank - m_whole.GetRail(rank);
        const uint32_t representative =
            m_classes.GetRepresentative(m_classes.GetClass(leader / GetRails())) * GetRails();
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
    const uint32_t rail = m_whole.GetRail(rank);
    for (const auto& [role, leaves] : roles)
    {
        const ProcessGroup& group = m_whole.GetGroup(rank, role);
        const ProcessGroup& onRail = m_mesh.GetGroup(m_whole.GetDomain(rank), role);
        std::vector<uint32_t> expected;
        for (const uint32_t domain : onRail.ranks)
        {
            expected.push_back(domain * GetRails() + rail);
        }
        if (leaves ? group.ranks != expected : expected.size() != 1)
        {
            return "the " + ToString(role) + " group of rank " + std::to_string(rank) +
                   " is neither inside a domain nor the same on every rail";
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
        programs.push_back(m_ranks.GetProgram(m_classes.GetRepresentative(i) * GetRails()));
    }
    return JobRanks(m_mesh, std::move(classes), std::move(programs), m_ranks.GetAlgorithms());
}

} // namespace ns3
