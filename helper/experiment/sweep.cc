// SPDX-License-Identifier: GPL-2.0-only

#include "sweep.h"

#include "training-experiment.h"

#include "ns3/child-process.h"
#include "ns3/flag-parser.h"
#include "ns3/interruption.h"
#include "ns3/program.h"
#include "ns3/report-value.h"
#include "ns3/time-unit.h"
#include "ns3/training-settings.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/trim.hpp>
#include <boost/crc.hpp>
#include <chrono>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

std::string
SweepPlan::ReadGrid(const std::string& text, Grid& grid)
{
    for (const std::string& piece : FlagParser::Split(text, ';'))
    {
        const std::size_t equals = piece.find('=');
        if (equals == std::string::npos || equals == 0 || piece[0] == '-')
        {
            return "\"" + piece + "\" is not a flag without dashes, =, and values";
        }
        const Axis axis{piece.substr(0, equals), FlagParser::Split(piece.substr(equals + 1))};
        const auto isSame = [&axis](const Axis& other) { return other.first == axis.first; };
        if (std::any_of(grid.begin(), grid.end(), isSame))
        {
            return axis.first + " is named twice";
        }
        if (std::set<std::string>(axis.second.begin(), axis.second.end()).size() !=
            axis.second.size())
        {
            return axis.first + " has the same value twice";
        }
        grid.push_back(axis);
        if (GetSize(grid) > MAX_POINTS)
        {
            return "there are more than " + std::to_string(MAX_POINTS) + " points";
        }
    }
    return "";
}

std::string
SweepPlan::Read(const std::string& text)
{
    SweepPlan plan;
    for (const std::string& piece : FlagParser::Split(text, '|'))
    {
        Grid grid;
        if (auto error = ReadGrid(boost::algorithm::trim_copy(piece), grid); !error.empty())
        {
            return error;
        }
        plan.m_grids.push_back(grid);
        if (plan.GetSize() > MAX_POINTS)
        {
            return "there are more than " + std::to_string(MAX_POINTS) + " points";
        }
    }
    std::set<Point> points;
    for (std::size_t i = 0; i < plan.GetSize(); ++i)
    {
        if (!points.insert(plan.GetPoint(i)).second)
        {
            return "two grids have the same point";
        }
    }
    *this = plan;
    return "";
}

std::vector<std::string>
SweepPlan::GetFlags() const
{
    std::vector<std::string> flags;
    for (const Grid& grid : m_grids)
    {
        for (const auto& [flag, values] : grid)
        {
            if (std::find(flags.begin(), flags.end(), flag) == flags.end())
            {
                flags.push_back(flag);
            }
        }
    }
    return flags;
}

std::size_t
SweepPlan::GetSize(const Grid& grid)
{
    std::size_t points = 1;
    for (const auto& [flag, values] : grid)
    {
        points *= values.size();
    }
    return points;
}

std::size_t
SweepPlan::GetSize() const
{
    std::size_t points = 0;
    for (const Grid& grid : m_grids)
    {
        points += GetSize(grid);
    }
    return points;
}

SweepPlan::Point
SweepPlan::GetPoint(std::size_t index) const
{
    auto grid = m_grids.begin();
    while (index >= GetSize(*grid))
    {
        index -= GetSize(*grid++);
    }
    std::map<std::string, std::string> values;
    for (auto axis = grid->rbegin(); axis != grid->rend(); ++axis)
    {
        values[axis->first] = axis->second[index % axis->second.size()];
        index /= axis->second.size();
    }
    Point point;
    for (const std::string& flag : GetFlags())
    {
        point.emplace_back(flag, values[flag]);
    }
    return point;
}

