// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_PROTOCOL_MODEL_H
#define PHOTONIC_RAILS_LEASE_PROTOCOL_MODEL_H

#include "../fair-line.h"
#include "../track-fabric.h"

#include "ns3/circuit-scheduler.h"
#include "ns3/lease-client.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A step of a rank's program.
struct ModelOperation
{
    uint32_t group{0};
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};
    uint64_t number{0}; //!< of the collective on its group, or of the message in the program
    bool admitted{false};
};

/// A collective of a group as its ranks see it.
struct ModelCollective
{
    std::set<uint32_t> admitted;
    std::set<uint32_t> ended;
};

/**
 * @brief Random programs on random groups, with LeaseClient on every rank, one CircuitScheduler,
 * and messages that take random times between them.
 *
 * The collectives are a model: they end when all ranks take part, in any order, and stand still
 * where a rank is suspended.
 *
 * The switch may block: then it has the fewest tracks with which each group is possible alone. It
 * may also lose all its circuits now and then; what is under way waits until there is light again.
 */
class LeaseProtocolModel
{
  public:
    /// What makes life harder.
    struct Trouble
    {
        bool speculate{false}; //!< ranks ask for groups that they may never need
        bool blocks{false};    //!< the switch has a fabric
        bool loses{false};     //!< all circuits, now and then
        bool cuts{false};      //!< collectives are suspended although all ranks take part
    };

    LeaseProtocolModel(uint32_t seed, const Trouble& trouble)
        : m_random(seed),
          m_trouble(trouble)
    {
        MakeGroups();
        MakePrograms();
        for (uint32_t i = 0; m_trouble.loses && i < 4; ++i)
        {
            After(Draw(3000), [this] { Lose(); });
        }
    }

