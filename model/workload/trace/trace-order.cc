// SPDX-License-Identifier: GPL-2.0-only

#include "trace-order.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>

namespace ns3
{

namespace
{

/// @return a hash of the sizes of an AllToAll
uint64_t
HashSizes(const AllToAllSizes& sizes)
{
    std::size_t hash = sizes.GetRanks();
    for (const uint64_t bytes : ListSizes(sizes))
    {
        boost::hash_combine(hash, bytes);
    }
    return hash;
}

} // namespace

bool
TraceOrder::Possible::operator>(const Possible& other) const
{
    return std::tie(node, isMessage, collective, pair, tag) >
           std::tie(other.node, other.isMessage, other.collective, other.pair, other.tag);
}

TraceOrder::TraceOrder(const std::vector<TraceGraph>& graphs,
                       const std::vector<TraceRank>& ranks,
                       const std::vector<ProcessGroup>& groups)
    : m_graphs(graphs),
      m_ranks(ranks),
      m_groups(groups),
      m_offsets(graphs.size()),
      m_successors(graphs.size()),
      m_order(ranks.size())
{
    for (std::size_t i = 0; i < graphs.size(); ++i)
    {
        graphs[i].FindSuccessors(m_offsets[i], m_successors[i]);
    }
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        m_waiting.push_back(graphs[ranks[rank].graph].CountDependencies());
        m_indices.emplace_back();
        for (const uint32_t group : ranks[rank].groups)
        {
            m_indices.back().push_back(groups[group].GetIndex(rank));
        }
    }
}

const TraceNode&
TraceOrder::GetNode(uint32_t rank, uint32_t node) const
{
    return m_graphs[m_ranks[rank].graph].nodes[node];
}

std::vector<std::vector<uint32_t>>
TraceOrder::Find(const std::function<std::string(uint32_t, uint32_t)>& name)
{
    m_name = name;
    uint64_t left = 0;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        left += m_waiting[rank].size();
        for (uint32_t node = 0; node < m_waiting[rank].size(); ++node)
        {
            if (m_waiting[rank][node] == 0)
            {
                m_stack.emplace_back(rank, node);
            }
        }
        Drain();
    }
    while (true)
    {
        if (!m_possible.empty())
        {
            const Possible next = m_possible.top();
            m_possible.pop();
            next.isMessage ? TakeMessages(next.pair, next.tag) : TakeCollective(next.collective);
        }
        else if (!TakeSend() && !TakeUneven())
        {
            break;
        }
        Drain();
    }
    for (const auto& waiting : m_waiting)
    {
        for (const uint32_t one : waiting)
        {
            left -= one == UINT32_MAX ? 1 : 0;
        }
    }
    const bool hasUnreceived =
        std::any_of(m_channels.begin(), m_channels.end(), [](const auto& entry) {
            return !entry.second.sent.empty();
        });
    if (left > 0 || hasUnreceived)
    {
        Refuse();
    }
    return std::move(m_order);
}

void
TraceOrder::Drain()
{
    while (!m_stack.empty())
    {
        const auto [rank, node] = m_stack.back();
        m_stack.pop_back();
        HandleReady(rank, node);
    }
}

void
TraceOrder::HandleReady(uint32_t rank, uint32_t node)
{
    switch (GetNode(rank, node).kind)
    {
    case TraceNode::COLLECTIVE:
        AddCollective(rank, node);
        break;
    case TraceNode::SEND:
    case TraceNode::RECV:
        AddMessage(rank, node, GetNode(rank, node).kind == TraceNode::SEND);
        break;
    default:
        End(rank, node);
    }
}

void
TraceOrder::End(uint32_t rank, uint32_t node)
{
    m_waiting[rank][node] = UINT32_MAX; // has ended
    if (GetNode(rank, node).IsCall())
    {
        m_order[rank].push_back(node);
    }
    const uint32_t graph = m_ranks[rank].graph;
    for (uint32_t i = m_offsets[graph][node]; i < m_offsets[graph][node + 1]; ++i)
    {
        const uint32_t successor = m_successors[graph][i];
        if (--m_waiting[rank][successor] == 0)
        {
            m_stack.emplace_back(rank, successor);
        }
    }
}

void
TraceOrder::AddCollective(uint32_t rank, uint32_t node)
{
    const TraceNode& call = GetNode(rank, node);
    const uint32_t group = m_ranks[rank].groups[call.role];
    // Ranks of an AllToAll whose parts differ send different sums, and agree on all parts.
    const auto& sizes = m_graphs[m_ranks[rank].graph].sizes;
    const auto parts = sizes.find(node);
    const uint64_t bytes = parts == sizes.end() ? call.bytes : HashSizes(*parts->second);
    const CollectiveKey key(group, call.collective, bytes, call.root);
    Calls& calls = m_collectives[key];
    calls.ready.resize(m_groups[group].GetSize());
    Nodes& own = calls.ready[m_indices[rank][call.role]];
    calls.members += own.empty() ? 1 : 0;
    own.push(node);
    if (calls.members == calls.ready.size() && !calls.isListed)
    {
        calls.isListed = true;
        m_possible.push({calls.ready.front().top(), false, key, {}, 0});
    }
}