namespace
{

/// @return columns and values; without a run the columns only
OptionGroup::Settings
MakeResults(const RunSummary& summary, const std::string& remark, const std::string& error)
{
    const TrainingIteration none;
    const auto& iterations = summary.iterations;
    const TrainingIteration& first = iterations.empty() ? none : iterations.front();
    const TrainingIteration& last = iterations.empty() ? none : iterations.back();
    const auto exposed = summary.GetExposed(last);
    OptionGroup::Settings results{
        {"iteration_s", FlagParser::ToText(last.duration.GetSeconds())},
        {"first_iteration_s", FlagParser::ToText(first.duration.GetSeconds())},
        {"reconfigurations", std::to_string(last.reconfigurations)},
        {"exposed_s", exposed ? FlagParser::ToText(exposed->GetSeconds()) : ""},
        {"light_share", FlagParser::ToText(summary.light.GetShare())},
        {"bytes_forwarded", std::to_string(summary.bytesForwarded)},
        {"packets_sent", std::to_string(summary.rails.packetsSent)},
        {"retransmissions", std::to_string(summary.rails.retransmissions)},
        {"packets_lost_at_ocs", std::to_string(summary.packetsLostAtOcs)},
        {"requests", summary.hasControlPlane ? std::to_string(summary.control.requests) : ""},
        {"events", std::to_string(summary.events)},
        {"wall_s", FlagParser::ToText(summary.wallSeconds)},
        {"peak_rss_bytes", std::to_string(summary.peakRssBytes)}};
    for (auto& [column, value] : results)
    {
        value = error.empty() ? value : "";
    }
    results.emplace_back("remark", remark);
    results.emplace_back("error", error);
    return results;
}

/// @return a checksum of the contents of files; an empty text if there are none
std::string
SumFiles(const std::vector<std::string>& files)
{
    boost::crc_32_type sum;
    for (const std::string& name : files)
    {
        std::ifstream file(name, std::ios::binary);
        for (std::array<char, 65536> bytes; file.read(bytes.data(), bytes.size()), file.gcount();)
        {
            sum.process_bytes(bytes.data(), static_cast<std::size_t>(file.gcount()));
        }
    }
    std::ostringstream text;
    text << std::hex << std::setfill('0') << std::setw(8) << sum.checksum();
    return files.empty() ? "" : text.str();
}

} // namespace

std::string
Sweep::ReadJob(const SweepPlan::Point& flags, TrainingSettings& settings) const
{
    std::vector<std::string> arguments{m_program};
    for (const auto& [flag, value] : flags)
    {
        if (!value.empty())
        {
            arguments.push_back("--" + flag + "=" + value);
        }
    }
    settings.Vary(m_plan.GetFlags());
    CommandLine cmd;
    return ParseFlags(cmd, settings, arguments);
}

std::string
Sweep::Check(const std::vector<std::string>& arguments)
{
    for (const auto& error : {m_processes.Check(), m_plan.Read(m_vary.GetText())})
    {
        if (!error.empty())
        {
            return error.rfind("--", 0) == 0 ? error : "--vary: " + error;
        }
    }
    m_program = arguments.empty() ? "" : arguments.front();
    m_same.clear();
    const std::vector<std::string> varied = m_plan.GetFlags();
    for (std::size_t i = 1; i < arguments.size(); ++i)
    {
        const auto [flag, value] = FlagParser::SplitFlag(arguments[i]);
        if (std::find(varied.begin(), varied.end(), flag) != varied.end())
        {
            return "--vary: " + flag + " is given on the command line, too";
        }
        const auto* option = Find(flag);
        if (!option || &option->GetGroup() != this)
        {
            m_same.emplace_back(flag, value.empty() && arguments[i].back() != '=' ? "true" : value);
        }
    }
    CsvTable::Row columns;
    for (const auto& [flag, value] : GetSettings(0))
    {
        const auto* option = m_job.Find(flag);
        if (option && option->GetTraits().isForOneRun)
        {
            return "--" + flag + " is for a single run; allowed with the training program";
        }
        columns.push_back(flag);
    }
    columns.emplace_back("inputs");
    for (const auto& [column, value] : MakeResults(RunSummary(), "", ""))
    {
        columns.push_back(column);
    }
    m_table = CsvTable(columns);
    ReadInputs();
    // In a process of its own, since flags of this point set values of ns-3 that others have not.
    const auto error = RunInChild([this] {
        TrainingSettings settings;
        return ReadJob(GetSettings(0), settings);
    });
    return FindError([&] { return error.value_or("the flags could not be read"); },
                     [this] { return ReadFile(); });
}

void
Sweep::ReadInputs()
{
    std::string seeds;
    const auto columns = m_table.GetColumns();
    for (const auto& [name, value] : OptionGroup::GetSeeds())
    {
        const bool isFlag = std::find(columns.begin(), columns.end(), name) != columns.end();
        seeds += isFlag ? "" : name + "=" + value + " ";
    }
    std::map<SweepPlan::Point, std::string> known; // by the flags that name files
    m_inputs.clear();
    for (std::size_t point = 0; point < m_plan.GetSize(); ++point)
    {
        SweepPlan::Point flags;
        for (const auto& flag : GetSettings(point))
        {
            const auto* option = m_job.Find(flag.first);
            if (option && !option->GetTraits().readEndings.empty())
            {
                flags.push_back(flag);
            }
        }
        auto [found, isNew] = known.emplace(flags, "");
        if (isNew && !flags.empty())
        {
            // In a process of its own, since flags in files set values of ns-3.
            const auto sum = RunInChild([&] {
                TrainingSettings settings;
                const std::string error = ReadJob(flags, settings);
                return error.empty() ? SumFiles(settings.GetReadFiles()) : "";
            });
            found->second = sum.value_or("");
        }
        m_inputs.push_back(boost::algorithm::trim_copy(seeds + found->second));
    }
}

