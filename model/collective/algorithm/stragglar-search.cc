// SPDX-License-Identifier: GPL-2.0-only

// The search of stragglar-plan.h for numbers of ranks that are no powers of two.

#include "stragglar-plan.h"

#include "ns3/abort.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{

namespace
{

/// Random numbers that are the same everywhere: xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
class Chance
{
  public:
    /// @param seed any number
    explicit Chance(uint32_t seed)
        : m_state((uint64_t{seed} + 1) * 0x9E3779B97F4A7C15ULL)
    {
    }

    /// @return a number below a bound
    uint32_t Draw(uint32_t bound)
    {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        m_state ^= m_state << 17;
        return static_cast<uint32_t>(m_state >> 32) % bound;
    }

  private:
    uint64_t m_state;
};

/// The weight of the receipt of a chunk by a rank.
struct Weights
{
    int64_t useful; //!< at all
    int64_t urgent; //!< if it can miss no round; half of that for each round that it can
    int64_t first;  //!< if it had none before
    int64_t rare;   //!< times the number of ranks over those that hold the chunk
};

/// Weights of the attempts in turn; found by trying.
constexpr std::array<Weights, 2> WEIGHTS{{{80, 320, 640, 8}, {80, 0, 80, 8}}};

/// One attempt: rounds are added until all ranks hold all chunks.
class Attempt
{
  public:
    Attempt(uint32_t ranks, uint32_t seed)
        : m_chance(seed),
          m_weights(WEIGHTS[seed % WEIGHTS.size()]),
          m_others(ranks - 1),
          m_target(GetLeastStragglarRounds(ranks)),
          m_holds(ranks, std::vector<bool>(ranks - 1, false)),
          m_missing(ranks, ranks - 1),
          m_holders(ranks - 1, 0),
          m_met(ranks - 1, false),
          m_held(ranks),
          m_bonus(ranks)
    {
        m_plan.ranks = ranks;
    }

    /// @return false if more rounds than allowed are needed
    bool Run(uint32_t allowed)
    {
        while (m_complete < m_others)
        {
            if (m_plan.rounds.size() == allowed)
            {
                return false;
            }
            AddRound();
        }
        return true;
    }

    /// @return the plan, in which other t meets the straggler in round t
    StragglarPlan TakePlan()
    {
        std::vector<uint32_t> place(m_plan.ranks, m_plan.GetStraggler());
        for (uint32_t round = 0; round < m_others; ++round)
        {
            place[m_partners[round]] = round;
        }
        for (auto& round : m_plan.rounds)
        {
            for (auto& meeting : round)
            {
                meeting.a = place[meeting.a];
                meeting.b = place[meeting.b];
            }
        }
        return std::move(m_plan);
    }

  private:
    /// Chunks that are looked at in a round: the rarest of those on their way.
    static constexpr uint32_t MAX_ACTIVE = 64;
    /// Times that all pairs are compared with each other.
    static constexpr uint32_t SWEEPS = 12;

    using Pair = std::pair<uint32_t, uint32_t>;

    /// Work out who holds which of the active chunks and what receiving counts.
    void Prepare()
    {
        const uint32_t round = static_cast<uint32_t>(m_plan.rounds.size());
        m_active.clear();
        for (uint32_t chunk = 0; chunk < std::min(round, m_others); ++chunk)
        {
            if (m_holders[chunk] < m_plan.ranks)
            {
                m_active.push_back(chunk);
            }
        }
        std::stable_sort(m_active.begin(), m_active.end(), [this](uint32_t a, uint32_t b) {
            return m_holders[a] < m_holders[b];
        });
        m_active.resize(std::min<std::size_t>(m_active.size(), MAX_ACTIVE));
        std::fill(m_held.begin(), m_held.end(), 0);
        for (uint32_t i = 0; i < m_active.size(); ++i)
        {
            m_values[i] = m_weights.useful + m_weights.rare * m_plan.ranks / m_holders[m_active[i]];
            for (uint32_t rank = 0; rank < m_plan.ranks; ++rank)
            {
                m_held[rank] |= m_holds[rank][m_active[i]] ? uint64_t{1} << i : 0;
            }
        }
        for (uint32_t rank = 0; rank < m_plan.ranks; ++rank)
        {
            const uint32_t left = m_target > round ? m_target - round : 0;
            const uint32_t slack = left > m_missing[rank] ? left - m_missing[rank] : 0;
            m_bonus[rank] = (slack < 32 ? m_weights.urgent >> slack : 0) +
                            (m_held[rank] == 0 ? m_weights.first : 0);
        }
        m_bonus[m_plan.GetStraggler()] = 0; // it lacks nothing once it has met everybody
    }