void
TraceOrder::TakeCollective(const CollectiveKey& key)
{
    const auto place = m_collectives.find(key);
    Calls& calls = place->second;
    const ProcessGroup& group = m_groups[std::get<0>(key)];
    bool isEmpty = true;
    for (uint32_t i = 0; i < group.GetSize(); ++i)
    {
        Nodes& own = calls.ready[i];
        End(group.ranks[i], own.top());
        own.pop();
        calls.members -= own.empty() ? 1 : 0;
        isEmpty = isEmpty && own.empty();
    }
    calls.isListed = calls.members == calls.ready.size();
    if (calls.isListed)
    {
        m_possible.push({calls.ready.front().top(), false, key, {}, 0});
    }
    else if (isEmpty)
    {
        m_collectives.erase(place);
    }
}

void
TraceOrder::AddMessage(uint32_t rank, uint32_t node, bool isSend)
{
    const TraceNode& call = GetNode(rank, node);
    const ProcessGroup& group = m_groups[m_ranks[rank].groups[call.role]];
    const uint32_t peer = group.ranks[group.ranks[0] == rank ? 1 : 0];
    const Pair pair = isSend ? Pair(rank, peer) : Pair(peer, rank);
    const uint64_t number = m_ranks[rank].tags[call.tag];
    Channel& channel = m_channels[pair];
    Tag& tag = channel.tags[number];
    if (isSend)
    {
        tag.sends.push(node);
        m_sends.emplace(node, rank);
    }
    else
    {
        tag.receives.push(node);
    }
    if (!channel.sent.empty() && channel.sent.front().first == number)
    {
        Advance(pair);
    }
    else if (!tag.sends.empty() && !tag.receives.empty())
    {
        m_possible.push({tag.sends.top(), true, {}, pair, number});
    }
}

void
TraceOrder::TakeMessages(const Pair& pair, uint64_t number)
{
    Channel& channel = m_channels[pair];
    const auto tag = channel.tags.find(number);
    if (tag == channel.tags.end() || tag->second.sends.empty() || tag->second.receives.empty())
    {
        return; // they have taken their places before
    }
    if (!channel.sent.empty())
    {
        channel.waiting.push_back(number);
        return;
    }
    const uint32_t send = tag->second.sends.top();
    tag->second.sends.pop();
    const uint64_t bytes = GetNode(pair.first, send).bytes;
    End(pair.first, send);
    EndReceive(pair, number, bytes);
}

bool
TraceOrder::TakeSend()
{
    while (!m_sends.empty())
    {
        const auto [node, rank] = m_sends.top();
        m_sends.pop();
        if (m_waiting[rank][node] == UINT32_MAX)
        {
            continue; // has taken its place with its Recv
        }
        const TraceNode& call = GetNode(rank, node);
        const ProcessGroup& group = m_groups[m_ranks[rank].groups[call.role]];
        const Pair pair(rank, group.ranks[group.ranks[0] == rank ? 1 : 0]);
        const uint64_t number = m_ranks[rank].tags[call.tag];
        Channel& channel = m_channels[pair];
        Nodes& sends = channel.tags[number].sends;
        channel.sent.emplace_back(number, GetNode(rank, sends.top()).bytes);
        End(rank, sends.top());
        sends.pop();
        Advance(pair);
        return true;
    }
    return false;
}

bool
TraceOrder::HasSizes(uint32_t rank, uint32_t node) const
{
    return m_graphs[m_ranks[rank].graph].sizes.count(node) > 0;
}

std::vector<std::map<TraceOrder::CollectiveKey, TraceOrder::Calls>::iterator>
TraceOrder::FindUneven(std::map<CollectiveKey, Calls>::iterator first,
                       std::map<CollectiveKey, Calls>::iterator end) const
{
    const ProcessGroup& group = m_groups[std::get<0>(first->first)];
    std::vector<std::map<CollectiveKey, Calls>::iterator> lowest(group.GetSize(), end);
    for (auto calls = first; calls != end; ++calls)
    {
        for (uint32_t i = 0; i < group.GetSize(); ++i)
        {
            const Nodes& own = calls->second.ready[i];
            if (!own.empty() && !HasSizes(group.ranks[i], own.top()) &&
                (lowest[i] == end || own.top() < lowest[i]->second.ready[i].top()))
            {
                lowest[i] = calls;
            }
        }
    }
    return std::count(lowest.begin(), lowest.end(), end) > 0 ? decltype(lowest)() : lowest;
}

