// SPDX-License-Identifier: GPL-2.0-only

#include "pip-plan.h"

#include "pip-mesh.h"
#include "pip-router.h"

#include "ns3/assert.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr const char* FORMAT = "pip-plan 1";
constexpr std::size_t MAX_LINE = 16384;     // characters
constexpr std::size_t MAX_MATCHINGS = 8192; // more than the pairs of MAX_PORTS ports

/// Reads a plan line by line.
class PlanReader
{
  public:
    explicit PlanReader(std::istream& is)
        : m_is(is)
    {
    }

    PipPlan Read()
    {
        if (NextLine() && m_line != FORMAT)
        {
            Fail("it must be '" + std::string(FORMAT) + "'");
        }
        std::istringstream size = NextWords("mesh");
        ReadNumber(size, m_plan.rows, PipMesh::MAX_SIDE);
        ReadNumber(size, m_plan.columns, PipMesh::MAX_SIDE);
        if (IsGood() && (m_plan.rows == 0 || m_plan.columns == 0 || HasMore(size)))
        {
            Fail("it must be 'mesh ROWS COLUMNS', each 1 to " + std::to_string(PipMesh::MAX_SIDE));
        }
        if (IsGood())
        {
            // The number of cells in closed form, without the mesh.
            m_cells = 3 * m_plan.rows * m_plan.columns + 2 * (m_plan.rows + m_plan.columns) - 1;
        }
        std::istringstream ports = NextWords("ports");
        while (IsGood() && HasMore(ports))
        {
            uint32_t end = 0;
            ReadNumber(ports, end, 4 * m_cells - 1);
            m_plan.places.push_back(end);
        }
        std::istringstream bound = NextWords("bound");
        ReadNumber(bound, m_plan.lowerBound, MAX_MATCHINGS);
        if (IsGood() && HasMore(bound))
        {
            Fail("it must be 'bound NUMBER'");
        }
        while (IsGood() && m_is.peek() != std::char_traits<char>::eof())
        {
            if (m_plan.matchings.size() == MAX_MATCHINGS)
            {
                NextLine();
                Fail("there are more than " + std::to_string(MAX_MATCHINGS) + " matchings");
                break;
            }
            ReadMatching();
        }
        if (!IsGood())
        {
            PipPlan none;
            none.error = m_plan.error;
            return none;
        }
        return m_plan;
    }

  private:
    bool IsGood() const
    {
        return m_plan.error.empty();
    }

    void Fail(const std::string& what)
    {
        if (IsGood())
        {
            m_plan.error = "line " + std::to_string(m_number) + ": " + what;
        }
    }

    /// @return true if there is a line of at most MAX_LINE characters
    bool NextLine()
    {
        if (!IsGood())
        {
            return false;
        }
        ++m_number;
        m_line.clear();
        for (char c = 0; m_is.get(c) && c != '\n';)
        {
            m_line.push_back(c);
            if (m_line.size() > MAX_LINE)
            {
                Fail("it is longer than " + std::to_string(MAX_LINE) + " characters");
                return false;
            }
        }
        if (!m_line.empty() && m_line.back() == '\r')
        {
            m_line.pop_back();
        }
        if (m_line.empty())
        {
            Fail("something is missing");
        }
        return IsGood();
    }

    /// @return the rest of the next line after its first word
    std::istringstream NextWords(const std::string& first)
    {
        std::istringstream words;
        if (NextLine())
        {
            words.str(m_line);
            std::string word;
            words >> word;
            if (word != first)
            {
                Fail("it must begin with '" + first + "'");
            }
        }
        return words;
    }

    static bool HasMore(std::istringstream& words)
    {
        return !(words >> std::ws).eof();
    }

    void ReadNumber(std::istringstream& words, uint32_t& number, std::size_t most)
    {
        std::string word;
        if (IsGood() && words >> word)
        {
            number = ParseNumber(word, most);
        }
        else
        {
            Fail("a number is missing");
        }
    }

