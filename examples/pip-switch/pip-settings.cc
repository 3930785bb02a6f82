// SPDX-License-Identifier: GPL-2.0-only

#include "pip-settings.h"

#include "pip-feasibility.h"
#include "pip-sizing.h"
#include "pip-solver.h"

#include "ns3/flag-parser.h"
#include "ns3/pip-placement.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/program.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_PIP_SIZES = 64; // numbers of ports
constexpr uint32_t MAX_PORTS = 64;        // of a switch that is planned here
constexpr uint32_t MAX_PLAN_SIDE = 16;    // of a mesh that is planned here

} // namespace

std::string
PipSettings::Check()
{
    if (auto error = FindError([this] { return CheckOptions(); },
                               [this] { return CheckSizes(); },
                               [this] { return ReadMatching(); },
                               [this] { return ReadPlan(); },
                               [this] { return CheckFiles(); });
        !error.empty())
    {
        return error;
    }
    m_effort.solver = m_solver.GetText() == "true";
    m_effort.solverPorts = m_solverPorts.Get();
    m_effort.conflicts = m_conflicts.Get();
    m_effort.negotiation = m_negotiation.Get();
    m_effort.exchanges = m_exchanges.Get();
    m_report.solver = m_effort.solver ? PipSolver::GetName() : "none";
    return "";
}

std::string
PipSettings::CheckSizes()
{
    for (const auto* side : {&m_rows, &m_columns})
    {
        if (side->IsSet() && side->Get() > MAX_PLAN_SIDE)
        {
            return RefuseFlag(side->GetName(),
                              side->GetText(),
                              "a whole number from 1 to " + std::to_string(MAX_PLAN_SIDE));
        }
    }
    if (m_rows.IsSet() != m_columns.IsSet())
    {
        const auto& given = m_rows.IsSet() ? m_rows : m_columns;
        const auto& missing = m_rows.IsSet() ? m_columns : m_rows;
        return RefuseFlag(given.GetName(),
                          given.GetText(),
                          "given together with --" + missing.GetName() + ", or left out");
    }
    uint32_t most = MAX_PORTS;
    if (m_rows.IsSet())
    {
        most = std::min(most, PipMesh::CountFreeEnds(m_rows.Get(), m_columns.Get()));
    }
    bool isGood = true;
    for (const auto& text : FlagParser::Split(m_portList.GetText()))
    {
        const auto count = FlagParser::ParseCount(text);
        isGood = count && *count >= 2 && *count <= most && m_ports.size() < MAX_PIP_SIZES;
        if (!isGood)
        {
            break;
        }
        m_ports.push_back(*count);
    }
    if (!isGood)
    {
        return RefuseFlag(m_portList.GetName(),
                          m_portList.GetText(),
                          "at most " + std::to_string(MAX_PIP_SIZES) +
                              " numbers separated by commas, each from 2 to " +
                              std::to_string(most));
    }
    for (const auto* file : {&m_write, &m_lights})
    {
        if (!file->GetText().empty() && m_ports.size() != 1 && m_read.GetText().empty())
        {
            return RefuseFlag(file->GetName(),
                              file->GetText(),
                              "given with one number of ports, such as --ports=32");
        }
    }
    return "";
}

std::string
PipSettings::ReadMatching()
{
    const std::string& text = m_matching.GetText();
    if (text.empty())
    {
        return "";
    }
    bool isGood = m_rows.IsSet() && m_ports.size() == 1;
    std::vector<bool> isUsed(MAX_PORTS, false);
    for (const auto& word : FlagParser::Split(text))
    {
        const auto dash = word.find('-');
        const auto a = FlagParser::ParseCount(word.substr(0, dash));
        const auto b = dash == std::string::npos ? std::nullopt
                                                 : FlagParser::ParseCount(word.substr(dash + 1));
        isGood = isGood && a && b && *a != *b && std::max(*a, *b) < m_ports[0] && !isUsed[*a] &&
                 !isUsed[*b];
        if (!isGood)
        {
            break;
        }
        isUsed[*a] = isUsed[*b] = true;
        m_circuits.push_back(Circuit{*a, *b});
    }
    if (!isGood)
    {
        return RefuseFlag(
            m_matching.GetName(),
            text,
            "circuits A-B separated by commas, of ports of one number of --ports, each "
            "in one of them, with --rows and --columns");
    }
    for (const Option* other :
         std::initializer_list<const Option*>{&m_read, &m_write, &m_lights, &m_csv, &m_json})
    {
        if (!other->GetText().empty())
        {
            return RefuseFlag(other->GetName(), other->GetText(), "left out with --matching");
        }
    }
    return "";
}

