// SPDX-License-Identifier: GPL-2.0-only

#include "stragglar-plan.h"

#include "ns3/abort.h"

#include <map>

namespace ns3
{

namespace
{

/// @return m of the smallest power of two that is not below a number
uint32_t
GetLogUp(uint32_t number)
{
    uint32_t log = 0;
    while ((uint64_t{1} << log) < number)
    {
        ++log;
    }
    return log;
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
    uint32_t lowest = 0;
    while ((bits >> lowest & 1) == 0)
    {
        ++lowest;
    }
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
        // What is received may be passed on from the next round on.
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

} // namespace ns3