    /// @return the value of a word that is a number
    uint32_t ParseNumber(const std::string& word, std::size_t most)
    {
        const bool isNumber = !word.empty() && word.size() <= 6 &&
                              word.find_first_not_of("0123456789") == std::string::npos;
        const uint32_t number = isNumber ? static_cast<uint32_t>(std::stoul(word)) : 0;
        if (!isNumber || number > most)
        {
            Fail("there must be whole numbers up to " + std::to_string(most));
        }
        return number;
    }

    /// Read two lines: the circuits, and the states of the cells.
    void ReadMatching()
    {
        PipMatching matching;
        std::istringstream circuits = NextWords("matching");
        const std::size_t most = m_plan.places.empty() ? 0 : m_plan.places.size() - 1;
        for (std::string word; IsGood() && circuits >> word;)
        {
            const auto dash = std::min(word.size(), word.find('-'));
            const uint32_t a = ParseNumber(word.substr(0, dash), most);
            const uint32_t b = ParseNumber(word.substr(std::min(word.size(), dash + 1)), most);
            matching.circuits.push_back(Circuit{a, b});
        }
        std::istringstream cells = NextWords("cells");
        std::string states;
        cells >> states;
        if (IsGood() && (states.size() != m_cells || HasMore(cells) ||
                         states.find_first_not_of("-x") != std::string::npos))
        {
            Fail("it must have one of - (bar) and x (cross) for each of the " +
                 std::to_string(m_cells) + " cells");
        }
        for (char state : states)
        {
            matching.states.push_back(state == 'x' ? PipMesh::CROSS : PipMesh::BAR);
        }
        m_plan.matchings.push_back(std::move(matching));
    }

    std::istream& m_is;
    PipPlan m_plan;
    std::string m_line;
    std::size_t m_number{0};
    uint32_t m_cells{0};
};

} // namespace

void
PipPlan::Sort()
{
    std::sort(matchings.begin(), matchings.end(), [](const PipMatching& a, const PipMatching& b) {
        return a.circuits < b.circuits;
    });
}

std::string
PipPlan::Check() const
{
    if (!error.empty())
    {
        return error;
    }
    if (std::min(rows, columns) < 1 || std::max(rows, columns) > PipMesh::MAX_SIDE)
    {
        return "there is no mesh of that size";
    }
    const PipMesh mesh(rows, columns);
    const auto& free = mesh.GetFreeEnds();
    const std::set<uint32_t> ends(places.begin(), places.end());
    if (ends.size() != places.size() ||
        !std::all_of(ends.begin(), ends.end(), [&free](uint32_t end) {
            return std::find(free.begin(), free.end(), end) != free.end();
        }))
    {
        return "not each port has a free end of its own";
    }
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (std::size_t i = 0; i < matchings.size(); ++i)
    {
        const std::string name = "matching " + std::to_string(i) + ": ";
        if (matchings[i].states.size() != mesh.GetCells())
        {
            return name + "not each cell has a state";
        }
        const auto wrong =
            CheckPipCircuits(mesh, places, matchings[i].states, matchings[i].circuits);
        if (!wrong.empty())
        {
            return name + wrong;
        }
        for (const auto& circuit : matchings[i].circuits)
        {
            if (!pairs.insert(std::minmax(circuit.a, circuit.b)).second)
            {
                return name + Describe(circuit) + " is in another matching, too";
            }
        }
    }
    const std::size_t all = places.size() * (places.size() - 1) / 2;
    if (places.empty() || pairs.size() != all)
    {
        return "it has " + std::to_string(pairs.size()) + " of all pairs of " +
               std::to_string(places.size()) + " ports";
    }
    if (matchings.size() < lowerBound)
    {
        return "it has fewer matchings than its lower bound";
    }
    return "";
}

void
PipPlan::Write(std::ostream& os) const
{
    os << FORMAT << "\nmesh " << rows << ' ' << columns << "\nports";
    for (uint32_t end : places)
    {
        os << ' ' << end;
    }
    os << "\nbound " << lowerBound << '\n';
    for (const auto& matching : matchings)
    {
        os << "matching";
        for (const auto& circuit : matching.circuits)
        {
            os << ' ' << circuit.a << '-' << circuit.b;
        }
        os << "\ncells ";
        for (const auto state : matching.states)
        {
            os << (state == PipMesh::BAR ? '-' : 'x');
        }
        os << '\n';
    }
}

