// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_REPLAY_H
#define PHOTONIC_RAILS_JOB_REPLAY_H

#include "workload-jobs.h"

#include "ns3/rank-program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief Runs all ranks of a small job for one iteration, without a simulator, each at a pace of
 * its own.
 *
 * Every collective is run by all ranks of its group: the k-th calls of all ranks on a group meet,
 * and must be of one kind and agree on their bytes, or on all sizes. Calls on a group follow each
 * other, as in the CollectiveEngine; the k-th Send to a peer meets the k-th Recv there.
 */
class JobReplay
{
  public:
    /**
     * @param job a job
     * @param seed of the durations, which are random
     * @param isRendezvous a send ends only when its receive has been posted
     */
    JobReplay(const WorkloadSpec& job, uint32_t seed, bool isRendezvous)
        : m_mesh(job.parallelism),
          m_random(seed),
          m_isRendezvous(isRendezvous)
    {
        const JobRanks ranks(job);
        for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
        {
            const auto& program = ranks.GetProgram(rank);
            m_ranks.push_back(
                {program, RankBinding(m_mesh, rank), program->GetPredecessorCounts(), {}});
        }
    }

    /// @return an empty string, or what went wrong
    std::string Run()
    {
        std::size_t left = 0;
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            left += m_ranks[rank].program->GetSize();
            for (uint32_t i = 0; i < m_ranks[rank].program->GetSize(); ++i)
            {
                if (m_ranks[rank].waitingFor[i] == 0)
                {
                    Begin(rank, i);
                }
            }
        }
        while (!m_ends.empty() && m_error.empty())
        {
            const auto [time, rank, index] = m_ends.top();
            m_ends.pop();
            m_now = time;
            --left;
            for (const uint32_t successor : m_ranks[rank].program->GetSuccessors(index))
            {
                if (--m_ranks[rank].waitingFor[successor] == 0)
                {
                    Begin(rank, successor);
                }
            }
        }
        if (m_error.empty() && left > 0)
        {
            m_error = std::to_string(left) + " operations never end";
        }
        return m_error;
    }

  private:
    /// Rank and index of an operation.
    using Place = std::pair<uint32_t, uint32_t>;

    /// A rank and what it has done.
    struct Rank
    {
        std::shared_ptr<const RankProgram> program;
        RankBinding binding;
        std::vector<uint32_t> waitingFor;
        std::map<uint32_t, std::size_t> calls; //!< by group
    };

    /// A collective that ranks arrive at.
    struct Meeting
    {
        CollectiveCall call;
        std::vector<Place> places;
    };

    /// Collectives of a group.
    struct Group
    {
        std::vector<Meeting> meetings;
        std::size_t ended{0}; //!< those that run or have run
        uint64_t free{0};     //!< when the last of them ends
    };

    /// One direction between two ranks.
    struct Channel
    {
        std::queue<std::pair<Place, uint64_t>> sends;    //!< with their bytes
        std::queue<std::pair<Place, uint64_t>> receives; //!< with their bytes
    };

    uint64_t Draw()
    {
        return 1 + m_random() % 100;
    }

    void End(const Place& place, uint64_t time)
    {
        m_ends.emplace(time, place.first, place.second);
    }

    void Begin(uint32_t rank, uint32_t index)
    {
        const RankOperation& operation = m_ranks[rank].program->GetOperations()[index];
        const Place place{rank, index};
        if (operation.place == RankOperation::GPU)
        {
            End(place, m_now + Draw());
            return;
        }
        const CollectiveCall call = m_ranks[rank].binding.Bind(operation);
        const bool isInside =
            m_mesh.GetReach(m_mesh.GetGroup(rank, operation.role)) == DeviceMesh::SCALE_UP;
        if (isInside != (operation.place == RankOperation::SCALE_UP) && m_error.empty())
        {
            m_error = "rank " + std::to_string(rank) + " calls " + operation.label +
                      (isInside ? " out of" : " inside") + " its domain";
        }
        if (call.IsPointToPoint())
        {
            Match(call, place);
            return;
        }
        Group& group = m_groups[call.groupId];
        const std::size_t number = m_ranks[rank].calls[call.groupId]++;
        if (number == group.meetings.size())
        {
            group.meetings.push_back({call, {}});
        }
        Meeting& meeting = group.meetings[number];
        meeting.places.push_back(place);
        Compare(meeting, call, operation);
        const std::size_t size = m_mesh.GetGroups()[call.groupId].GetSize();
        while (group.ended < group.meetings.size() &&
               group.meetings[group.ended].places.size() == size)
        {
            group.free = std::max(m_now, group.free) + Draw();
            for (const auto& member : group.meetings[group.ended].places)
            {
                End(member, group.free);
            }
            ++group.ended;
        }
    }

    // Ranks of a group call the same.
    void Compare(const Meeting& meeting, const CollectiveCall& call, const RankOperation& operation)
    {
        const auto& first = meeting.call;
        bool isSame = first.kind == call.kind && !first.sizes == !call.sizes &&
                      (call.sizes || first.bytes == call.bytes);
        for (uint32_t i = 0; isSame && call.sizes && i < call.sizes->GetRanks(); ++i)
        {
            for (uint32_t j = 0; j < call.sizes->GetRanks(); ++j)
            {
                isSame = isSame && call.sizes->GetBytes(i, j) == first.sizes->GetBytes(i, j);
            }
        }
        if (!isSame && m_error.empty())
        {
            const auto& other = meeting.places.front();
            std::ostringstream text;
            text << "rank " << meeting.places.back().first << " calls " << operation.label << " of "
                 << call.bytes << " B where rank " << other.first << " calls "
                 << m_ranks[other.first].program->GetOperations()[other.second].label << " of "
                 << first.bytes << " B";
            m_error = text.str();
        }
    }

    void Match(const CollectiveCall& call, const Place& place)
    {
        const bool isSend = call.kind == CollectiveKind::SEND;
        Channel& channel =
            m_channels[isSend ? Place{place.first, call.peer} : Place{call.peer, place.first}];
        (isSend ? channel.sends : channel.receives).push({place, call.bytes});
        if (isSend && !m_isRendezvous)
        {
            End(place, m_now + Draw());
        }
        if (channel.sends.empty() || channel.receives.empty())
        {
            return;
        }
        const auto [sender, sent] = channel.sends.front();
        const auto [receiver, received] = channel.receives.front();
        channel.sends.pop();
        channel.receives.pop();
        if (sent != received)
        {
            m_error = "a send and its receive differ";
        }
        const uint64_t end = m_now + Draw();
        End(receiver, end);
        if (m_isRendezvous)
        {
            End(sender, end);
        }
    }

    DeviceMesh m_mesh;
    std::mt19937 m_random;
    bool m_isRendezvous;
    uint64_t m_now{0};
    std::string m_error;
    std::vector<Rank> m_ranks;
    std::map<uint32_t, Group> m_groups;
    std::map<Place, Channel> m_channels;
    using Ended = std::tuple<uint64_t, uint32_t, uint32_t>; //!< when, whose and which
    std::priority_queue<Ended, std::vector<Ended>, std::greater<Ended>> m_ends;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_REPLAY_H