bool
TraceOrder::TakeUneven()
{
    for (auto first = m_collectives.begin(); first != m_collectives.end();)
    {
        const auto [id, kind, bytes, root] = first->first;
        const auto end = m_collectives.upper_bound({id, kind, UINT64_MAX, UINT32_MAX});
        const auto lowest = kind == CollectiveKind::ALL_TO_ALL ? FindUneven(first, end)
                                                               : std::vector<decltype(first)>();
        first = end;
        if (lowest.empty())
        {
            continue;
        }
        const ProcessGroup& group = m_groups[id];
        std::vector<uint64_t> parts;
        for (const auto& calls : lowest)
        {
            const uint64_t sum = std::get<2>(calls->first);
            parts.push_back(sum / group.GetSize() + (sum % group.GetSize() > 0 ? 1 : 0));
        }
        const auto sizes = Create<const AllToAllSizes>(parts, AllToAllSizes::Pattern{1, 0});
        for (uint32_t i = 0; i < group.GetSize(); ++i)
        {
            Nodes& own = lowest[i]->second.ready[i];
            m_uneven[{group.ranks[i], own.top()}] = sizes;
            End(group.ranks[i], own.top());
            own.pop();
            lowest[i]->second.members -= own.empty() ? 1 : 0;
        }
        return true;
    }
    return false;
}

void
TraceOrder::Advance(const Pair& pair)
{
    Channel& channel = m_channels[pair];
    while (!channel.sent.empty())
    {
        const auto [number, bytes] = channel.sent.front();
        if (channel.tags[number].receives.empty())
        {
            return;
        }
        channel.sent.pop_front();
        EndReceive(pair, number, bytes);
    }
    for (; !channel.waiting.empty(); channel.waiting.pop_front())
    {
        const Tag& tag = channel.tags[channel.waiting.front()];
        if (!tag.sends.empty())
        {
            m_possible.push({tag.sends.top(), true, {}, pair, channel.waiting.front()});
        }
    }
}

void
TraceOrder::EndReceive(const Pair& pair, uint64_t number, uint64_t bytes)
{
    Channel& channel = m_channels[pair];
    const auto tag = channel.tags.find(number);
    const uint32_t node = tag->second.receives.top();
    tag->second.receives.pop();
    if (GetNode(pair.second, node).bytes != bytes)
    {
        throw TraceError(m_name(pair.second, node) + "receives " +
                         std::to_string(GetNode(pair.second, node).bytes) + " bytes, and rank " +
                         std::to_string(pair.first) + " sends " + std::to_string(bytes));
    }
    End(pair.second, node);
    if (!tag->second.sends.empty() && !tag->second.receives.empty())
    {
        m_possible.push({tag->second.sends.top(), true, {}, pair, number});
    }
    else if (tag->second.sends.empty() && tag->second.receives.empty())
    {
        channel.tags.erase(tag);
    }
}

bool
TraceOrder::IsCalling(const CollectiveKey& key, uint32_t index) const
{
    const auto [group, kind, bytes, root] = key;
    const auto end = m_collectives.upper_bound({group, kind, UINT64_MAX, UINT32_MAX});
    return std::any_of(m_collectives.lower_bound({group, kind, 0, 0}),
                       end,
                       [index](const auto& one) { return !one.second.ready[index].empty(); });
}

void
TraceOrder::RefuseCollectives(bool isAbsent) const
{
    for (const auto& [key, calls] : m_collectives)
    {
        const ProcessGroup& group = m_groups[std::get<0>(key)];
        for (uint32_t i = 0; i < group.GetSize(); ++i)
        {
            for (uint32_t k = 0; !calls.ready[i].empty() && k < group.GetSize(); ++k)
            {
                if (calls.ready[k].empty() && !(isAbsent && IsCalling(key, k)))
                {
                    throw TraceError(
                        m_name(group.ranks[i], calls.ready[i].top()) + ToString(std::get<1>(key)) +
                        " of " +
                        std::to_string(GetNode(group.ranks[i], calls.ready[i].top()).bytes) +
                        " bytes among " + std::to_string(group.GetSize()) + " ranks, which rank " +
                        std::to_string(group.ranks[k]) +
                        " never calls, or waits for before it calls");
                }
            }
        }
    }
}

void
TraceOrder::Refuse() const
{
    for (const auto& [pair, channel] : m_channels)
    {
        const bool isReceiving =
            std::any_of(channel.tags.begin(), channel.tags.end(), [](const auto& entry) {
                return !entry.second.receives.empty();
            });
        if (!channel.sent.empty())
        {
            throw TraceError(
                m_name(pair.first, UINT32_MAX) + "sends a message of tag " +
                std::to_string(channel.sent.front().first) + " to rank " +
                std::to_string(pair.second) +
                (isReceiving ? ", which receives others first" : ", which never receives it"));
        }
    }
    RefuseCollectives(true);
    RefuseCollectives(false);
    for (const auto& [pair, channel] : m_channels)
    {
        for (const auto& [number, tag] : channel.tags)
        {
            if (!tag.receives.empty())
            {
                throw TraceError(m_name(pair.second, tag.receives.top()) +
                                 "receives a message of tag " + std::to_string(number) +
                                 " from rank " + std::to_string(pair.first) +
                                 ", which never sends it");
            }
        }
    }
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        for (uint32_t node = 0; node < m_waiting[rank].size(); ++node)
        {
            if (m_waiting[rank][node] != UINT32_MAX)
            {
                throw TraceError(m_name(rank, node) + "depends on itself, in a circle");
            }
        }
    }
    throw TraceError("traces that never end");
}

} // namespace ns3
