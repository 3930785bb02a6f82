// SPDX-License-Identifier: GPL-2.0-only

#include "stragglar-plan.h"

#include "ns3/abort.h"

#include <algorithm>
#include <array>
#include <boost/integer/integer_log2.hpp>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// @return m of the smallest power of two that is not below a number
uint32_t
GetLogUp(uint32_t number)
{
    return number < 2 ? 0 : static_cast<uint32_t>(boost::integer_log2(number - 1)) + 1;
}

/// The field GF(2^m) by a primitive polynomial: its elements are numbers of m bits.
class BinaryField
{
  public:
    /// @param degree m, 1 to 10
    explicit BinaryField(uint32_t degree)
        : m_degree(degree)
    {
        // A polynomial is primitive if x takes all values but 0 before it comes back to 1.
        for (uint32_t low = 1; !Generate((1U << degree) | low); low += 2)
        {
        }
    }

    /// @return a power of the generator; bit i of it stands for the generator to the power i
    uint32_t GetPower(uint32_t exponent) const
    {
        return m_powers[exponent % m_powers.size()];
    }

    /// @return by how much the generator is raised to give an element, which is not 0
    uint32_t GetLog(uint32_t element) const
    {
        return m_logs[element];
    }

  private:
    /// @return true if a polynomial is primitive; then the tables are those of its field
    bool Generate(uint32_t polynomial)
    {
        const uint32_t size = 1U << m_degree;
        m_powers.clear();
        m_logs.assign(size, 0);
        uint32_t power = 1;
        do
        {
            m_logs[power] = static_cast<uint32_t>(m_powers.size());
            m_powers.push_back(power);
            power <<= 1;
            power ^= (power & size) != 0 ? polynomial : 0;
        } while (power != 1 && m_powers.size() < size);
        return m_powers.size() == size - 1;
    }

    uint32_t m_degree;
    std::vector<uint32_t> m_powers; //!< of the generator x
    std::vector<uint32_t> m_logs;   //!< by element
};

/// @return the chunk whose turn it is for an element, which may not exist, before the first: NONE
uint32_t
GetTurn(const BinaryField& field, uint32_t degree, uint32_t round, uint32_t element)
{
    const uint32_t order = (1U << degree) - 1;
    // In terms of g^(round - m), the basis is 1 to g^(m-1): the bits of the quotient.
    const uint32_t shift = order * degree + field.GetLog(element) + degree - round % order;
    const uint32_t bits = field.GetPower(shift);
    const auto lowest = static_cast<uint32_t>(boost::integer_log2(bits & (~bits + 1)));
    return round + lowest < degree ? StragglarMeeting::NONE : round + lowest - degree;
}

} // namespace

uint32_t
GetLeastStragglarRounds(uint32_t ranks)
{
    NS_ABORT_MSG_IF(ranks < 2, "a straggler and nobody else");
    return ranks - 2 + GetLogUp(ranks);
}

std::string
CheckStragglarRanks(uint32_t ranks)
{
    if (ranks % 2 == 0 && ranks >= 2 && ranks <= MAX_STRAGGLAR_RANKS)
    {
        return "";
    }
    return "needs an even number of ranks from 2 to " + std::to_string(MAX_STRAGGLAR_RANKS) +
           ", not " + std::to_string(ranks);
}

StragglarPlan
MakeStragglarPlanOfPower(uint32_t ranks)
{
    const uint32_t degree = GetLogUp(ranks);
    NS_ABORT_MSG_IF(ranks < 2 || ranks != 1U << degree, ranks << " is no power of two");
    const BinaryField field(degree);
    const uint32_t chunks = ranks - 1;
    const uint32_t straggler = ranks - 1;
    const auto getPlace = [&](uint32_t element) {
        return element == 0 ? straggler : field.GetLog(element);
    };
    StragglarPlan plan;
    plan.ranks = ranks;
    plan.rounds.resize(GetLeastStragglarRounds(ranks));
    // An element has a chunk when it has received it; all others send nothing in the first rounds.
    std::vector<std::vector<bool>> holds(ranks, std::vector<bool>(chunks, false));
    for (uint32_t round = 0; round < plan.rounds.size(); ++round)
    {
        const uint32_t step = field.GetPower(round);
        const auto getChunk = [&](uint32_t from, uint32_t to) {
            uint32_t chunk = from == 0 ? round : GetTurn(field, degree, round, from);
            if (chunk != StragglarMeeting::NONE && chunk >= chunks)
            {
                chunk = chunks - 1;
            }
            const bool swaps = round < chunks && (from == 0 || to == 0);
            if (swaps)
            {
                return round;
            }
            return chunk != StragglarMeeting::NONE && holds[from][chunk] && !holds[to][chunk]
                       ? chunk
                       : StragglarMeeting::NONE;
        };
        for (uint32_t x = 0; x < ranks; ++x)
        {
            const uint32_t y = x ^ step;
            const StragglarMeeting meeting{getPlace(x),
                                           getPlace(y),
                                           getChunk(x, y),
                                           getChunk(y, x)};
            if (x < y && (meeting.fromA != StragglarMeeting::NONE ||
                          meeting.fromB != StragglarMeeting::NONE))
            {
                plan.rounds[round].push_back(meeting);
            }
        }
        // A received chunk may be passed on from the next round on.
        for (const auto& meeting : plan.rounds[round])
        {
            const auto getElement = [&](uint32_t place) {
                return place == straggler ? 0 : field.GetPower(place);
            };
            const uint32_t a = getElement(meeting.a);
            const uint32_t b = getElement(meeting.b);
            if (meeting.fromA != StragglarMeeting::NONE)
            {
                holds[b][meeting.fromA] = true;
            }
            if (meeting.fromB != StragglarMeeting::NONE)
            {
                holds[a][meeting.fromB] = true;
            }
        }
    }
    return plan;
}

std::shared_ptr<const StragglarPlan>
GetStragglarPlan(uint32_t ranks)
{
    const std::string error = CheckStragglarRanks(ranks);
    NS_ABORT_MSG_UNLESS(error.empty(), "a plan for a straggler " << error);
    static std::map<uint32_t, std::shared_ptr<const StragglarPlan>> made;
    auto& plan = made[ranks];
    if (!plan)
    {
        const bool isPower = (ranks & (ranks - 1)) == 0;
        plan = std::make_shared<const StragglarPlan>(isPower ? MakeStragglarPlanOfPower(ranks)
                                                             : SearchStragglarPlan(ranks));
    }
    return plan;
}

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

    /// Compute the ranks that hold each active chunk, and the weights of receiving it.
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
        const uint64_t lowest = unknown & (~unknown + 1);
        return lowest == 0 ? MAX_ACTIVE : static_cast<uint32_t>(boost::integer_log2(lowest));
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

/// @return number of attempts, which take about a second together for any number of ranks
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