PipPlan
PipPlan::Read(std::istream& is)
{
    return PlanReader(is).Read();
}

namespace
{

constexpr uint32_t NO_PARTNER = 0xffffffff;

/// For each port, the other ports of its circuits.
using Neighbours = std::vector<std::vector<uint32_t>>;

/// @return a circuit with its lower port first
Circuit
MakeCircuit(uint32_t a, uint32_t b)
{
    return Circuit{std::min(a, b), std::max(a, b)};
}

/// @return a number below a bound; unlike distributions of the library the same on all platforms
uint32_t
DrawBelow(std::mt19937& random, std::size_t bound)
{
    return static_cast<uint32_t>(random() % bound);
}

/// Remove an edge from a graph.
void
Remove(Neighbours& neighbours, uint32_t a, uint32_t b)
{
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
    {
        auto& list = neighbours[from];
        list.erase(std::find(list.begin(), list.end(), to));
    }
}

/**
 * Choose circuits at random such that each port with circuits is in one of them, beginning with the
 * ports with the fewest remaining partners.
 * @return a perfect matching, or an empty one if the random search fails
 */
CircuitSet
DrawMatching(const Neighbours& neighbours, std::mt19937& random)
{
    std::vector<bool> isFree(neighbours.size());
    for (std::size_t port = 0; port < neighbours.size(); ++port)
    {
        isFree[port] = !neighbours[port].empty();
    }
    CircuitSet matching;
    for (;;)
    {
        uint32_t chosen = NO_PARTNER;
        std::vector<uint32_t> partners;
        for (uint32_t port = 0; port < neighbours.size(); ++port)
        {
            if (!isFree[port])
            {
                continue;
            }
            std::vector<uint32_t> left;
            std::copy_if(neighbours[port].begin(),
                         neighbours[port].end(),
                         std::back_inserter(left),
                         [&isFree](uint32_t other) { return isFree[other]; });
            if (left.empty())
            {
                return {};
            }
            if (chosen == NO_PARTNER || left.size() < partners.size())
            {
                chosen = port;
                partners = std::move(left);
            }
        }
        if (chosen == NO_PARTNER)
        {
            return matching;
        }
        if (matching.empty())
        {
            // Ports with equally few partners are chosen at random.
            const auto busy =
                static_cast<std::size_t>(std::count(isFree.begin(), isFree.end(), true));
            uint32_t skip = DrawBelow(random, busy);
            for (chosen = 0; !isFree[chosen] || skip-- > 0; ++chosen)
            {
            }
            partners = neighbours[chosen];
        }
        const uint32_t partner = partners[DrawBelow(random, partners.size())];
        isFree[chosen] = isFree[partner] = false;
        matching.push_back(MakeCircuit(chosen, partner));
    }
}

/**
 * Divide a graph whose ports have at most two circuits into two matchings. Each ring and each chain
 * has two divisions, of which one is chosen at random.
 * @return false if a ring is odd
 */
bool
Divide(Neighbours& neighbours, CircuitSet& one, CircuitSet& other, std::mt19937& random)
{
    // First chains, from their ends; the remaining circuits form rings.
    for (const std::size_t degree : {1, 2})
    {
        for (uint32_t start = 0; start < neighbours.size(); ++start)
        {
            if (neighbours[start].size() != degree)
            {
                continue;
            }
            const bool swaps = DrawBelow(random, 2) == 0;
            uint32_t steps = 0;
            for (uint32_t port = start; !neighbours[port].empty();)
            {
                const uint32_t next = neighbours[port].front();
                Remove(neighbours, port, next);
                ((steps % 2 == 0) == swaps ? one : other).push_back(MakeCircuit(port, next));
                port = next;
                ++steps;
            }
            if (degree == 2 && steps % 2 != 0)
            {
                return false;
            }
        }
    }
    return true;
}

} // namespace

