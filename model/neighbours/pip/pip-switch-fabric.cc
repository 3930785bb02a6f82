// SPDX-License-Identifier: GPL-2.0-only

#include "pip-switch-fabric.h"

#include "pip-mesh.h"
#include "pip-placement.h"
#include "pip-plan.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PipSwitchFabric);

namespace
{

constexpr double LIGHT_UM_PER_PS = 299.792458; // speed of light in vacuum

} // namespace

TypeId
PipSwitchFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PipSwitchFabric")
            .SetParent<CircuitFabric>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<PipSwitchFabric>()
            .AddAttribute("Rows",
                          "Rows of hexagons of the mesh, 1 to 32.",
                          UintegerValue(9),
                          MakeUintegerAccessor(&PipSwitchFabric::SetRows),
                          MakeUintegerChecker<uint32_t>(1, PipMesh::MAX_SIDE))
            .AddAttribute("Columns",
                          "Hexagons in a row of the mesh, 1 to 32.",
                          UintegerValue(9),
                          MakeUintegerAccessor(&PipSwitchFabric::SetColumns),
                          MakeUintegerChecker<uint32_t>(1, PipMesh::MAX_SIDE))
            .AddAttribute("Ports",
                          "Ports of the switch, 2 to 128: at most 4 (rows + columns + 1).",
                          UintegerValue(32),
                          MakeUintegerAccessor(&PipSwitchFabric::SetPorts),
                          MakeUintegerChecker<uint32_t>(2, MAX_PORTS))
            .AddAttribute("CellLength",
                          "Length of a waveguide of a cell with its joint, in micrometres.",
                          DoubleValue(800),
                          MakeDoubleAccessor(&PipSwitchFabric::m_cellLength),
                          MakeDoubleChecker<double>(1, 100000))
            .AddAttribute("GroupIndex",
                          "Group index of the waveguides: speed of light in vacuum over theirs.",
                          DoubleValue(4.2),
                          MakeDoubleAccessor(&PipSwitchFabric::m_groupIndex),
                          MakeDoubleChecker<double>(1, 10))
            .AddAttribute("CellLoss",
                          "Loss of light that passes a cell, in dB.",
                          DoubleValue(0.3),
                          MakeDoubleAccessor(&PipSwitchFabric::m_cellLoss),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("CouplingLoss",
                          "Loss of light between the fiber of a port and the mesh, in dB.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&PipSwitchFabric::m_couplingLoss),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("Negotiation",
                          "Rounds after which the search for light paths of a change gives up.",
                          UintegerValue(60),
                          MakeUintegerAccessor(&PipSwitchFabric::m_negotiation),
                          MakeUintegerChecker<uint32_t>(1, 10000))
            .AddAttribute("Planned",
                          "Plan matchings that cover all pairs of ports, when the mesh is first "
                          "used, and prefer their light paths.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PipSwitchFabric::SetPlanned),
                          MakeBooleanChecker());
    return tid;
}

std::string
PipSwitchFabric::CheckSize(uint32_t rows, uint32_t columns, uint32_t ports)
{
    if (std::min(rows, columns) < 1 || std::max(rows, columns) > PipMesh::MAX_SIDE)
    {
        return "a mesh has 1 to " + std::to_string(PipMesh::MAX_SIDE) + " rows and columns";
    }
    const uint32_t most = std::min(MAX_PORTS, PipMesh::CountFreeEnds(rows, columns));
    if (ports < 2 || ports > most)
    {
        return "a mesh of " + std::to_string(rows) + " x " + std::to_string(columns) +
               " hexagons can have 2 to " + std::to_string(most) + " ports";
    }
    return "";
}

void
PipSwitchFabric::Forget()
{
    NS_ABORT_MSG_IF(!m_paths.empty(), "the size of a mesh cannot change while circuits are up");
    m_router = nullptr;
    m_layout = nullptr;
}

void
PipSwitchFabric::SetRows(uint32_t rows)
{
    Forget();
    m_rows = rows;
}

void
PipSwitchFabric::SetColumns(uint32_t columns)
{
    Forget();
    m_columns = columns;
}

void
PipSwitchFabric::SetPorts(uint32_t ports)
{
    Forget();
    m_ports = ports;
}

void
PipSwitchFabric::SetPlanned(bool isPlanned)
{
    Forget();
    m_isPlanned = isPlanned;
}