    /// @return an empty string, or what went wrong
    std::string Run()
    {
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            for (uint32_t stream = 0; stream < STREAMS; ++stream)
            {
                After(Draw(20), [this, rank, stream] { Issue(rank, stream); });
            }
        }
        uint64_t steps = 0;
        while (!m_events.empty() && m_error.empty())
        {
            const auto event = m_events.begin();
            m_now = event->first.first;
            const std::function<void()> act = event->second;
            m_events.erase(event);
            act();
            Check(m_scheduler.CheckInvariants());
            if (++steps > 200000)
            {
                return "no end";
            }
        }
        if (m_error.empty() && m_left > 0)
        {
            return "deadlock: " + std::to_string(m_left) + " operations left";
        }
        return m_error;
    }

    uint64_t GetSwitches() const
    {
        return m_switches;
    }

    uint64_t GetSuspensions() const
    {
        return m_suspensions;
    }

    /// @return circuits that were dropped although nobody needed their ports
    uint64_t GetEvictions() const
    {
        return m_evictions;
    }

    /// @return how often a collective that a rank had completed stood still for the others
    uint64_t GetCuts() const
    {
        return m_cuts;
    }

    /// @return commands that a group needed because its circuits had been lost
    uint64_t GetRelights() const
    {
        return m_relights;
    }

  private:
    static constexpr uint32_t STREAMS = 3;

    struct Rank
    {
        LeaseClient leases;
        std::vector<std::deque<ModelOperation>> streams{STREAMS};
        std::set<uint32_t> suspended;
        uint64_t upstream{0};   //!< time of the last message to the controller
        uint64_t downstream{0}; //!< and from it: messages keep their order
    };

    uint64_t Draw(uint64_t limit)
    {
        return std::uniform_int_distribution<uint64_t>(0, limit)(m_random);
    }

    void After(uint64_t delay, std::function<void()> act)
    {
        m_events[{m_now + delay, ++m_lastEvent}] = std::move(act);
    }

    void Check(const std::string& error)
    {
        if (m_error.empty())
        {
            m_error = error;
        }
    }

    void MakeGroups()
    {
        const uint32_t world = 2 + Draw(6);
        const uint32_t ports = Draw(3) ? 2 : 4;
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            m_ranks.push_back(std::make_unique<Rank>());
        }
        const uint32_t groups = 1 + Draw(5);
        std::vector<CircuitPlan> plans;
        for (uint32_t id = 0; id < groups; ++id)
        {
            std::vector<uint32_t> ranks(world);
            for (uint32_t i = 0; i < world; ++i)
            {
                ranks[i] = i;
            }
            std::shuffle(ranks.begin(), ranks.end(), m_random);
            ranks.resize(Draw(1) ? 2 : 2 + Draw(world - 2));
            std::vector<CircuitPlanner::Member> members;
            for (uint32_t rank : ranks)
            {
                CircuitPlanner::Member member{rank, {}};
                for (uint32_t port = 0; port < ports; ++port)
                {
                    member.ports.push_back(OcsPortId{0, ports * rank + port});
                }
                members.push_back(member);
            }
            plans.push_back(CircuitPlanner::PlanRing(members).plan);
            m_groups.push_back(ranks);
            m_fairLine.AddGroup({0, id}, ranks);
        }
        if (m_trouble.blocks)
        {
            MakeFabric(world * ports, plans);
        }
        for (uint32_t id = 0; id < groups; ++id)
        {
            m_scheduler.AddGroup(GroupKey{0, id}, m_groups[id], plans[id]);
        }
    }

    void MakeFabric(uint32_t ports, const std::vector<CircuitPlan>& plans)
    {
        const auto fits = [](CircuitFabric& fabric, const CircuitPlan& plan) {
            fabric.Clear();
            return fabric.Change({}, plan.at(0)).empty();
        };
        for (uint32_t tracks = 1; !m_fabric; ++tracks)
        {
            const auto fabric = test::TrackFabric::Make(ports, tracks);
            if (std::all_of(plans.begin(), plans.end(), [&](const auto& plan) {
                    return fits(*fabric, plan);
                }))
            {
                m_fabric = fabric;
            }
        }
        m_fabric->Clear();
        m_scheduler.SetFabric(0, m_fabric->Copy());
    }

    /// The switch is dark, and what it was told is forgotten.
    void Lose()
    {
        ++m_losses;
        m_switch.clear();
        if (m_fabric)
        {
            m_fabric->Clear();
        }
        Perform(m_scheduler.ReportLoss(0));
    }

    /// One global order of operations, of which every rank's streams execute their own: such a
    /// program always ends on a network that connects everybody.
    void MakePrograms()
    {
        std::vector<uint64_t> collectives(m_groups.size());
        const uint32_t operations = 5 + Draw(40);
        uint32_t group = 0;
        for (uint32_t i = 0; i < operations; ++i)
        {
            group = Draw(2) ? group : Draw(m_groups.size() - 1);
            const std::vector<uint32_t>& ranks = m_groups[group];
            // A group has a stream for its collectives and one for either end of its messages.
            // Messages need a group of two: no other rank would ask for their circuits.
            if (ranks.size() > 2 || Draw(1))
            {
                for (uint32_t rank : ranks)
                {
                    Append(rank, group, {group, CollectiveKind::ALL_REDUCE, collectives[group]});
                }
                ++collectives[group];
            }
            else
            {
                const uint32_t from = Draw(1);
                Append(ranks[from], group + 1, {group, CollectiveKind::SEND, i});
                Append(ranks[1 - from], group + 1, {group, CollectiveKind::RECV, i});
            }
        }
    }

    void Append(uint32_t rank, uint32_t stream, const ModelOperation& operation)
    {
        m_ranks[rank]->streams[stream % STREAMS].push_back(operation);
        ++m_left;
    }

    void Issue(uint32_t rank, uint32_t stream)
    {
        Rank& r = *m_ranks[rank];
        if (r.streams[stream].empty())
        {
            return;
        }
        const ModelOperation& operation = r.streams[stream].front();
        if (m_trouble.speculate && Draw(4) == 0)
        {
            // A wish out of the blue, right or wrong, and perhaps taken back.
            const uint32_t any = Draw(m_groups.size() - 1);
            const auto& members = m_groups[any];
            if (std::find(members.begin(), members.end(), rank) != members.end())
            {
                r.leases.Prefetch(any, Draw(1));
                if (Draw(1))
                {
                    After(Draw(60), [this, rank, any] {
                        m_ranks[rank]->leases.Cancel(any);
                        Work(rank);
                    });
                }
            }
        }
        if (r.leases.Begin(operation.group, operation.kind, stream))
        {
            Admit(rank, stream);
        }
        Work(rank);
    }

    void Admit(uint32_t rank, uint32_t stream)
    {
        ModelOperation& operation = m_ranks[rank]->streams[stream].front();
        operation.admitted = true;
        const auto key = std::make_pair(operation.group, operation.number);
        if (operation.kind == CollectiveKind::SEND)
        {
            After(Draw(30), [this, rank, stream, operation] { Send(rank, stream, operation); });
        }
        else if (operation.kind == CollectiveKind::RECV)
        {
            m_receivers[key] = {rank, stream};
            Arrive(operation.group, operation.number);
        }
        else
        {
            m_collectives[key].admitted.insert(rank);
            Progress(operation.group, operation.number);
        }
    }

    void Send(uint32_t rank, uint32_t stream, const ModelOperation& operation)
    {
        if (IsRepaired(operation.group))
        {
            After(10, [this, rank, stream, operation] { Send(rank, stream, operation); });
            return;
        }
        CheckLight(operation.group);
        m_arrived.insert({operation.group, operation.number});
        Finish(rank, stream);
        Arrive(operation.group, operation.number);
    }

    /// @return true if traffic has to wait for light that was lost
    bool IsRepaired(uint32_t group) const
    {
        return m_losses > 0 && !m_scheduler.IsUp(GroupKey{0, group});
    }

    void Arrive(uint32_t group, uint64_t number)
    {
        const auto receiver = m_receivers.find({group, number});
        if (m_arrived.count({group, number}) && receiver != m_receivers.end())
        {
            const auto [rank, stream] = receiver->second;
            m_receivers.erase(receiver);
            After(Draw(5), [this, rank = rank, stream = stream] { Finish(rank, stream); });
        }
    }

    /// All ranks take part: each ends after a while, unless somebody is suspended.
    void Progress(uint32_t group, uint64_t number)
    {
        ModelCollective& collective = m_collectives[{group, number}];
        if (collective.admitted.size() < m_groups[group].size())
        {
            return;
        }
        for (uint32_t rank : m_groups[group])
        {
            if (!collective.ended.count(rank))
            {
                After(Draw(40), [this, group, number, rank] { TryEnd(group, number, rank); });
            }
        }
    }

    void TryEnd(uint32_t group, uint64_t number, uint32_t rank)
    {
        ModelCollective& collective = m_collectives[{group, number}];
        if (collective.ended.count(rank))
        {
            return; // also asked for by a resume
        }
        for (uint32_t member : m_groups[group])
        {
            // A rank that has ended the collective owes nothing to the others.
            if (m_ranks[member]->suspended.count(group) && !collective.ended.count(member))
            {
                m_cuts += collective.ended.empty() ? 0 : 1;
                Check(m_cuts == 0 || m_trouble.cuts ? "" : "a collective is cut in two");
                return; // the resume tries again
            }
        }
        if (IsRepaired(group))
        {
            After(10, [this, group, number, rank] { TryEnd(group, number, rank); });
            return;
        }
        CheckLight(group);
        collective.ended.insert(rank);
        Rank& r = *m_ranks[rank];
        for (uint32_t stream = 0; stream < STREAMS; ++stream)
        {
            if (!r.streams[stream].empty() && r.streams[stream].front().admitted &&
                r.streams[stream].front().group == group &&
                !(r.streams[stream].front().kind == CollectiveKind::SEND ||
                  r.streams[stream].front().kind == CollectiveKind::RECV))
            {
                Finish(rank, stream);
                return;
            }
        }
        Check("an ended collective has no operation");
    }

    void CheckLight(uint32_t group)
    {
        Check(m_scheduler.IsUp(GroupKey{0, group}) ? "" : "traffic in the dark");
    }

    void Finish(uint32_t rank, uint32_t stream)
    {
        Rank& r = *m_ranks[rank];
        const ModelOperation operation = r.streams[stream].front();
        r.streams[stream].pop_front();
        --m_left;
        r.leases.End(operation.group, operation.kind);
        After(Draw(1) ? 0 : Draw(50), [this, rank, stream] { Issue(rank, stream); });
        Work(rank);
    }

    /// What OpusShim does after every input.
    void Work(uint32_t rank)
    {
        Rank& r = *m_ranks[rank];
        for (auto effects = r.leases.TakeEffects(); !effects.empty();
             effects = r.leases.TakeEffects())
        {
            for (const auto& effect : effects)
            {
                Carry(rank, effect);
            }
        }
        for (const auto& message : r.leases.TakeMessages())
        {
            r.upstream = std::max(r.upstream, m_now + Draw(20));
            After(r.upstream - m_now, [this, rank, message] { Receive(rank, message); });
        }
    }

    void Carry(uint32_t rank, const LeaseClient::Effect& effect)
    {
        Rank& r = *m_ranks[rank];
        const uint32_t group = effect.group;
        switch (effect.type)
        {
        case LeaseClient::Effect::ADMIT:
            Admit(rank, static_cast<uint32_t>(effect.token));
            break;
        case LeaseClient::Effect::SUSPEND:
            ++m_suspensions;
            r.suspended.insert(group);
            After(Draw(10), [this, rank, group] {
                m_ranks[rank]->leases.Drained(group);
                Work(rank);
            });
            break;
        case LeaseClient::Effect::RESUME:
            r.suspended.erase(group);
            for (auto& [key, collective] : m_collectives)
            {
                if (key.first == group && collective.ended.size() < m_groups[group].size())
                {
                    Progress(group, key.second);
                }
            }
            break;
        }
    }

    void Receive(uint32_t rank, const LeaseClient::Message& message)
    {
        const GroupKey key{0, message.group};
        const CircuitScheduler::Lease lease{rank, message.lease};
        m_fairLine.Hear(key,
                        rank,
                        {message.request,
                         message.passive,
                         message.speculative,
                         message.lease,
                         message.completed});
        Perform(message.request ? m_scheduler.Request(key,
                                                      lease,
                                                      message.completed,
                                                      message.passive,
                                                      message.speculative)
                                : m_scheduler.Release(key, lease, message.completed));
        Check(m_scheduler.GetIgnored() ? "the scheduler ignored a message" : "");
    }

    void CheckTurn(const GroupKey& key)
    {
        const std::string error = m_fairLine.CheckTurn(key);
        Check(error.empty() ? "" : "group " + std::to_string(key.id) + " " + error);
    }

    void Perform(const CircuitScheduler::Actions& actions)
    {
        for (const auto& grant : actions.grants)
        {
            CheckTurn(grant.group);
            m_fairLine.Grant(grant.group);
        }
        for (const auto& action : actions.switches)
        {
            ++m_switches;
            CheckCommand(action);
            if (m_losses > 0 && m_fairLine.IsHeld(action.group))
            {
                ++m_relights; // which needs no turn
            }
            else
            {
                CheckTurn(action.group);
            }
            After(1 + Draw(50), [this, command = action.command, losses = m_losses] {
                if (losses == m_losses)
                {
                    Perform(m_scheduler.ReportLight(command));
                }
            });
        }
        for (const auto& grant : actions.grants)
        {
            for (const auto& lease : grant.leases)
            {
                Tell(lease.rank, [this, lease, id = grant.group.id] {
                    m_ranks[lease.rank]->leases.Grant(id, lease.number);
                });
            }
        }
        for (const auto& recall : actions.recalls)
        {
            for (const auto& lease : recall.leases)
            {
                Tell(lease.rank, [this, lease, id = recall.group.id, limit = recall.limit] {
                    m_ranks[lease.rank]->leases.Recall(id, lease.number, limit);
                    if (m_trouble.cuts)
                    {
                        After(Draw(60), [this, lease, id] {
                            m_ranks[lease.rank]->leases.Recall(id, lease.number, 0);
                            Work(lease.rank);
                        });
                    }
                });
            }
        }
    }

    /// The switch's own view: a command must name circuits that exist and ports that are free.
    void CheckCommand(const CircuitScheduler::Switch& action)
    {
        const auto needs = [&action](uint32_t port) {
            return std::any_of(action.make.begin(), action.make.end(), [port](const Circuit& x) {
                return x.a == port || x.b == port;
            });
        };
        Check(m_fabric ? m_fabric->Change(action.drop, action.make) : "");
        for (const Circuit& circuit : action.drop)
        {
            m_evictions += needs(circuit.a) || needs(circuit.b) ? 0 : 1;
            Check(m_switch.erase(circuit) ? "" : "a circuit that does not exist is dropped");
        }
        m_switch.insert(action.make.begin(), action.make.end());
        Check(CircuitPlanner::CheckMatching(CircuitSet(m_switch.begin(), m_switch.end())));
    }

    void Tell(uint32_t rank, std::function<void()> act)
    {
        Rank& r = *m_ranks[rank];
        r.downstream = std::max(r.downstream, m_now + Draw(20));
        After(r.downstream - m_now, [this, rank, act] {
            act();
            Work(rank);
        });
    }

    std::mt19937 m_random;
    Trouble m_trouble;
    CircuitScheduler m_scheduler;
    Ptr<CircuitFabric> m_fabric; //!< of the switch; null if it does not block
    test::FairLine m_fairLine;
    std::vector<std::unique_ptr<Rank>> m_ranks;
    std::vector<std::vector<uint32_t>> m_groups;
    std::map<std::pair<uint64_t, uint64_t>, std::function<void()>> m_events;
    std::map<std::pair<uint32_t, uint64_t>, ModelCollective> m_collectives;
    std::map<std::pair<uint32_t, uint64_t>, std::pair<uint32_t, uint32_t>> m_receivers;
    std::set<std::pair<uint32_t, uint64_t>> m_arrived;
    std::set<Circuit> m_switch;
    std::string m_error;
    uint64_t m_now{0};
    uint64_t m_lastEvent{0};
    uint64_t m_left{0};
    uint64_t m_switches{0};
    uint64_t m_suspensions{0};
    uint64_t m_evictions{0};
    uint64_t m_relights{0};
    uint64_t m_losses{0};
    uint64_t m_cuts{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_PROTOCOL_MODEL_H
