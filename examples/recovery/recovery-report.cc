// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-report.h"

#include "ns3/report-table.h"
#include "ns3/report-value.h"
#include "ns3/text-archive.h"
#include "ns3/time-unit.h"

#include <algorithm>
#include <iomanip>
#include <iterator>

namespace ns3
{

namespace
{

/// @return the duration of a step of a recovery; numbers are those of RunRecovery::GetSteps
template <std::size_t STEP>
Time
GetStep(const RunRecovery& recovery)
{
    const auto step = recovery.GetSteps().at(STEP);
    return step.end - step.begin;
}

const ReportTable<RunRecovery> RECOVERY_STEPS{
    {"gpus", "GPU", &RunRecovery::gpus},
    {"attempts", "attempts", &RunRecovery::attempts},
    {"iteration", "", &RunRecovery::iteration},
    {"lost_s", "s", &RunRecovery::lost},
    {"detect_s", "s", GetStep<0>},
    {"stop_s", "s", GetStep<1>},
    {"plan_s", "s", GetStep<2>},
    {"build_s", "s", GetStep<3>},
    {"go_s", "s", GetStep<4>},
    {"total_s", "s", [](const RunRecovery& one) { return one.resumed - one.lost; }},
    {"lost_work_s", "s", &RunRecovery::lostWork},
};

/// @return the table of the racks of a report
ReportTable<RecoveryRow>
MakeRackTable(const RecoveryReport& report)
{
    const auto getBefore = [](const auto& row) { return row.GetThroughput(row.before); };
    const auto getAfter = [](const auto& row) { return row.GetThroughput(row.after); };
    // Throughput of the first after the losses over that of a rack; 0 if one of them has none.
    const double first = report.rows.empty() ? 0 : getAfter(report.rows.front());
    const auto getFactor = [first, getAfter](const RecoveryRow& row) {
        const double own = getAfter(row);
        return own > 0 ? first / own : 0;
    };
    return {
        {"name", "", &RecoveryRow::name, {"spares", -34}},
        {"fabric", "", &RecoveryRow::fabric},
        {"oversubscription", "", &RecoveryRow::oversubscription},
        {"idle_gpus", "GPUs", &RecoveryRow::idleGpus, {"idle", 6}},
        {"iteration_before_s", "s", &RecoveryRow::before},
        {"iteration_after_s", "s", &RecoveryRow::after},
        {"recovery_s", "s", &RecoveryRow::GetRecoveryTime, {"recovery {}", 13, ReportUnit::FITS}},
        {"lost_work_s", "s", &RecoveryRow::GetLostWork, {"lost work {}", 14, ReportUnit::FITS}},
        {"tokens_per_s_before", "tokens/s", getBefore, {"tokens/s", 14, 1}},
        {"tokens_per_s_after", "tokens/s", getAfter, {"afterwards", 14, 1}},
        {"photonic_factor", "", getFactor, {"photonic is x", 18, 3}},
        {"recoveries", "", ReportRows(&RecoveryRow::recoveries, RECOVERY_STEPS)},
        {"failure", "", &RecoveryRow::failure},
    };
}

const ReportTable<RecoveryReport> RECOVERY_REPORT{
    {"description", "", &RecoveryReport::description},
    {"settings", "", &RecoveryReport::settings},
    {"losses", "GPUs", &RecoveryReport::losses},
    {"rows",
     "",
     {[](const auto& report) { return MakeRackTable(report).Make(report.rows); },
      MakeRackTable({}).ListKeys("array", "", "[].")}},
};

} // namespace

// Rows go from one process to another.

template <typename Archive>
void
VisitFields(Archive& archive, RunRecovery::Move& move)
{
    archive(move.rank, move.from, move.to);
}

template <typename Archive>
void
VisitFields(Archive& archive, RunRecovery& recovery)
{
    archive(recovery.gpus,
            recovery.moves,
            recovery.lost,
            recovery.detected,
            recovery.stopped,
            recovery.replaced,
            recovery.ready,
            recovery.resumed,
            recovery.attempts,
            recovery.iteration,
            recovery.lostWork,
            recovery.sparesLeft);
}

template <typename Archive>
void
VisitFields(Archive& archive, RecoveryRow& row)
{
    archive(row.name,
            row.fabric,
            row.oversubscription,
            row.idleGpus,
            row.before,
            row.after,
            row.tokens,
            row.recoveries,
            row.failure);
}

Time
RecoveryRow::GetRecoveryTime() const
{
    Time sum;
    for (const auto& recovery : recoveries)
    {
        sum += recovery.resumed - recovery.lost;
    }
    return recoveries.empty() ? sum : sum / static_cast<int64_t>(recoveries.size());
}

Time
RecoveryRow::GetLostWork() const
{
    Time sum;
    for (const auto& recovery : recoveries)
    {
        sum += recovery.lostWork;
    }
    return sum;
}

double
RecoveryRow::GetThroughput(const Time& iteration) const
{
    return iteration.IsZero() ? 0 : tokens / ToSeconds(iteration);
}

std::string
RecoveryRow::ToText() const
{
    return WriteText(*this);
}

std::optional<RecoveryRow>
RecoveryRow::FromText(const std::string& text)
{
    return ReadText<RecoveryRow>(text);
}

std::string
RecoveryReport::CheckInvariants() const
{
    for (const auto& row : rows)
    {
        if (!row.failure.empty())
        {
            return row.name + ": " + row.failure;
        }
    }
    return "";
}

ReportKeys
RecoveryReport::ListKeys()
{
    return RECOVERY_REPORT.ListKeys();
}

void
RecoveryReport::WriteJson(std::ostream& os) const
{
    RECOVERY_REPORT.WriteJson(os, *this);
}

void
RecoveryReport::WriteTable(std::ostream& os) const
{
    os << description << ", " << losses << (losses == 1 ? " GPU" : " GPUs") << " lost\n\n"
       << std::fixed;
    std::vector<RecoveryRow> complete;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(complete), [](const auto& row) {
        return row.failure.empty();
    });
    const auto table = MakeRackTable(*this).FitTimes(complete);
    table.WriteHeadings(os);
    os << "\n";
    for (const auto& row : rows)
    {
        if (row.failure.empty())
        {
            table.WriteRow(os, row);
        }
        else
        {
            os << std::left << std::setw(34) << row.name << std::right << "  " << row.failure;
        }
        os << "\n";
    }
    const auto toText = [](const Time& time) { return TimeUnit::Write(ToSeconds(time)); };
    for (const auto& row : rows)
    {
        if (row.recoveries.empty() || !row.failure.empty())
        {
            continue;
        }
        const RunRecovery& one = row.recoveries.front();
        os << "\n"
           << row.name << ", the first: missed after " << toText(one.detected - one.lost)
           << ", stopped " << toText(one.stopped - one.detected) << ", circuits planned "
           << toText(one.replaced - one.stopped) << ", rank and communicators "
           << toText(one.ready - one.replaced) << ", going on " << toText(one.resumed - one.ready);
    }
    os << "\n";
}

} // namespace ns3
