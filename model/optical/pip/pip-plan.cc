// SPDX-License-Identifier: GPL-2.0-only

#include "pip-plan.h"

#include "pip-mesh.h"

#include <algorithm>
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

bool
PipPlan::IsSmallest() const
{
    return error.empty() && matchings.size() == lowerBound;
}

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

} // namespace ns3