    /// @return index of the rarest active chunk that a rank can give to another, or MAX_ACTIVE
    uint32_t GetBest(uint32_t from, uint32_t to) const
    {
        const uint64_t unknown = m_held[from] & ~m_held[to];
        if (unknown == 0)
        {
            return MAX_ACTIVE;
        }
        uint32_t lowest = 0;
        uint64_t bits = unknown;
        for (uint32_t width = 32; width > 0; width /= 2)
        {
            const uint64_t low = bits & ((uint64_t{1} << width) - 1);
            lowest += low == 0 ? width : 0;
            bits = low == 0 ? bits >> width : low;
        }
        return lowest;
    }

    int64_t GetGain(uint32_t from, uint32_t to) const
    {
        const uint32_t best = GetBest(from, to);
        return best == MAX_ACTIVE ? 0 : m_values[best] + m_bonus[to];
    }

    int64_t GetGain(const Pair& pair) const
    {
        return GetGain(pair.first, pair.second) + GetGain(pair.second, pair.first);
    }

    /// @return of those whom the straggler has not met the one whose chunks are missed least
    uint32_t ChoosePartner()
    {
        uint32_t partner = StragglarMeeting::NONE;
        int64_t least = 0;
        for (uint32_t rank = 0; rank < m_others; ++rank)
        {
            if (m_met[rank])
            {
                continue;
            }
            int64_t content = m_chance.Draw(8);
            for (uint32_t i = 0; i < m_active.size(); ++i)
            {
                content += (m_held[rank] >> i & 1) != 0 ? m_values[i] : 0;
            }
            if (partner == StragglarMeeting::NONE || content < least)
            {
                partner = rank;
                least = content;
            }
        }
        m_met[partner] = true;
        m_partners.push_back(partner);
        return partner;
    }

    /// Let pairs exchange partners as long as that counts for something.
    void Improve(std::vector<Pair>& pairs) const
    {
        std::vector<int64_t> gains;
        for (const auto& pair : pairs)
        {
            gains.push_back(GetGain(pair));
        }
        bool better = true;
        for (uint32_t sweep = 0; sweep < SWEEPS && better; ++sweep)
        {
            better = false;
            for (std::size_t i = 0; i < pairs.size(); ++i)
            {
                for (std::size_t j = i + 1; j < pairs.size(); ++j)
                {
                    better |= Exchange(pairs[i], gains[i], pairs[j], gains[j]);
                }
            }
        }
    }

    /// @return true if two pairs have exchanged partners
    bool Exchange(Pair& one, int64_t& gainOfOne, Pair& two, int64_t& gainOfTwo) const
    {
        bool better = false;
        for (const auto& [a, b] :
             {std::pair<Pair, Pair>{{one.first, two.first}, {one.second, two.second}},
              std::pair<Pair, Pair>{{one.first, two.second}, {one.second, two.first}}})
        {
            const int64_t gainOfA = GetGain(a);
            const int64_t gainOfB = GetGain(b);
            if (gainOfA + gainOfB > gainOfOne + gainOfTwo)
            {
                one = a;
                two = b;
                gainOfOne = gainOfA;
                gainOfTwo = gainOfB;
                better = true;
            }
        }
        return better;
    }

