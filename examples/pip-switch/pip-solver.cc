// SPDX-License-Identifier: GPL-2.0-only

#include "pip-solver.h"

#include "ns3/assert.h"
#include "ns3/pip-mesh.h"

#include <algorithm>
#include <set>

#ifdef PHOTONIC_RAILS_CADICAL
#include <cadical.hpp>
#endif

namespace ns3
{

#ifdef PHOTONIC_RAILS_CADICAL

namespace
{

constexpr uint32_t NO_PORT = PipMesh::NONE;

/**
 * The states of a mesh and the light at its joints, as variables of a solver: for a cell, that it
 * is in cross state; for a joint or free end and each of some labels, that light with that label
 * is there.
 */
class MeshFormula
{
  public:
    MeshFormula(CaDiCaL::Solver& solver, const PipMesh& mesh, uint32_t labels, int& lastVariable)
        : m_solver(solver),
          m_mesh(mesh),
          m_labels(static_cast<int>(labels)),
          m_firstCell(lastVariable + 1),
          m_firstLabel(m_firstCell + static_cast<int>(mesh.GetCells()))
    {
        int joints = 0;
        m_joints.assign(mesh.GetEnds(), 0);
        for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
        {
            const uint32_t mate = mesh.GetMate(end);
            m_joints[end] = mate < end ? m_joints[mate] : joints++;
        }
        lastVariable = m_firstLabel + joints * m_labels - 1;
        for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
        {
            for (const auto state : {PipMesh::BAR, PipMesh::CROSS})
            {
                const int unless = state == PipMesh::BAR ? GetCross(cell) : -GetCross(cell);
                for (const uint32_t end : {4 * cell, 4 * cell + 1})
                {
                    Equate(unless, end, PipMesh::Pass(end, state));
                }
            }
        }
    }

    int GetCross(uint32_t cell) const
    {
        return m_firstCell + static_cast<int>(cell);
    }

    int Get(uint32_t end, uint32_t label) const
    {
        return m_firstLabel + m_joints[end] * m_labels + static_cast<int>(label);
    }

    void Add(std::initializer_list<int> clause)
    {
        for (int literal : clause)
        {
            m_solver.add(literal);
        }
        m_solver.add(0);
    }

    /// At most one label, of those other than one, is at an end.
    void AllowOne(uint32_t end, uint32_t except)
    {
        for (int a = 0; a < m_labels; ++a)
        {
            for (int b = 0; b < a; ++b)
            {
                const auto one = static_cast<uint32_t>(a);
                const auto other = static_cast<uint32_t>(b);
                if (one != except && other != except)
                {
                    Add({-Get(end, one), -Get(end, other)});
                }
            }
        }
    }

    PipStates GetStates()
    {
        PipStates states;
        for (uint32_t cell = 0; cell < m_mesh.GetCells(); ++cell)
        {
            states.push_back(m_solver.val(GetCross(cell)) > 0 ? PipMesh::CROSS : PipMesh::BAR);
        }
        return states;
    }

  private:
    /// Labels at two ends are equal, unless a literal holds.
    void Equate(int unless, uint32_t a, uint32_t b)
    {
        for (int label = 0; label < m_labels; ++label)
        {
            const int one = Get(a, static_cast<uint32_t>(label));
            const int other = Get(b, static_cast<uint32_t>(label));
            Add({unless, -one, other});
            Add({unless, one, -other});
        }
    }

