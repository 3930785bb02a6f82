// SPDX-License-Identifier: GPL-2.0-only

#include "window-report.h"

#include "ns3/csv-table.h"
#include "ns3/to-seconds.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// @return the value at a share of sorted ones, by nearest rank
Time
FindQuantile(const std::vector<Time>& sorted, double share)
{
    if (sorted.empty())
    {
        return Time();
    }
    const auto rank = static_cast<std::size_t>(std::ceil(share * sorted.size()));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

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

/// @return a volume, in MiB
std::string
ToMebibytes(uint64_t bytes)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(bytes < (uint64_t{10} << 20) ? 2 : 0)
         << static_cast<double>(bytes) / (1 << 20);
    return text.str();
}

/// @return seconds with all picoseconds
std::string
WindowToText(const Time& time)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::fixed << std::setprecision(12) << ToSeconds(time);
    return text.str();
}

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
      m_firstIteration(firstIteration),
      m_iterations(iterations),
      m_threshold(threshold)
{
    for (const auto& windows : m_windows)
    {
        m_rails.push_back(MakeRail(windows));
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
                ? m_following.emplace_back(Following{name, window.bytesAfter, 0, {}})
                : *found;
        following.mostBytes = window.bytesAfter;
        following.each.push_back(window.duration);
    }
    for (auto& following : m_following)
    {
        std::sort(following.each.begin(), following.each.end());
    }
}

const std::vector<WindowReport::Rail>&
WindowReport::GetRails() const
{
    return m_rails;
}

const std::vector<WindowReport::Following>&
WindowReport::GetFollowing() const
{
    return m_following;
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

void
WindowReport::WriteTable(std::ostream& os) const
{
    os << "\nwindows between the phases of a rank, iterations " << m_firstIteration << " to "
       << m_iterations - 1 << ", seconds\n"
       << "rail  windows       10 %       25 %       50 %       75 %       90 %    largest  above "
       << m_threshold.As(Time::MS) << "  distance to rail 0\n"
       << std::fixed;
    for (std::size_t rail = 0; rail < m_rails.size(); ++rail)
    {
        os << std::setw(4) << rail << std::setw(9) << m_rails[rail].sorted.size();
        for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9, 1.0})
        {
            os << std::setw(11) << std::setprecision(6)
               << ToSeconds(m_rails[rail].GetQuantile(share));
        }
        os << std::setw(9) << std::setprecision(1) << 100 * m_rails[rail].shareAbove << " %"
           << std::setw(20) << std::setprecision(3) << m_rails[rail].distance << "\n";
    }
    os << "\nwhat follows on rail 0             MiB   per iteration    shortest        mean     "
          "longest\n";
    for (const auto& following : m_following)
    {
        const double perIteration =
            static_cast<double>(following.each.size()) / (m_iterations - m_firstIteration);
        os << std::left << std::setw(26) << (following.name.empty() ? "anything" : following.name)
           << std::right << std::setw(12)
           << (following.name.empty() ? "< 1" : ToMebibytes(following.bytes))
           << std::setprecision(1) << std::setw(16) << perIteration << std::setprecision(6)
           << std::setw(12) << ToSeconds(following.each.front()) << std::setw(12)
           << ToSeconds(following.GetMean()) << std::setw(12) << ToSeconds(following.each.back())
           << "\n";
    }
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
    CsvTable::WriteRow(os,
                       {"rail", "stage", "iteration", "from", "to", "calls", "window_s", "bytes"});
    for (std::size_t rail = 0; rail < m_windows.size(); ++rail)
    {
        for (std::size_t stage = 0; stage < m_windows[rail].size(); ++stage)
        {
            for (const auto& window : Select({m_windows[rail][stage]}))
            {
                const std::string name = GetNameAfter(window);
                CsvTable::WriteRow(os,
                                   {std::to_string(rail),
                                    std::to_string(stage),
                                    std::to_string(window.iteration),
                                    ToString(window.from),
                                    ToString(window.to),
                                    name.substr(name.find(' ') + 1),
                                    WindowToText(window.duration),
                                    std::to_string(window.bytesAfter)});
            }
        }
    }
}

} // namespace ns3
