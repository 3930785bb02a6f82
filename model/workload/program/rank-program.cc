// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program.h"

#include "ns3/assert.h"
#include "ns3/time-sum.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

namespace ns3
{

std::string
ToString(Dimension dimension)
{
    static const char* const NAMES[] = {"compute", "tp", "fsdp", "pp", "dp", "cp", "ep", "other"};
    return NAMES[static_cast<std::size_t>(dimension)];
}

std::string
ToString(RankOperation::Stream stream)
{
    static const char* const NAMES[] =
        {"compute", "tp", "cp", "ep", "fsdp", "dp", "send", "receive", "gpu", "host", "instant"};
    return stream < RankOperation::CALL_STREAMS
               ? NAMES[stream]
               : "calls " + std::to_string(stream - RankOperation::CALL_STREAMS);
}

std::string
ToString(RankOperation::Place place)
{
    static const char* const NAMES[] = {"gpu", "host", "scale-up", "scale-out"};
    return NAMES[static_cast<std::size_t>(place)];
}

namespace
{

/// Remove repetitions from a list. @param all the list; other entries keep their order
void
RemoveRepetitions(std::vector<uint32_t>& all)
{
    if (all.size() < 2)
    {
        return; // most operations
    }
    std::set<uint32_t> seen;
    all.erase(std::remove_if(all.begin(),
                             all.end(),
                             [&seen](uint32_t one) { return !seen.insert(one).second; }),
              all.end());
}

} // namespace

RankContext
RankOperation::MakeContext(const GroupShape& shape, uint32_t index) const
{
    RankContext context;
    context.call.kind = kind;
    context.call.bytes = bytes;
    context.call.sizes = sizes;
    context.root = root;
    context.shape = shape;
    context.index = index;
    return context;
}

RankProgram::RankProgram(std::vector<RankOperation> operations, bool waitsForMessages)
    : m_operations(std::move(operations)),
      m_waitsForMessages(waitsForMessages),
      m_successors(m_operations.size()),
      m_predecessorCounts(m_operations.size(), 0)
{
    std::map<uint16_t, uint32_t> last; // by stream
    for (uint32_t index = 0; index < GetSize(); ++index)
    {
        RankOperation& operation = m_operations[index];
        RemoveRepetitions(operation.dependencies);
        std::vector<uint32_t> predecessors = operation.dependencies;
        if (operation.IsInOrder())
        {
            const auto [place, isFirst] = last.emplace(operation.stream, index);
            if (!isFirst)
            {
                predecessors.push_back(place->second);
                place->second = index;
            }
        }
        std::sort(predecessors.begin(), predecessors.end());
        predecessors.erase(std::unique(predecessors.begin(), predecessors.end()),
                           predecessors.end());
        for (uint32_t predecessor : predecessors)
        {
            NS_ASSERT_MSG(predecessor < index, "operation " << index << " depends on a later one");
            m_successors[predecessor].push_back(index);
        }
        m_predecessorCounts[index] = static_cast<uint32_t>(predecessors.size());
    }
    FindTimedRuns(false);
    FindTimedRuns(true);
}

void
RankProgram::FindTimedRuns(bool scaleUpOnNetwork)
{
    std::vector<TimedRun>& runs = m_timedRuns[scaleUpOnNetwork];
    runs.resize(m_operations.size());
    for (uint32_t index = GetSize(); index-- > 0;)
    {
        const RankOperation& operation = m_operations[index];
        if (operation.IsCall() && (operation.place != RankOperation::SCALE_UP || scaleUpOnNetwork))
        {
            continue;
        }
        runs[index] = {index, 1, operation.duration};
        const std::vector<uint32_t>& successors = m_successors[index];
        if (operation.IsInOrder() && successors.size() == 1 &&
            m_operations[successors.front()].IsInOrder() &&
            m_predecessorCounts[successors.front()] == 1 && runs[successors.front()].operations > 0)
        {
            const TimedRun& rest = runs[successors.front()];
            runs[index] = {rest.last,
                           rest.operations + 1,
                           Min(operation.duration + rest.duration, GetTimeLimit())};
        }
    }
}

RankBinding::RankBinding(const RankLayout& layout, uint32_t rank)
    : m_rank(rank)
{
    for (uint32_t i = 0; i < layout.GetRoles(); ++i)
    {
        const ProcessGroup& group = layout.GetGroup(rank, static_cast<GroupRole>(i));
        m_groupId.push_back(group.id);
        m_peer.push_back(group.ranks.front() == rank ? group.ranks.back() : group.ranks.front());
    }
}

CollectiveCall
RankBinding::Bind(const RankOperation& operation) const
{
    NS_ASSERT(operation.IsCall());
    const auto role = static_cast<std::size_t>(operation.role);
    CollectiveCall call;
    call.kind = operation.kind;
    call.groupId = m_groupId[role];
    call.bytes = operation.bytes;
    call.sizes = operation.sizes;
    call.stream = static_cast<uint8_t>(std::min<uint16_t>(operation.stream, UINT8_MAX));
    if (call.IsPointToPoint())
    {
        call.peer = m_peer[role];
    }
    else if (call.HasRoot())
    {
        call.peer = m_roots.at({operation.role, operation.root});
    }
    return call;
}

void
RankBinding::AddRoots(const RankProgram& program, const RankLayout& layout)
{
    for (const RankOperation& operation : program.GetOperations())
    {
        if (operation.IsCall() && (operation.kind == CollectiveKind::BROADCAST ||
                                   operation.kind == CollectiveKind::REDUCE))
        {
            m_roots[{operation.role, operation.root}] =
                layout.GetGroup(m_rank, operation.role).ranks.at(operation.root);
        }
    }
}

namespace
{

/// @return the number with 15 significant digits
std::string
FlopsToText(double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.15g", value);
    return text;
}

} // namespace

std::string
RankProgramCsv::Quote(const std::string& field)
{
    if (field.find_first_of(",\"\r\n") == std::string::npos)
    {
        return field;
    }
    std::string quoted = "\"";
    for (const char character : field)
    {
        quoted += character;
        if (character == '"')
        {
            quoted += character;
        }
    }
    return quoted + "\"";
}

void
RankProgramCsv::Write(const RankProgram& program,
                      const RankLayout& layout,
                      uint32_t rank,
                      std::ostream& out)
{
    RankBinding binding(layout, rank);
    binding.AddRoots(program, layout);
    out << "index,stream,place,dimension,role,kind,ranks,peer,bytes,flops,duration_s,label,"
           "dependencies\n";
    for (uint32_t index = 0; index < program.GetSize(); ++index)
    {
        const RankOperation& operation = program.GetOperations()[index];
        out << index << ',' << ToString(operation.stream) << ',' << ToString(operation.place) << ','
            << ToString(operation.dimension) << ',';
        if (!operation.IsCall())
        {
            out << ",,,,," << FlopsToText(operation.flops) << ',';
        }
        else
        {
            const CollectiveCall call = binding.Bind(operation);
            out << layout.GetRoleName(operation.role) << ',' << ToString(operation.kind) << ','
                << layout.GetGroup(rank, operation.role).GetSize() << ',';
            if (call.IsPointToPoint())
            {
                out << call.peer;
            }
            out << ',' << operation.bytes << ",,";
        }
        if (operation.place != RankOperation::SCALE_OUT)
        {
            out << FlopsToText(operation.duration.GetSeconds());
        }
        out << ',' << Quote(operation.label) << ',';
        const char* separator = "";
        for (const uint32_t dependency : operation.dependencies)
        {
            out << separator << dependency;
            separator = " ";
        }
        out << '\n';
    }
}

} // namespace ns3
