// SPDX-License-Identifier: GPL-2.0-only

#include "window-report.h"

#include "ns3/latency-histogram.h"
#include "ns3/report-table.h"
#include "ns3/report-value.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// @return the largest difference of two distribution functions (Kolmogorov and Smirnov)
double
FindDistance(const std::vector<Time>& one, const std::vector<Time>& other)
{
    double largest = 0;
    for (const auto* times : {&one, &other})
    {
        for (const Time& time : *times)
        {
            const auto share = [&time](const std::vector<Time>& sorted) {
                const auto end = std::upper_bound(sorted.begin(), sorted.end(), time);
                return static_cast<double>(end - sorted.begin()) / sorted.size();
            };
            largest = std::max(largest, std::abs(share(one) - share(other)));
        }
    }
    return largest;
}

/// @return parallelism and collectives of the phase after a window
std::string
GetNameAfter(const PhaseWindow& window)
{
    std::string name = ToString(window.to);
    for (const CollectiveKind kind : window.kinds)
    {
        name += (kind == window.kinds.front() ? " " : "+") + ToString(kind);
    }
    return name;
}

/// @return a quantile of the windows of a rail
template <int PERCENT>
Time
GetPercentile(const WindowReport::Rail& rail)
{
    return rail.GetQuantile(PERCENT / 100.0);
}

/// @return the table of the rails; the heading of the share contains the threshold
ReportTable<WindowReport::Rail>
MakeRailTable(const std::string& threshold)
{
    return {
        {"rail", "", &WindowReport::Rail::number, {"rail", 4}},
        {"windows", "", [](const auto& rail) { return rail.sorted.size(); }, {"windows", 9}},
        {"p10_s", "s", GetPercentile<10>, {"10 % {}", 12, ReportUnit::FITS}},
        {"p25_s", "s", GetPercentile<25>, {"25 % {}", 12, ReportUnit::SAME}},
        {"p50_s", "s", GetPercentile<50>, {"50 % {}", 12, ReportUnit::SAME}},
        {"p75_s", "s", GetPercentile<75>, {"75 % {}", 12, ReportUnit::SAME}},
        {"p90_s", "s", GetPercentile<90>, {"90 % {}", 12, ReportUnit::SAME}},
        {"max_s", "s", GetPercentile<100>, {"largest {}", 12, ReportUnit::SAME}},
        {"above_share",
         "",
         &WindowReport::Rail::shareAbove,
         {"  above " + threshold,
          11,
          [](const auto& rail) { return ReportValue::Fixed(100 * rail.shareAbove, 1) + " %"; }}},
        {"distance", "", &WindowReport::Rail::distance, {"distance to rail 0", 20, 3}}};
}

/// @return the volume in MiB
std::string
ToMebibytes(const WindowReport::Following& following)
{
    const uint64_t bytes = following.bytes;
    const int decimals = bytes < (uint64_t{10} << 20) ? 2 : 0;
    return following.name.empty()
               ? "< 1"
               : ReportValue::Fixed(static_cast<double>(bytes) / (1 << 20), decimals);
}

const ReportTable<WindowReport::Following> FOLLOWING{
    {"name",
     "",
     &WindowReport::Following::name,
     {"what follows on rail 0",
      -26,
      [](const auto& one) { return one.name.empty() ? "anything" : one.name; }}},
    {"bytes", "bytes", &WindowReport::Following::bytes, {"MiB", 12, ToMebibytes}},
    {"windows", "", [](const auto& one) { return one.each.size(); }},
    {"per_iteration", "", &WindowReport::Following::perIteration, {"per iteration", 16, 1}},
    {"min_s",
     "s",
     [](const auto& one) { return one.each.front(); },
     {"shortest {}", 14, ReportUnit::FITS}},
    {"mean_s", "s", &WindowReport::Following::GetMean, {"mean {}", 12, ReportUnit::SAME}},
    {"max_s",
     "s",
     [](const auto& one) { return one.each.back(); },
     {"longest {}", 13, ReportUnit::SAME}},
};

/// A window with its rail and stage.
struct PlacedWindow : PhaseWindow
{
    std::size_t rail{0};
    std::size_t stage{0};
};

const ReportTable<PlacedWindow> PLACED_WINDOWS{
    {"rail", "", &PlacedWindow::rail},
    {"stage", "", &PlacedWindow::stage},
    {"iteration", "", &PhaseWindow::iteration},
    {"from", "", [](const auto& window) { return ToString(window.from); }},
    {"to", "", [](const auto& window) { return ToString(window.to); }},
    {"calls",
     "",
     [](const auto& window) {
         const std::string name = GetNameAfter(window);
         return name.substr(name.find(' ') + 1);
     }},
    // Times in CSV have all picoseconds.
    {"window_s",
     "s",
     [](const auto& window) { return ReportValue::Fixed(ToSeconds(window.duration), 12); }},
    {"bytes", "bytes", &PhaseWindow::bytesAfter},
};

} // namespace

Time
WindowReport::Rail::GetQuantile(double share) const
{
    return FindQuantile(sorted, share);
}

