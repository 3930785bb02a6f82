// SPDX-License-Identifier: GPL-2.0-only

#include "pip-planner.h"

#include "pip-factorization.h"
#include "pip-router.h"

#include "ns3/assert.h"

#include <algorithm>
#include <random>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_STAYING = 8;   // ports that are tried as the one that stays
constexpr uint32_t COVER_ORDERS = 12; // orders in which what is left over is tried

/// All pairs in matchings, and which of these fit.
struct Family
{
    std::vector<CircuitSet> matchings;
    std::vector<std::vector<PipPath>> paths; //!< of those that fit
    std::size_t fitting{0};

    bool Fits(std::size_t i) const
    {
        return !paths[i].empty();
    }
};

/// Looks for a plan of one mesh.
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
    /// @return paths of all circuits, or none if they were not all found
    std::vector<PipPath> Route(const CircuitSet& circuits)
    {
        auto paths = RouteSome(circuits);
        const bool isComplete = std::none_of(paths.begin(), paths.end(), [](const PipPath& path) {
            return path.empty();
        });
        return isComplete ? paths : std::vector<PipPath>();
    }

    /// @return paths, empty ones where none was found
    std::vector<PipPath> RouteSome(const CircuitSet& circuits)
    {
        std::vector<PipRouter::Request> requests;
        requests.reserve(circuits.size());
        for (const auto& circuit : circuits)
        {
            requests.emplace_back(m_places[circuit.a], m_places[circuit.b]);
        }
        return m_router.Route(requests, m_effort.negotiation);
    }

    /// @return an error that names a pair of ports that no path joins
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

    /// @return the one of several families of which most matchings fit
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

    /// Exchange circuits between matchings that do not fit and others.
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

    /// Divide the circuits of some matchings anew, and keep that if no fewer fit.
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

    /// Make a plan of what fits, and cover what does not by further matchings.
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

    /// @return as many of some circuits as fit together, as far as a few attempts show
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
            const auto all = RouteSome(matching);
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

uint32_t
CountLeastMatchings(uint32_t ports)
{
    return ports % 2 == 0 ? ports - 1 : ports;
}

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
