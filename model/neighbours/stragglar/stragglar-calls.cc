// SPDX-License-Identifier: GPL-2.0-only

#include "stragglar-calls.h"

#include "ns3/abort.h"
#include "ns3/collective-schedule.h"
#include "ns3/stragglar-plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

StragglarCalls::StragglarCalls(const ProcessGroup& group,
                               uint32_t straggler,
                               uint64_t bytes,
                               uint32_t firstGroupId)
    : m_steps(group.GetSize())
{
    NS_ABORT_MSG_UNLESS(straggler < group.GetSize(), "no such straggler: " << straggler);
    const auto plan = GetStragglarPlan(group.GetSize());
    std::vector<uint32_t> indices; // by place
    for (uint32_t index = 0; index < group.GetSize(); ++index)
    {
        if (index != straggler)
        {
            indices.push_back(index);
        }
    }
    const auto others = static_cast<uint32_t>(indices.size());
    if (others > 1)
    {
        ProcessGroup ring{firstGroupId, {}};
        for (const uint32_t index : indices)
        {
            ring.ranks.push_back(group.ranks[index]);
        }
        m_groups.push_back(ring);
        for (const uint32_t index : indices)
        {
            m_steps[index].push_back({{CollectiveKind::REDUCE_SCATTER, ring.id, bytes}});
        }
    }
    indices.push_back(straggler);

    std::map<std::pair<uint32_t, uint32_t>, uint32_t> pairs; // group id by indices
    const auto addMessage = [&](uint32_t id, uint32_t from, uint32_t to, uint32_t chunk) {
        const uint64_t size = SplitEvenly({0, bytes}, others, chunk).bytes;
        m_steps[from].back().push_back({CollectiveKind::SEND, id, size, group.ranks[to]});
        m_steps[to].back().push_back({CollectiveKind::RECV, id, size, group.ranks[from]});
    };
    for (const auto& round : plan->rounds)
    {
        for (const auto& meeting : round)
        {
            const uint32_t a = indices[meeting.a];
            const uint32_t b = indices[meeting.b];
            const auto [pair, isNew] =
                pairs.try_emplace(std::minmax(a, b),
                                  firstGroupId + static_cast<uint32_t>(m_groups.size()));
            if (isNew)
            {
                const auto [low, high] = pair->first;
                m_groups.push_back({pair->second, {group.ranks[low], group.ranks[high]}});
            }
            m_steps[a].emplace_back();
            m_steps[b].emplace_back();
            if (meeting.fromA != StragglarMeeting::NONE)
            {
                addMessage(pair->second, a, b, meeting.fromA);
            }
            if (meeting.fromB != StragglarMeeting::NONE)
            {
                addMessage(pair->second, b, a, meeting.fromB);
            }
        }
    }
}

} // namespace ns3