std::vector<CircuitSet>
MakeCircleFactorization(uint32_t ports, uint32_t stays)
{
    const bool isEven = ports % 2 == 0;
    const uint32_t round = isEven ? ports - 1 : ports;
    const auto port = [&](uint32_t i) { return isEven && i >= stays ? i + 1 : i; };
    std::vector<CircuitSet> matchings(round);
    for (uint32_t sum = 0; sum < round; ++sum)
    {
        for (uint32_t i = 0; i < round; ++i)
        {
            const uint32_t j = (sum + round - i) % round;
            if (i < j)
            {
                matchings[sum].push_back(MakeCircuit(port(i), port(j)));
            }
            else if (i == j && isEven)
            {
                matchings[sum].push_back(MakeCircuit(stays, port(i)));
            }
        }
    }
    return matchings;
}

std::vector<CircuitSet>
MakeBitFactorization(uint32_t ports)
{
    NS_ASSERT(ports >= 2 && (ports & (ports - 1)) == 0);
    std::vector<CircuitSet> matchings(ports - 1);
    for (uint32_t bits = 1; bits < ports; ++bits)
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            if (port < (port ^ bits))
            {
                matchings[bits - 1].push_back(Circuit{port, port ^ bits});
            }
        }
    }
    return matchings;
}

bool
ExchangeCircuits(const std::vector<CircuitSet*>& matchings, uint32_t ports, std::mt19937& random)
{
    NS_ASSERT(matchings.size() == 2 || matchings.size() == 3);
    Neighbours neighbours(ports);
    for (const auto* matching : matchings)
    {
        for (const auto& circuit : *matching)
        {
            neighbours[circuit.a].push_back(circuit.b);
            neighbours[circuit.b].push_back(circuit.a);
        }
    }
    std::vector<CircuitSet> divided(matchings.size());
    if (matchings.size() == 3)
    {
        divided[2] = DrawMatching(neighbours, random);
        if (divided[2].empty())
        {
            return false;
        }
        for (const auto& circuit : divided[2])
        {
            Remove(neighbours, circuit.a, circuit.b);
        }
        if (std::any_of(neighbours.begin(), neighbours.end(), [](const auto& others) {
                return others.size() > 2;
            }))
        {
            return false;
        }
    }
    if (!Divide(neighbours, divided[0], divided[1], random))
    {
        return false;
    }
    bool hasChanged = false;
    for (std::size_t i = 0; i < matchings.size(); ++i)
    {
        std::sort(divided[i].begin(), divided[i].end());
        hasChanged |= std::none_of(matchings.begin(), matchings.end(), [&](const auto* matching) {
            return *matching == divided[i];
        });
    }
    for (std::size_t i = 0; hasChanged && i < matchings.size(); ++i)
    {
        *matchings[i] = std::move(divided[i]);
    }
    return hasChanged;
}

namespace
{

constexpr uint32_t MAX_STAYING = 8;   // ports that are tried as the fixed port
constexpr uint32_t COVER_ORDERS = 12; // orders in which remaining circuits are tried

/// A division of all pairs into matchings, and the matchings that can be routed.
struct Family
{
    std::vector<CircuitSet> matchings;
    std::vector<std::vector<PipPath>> paths; //!< paths of matchings that can be routed
    std::size_t fitting{0};

    bool Fits(std::size_t i) const
    {
        return !paths[i].empty();
    }
};

/// The search for a plan of a mesh.
class PlanSearch
{
  public:
    PlanSearch(const PipMesh& mesh, const std::vector<uint32_t>& places, const PipEffort& effort)
        : m_mesh(mesh),
          m_places(places),
          m_effort(effort),
          m_ports(static_cast<uint32_t>(places.size())),
          m_router(mesh),
          m_random(effort.seed)
    {
        m_plan.rows = mesh.GetRows();
        m_plan.columns = mesh.GetColumns();
        m_plan.places = places;
        m_plan.lowerBound = CountLeastMatchings(m_ports);
    }