CsvTable::Row
Sweep::GetKey(std::size_t point) const
{
    CsvTable::Row key;
    for (const auto& [flag, value] : GetSettings(point))
    {
        key.push_back(value);
    }
    key.push_back(m_inputs.at(point));
    return key;
}

std::string
Sweep::Refuse(const std::string& reason) const
{
    return reason.empty() ? "" : "--csv=" + m_csv.GetText() + ": " + reason;
}

std::string
Sweep::ReadFile()
{
    if (!m_csv.IsSet())
    {
        return "";
    }
    if (auto error = m_file.Open(m_csv.GetText()); !error.empty())
    {
        return m_csv.Refuse("a file that can be written: " + error);
    }
    std::ostringstream header;
    CsvTable::WriteRow(header, m_table.GetColumns());
    const std::string text = m_file.Read(CsvTable::MAX_BYTES + 1);
    if (header.str().compare(0, text.size(), text) == 0)
    {
        return Refuse(FindError([this] { return m_file.Keep(0); },
                                [&] { return m_file.Append(header.str()); }));
    }
    CsvTable former;
    std::istringstream stream(text);
    if (auto error = former.Read(stream); !error.empty())
    {
        return Refuse(error);
    }
    if (former.GetColumns() != m_table.GetColumns())
    {
        return "--csv=" + m_csv.GetText() + " has other columns: it is of another sweep";
    }
    m_table = former;
    for (std::size_t row = 0; row < m_table.GetRows().size(); ++row)
    {
        Index(row);
    }
    return Refuse(m_file.Keep(former.GetBytesRead())); // without a row that has no end
}

SweepPlan::Point
Sweep::GetSettings(std::size_t point) const
{
    SweepPlan::Point settings = m_same;
    const SweepPlan::Point varied = m_plan.GetPoint(point);
    settings.insert(settings.end(), varied.begin(), varied.end());
    return settings;
}

std::optional<CsvTable::Row>
Sweep::FindRow(std::size_t point) const
{
    const auto row = m_rows.find(GetKey(point));
    return row == m_rows.end() ? std::nullopt : std::optional(m_table.GetRows().at(row->second));
}

void
Sweep::Index(std::size_t row)
{
    const auto begin = m_table.GetRows().at(row).begin();
    const auto inputs = static_cast<std::ptrdiff_t>(m_table.Find("inputs"));
    m_rows.emplace(CsvTable::Row(begin, begin + inputs + 1), row);
}

std::string
Sweep::RunPoint(std::size_t point) const
{
    TrainingSettings settings;
    RunSummary summary;
    std::string remark;
    std::string error = ReadJob(GetSettings(point), settings);
    error = error.empty() ? settings.Check() : error;
    if (error.empty())
    {
        remark = settings.DescribeTiers();
        summary = TrainingExperiment(settings).Run(nullptr);
        error = ToOneLine(summary.CheckInvariants());
    }
    CsvTable::Row row = GetKey(point);
    for (const auto& [column, value] : MakeResults(summary, remark, error))
    {
        row.push_back(value);
    }
    CsvTable table(m_table.GetColumns());
    table.Add(row);
    std::ostringstream text;
    table.Write(text);
    return text.str();
}

std::string
Sweep::AddRow(const CsvTable::Row& row)
{
    m_table.Add(row);
    Index(m_table.GetRows().size() - 1);
    std::ostringstream text;
    CsvTable::WriteRow(text, row);
    return m_file.IsOpen() ? Refuse(m_file.Append(text.str())) : "";
}

