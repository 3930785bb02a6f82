// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROGRAM_REPLAY_H
#define PHOTONIC_RAILS_PROGRAM_REPLAY_H

#include "ns3/rank-program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief Runs one rank of every pipeline stage for one iteration, without a simulator.
 *
 * The network is a closed form: bytes over bandwidth, transfers do not disturb each other. The
 * ranks of an FSDP group behave alike, so one of them is enough.
 */
class ProgramReplay
{
  public:
    using Programs = std::vector<std::shared_ptr<const RankProgram>>;

    /**
     * @param programs one per stage
     * @param bandwidth of a rank into its rail, byte/s
     * @param fsdp ranks of an FSDP group
     * @param isRendezvous a send starts only when its receive has been posted
     */
    ProgramReplay(Programs programs, double bandwidth, uint32_t fsdp, bool isRendezvous)
        : m_programs(std::move(programs)),
          m_bandwidth(bandwidth),
          m_fsdp(fsdp),
          m_isRendezvous(isRendezvous)
    {
        for (const auto& program : m_programs)
        {
            m_waitingFor.push_back(program->GetPredecessorCounts());
            m_startOrder.emplace_back();
        }
    }

    /// @return true if all operations of all stages have ended
    bool Run()
    {
        for (uint32_t stage = 0; stage < m_programs.size(); ++stage)
        {
            std::set<uint32_t> ready;
            for (uint32_t i = 0; i < m_programs[stage]->GetSize(); ++i)
            {
                if (m_waitingFor[stage][i] == 0)
                {
                    ready.insert(i);
                }
            }
            Begin(stage, ready);
        }
        std::size_t ended = 0;
        while (!m_ends.empty())
        {
            const auto [time, stage, index] = m_ends.top();
            m_ends.pop();
            m_now = time;
            ++ended;
            std::set<uint32_t> ready;
            for (uint32_t successor : m_programs[stage]->GetSuccessors(index))
            {
                if (--m_waitingFor[stage][successor] == 0)
                {
                    ready.insert(successor);
                }
            }
            Begin(stage, ready);
        }
        std::size_t all = 0;
        for (const auto& program : m_programs)
        {
            all += program->GetSize();
        }
        return ended == all;
    }

    /// @return the end of the last operation, s
    double GetEnd() const
    {
        return m_now;
    }

    /**
     * @param stage a stage
     * @return its operations in the order in which they started
     */
    const std::vector<RankOperation>& GetStartOrder(uint32_t stage) const
    {
        return m_startOrder[stage];
    }

  private:
    /// Stage and index of an operation.
    using Place = std::pair<uint32_t, uint32_t>;
    /// Time of an end, and whose.
    using End = std::tuple<double, uint32_t, uint32_t>;

    void Begin(uint32_t stage, const std::set<uint32_t>& ready)
    {
        for (uint32_t index : ready)
        {
            const RankOperation& operation = m_programs[stage]->GetOperations()[index];
            m_startOrder[stage].push_back(operation);
            if (operation.place != RankOperation::SCALE_OUT)
            {
                m_ends.emplace(m_now + operation.duration.GetSeconds(), stage, index);
            }
            else if (operation.role == GroupRole::FSDP || operation.role == GroupRole::DATA)
            {
                m_ends.emplace(m_now + GetRingTime(operation), stage, index);
            }
            else if (operation.role == GroupRole::PP)
            {
                Join({stage, index});
            }
            else
            {
                Match(operation, {stage, index});
            }
        }
    }

    double GetRingTime(const RankOperation& operation) const
    {
        const double shard = static_cast<double>(operation.bytes) /
                             (operation.kind == CollectiveKind::ALL_GATHER ? 1 : m_fsdp);
        const double steps =
            (operation.kind == CollectiveKind::ALL_REDUCE ? 2.0 : 1.0) * (m_fsdp - 1);
        return steps * shard / m_bandwidth;
    }

    // The scalar AllReduce over all stages.
    void Join(Place place)
    {
        m_joined.push_back(place);
        if (m_joined.size() == m_programs.size())
        {
            for (const auto& [stage, index] : m_joined)
            {
                m_ends.emplace(m_now, stage, index);
            }
            m_joined.clear();
        }
    }

    // Sends and receives between two stages meet in order.
    void Match(const RankOperation& operation, Place place)
    {
        const bool isSend = operation.kind == CollectiveKind::SEND;
        const uint32_t from = isSend ? place.first : GetPeer(operation, place.first);
        const uint32_t to = isSend ? GetPeer(operation, place.first) : place.first;
        Channel& channel = m_channels[{from, to}];
        const double duration = static_cast<double>(operation.bytes) / m_bandwidth;
        (isSend ? channel.sends : channel.receives).push({m_now, place});
        if (isSend && !m_isRendezvous)
        {
            m_ends.emplace(m_now + duration, place.first, place.second);
        }
        if (channel.sends.empty() || channel.receives.empty())
        {
            return;
        }
        const auto [sent, sender] = channel.sends.front();
        const auto [posted, receiver] = channel.receives.front();
        channel.sends.pop();
        channel.receives.pop();
        const double end = m_isRendezvous ? m_now + duration : std::max(m_now, sent + duration);
        m_ends.emplace(end, receiver.first, receiver.second);
        if (m_isRendezvous)
        {
            m_ends.emplace(end, sender.first, sender.second);
        }
    }

    static uint32_t GetPeer(const RankOperation& operation, uint32_t stage)
    {
        return operation.role == GroupRole::PP_NEXT ? stage + 1 : stage - 1;
    }

    /// Sends and receives of one direction that have not met, with their start times.
    struct Channel
    {
        std::queue<std::pair<double, Place>> sends;
        std::queue<std::pair<double, Place>> receives;
    };

    Programs m_programs;
    double m_bandwidth;
    uint32_t m_fsdp;
    bool m_isRendezvous;
    double m_now{0};
    std::vector<std::vector<uint32_t>> m_waitingFor;
    std::vector<std::vector<RankOperation>> m_startOrder;
    std::vector<Place> m_joined;
    std::map<Place, Channel> m_channels;
    std::priority_queue<End, std::vector<End>, std::greater<End>> m_ends;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROGRAM_REPLAY_H