    PipPlan Run(const PipStatesFinder& find)
    {
        if (auto error = CheckPairs(); !error.empty())
        {
            m_plan.error = error;
            return m_plan;
        }
        Family best = FindFamily();
        Exchange(best);
        Adopt(best, find);
        m_plan.Sort();
        return m_plan;
    }

  private:
    /// @return paths of all circuits, or no paths if one is not found
    std::vector<PipPath> Route(const CircuitSet& circuits)
    {
        return m_router.RouteAll(MakeRequests(circuits), m_effort.negotiation);
    }

    /// @return the ends of circuits
    std::vector<PipRouter::Request> MakeRequests(const CircuitSet& circuits) const
    {
        std::vector<PipRouter::Request> requests;
        requests.reserve(circuits.size());
        for (const auto& circuit : circuits)
        {
            requests.emplace_back(m_places[circuit.a], m_places[circuit.b]);
        }
        return requests;
    }

    /// @return an error that names a pair of ports without a path
    std::string CheckPairs()
    {
        for (uint32_t a = 0; a < m_ports; ++a)
        {
            for (uint32_t b = a + 1; b < m_ports; ++b)
            {
                if (Route({{a, b}}).empty())
                {
                    return "no light path joins ports " + std::to_string(a) + " and " +
                           std::to_string(b);
                }
            }
        }
        return "";
    }

    Family Evaluate(std::vector<CircuitSet> matchings)
    {
        Family family;
        for (auto& matching : matchings)
        {
            std::sort(matching.begin(), matching.end());
            family.paths.push_back(Route(matching));
            family.fitting += family.paths.back().empty() ? 0 : 1;
        }
        family.matchings = std::move(matchings);
        return family;
    }

    /// @return the family with the most matchings that can be routed
    Family FindFamily()
    {
        Family best = Evaluate(MakeCircleFactorization(m_ports, m_ports - 1));
        const auto isDone = [&best]() { return best.fitting == best.matchings.size(); };
        const auto compare = [&best](Family other) {
            if (other.fitting > best.fitting)
            {
                best = std::move(other);
            }
        };
        if (!isDone() && (m_ports & (m_ports - 1)) == 0)
        {
            compare(Evaluate(MakeBitFactorization(m_ports)));
        }
        const uint32_t staying = m_ports % 2 == 0 ? std::min(m_ports - 1, MAX_STAYING) : 0;
        for (uint32_t i = 0; i < staying && !isDone(); ++i)
        {
            compare(Evaluate(MakeCircleFactorization(m_ports, i * (m_ports - 1) / staying)));
        }
        return best;
    }

    /// Exchange circuits between matchings that cannot be routed and others.
    void Exchange(Family& family)
    {
        const std::size_t count = family.matchings.size();
        for (uint32_t attempt = 0;
             attempt < m_effort.exchanges && family.fitting < count && count >= 3;
             ++attempt)
        {
            std::vector<std::size_t> chosen;
            std::size_t skip = m_random() % (count - family.fitting);
            for (std::size_t i = 0; chosen.empty(); ++i)
            {
                if (!family.Fits(i) && skip-- == 0)
                {
                    chosen.push_back(i);
                }
            }
            const std::size_t size = 2 + m_random() % 2;
            while (chosen.size() < size)
            {
                const std::size_t other = m_random() % count;
                if (std::find(chosen.begin(), chosen.end(), other) == chosen.end())
                {
                    chosen.push_back(other);
                }
            }
            TryExchange(family, chosen);
        }
    }

