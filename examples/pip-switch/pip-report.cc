// SPDX-License-Identifier: GPL-2.0-only

#include "pip-report.h"

#include "ns3/pip-mesh.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Names of columns and their values; null for an empty cell.
using PipCells = std::vector<std::pair<std::string, Json>>;

/// @return the values of a switch, for all formats
PipCells
MakePipCells(const PipReport::Row& row)
{
    PipCells cells{{"ports", row.ports},
                   {"rows", row.rows},
                   {"columns", row.columns},
                   {"cells", row.cells},
                   {"free_ends", row.freeEnds},
                   {"least_matchings", row.least}};
    if (!row.error.empty())
    {
        cells.emplace_back("error", row.error);
        return cells;
    }
    cells.insert(cells.end(),
                 {{"lower_bound", row.lowerBound},
                  {"matchings", row.matchings},
                  {"proven", row.matchings == row.lowerBound},
                  {"cells_passed_mean", row.passed.mean},
                  {"cells_passed_max", row.passed.most},
                  {"delay_mean_ps", row.delay.mean},
                  {"delay_max_ps", row.delay.most},
                  {"loss_mean_db", row.loss.mean},
                  {"loss_max_db", row.loss.most},
                  {"plan_s", row.seconds}});
    if (row.smallerSide > 0)
    {
        cells.emplace_back("smaller_side", row.smallerSide);
        cells.emplace_back("smaller_bound", row.smallerBound);
        if (row.smallerMatchings > 0)
        {
            cells.emplace_back("smaller_matchings", row.smallerMatchings);
        }
    }
    return cells;
}

/// @return a number of seconds for people
std::string
PlanningTimeToText(double seconds)
{
    std::ostringstream text;
    text << std::setprecision(seconds < 10 ? 2 : 3) << seconds;
    return text.str();
}

} // namespace

PipPlanCells
CountPipPlanCells(const PipPlan& plan)
{
    const PipMesh mesh(plan.rows, plan.columns);
    PipPlanCells cells;
    std::size_t circuits = 0;
    for (const auto& matching : plan.matchings)
    {
        for (const auto& circuit : matching.circuits)
        {
            const uint32_t passed =
                FollowPipLight(mesh, matching.states, plan.places[circuit.a]).GetCells();
            cells.mean += passed;
            cells.least = circuits == 0 ? passed : std::min(cells.least, passed);
            cells.most = std::max(cells.most, passed);
            ++circuits;
        }
    }
    cells.mean /= circuits == 0 ? 1.0 : static_cast<double>(circuits);
    return cells;
}

void
PipReport::WriteHead(std::ostream& os) const
{
    os << "# solver: " << solver << "\n"
       << "# ports   mesh  cells  least  matchings  proven  cells passed   delay (ps)     loss (dB)"
          "   plan (s)  one smaller\n"
       << "#                                                   mean   max    mean    max   mean   "
          "max\n";
}

void
PipReport::WriteRow(std::ostream& os, const Row& row)
{
    const std::string mesh = std::to_string(row.rows) + "x" + std::to_string(row.columns);
    std::ostringstream line; // whatever the format of the other stream is
    line << std::fixed << std::setw(7) << row.ports << std::setw(7) << mesh << std::setw(7)
         << row.cells << std::setw(7) << row.least;
    if (!row.error.empty())
    {
        os << line.str() << "  " << row.error << "\n";
        return;
    }
    line << std::setw(11) << row.matchings << std::setw(8)
         << (row.matchings == row.lowerBound ? "yes" : "no") << std::setprecision(1) << std::setw(9)
         << row.passed.mean << std::setw(6) << row.passed.most << std::setw(8) << row.delay.mean
         << std::setw(7) << row.delay.most << std::setw(7) << row.loss.mean << std::setw(6)
         << row.loss.most << std::setw(11) << PlanningTimeToText(row.seconds);
    if (row.smallerSide > 0)
    {
        line << "  " << (row.smallerMatchings > 0 ? std::to_string(row.smallerMatchings) : "none")
             << " (at least " << row.smallerBound << ")";
    }
    else
    {
        line << "  -";
    }
    os << line.str() << std::endl; // the next row may take its time
}

CsvTable
PipReport::GetCsv() const
{
    const CsvTable::Row columns{"ports",
                                "rows",
                                "columns",
                                "cells",
                                "free_ends",
                                "least_matchings",
                                "lower_bound",
                                "matchings",
                                "proven",
                                "cells_passed_mean",
                                "cells_passed_max",
                                "delay_mean_ps",
                                "delay_max_ps",
                                "loss_mean_db",
                                "loss_max_db",
                                "plan_s",
                                "smaller_side",
                                "smaller_bound",
                                "smaller_matchings",
                                "error"};
    CsvTable table(columns);
    for (const auto& row : rows)
    {
        CsvTable::Row texts(columns.size());
        for (const auto& [name, value] : MakePipCells(row))
        {
            texts[table.Find(name)] = value.is_string() ? value.get<std::string>() : value.dump();
        }
        table.Add(std::move(texts));
    }
    return table;
}

void
PipReport::WriteJson(std::ostream& os) const
{
    Json list = Json::array();
    for (const auto& row : rows)
    {
        Json one = Json::object();
        for (auto& [name, value] : MakePipCells(row))
        {
            one[name] = std::move(value);
        }
        list.push_back(std::move(one));
    }
    const Json json{{"solver", solver}, {"rows", std::move(list)}};
    os << json.dump(2, ' ', true, Json::error_handler_t::replace) << "\n";
}

CsvTable
MakePipLights(const PipPlan& plan)
{
    CsvTable table({"matching",
                    "cell",
                    "x1",
                    "y1",
                    "x2",
                    "y2",
                    "state",
                    "circuit_0",
                    "circuit_1",
                    "port_0",
                    "port_1",
                    "port_2",
                    "port_3"});
    const PipMesh mesh(plan.rows, plan.columns);
    const auto write = [](double number) {
        std::ostringstream text;
        text << std::fixed << std::setprecision(4) << number;
        return text.str();
    };
    CsvTable::Row ports(mesh.GetEnds());
    for (std::size_t port = 0; port < plan.places.size(); ++port)
    {
        ports[plan.places[port]] = std::to_string(port);
    }
    for (std::size_t i = 0; i < plan.matchings.size(); ++i)
    {
        const auto& matching = plan.matchings[i];
        CsvTable::Row circuits(mesh.GetEnds());
        for (const auto& circuit : matching.circuits)
        {
            const std::string name = std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
            for (uint32_t end : FollowPipLight(mesh, matching.states, plan.places[circuit.a]).ends)
            {
                circuits[end] = name;
            }
        }
        for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
        {
            const auto place = mesh.GetPlace(cell);
            const uint32_t end = 4 * cell;
            table.Add({std::to_string(i),
                       std::to_string(cell),
                       write(place.x1),
                       write(place.y1),
                       write(place.x2),
                       write(place.y2),
                       matching.states[cell] == PipMesh::BAR ? "bar" : "cross",
                       circuits[end],
                       circuits[end + 1],
                       ports[end],
                       ports[end + 1],
                       ports[end + 2],
                       ports[end + 3]});
        }
    }
    return table;
}

} // namespace ns3