    CaDiCaL::Solver& m_solver;
    const PipMesh& m_mesh;
    int m_labels;
    int m_firstCell;
    int m_firstLabel;
    std::vector<int> m_joints; //!< number of the joint by end
};

/// @return the answer of a solver within a number of conflicts
PipSolver::Answer
Solve(CaDiCaL::Solver& solver, uint32_t conflicts)
{
    solver.limit("conflicts", static_cast<int>(std::min(conflicts, 2'000'000'000U)));
    const int answer = solver.solve();
    return answer == 10   ? PipSolver::FITS
           : answer == 20 ? PipSolver::IMPOSSIBLE
                          : PipSolver::UNKNOWN;
}

/// @return the port that has a free end, or NO_PORT
uint32_t
FindPort(const std::vector<uint32_t>& places, uint32_t end)
{
    const auto found = std::find(places.begin(), places.end(), end);
    return found == places.end() ? NO_PORT : static_cast<uint32_t>(found - places.begin());
}

} // namespace

bool
PipSolver::IsAvailable()
{
    return true;
}

std::string
PipSolver::GetName()
{
    return std::string("CaDiCaL ") + CaDiCaL::Solver::version();
}

PipSolver::Answer
PipSolver::FindStates(const PipMesh& mesh,
                      const std::vector<uint32_t>& places,
                      const CircuitSet& circuits,
                      uint32_t conflicts,
                      PipStates& states)
{
    CaDiCaL::Solver solver;
    solver.set("quiet", 1);
    int lastVariable = 0;
    const auto labels = static_cast<uint32_t>(circuits.size());
    MeshFormula formula(solver, mesh, labels, lastVariable);
    std::vector<uint32_t> circuitOf(places.size(), NO_PORT);
    for (uint32_t i = 0; i < labels; ++i)
    {
        circuitOf[circuits[i].a] = circuitOf[circuits[i].b] = i;
    }
    for (uint32_t end : mesh.GetFreeEnds())
    {
        const uint32_t port = FindPort(places, end);
        const uint32_t circuit = port == NO_PORT ? NO_PORT : circuitOf[port];
        for (uint32_t label = 0; label < labels; ++label)
        {
            formula.Add({circuit == label ? formula.Get(end, label) : -formula.Get(end, label)});
        }
    }
    // Implied, but it lets the solver see conflicts early.
    for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
    {
        if (mesh.GetMate(end) != PipMesh::NONE && mesh.GetMate(end) > end)
        {
            formula.AllowOne(end, NO_PORT);
        }
    }
    const Answer answer = Solve(solver, conflicts);
    if (answer == FITS)
    {
        states = formula.GetStates();
    }
    return answer;
}

PipSolver::Answer
PipSolver::FindMatchings(const PipMesh& mesh,
                         const std::vector<uint32_t>& places,
                         uint32_t count,
                         uint32_t conflicts,
                         std::vector<PipMatching>& matchings)
{
    const auto ports = static_cast<uint32_t>(places.size());
    NS_ASSERT(count + 1 >= ports);
    CaDiCaL::Solver solver;
    solver.set("quiet", 1);
    int lastVariable = 0;
    // A label for each port. Light of port a at port b is light of b at a: they are joined.
    std::vector<MeshFormula> formulas;
    formulas.reserve(count);
    const bool isPerfect = ports % 2 == 0 && count == ports - 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        formulas.emplace_back(solver, mesh, ports, lastVariable);
        auto& formula = formulas.back();
        for (uint32_t end : mesh.GetFreeEnds())
        {
            const uint32_t port = FindPort(places, end);
            if (port != NO_PORT)
            {
                formula.Add({formula.Get(end, port)});
                formula.AllowOne(end, port);
                continue;
            }
            // Where no port is, light may come out only if ports may be idle.
            for (uint32_t label = 0; isPerfect && label < ports; ++label)
            {
                formula.Add({-formula.Get(end, label)});
            }
            if (!isPerfect)
            {
                formula.AllowOne(end, NO_PORT);
            }
        }
        // Port 0 needs a matching with each other port: these come first, by its partner.
        if (i + 1 < ports)
        {
            formula.Add({formula.Get(places[i + 1], 0)});
        }
    }
    for (uint32_t a = 1; a < ports; ++a)
    {
        for (uint32_t b = a + 1; b < ports; ++b)
        {
            for (auto& formula : formulas)
            {
                solver.add(formula.Get(places[b], a));
            }
            solver.add(0);
        }
    }
    const Answer answer = Solve(solver, conflicts);
    if (answer == FITS)
    {
        matchings.clear();
        std::set<std::pair<uint32_t, uint32_t>> covered;
        for (auto& formula : formulas)
        {
            PipMatching matching{{}, formula.GetStates()};
            for (uint32_t a = 0; a < ports; ++a)
            {
                const auto passage = FollowPipLight(mesh, matching.states, places[a]);
                const uint32_t b = FindPort(places, passage.exit);
                if (b != NO_PORT && a < b && covered.insert({a, b}).second)
                {
                    matching.circuits.push_back(Circuit{a, b});
                }
            }
            matchings.push_back(std::move(matching));
        }
    }
    return answer;
}

#else // the module was configured without a solver

bool
PipSolver::IsAvailable()
{
    return false;
}

std::string
PipSolver::GetName()
{
    return "none";
}

PipSolver::Answer
PipSolver::FindStates(const PipMesh&,
                      const std::vector<uint32_t>&,
                      const CircuitSet&,
                      uint32_t,
                      PipStates&)
{
    return UNKNOWN;
}

PipSolver::Answer
PipSolver::FindMatchings(const PipMesh&,
                         const std::vector<uint32_t>&,
                         uint32_t,
                         uint32_t,
                         std::vector<PipMatching>&)
{
    return UNKNOWN;
}

#endif

} // namespace ns3
