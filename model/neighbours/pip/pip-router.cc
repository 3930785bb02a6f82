// SPDX-License-Identifier: GPL-2.0-only

#include "pip-router.h"

#include "ns3/assert.h"

#include <algorithm>
#include <functional>

namespace ns3
{

namespace
{

constexpr uint32_t CELL = 16;    // cost of a cell and a joint that is not contested
constexpr uint32_t MAX_BANS = 8; // attempts to find a path without a repeated joint
constexpr uint32_t MAX_PRESSURE = 4096;

} // namespace

void
SetPipStates(const std::vector<PipPath>& paths, PipStates& states)
{
    for (const auto& path : paths)
    {
        for (std::size_t i = 0; i + 1 < path.size(); i += 2)
        {
            const bool isBar = path[i + 1] == PipMesh::Pass(path[i], PipMesh::BAR);
            states[path[i] / 4] = isBar ? PipMesh::BAR : PipMesh::CROSS;
        }
    }
}

PipRouter::PipRouter(const PipMesh& mesh)
    : m_mesh(mesh),
      m_prices(mesh.GetEnds()),
      m_steps(mesh.GetEnds())
{
}

uint32_t
PipRouter::GetJoint(uint32_t end) const
{
    return std::min(end, m_mesh.GetMate(end));
}

void
PipRouter::Clear()
{
    std::fill(m_prices.begin(), m_prices.end(), Price());
}

void
PipRouter::Block(const PipPath& path)
{
    for (uint32_t end : path)
    {
        m_prices[GetJoint(end)].blocked = true;
    }
}

void
PipRouter::Unblock(const PipPath& path)
{
    for (uint32_t end : path)
    {
        m_prices[GetJoint(end)].blocked = false;
    }
}

bool
PipRouter::IsFree(const PipPath& path) const
{
    return std::none_of(path.begin(), path.end(), [this](uint32_t end) {
        return m_prices[GetJoint(end)].blocked;
    });
}

void
PipRouter::AddUsers(const PipPath& path, int32_t number)
{
    for (std::size_t i = 1; i < path.size(); i += 2)
    {
        m_prices[GetJoint(path[i])].users += number;
    }
}

bool
PipRouter::IsContested(const PipPath& path) const
{
    for (std::size_t i = 1; i < path.size(); i += 2)
    {
        if (m_prices[GetJoint(path[i])].users > 1)
        {
            return true;
        }
    }
    return false;
}

PipPath
PipRouter::Walk(const Request& request, uint32_t pressure)
{
    const auto [from, to] = request;
    if (m_prices[from].blocked || m_prices[to].blocked)
    {
        return {};
    }
    ++m_visit;
    m_frontier.clear();
    m_steps[from] = Step{m_visit, 0, PipMesh::NONE, false};
    m_frontier.emplace_back(0, from);
    while (!m_frontier.empty())
    {
        std::pop_heap(m_frontier.begin(), m_frontier.end(), std::greater<>());
        const uint32_t entry = m_frontier.back().second;
        m_frontier.pop_back();
        if (m_steps[entry].settled)
        {
            continue;
        }
        m_steps[entry].settled = true;
        for (const auto state : {PipMesh::BAR, PipMesh::CROSS})
        {
            const uint32_t exit = PipMesh::Pass(entry, state);
            if (exit == to)
            {
                PipPath walk{to};
                for (uint32_t end = entry; end != PipMesh::NONE; end = m_steps[end].before)
                {
                    walk.push_back(end);
                    if (end != from)
                    {
                        walk.push_back(m_mesh.GetMate(end));
                    }
                }
                std::reverse(walk.begin(), walk.end());
                return walk;
            }
            const uint32_t next = m_mesh.GetMate(exit);
            const Price& price = m_prices[std::min(exit, next)];
            if (next == PipMesh::NONE || price.blocked ||
                std::find(m_banned.begin(), m_banned.end(), next) != m_banned.end())
            {
                continue;
            }
            const uint32_t cost =
                m_steps[entry].cost + (CELL + price.history) * (1 + price.users * pressure);
            Step& step = m_steps[next];
            if (step.visit != m_visit || (!step.settled && cost < step.cost))
            {
                step = Step{m_visit, cost, entry, false};
                m_frontier.emplace_back(cost, next);
                std::push_heap(m_frontier.begin(), m_frontier.end(), std::greater<>());
            }
        }
    }
    return {};
}

uint32_t
PipRouter::FindReturn(const PipPath& walk) const
{
    std::vector<uint32_t> joints;
    for (std::size_t i = 2; i < walk.size(); i += 2)
    {
        const uint32_t joint = GetJoint(walk[i]);
        if (std::find(joints.begin(), joints.end(), joint) != joints.end())
        {
            return walk[i];
        }
        joints.push_back(joint);
    }
    return PipMesh::NONE;
}

PipPath
PipRouter::Find(const Request& request, uint32_t pressure)
{
    // A cheapest walk repeats a joint only where it reverses in a loop and returns over the same
    // joint. This return is banned, so that the walk must reverse elsewhere.
    m_banned.clear();
    for (uint32_t attempt = 0; attempt <= MAX_BANS; ++attempt)
    {
        PipPath walk = Walk(request, pressure);
        const uint32_t back = FindReturn(walk);
        if (back == PipMesh::NONE)
        {
            return walk;
        }
        m_banned.push_back(back);
    }
    return {};
}

std::vector<PipPath>
PipRouter::Route(const std::vector<Request>& requests, uint32_t rounds)
{
    for (auto& price : m_prices)
    {
        price.users = 0;
        price.history = 0;
    }
    std::vector<PipPath> paths(requests.size());
    for (uint32_t round = 0; round < rounds; ++round)
    {
        bool isDone = true;
        const uint32_t pressure = std::min(MAX_PRESSURE, round * (round + 1) / 2);
        for (std::size_t i = 0; i < requests.size(); ++i)
        {
            if (round > 0 && !IsContested(paths[i]))
            {
                continue; // not contested, or without any path
            }
            AddUsers(paths[i], -1);
            paths[i] = Find(requests[i], pressure);
            AddUsers(paths[i], 1);
        }
        for (auto& price : m_prices)
        {
            if (price.users > 1)
            {
                isDone = false;
                price.history += CELL * (price.users - 1);
            }
        }
        if (isDone)
        {
            return paths;
        }
    }
    // The negotiation has failed: of conflicting paths the first is kept.
    for (auto path = paths.rbegin(); path != paths.rend(); ++path)
    {
        if (IsContested(*path))
        {
            AddUsers(*path, -1);
            path->clear();
        }
    }
    return paths;
}

std::vector<PipPath>
PipRouter::RouteAll(const std::vector<Request>& requests, uint32_t rounds)
{
    auto paths = Route(requests, rounds);
    const bool isComplete =
        std::none_of(paths.begin(), paths.end(), [](const PipPath& path) { return path.empty(); });
    return isComplete ? paths : std::vector<PipPath>();
}

} // namespace ns3