void
PipSwitchFabric::Adopt(PipMesh mesh, const PipPlan& plan) const
{
    auto layout = std::make_shared<Layout>(Layout{std::move(mesh), plan.places, {}, {}});
    for (const auto& matching : plan.matchings)
    {
        layout->matchings.push_back(matching.circuits);
        for (const auto& circuit : matching.circuits)
        {
            const Key key = GetKey(circuit);
            layout->planned[key] =
                FollowPipLight(layout->mesh, matching.states, plan.places[key.first]).ends;
        }
    }
    m_layout = std::move(layout);
}

std::string
PipSwitchFabric::SetPlan(const PipPlan& plan)
{
    if (auto error = plan.Check(); !error.empty())
    {
        return error;
    }
    const auto ports = static_cast<uint32_t>(plan.places.size());
    if (auto error = CheckSize(plan.rows, plan.columns, ports); !error.empty())
    {
        return error;
    }
    Forget();
    m_rows = plan.rows;
    m_columns = plan.columns;
    m_ports = ports;
    m_isPlanned = true;
    Adopt(PipMesh(m_rows, m_columns), plan);
    return "";
}

std::vector<CircuitSet>
PipSwitchFabric::PlanMatchings()
{
    if (!m_isPlanned)
    {
        SetPlanned(true);
    }
    return GetPlannedMatchings();
}

std::vector<CircuitSet>
PipSwitchFabric::GetPlannedMatchings() const
{
    Lay();
    return m_layout->matchings;
}

void
PipSwitchFabric::Lay() const
{
    if (!m_layout)
    {
        const std::string error = CheckSize(m_rows, m_columns, m_ports);
        NS_ABORT_MSG_IF(!error.empty(), error << ", not " << m_ports);
        PipMesh mesh(m_rows, m_columns);
        PipPlan plan;
        plan.places = PlacePipPorts(mesh, m_ports);
        if (m_isPlanned)
        {
            plan = PlanPipMatchings(mesh, plan.places, PipEffort());
            NS_ABORT_MSG_IF(!plan.error.empty(), "there is no plan: " << plan.error);
        }
        Adopt(std::move(mesh), plan);
    }
    if (!m_router)
    {
        m_router = std::make_unique<PipRouter>(m_layout->mesh);
        for (const auto& entry : m_paths)
        {
            m_router->Block(entry.second);
        }
    }
}

const PipMesh&
PipSwitchFabric::GetMesh() const
{
    Lay();
    return m_layout->mesh;
}

const std::vector<uint32_t>&
PipSwitchFabric::GetPlaces() const
{
    Lay();
    return m_layout->places;
}

std::string
PipSwitchFabric::UsePorts(uint32_t ports)
{
    const std::string error = CheckSize(m_rows, m_columns, ports);
    if (error.empty())
    {
        SetPorts(ports);
    }
    return error;
}

Ptr<CircuitFabric>
PipSwitchFabric::Copy() const
{
    auto copy = CreateObject<PipSwitchFabric>();
    copy->m_rows = m_rows;
    copy->m_columns = m_columns;
    copy->m_ports = m_ports;
    copy->m_cellLength = m_cellLength;
    copy->m_groupIndex = m_groupIndex;
    copy->m_cellLoss = m_cellLoss;
    copy->m_couplingLoss = m_couplingLoss;
    copy->m_negotiation = m_negotiation;
    copy->m_isPlanned = m_isPlanned;
    copy->m_layout = m_layout;
    copy->m_paths = m_paths;
    return copy;
}

PipSwitchFabric::Key
PipSwitchFabric::GetKey(const Circuit& circuit)
{
    return std::minmax(circuit.a, circuit.b);
}

std::string
PipSwitchFabric::Check(const CircuitSet& drop, const CircuitSet& make) const
{
    std::set<uint32_t> inUse;
    for (const auto& entry : m_paths)
    {
        inUse.insert({entry.first.first, entry.first.second});
    }
    for (const auto& circuit : drop)
    {
        if (m_paths.count(GetKey(circuit)) == 0)
        {
            return Describe(circuit) + " is not up";
        }
        if (inUse.erase(circuit.a) + inUse.erase(circuit.b) != 2)
        {
            return Describe(circuit) + " is to be dropped twice";
        }
    }
    for (const auto& circuit : make)
    {
        if (circuit.a == circuit.b)
        {
            return Describe(circuit) + " joins a port to itself";
        }
        for (uint32_t port : {circuit.a, circuit.b})
        {
            if (port >= m_ports)
            {
                return Describe(circuit) + ": port " + std::to_string(port) +
                       " is out of range, the mesh has " + std::to_string(m_ports);
            }
            if (!inUse.insert(port).second)
            {
                return Describe(circuit) + ": port " + std::to_string(port) + " is in use";
            }
        }
    }
    return "";
}