    /// Divide the circuits of some matchings differently, and keep the change if no fewer can be
    /// routed.
    void TryExchange(Family& family, const std::vector<std::size_t>& chosen)
    {
        std::vector<CircuitSet> matchings;
        std::size_t before = 0;
        for (std::size_t i : chosen)
        {
            matchings.push_back(family.matchings[i]);
            before += family.Fits(i) ? 1 : 0;
        }
        std::vector<CircuitSet*> pointers;
        for (auto& matching : matchings)
        {
            pointers.push_back(&matching);
        }
        if (!ExchangeCircuits(pointers, m_ports, m_random))
        {
            return;
        }
        std::vector<std::vector<PipPath>> paths;
        std::size_t fitting = 0;
        for (std::size_t i = 0; i < matchings.size(); ++i)
        {
            paths.push_back(Route(matchings[i]));
            fitting += paths.back().empty() ? 0 : 1;
            if (fitting + matchings.size() - i - 1 < before)
            {
                return;
            }
        }
        for (std::size_t i = 0; i < chosen.size(); ++i)
        {
            family.matchings[chosen[i]] = std::move(matchings[i]);
            family.paths[chosen[i]] = std::move(paths[i]);
        }
        family.fitting += fitting - before;
    }

    /// @return a matching with the states that its paths set
    PipMatching MakeMatching(const CircuitSet& circuits, const std::vector<PipPath>& paths) const
    {
        PipMatching matching{circuits, PipStates(m_mesh.GetCells(), PipMesh::BAR)};
        SetPipStates(paths, matching.states);
        return matching;
    }

    /// Make a plan of the routed matchings, and cover the remaining pairs by further matchings.
    void Adopt(const Family& family, const PipStatesFinder& find)
    {
        CircuitSet left;
        for (std::size_t i = 0; i < family.matchings.size(); ++i)
        {
            if (family.Fits(i))
            {
                m_plan.matchings.push_back(MakeMatching(family.matchings[i], family.paths[i]));
            }
            else if (auto states = find ? find(family.matchings[i]) : PipStates(); !states.empty())
            {
                m_plan.matchings.push_back(PipMatching{family.matchings[i], std::move(states)});
            }
            else
            {
                left.insert(left.end(), family.matchings[i].begin(), family.matchings[i].end());
            }
        }
        while (!left.empty())
        {
            auto matching = FindLargeMatching(left);
            NS_ASSERT(!matching.circuits.empty()); // each pair alone has a path
            for (const auto& circuit : matching.circuits)
            {
                left.erase(std::find(left.begin(), left.end(), circuit));
            }
            m_plan.matchings.push_back(std::move(matching));
        }
    }

    /// @return a large subset of some circuits that can be routed together, from a few attempts
    PipMatching FindLargeMatching(CircuitSet left)
    {
        PipMatching best;
        for (uint32_t attempt = 0; attempt < COVER_ORDERS; ++attempt)
        {
            CircuitSet matching;
            std::vector<bool> isUsed(m_ports, false);
            for (const auto& circuit : left)
            {
                if (!isUsed[circuit.a] && !isUsed[circuit.b])
                {
                    isUsed[circuit.a] = isUsed[circuit.b] = true;
                    matching.push_back(circuit);
                }
            }
            const auto all = m_router.Route(MakeRequests(matching), m_effort.negotiation);
            CircuitSet circuits;
            std::vector<PipPath> paths;
            for (std::size_t i = 0; i < all.size(); ++i)
            {
                if (!all[i].empty())
                {
                    circuits.push_back(matching[i]);
                    paths.push_back(all[i]);
                }
            }
            if (circuits.size() > best.circuits.size())
            {
                best = MakeMatching(circuits, paths);
            }
            for (std::size_t i = left.size(); i > 1; --i)
            {
                std::swap(left[i - 1], left[m_random() % i]);
            }
        }
        std::sort(best.circuits.begin(), best.circuits.end());
        return best;
    }

    const PipMesh& m_mesh;
    const std::vector<uint32_t>& m_places;
    const PipEffort m_effort;
    const uint32_t m_ports;
    PipRouter m_router;
    std::mt19937 m_random;
    PipPlan m_plan;
};

} // namespace

PipPlan
PlanPipMatchings(const PipMesh& mesh,
                 const std::vector<uint32_t>& places,
                 const PipEffort& effort,
                 const PipStatesFinder& find)
{
    NS_ASSERT(places.size() >= 2);
    return PlanSearch(mesh, places, effort).Run(find);
}

} // namespace ns3