std::string
Sweep::Run(std::ostream* progress)
{
    std::vector<std::size_t> missing;
    for (std::size_t point = 0; point < m_plan.GetSize(); ++point)
    {
        if (!FindRow(point))
        {
            missing.push_back(point);
        }
    }
    Interruption::Defer();
    const auto begin = std::chrono::steady_clock::now();
    std::size_t done = 0;
    std::string unwritten;
    const auto ended = [&](std::size_t point, const std::optional<std::string>& text) {
        if (Interruption::GetSignal() != 0)
        {
            return;
        }
        ++done;
        CsvTable result;
        std::istringstream stream(text.value_or(""));
        if (text && result.Read(stream).empty() && !result.GetRows().empty())
        {
            const std::string error = AddRow(result.GetRows().front());
            unwritten = unwritten.empty() ? error : unwritten;
        }
        else if (progress)
        {
            *progress << "a process ended without a result: it will be run again next time\n";
        }
        if (progress)
        {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
            *progress << done << " of " << missing.size() << " points:";
            for (const auto& [flag, value] : m_plan.GetPoint(point))
            {
                *progress << (value.empty() ? "" : " --" + flag + "=" + value);
            }
            *progress << ", about " << std::fixed << std::setprecision(0)
                      << passed.count() / static_cast<double>(done) *
                             static_cast<double>(missing.size() - done)
                      << " s left" << std::endl;
        }
    };
    ChildPool::Run(
        missing,
        m_processes.Get(),
        [this](std::size_t point) { return RunPoint(point); },
        ended);
    if (Interruption::GetSignal() != 0)
    {
        return "interrupted by " + Interruption::GetName() + ": " + std::to_string(m_rows.size()) +
               " of " + std::to_string(m_plan.GetSize()) + " points have a result" +
               (m_csv.IsSet() ? "; the same command goes on with the others" : "");
    }
    if (!unwritten.empty())
    {
        return unwritten;
    }
    std::string first = "no process has ended with a result";
    std::size_t without = 0;
    for (std::size_t point = m_plan.GetSize(); point-- > 0;)
    {
        const auto row = FindRow(point);
        first = row ? row->at(m_table.Find("error")) : first;
        without += row ? 0 : 1;
    }
    if (!HasResults())
    {
        return first;
    }
    return without == 0
               ? ""
               : "of " + std::to_string(without) + " of " + std::to_string(m_plan.GetSize()) +
                     " points the process ended without a result";
}

bool
Sweep::HasResults() const
{
    const std::size_t error = m_table.Find("error");
    for (std::size_t point = 0; point < m_plan.GetSize(); ++point)
    {
        if (const auto row = FindRow(point); row && row->at(error).empty())
        {
            return true;
        }
    }
    return false;
}

namespace
{

/// @return a column of the text table: numbers of the CSV times a factor, with digits that count
CsvTable::Row
MakeNumbers(const std::string& heading, const CsvTable::Row& cells, double factor)
{
    CsvTable::Row column{heading};
    for (const std::string& cell : cells)
    {
        const auto number = FlagParser::ParseFraction(cell);
        column.push_back(number ? ReportValue(*number).ToText(TimeUnit::DIGITS, factor) : "-");
    }
    return column;
}

/// @return a column of the text table: times of the CSV in the unit that fits the longest
CsvTable::Row
MakeTimes(const std::string& heading, const CsvTable::Row& cells)
{
    double longest = 0;
    for (const std::string& cell : cells)
    {
        longest = std::max(longest, FlagParser::ParseFraction(cell).value_or(0));
    }
    const TimeUnit unit = TimeUnit::Find(longest);
    return MakeNumbers(heading + "_" + unit.name, cells, 1 / unit.seconds);
}

} // namespace

void
Sweep::WriteTable(std::ostream& os) const
{
    CsvTable::Row last{"error or remark"};
    std::vector<CsvTable::Row> rows;
    for (std::size_t point = 0; point < m_plan.GetSize(); ++point)
    {
        if (const auto row = FindRow(point))
        {
            rows.push_back(*row);
            const std::string& error = row->at(m_table.Find("error"));
            last.push_back(error.empty() ? row->at(m_table.Find("remark")) : error);
        }
    }
    const auto getCells = [&](const std::string& name) {
        CsvTable::Row cells;
        for (const auto& row : rows)
        {
            cells.push_back(row.at(m_table.Find(name)));
        }
        return cells;
    };
    const auto make = [&](const std::string& name) {
        CsvTable::Row column = getCells(name);
        column.insert(column.begin(), name);
        return column;
    };
    std::vector<CsvTable::Row> columns;
    for (const std::string& flag : m_plan.GetFlags())
    {
        columns.push_back(make(flag));
    }
    columns.insert(columns.end(),
                   {MakeTimes("iteration", getCells("iteration_s")),
                    make("reconfigurations"),
                    MakeTimes("exposed", getCells("exposed_s")),
                    MakeNumbers("light_share", getCells("light_share"), 1),
                    make("bytes_forwarded"),
                    last});
    for (std::size_t line = 0; line <= rows.size(); ++line)
    {
        for (const auto& column : columns)
        {
            std::size_t width = 0; // the last column needs none
            for (const auto& cell : column)
            {
                width = &column == &columns.back() ? 0 : std::max(width, cell.size());
            }
            os << (&column == &columns.front() ? "" : "  ") << std::setw(static_cast<int>(width))
               << column[line];
        }
        os << "\n";
    }
}

} // namespace ns3