    void AddRound()
    {
        Prepare();
        const uint32_t round = static_cast<uint32_t>(m_plan.rounds.size());
        std::vector<StragglarMeeting> meetings;
        std::vector<uint32_t> free;
        const uint32_t partner = round < m_others ? ChoosePartner() : StragglarMeeting::NONE;
        if (partner != StragglarMeeting::NONE)
        {
            meetings.push_back({m_plan.GetStraggler(), partner, round, round});
        }
        for (uint32_t rank = 0; rank < m_plan.ranks; ++rank)
        {
            if (rank != partner &&
                (partner == StragglarMeeting::NONE || rank != m_plan.GetStraggler()))
            {
                free.push_back(rank);
            }
        }
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i + 1 < free.size(); i += 2)
        {
            pairs.emplace_back(free[i], free[i + 1]);
        }
        Improve(pairs);
        for (const auto& [a, b] : pairs)
        {
            const uint32_t fromA = GetBest(a, b);
            const uint32_t fromB = GetBest(b, a);
            if (fromA != MAX_ACTIVE || fromB != MAX_ACTIVE)
            {
                meetings.push_back(
                    {a,
                     b,
                     fromA == MAX_ACTIVE ? StragglarMeeting::NONE : m_active[fromA],
                     fromB == MAX_ACTIVE ? StragglarMeeting::NONE : m_active[fromB]});
            }
        }
        for (const auto& meeting : meetings)
        {
            Receive(meeting.b, meeting.fromA);
            Receive(meeting.a, meeting.fromB);
        }
        m_plan.rounds.push_back(std::move(meetings));
    }

    void Receive(uint32_t rank, uint32_t chunk)
    {
        if (chunk == StragglarMeeting::NONE)
        {
            return;
        }
        m_holds[rank][chunk] = true;
        --m_missing[rank];
        m_complete += ++m_holders[chunk] == m_plan.ranks ? 1 : 0;
    }

    Chance m_chance;
    Weights m_weights;
    uint32_t m_others;                          //!< also the number of chunks
    uint32_t m_target;                          //!< rounds there must be at least
    std::vector<std::vector<bool>> m_holds;     //!< complete chunks by rank
    std::vector<uint32_t> m_missing;            //!< chunks that each rank lacks
    std::vector<uint32_t> m_holders;            //!< of each chunk
    uint32_t m_complete{0};                     //!< chunks that all hold
    std::vector<bool> m_met;                    //!< by the straggler
    std::vector<uint32_t> m_partners;           //!< of the straggler, by round
    std::vector<uint32_t> m_active;             //!< chunks on their way, the rarest first
    std::array<int64_t, MAX_ACTIVE> m_values{}; //!< of the active chunks
    std::vector<uint64_t> m_held;               //!< active chunks by rank, as bits
    std::vector<int64_t> m_bonus;               //!< of each rank as a receiver
    StragglarPlan m_plan;
};

/// @return how often to try: all attempts together take about a second for any number of ranks
uint32_t
GetAttempts(uint32_t ranks)
{
    constexpr uint64_t WORK = 40000000;
    const uint64_t one = uint64_t{ranks} * ranks * ranks;
    return static_cast<uint32_t>(std::clamp<uint64_t>(WORK / one, 2, 60));
}

} // namespace

StragglarPlan
SearchStragglarPlan(uint32_t ranks)
{
    NS_ABORT_MSG_IF(ranks < 4 || ranks % 2 != 0, "no search for " << ranks << " ranks");
    const uint32_t least = GetLeastStragglarRounds(ranks);
    StragglarPlan best;
    // Each round brings a chunk to one rank at least, so that some number of rounds is enough.
    uint32_t allowed = ranks * ranks;
    for (uint32_t seed = 0; seed < GetAttempts(ranks) && allowed >= least; ++seed)
    {
        Attempt attempt(ranks, seed);
        if (attempt.Run(allowed))
        {
            best = attempt.TakePlan();
            allowed = static_cast<uint32_t>(best.rounds.size()) - 1;
        }
    }
    NS_ABORT_MSG_IF(best.rounds.empty(), "found no plan for " << ranks << " ranks");
    return best;
}

} // namespace ns3