std::vector<PipPath>
PipSwitchFabric::FindPaths(const CircuitSet& make, std::size_t& missing)
{
    // First the paths of the plan that are free; then all circuits together.
    for (const bool asPlanned : {true, false})
    {
        std::vector<PipPath> paths(make.size());
        std::vector<std::size_t> others;
        std::vector<PipRouter::Request> requests;
        for (std::size_t i = 0; i < make.size(); ++i)
        {
            const Key key = GetKey(make[i]);
            const auto planned = m_layout->planned.find(key);
            if (asPlanned && planned != m_layout->planned.end() &&
                m_router->IsFree(planned->second))
            {
                paths[i] = planned->second;
                m_router->Block(paths[i]);
                continue;
            }
            others.push_back(i);
            requests.emplace_back(m_layout->places[key.first], m_layout->places[key.second]);
        }
        auto found = m_router->Route(requests, m_negotiation);
        for (const auto& path : paths)
        {
            m_router->Unblock(path);
        }
        bool isComplete = true;
        for (std::size_t i = 0; i < others.size(); ++i)
        {
            if (found[i].empty() && isComplete)
            {
                isComplete = false;
                missing = others[i];
            }
            paths[others[i]] = std::move(found[i]);
        }
        if (isComplete)
        {
            return paths;
        }
        if (others.size() == make.size())
        {
            break; // no path is from the plan
        }
    }
    return {};
}

std::string
PipSwitchFabric::Change(const CircuitSet& drop, const CircuitSet& make)
{
    Lay();
    if (auto error = Check(drop, make); !error.empty())
    {
        return error;
    }
    for (const auto& circuit : drop)
    {
        m_router->Unblock(m_paths.at(GetKey(circuit)));
    }
    std::size_t missing = 0;
    auto paths = FindPaths(make, missing);
    if (paths.empty() && !make.empty())
    {
        for (const auto& circuit : drop)
        {
            m_router->Block(m_paths.at(GetKey(circuit)));
        }
        return Describe(make[missing]) +
               ": no light path through the mesh beside the other circuits";
    }
    for (const auto& circuit : drop)
    {
        m_paths.erase(GetKey(circuit));
    }
    for (std::size_t i = 0; i < make.size(); ++i)
    {
        m_router->Block(paths[i]);
        m_paths[GetKey(make[i])] = std::move(paths[i]);
    }
    return "";
}

void
PipSwitchFabric::Clear()
{
    m_paths.clear();
    m_router = nullptr;
}

uint32_t
PipSwitchFabric::GetCells(const Circuit& circuit) const
{
    const auto path = m_paths.find(GetKey(circuit));
    NS_ABORT_MSG_IF(path == m_paths.end(), Describe(circuit) << " is not up");
    return static_cast<uint32_t>(path->second.size() / 2);
}

Time
PipSwitchFabric::GetDelay(const Circuit& circuit) const
{
    const double picoseconds = GetCells(circuit) * m_cellLength * m_groupIndex / LIGHT_UM_PER_PS;
    return Time::FromDouble(picoseconds, Time::PS);
}

double
PipSwitchFabric::GetLoss(const Circuit& circuit) const
{
    return GetCells(circuit) * m_cellLoss + 2 * m_couplingLoss;
}

CircuitSet
PipSwitchFabric::GetCircuits() const
{
    CircuitSet circuits;
    for (const auto& entry : m_paths)
    {
        circuits.push_back(Circuit{entry.first.first, entry.first.second});
    }
    return circuits;
}

PipStates
PipSwitchFabric::GetStates() const
{
    Lay();
    PipStates states(m_layout->mesh.GetCells(), PipMesh::BAR);
    std::vector<PipPath> paths;
    for (const auto& entry : m_paths)
    {
        paths.push_back(entry.second);
    }
    SetPipStates(paths, states);
    return states;
}

} // namespace ns3