std::string
PipSettings::ReadPlan()
{
    const std::string& name = m_read.GetText();
    if (name.empty())
    {
        return "";
    }
    std::ifstream file(name);
    if (!file || file.peek() == std::ifstream::traits_type::eof())
    {
        return RefuseFlag(m_read.GetName(), name, "a file that can be read");
    }
    m_plan = PipPlan::Read(file);
    const std::string error = m_plan.Check();
    if (!error.empty())
    {
        return "--read=" + name + ": " + error;
    }
    const auto ports = static_cast<uint32_t>(m_plan.places.size());
    const auto wrong = PipSwitchFabric::CheckSize(m_plan.rows, m_plan.columns, ports);
    return wrong.empty() ? "" : "--read=" + name + ": " + wrong;
}

PipReport::Row
PipSettings::MakeRow(const PipPlan& plan)
{
    const PipMesh mesh(plan.rows, plan.columns);
    PipReport::Row row;
    row.ports = static_cast<uint32_t>(plan.places.size());
    row.rows = plan.rows;
    row.columns = plan.columns;
    row.cells = mesh.GetCells();
    row.freeEnds = static_cast<uint32_t>(mesh.GetFreeEnds().size());
    row.least = CountLeastMatchings(row.ports);
    row.lowerBound = plan.lowerBound;
    row.matchings = static_cast<uint32_t>(plan.matchings.size());
    row.error = plan.error;
    return row;
}

std::string
PipSettings::Add(const PipPlan& plan, PipReport::Row row, std::ostream& os)
{
    if (row.error.empty())
    {
        // The fabric checks the plan by following its light.
        const auto fabric = CreateObject<PipSwitchFabric>();
        if (auto error = fabric->SetPlan(plan); !error.empty())
        {
            return "the plan for " + std::to_string(row.ports) + " ports is wrong: " + error;
        }
        row.passed = CountPipPlanCells(plan);
        uint32_t circuits = 0;
        for (const auto& matching : plan.matchings)
        {
            const auto error = fabric->Change(fabric->GetCircuits(), matching.circuits);
            if (!error.empty())
            {
                return "the plan for " + std::to_string(row.ports) + " ports is refused: " + error;
            }
            for (const auto& circuit : matching.circuits)
            {
                const double delay =
                    static_cast<double>(fabric->GetDelay(circuit).GetPicoSeconds());
                const double loss = fabric->GetLoss(circuit);
                row.delay.mean += delay;
                row.delay.most = std::max(row.delay.most, delay);
                row.loss.mean += loss;
                row.loss.most = std::max(row.loss.most, loss);
                ++circuits;
            }
        }
        row.delay.mean /= circuits;
        row.loss.mean /= circuits;
    }
    PipReport::WriteRow(os, row);
    m_plan = plan;
    m_report.rows.push_back(std::move(row));
    return "";
}

std::string
PipSettings::Run(std::ostream& os)
{
    if (!m_circuits.empty())
    {
        const PipMesh mesh(m_rows.Get(), m_columns.Get());
        const auto places = PlacePipPorts(mesh, m_ports[0]);
        os << "the matching " << CheckPipFeasibility(mesh, places, m_circuits, m_effort).ToText()
           << "\n";
        return "";
    }
    m_report.WriteHead(os);
    if (!m_read.GetText().empty())
    {
        return Add(PipPlan(m_plan), MakeRow(m_plan), os);
    }
    for (uint32_t ports : m_ports)
    {
        PipSizing sizing;
        if (m_rows.IsSet())
        {
            sizing.fitting = PlanPipSwitch(m_rows.Get(), m_columns.Get(), ports, m_effort);
        }
        else
        {
            sizing = FindSmallestPipMesh(ports, m_effort);
        }
        auto row = MakeRow(sizing.fitting.plan);
        row.seconds = sizing.fitting.seconds;
        if (sizing.tooSmall)
        {
            const auto smaller = MakeRow(sizing.tooSmall->plan);
            row.smallerSide = smaller.rows;
            row.smallerMatchings = smaller.matchings;
            row.smallerBound = smaller.lowerBound;
        }
        if (auto error = Add(sizing.fitting.plan, std::move(row), os); !error.empty())
        {
            return error;
        }
    }
    return "";
}

std::string
PipSettings::WriteFiles() const
{
    const auto plan = [this](std::ostream& os) { m_plan.Write(os); };
    const auto lights = [this](std::ostream& os) { MakePipLights(m_plan).Write(os); };
    const auto csv = [this](std::ostream& os) { m_report.GetCsv().Write(os); };
    if (!m_circuits.empty())
    {
        return "";
    }
    if (!m_plan.error.empty() && !(m_write.GetText() + m_lights.GetText()).empty())
    {
        return "there is no plan to write: " + m_plan.error;
    }
    for (const auto& [flag, write] :
         {std::pair<const Option&, std::function<void(std::ostream&)>>(m_write, plan),
          {m_lights, lights},
          {m_csv, csv}})
    {
        if (auto error = WriteFile(flag.GetName(), flag.GetText(), write); !error.empty())
        {
            return error;
        }
    }
    return WriteJsonFile(m_report, m_json.GetText());
}

} // namespace ns3