Time
WindowReport::Following::GetMean() const
{
    int64_t sum = 0;
    for (const Time& time : each)
    {
        sum += time.GetPicoSeconds();
    }
    return each.empty() ? Time() : PicoSeconds(sum / static_cast<int64_t>(each.size()));
}

WindowReport::WindowReport(std::vector<RailWindows> rails,
                           uint32_t firstIteration,
                           uint32_t iterations,
                           Time threshold)
    : m_windows(std::move(rails)),
      m_firstIteration(
          std::max(firstIteration, iterations - std::min(iterations, RailPhases::KEPT_ITERATIONS))),
      m_iterations(iterations),
      m_threshold(threshold)
{
    for (const auto& windows : m_windows)
    {
        m_rails.push_back(MakeRail(windows));
        m_rails.back().number = m_rails.size() - 1;
    }
    FindFollowing();
}

std::vector<PhaseWindow>
WindowReport::Select(const RailWindows& windows) const
{
    std::vector<PhaseWindow> selected;
    for (const auto& stage : windows)
    {
        for (const auto& window : stage)
        {
            if (window.iteration >= m_firstIteration && window.iteration < m_iterations)
            {
                selected.push_back(window);
            }
        }
    }
    return selected;
}

WindowReport::Rail
WindowReport::MakeRail(const RailWindows& windows) const
{
    Rail rail;
    std::size_t above = 0;
    for (const auto& window : Select(windows))
    {
        rail.sorted.push_back(window.duration);
        above += window.duration > m_threshold ? 1 : 0;
    }
    std::sort(rail.sorted.begin(), rail.sorted.end());
    if (!rail.sorted.empty())
    {
        rail.shareAbove = static_cast<double>(above) / rail.sorted.size();
    }
    if (!m_rails.empty() && !rail.sorted.empty() && !m_rails.front().sorted.empty())
    {
        rail.distance = FindDistance(m_rails.front().sorted, rail.sorted);
    }
    return rail;
}

void
WindowReport::FindFollowing()
{
    std::vector<PhaseWindow> windows =
        m_windows.empty() ? std::vector<PhaseWindow>() : Select(m_windows.front());
    std::stable_sort(windows.begin(),
                     windows.end(),
                     [](const PhaseWindow& one, const PhaseWindow& other) {
                         return one.bytesAfter < other.bytesAfter;
                     });
    for (const auto& window : windows)
    {
        const bool isSmall = window.bytesAfter < SMALL;
        const std::string name = isSmall ? "" : GetNameAfter(window);
        const auto found =
            std::find_if(m_following.begin(),
                         m_following.end(),
                         [&window, &name, isSmall](const Following& following) {
                             return following.name == name &&
                                    (isSmall || static_cast<double>(window.bytesAfter) <=
                                                    SPREAD * static_cast<double>(following.bytes));
                         });
        Following& following =
            found == m_following.end()
                ? m_following.emplace_back(Following{name, window.bytesAfter, 0, {}, 0})
                : *found;
        following.mostBytes = window.bytesAfter;
        following.each.push_back(window.duration);
    }
    for (auto& following : m_following)
    {
        std::sort(following.each.begin(), following.each.end());
        following.perIteration =
            static_cast<double>(following.each.size()) / (m_iterations - m_firstIteration);
    }
}

std::vector<double>
WindowReport::GetWindowsPerIteration() const
{
    std::vector<double> counts;
    for (const auto& stage : m_windows.empty() ? RailWindows() : m_windows.front())
    {
        const auto count = Select({stage}).size();
        counts.push_back(m_iterations > m_firstIteration
                             ? static_cast<double>(count) / (m_iterations - m_firstIteration)
                             : 0);
    }
    return counts;
}

ReportValue
WindowReport::MakeTables() const
{
    return ReportValue::Object{{"rails", MakeRailTable("").Make(m_rails)},
                               {"following", FOLLOWING.Make(m_following)}};
}

void
WindowReport::WriteTable(std::ostream& os) const
{
    std::ostringstream threshold;
    threshold << m_threshold.As(Time::MS);
    os << "\nwindows between the phases of a rank, iterations " << m_firstIteration << " to "
       << m_iterations - 1 << "\n"
       << std::fixed;
    MakeRailTable(threshold.str()).WriteText(os, m_rails);
    os << "\n";
    FOLLOWING.WriteText(os, m_following);
    os << "\nwindows of a rank in an iteration, stage by stage:" << std::setprecision(1);
    for (const double count : GetWindowsPerIteration())
    {
        os << " " << count;
    }
    os << "\n";
}

void
WindowReport::WriteCsv(std::ostream& os) const
{
    std::vector<PlacedWindow> rows;
    for (std::size_t rail = 0; rail < m_windows.size(); ++rail)
    {
        for (std::size_t stage = 0; stage < m_windows[rail].size(); ++stage)
        {
            for (const auto& window : Select({m_windows[rail][stage]}))
            {
                rows.push_back({window, rail, stage});
            }
        }
    }
    PLACED_WINDOWS.MakeCsv(rows).Write(os);
}

} // namespace ns3
