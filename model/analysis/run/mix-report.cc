// SPDX-License-Identifier: GPL-2.0-only

#include "mix-report.h"

#include "ns3/report-table.h"

#include <numeric>

namespace ns3
{

namespace
{

using MixJob = MixReport::Job;

/// @return domains for people: 0-3, 8
std::string
ListDomains(const MixJob& job)
{
    std::string text;
    const auto& all = job.domains;
    for (std::size_t i = 0; i < all.size();)
    {
        std::size_t last = i;
        while (last + 1 < all.size() && all[last + 1] == all[last] + 1)
        {
            ++last;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(all[i]);
        text += last > i ? "-" + std::to_string(all[last]) : "";
        i = last + 1;
    }
    return text;
}

const ReportTable<MixJob> MIX_JOBS{
    {"name", "", &MixJob::name, {"job", -16}},
    {"gpus", "GPUs", &MixJob::gpus, {"GPUs", 6}},
    {"domains", "", &MixJob::domains},
    {"start_s", "s", &MixJob::start, {"start (s)", 12, 6}},
    {"alone_s", "s", &MixJob::GetAlone, {"alone (s)", 14, 6}},
    {"together_s", "s", &MixJob::GetTogether, {"together (s)", 14, 6}},
    {"slowdown", "", &MixJob::GetSlowdown, {"slowdown", 10, 4}},
    {"iterations_alone_s", "s", &MixJob::alone},
    {"iterations_together_s", "s", &MixJob::together},
    {"settings", "", &MixJob::settings},
    {"", "", [](const MixJob& job) { return "  " + ListDomains(job); }, {"  domains", -20}},
};

/// @return the sum of some times
Time
AddTimes(const std::vector<Time>& times)
{
    return std::accumulate(times.begin(), times.end(), Time());
}

} // namespace

const ReportTable<MixReport>&
MixReport::GetTable()
{
    static const ReportTable<MixReport> table{
        {"cluster", "", &MixReport::cluster},
        {"placement", "", &MixReport::placement},
        {"remarks", "", &MixReport::remarks},
        {"jobs", "", ReportRows(&MixReport::jobs, MIX_JOBS)},
        {"interrupted", "", &MixReport::interrupted},
        {"wall_s", "s", &MixReport::wallSeconds},
        {"peak_rss_bytes", "bytes", &MixReport::peakRssBytes},
    };
    return table;
}

template struct JsonReport<MixReport>;

Time
MixReport::Job::GetAlone() const
{
    return AddTimes(alone);
}

Time
MixReport::Job::GetTogether() const
{
    return AddTimes(together);
}

double
MixReport::Job::GetSlowdown() const
{
    return GetAlone().IsZero() ? 0 : GetTogether().GetSeconds() / GetAlone().GetSeconds();
}

void
MixReport::WriteTable(std::ostream& os) const
{
    os << cluster << ", placement " << placement << "\n";
    for (const auto& remark : remarks)
    {
        os << "remark: " << remark << "\n";
    }
    os << "\n";
    MIX_JOBS.WriteText(os, jobs);
    if (!interrupted.empty())
    {
        os << "\ninterrupted by " << interrupted << ": jobs without times have not been run\n";
    }
    os << std::flush;
}

} // namespace ns3
