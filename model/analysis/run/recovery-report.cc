// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-report.h"

#include "ns3/texts-to-json.h"
#include "ns3/to-seconds.h"

#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Moments of a recovery, in order, as they go from one process to another.
std::vector<Time RunRecovery::*>
GetMoments()
{
    return {&RunRecovery::lost,
            &RunRecovery::detected,
            &RunRecovery::stopped,
            &RunRecovery::replaced,
            &RunRecovery::ready,
            &RunRecovery::resumed,
            &RunRecovery::lostWork};
}

/// @return what a recovery took, step by step
Json
GetSteps(const RunRecovery& recovery)
{
    Json json{{"gpus", recovery.gpus},
              {"attempts", recovery.attempts},
              {"iteration", recovery.iteration},
              {"lost_s", ToSeconds(recovery.lost)}};
    for (const auto& step : recovery.GetSteps())
    {
        json[std::string(step.name) + "_s"] = ToSeconds(step.end - step.begin);
    }
    json["total_s"] = ToSeconds(recovery.resumed - recovery.lost);
    json["lost_work_s"] = ToSeconds(recovery.lostWork);
    return json;
}

} // namespace

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
RecoveryRow::ToJson() const
{
    Json list = Json::array();
    for (const auto& recovery : recoveries)
    {
        Json one{{"gpus", recovery.gpus},
                 {"attempts", recovery.attempts},
                 {"iteration", recovery.iteration},
                 {"spares", recovery.sparesLeft},
                 {"moves", Json::array()},
                 {"moments", Json::array()}};
        for (const auto& move : recovery.moves)
        {
            one["moves"].push_back({move.rank, move.from, move.to});
        }
        for (const auto moment : GetMoments())
        {
            one["moments"].push_back((recovery.*moment).GetPicoSeconds());
        }
        list.push_back(one);
    }
    return Json{{"name", name},
                {"fabric", fabric},
                {"oversubscription", oversubscription},
                {"idle", idleGpus},
                {"before", before.GetPicoSeconds()},
                {"after", after.GetPicoSeconds()},
                {"tokens", tokens},
                {"recoveries", list},
                {"failure", failure}}
        .dump();
}

RecoveryRow
RecoveryRow::FromJson(const std::string& text)
{
    const Json json = Json::parse(text);
    RecoveryRow row;
    row.name = json.at("name").get<std::string>();
    row.fabric = json.at("fabric").get<std::string>();
    row.oversubscription = json.at("oversubscription").get<double>();
    row.idleGpus = json.at("idle").get<uint32_t>();
    row.before = PicoSeconds(json.at("before").get<int64_t>());
    row.after = PicoSeconds(json.at("after").get<int64_t>());
    row.tokens = json.at("tokens").get<double>();
    row.failure = json.at("failure").get<std::string>();
    for (const auto& one : json.at("recoveries"))
    {
        RunRecovery recovery;
        recovery.gpus = one.at("gpus").get<std::vector<uint32_t>>();
        recovery.attempts = one.at("attempts").get<uint32_t>();
        recovery.iteration = one.at("iteration").get<uint32_t>();
        recovery.sparesLeft = one.at("spares").get<uint32_t>();
        for (const auto& move : one.at("moves"))
        {
            recovery.moves.push_back({move.at(0).get<uint32_t>(),
                                      move.at(1).get<uint32_t>(),
                                      move.at(2).get<uint32_t>()});
        }
        std::size_t i = 0;
        for (const auto moment : GetMoments())
        {
            recovery.*moment = PicoSeconds(one.at("moments").at(i++).get<int64_t>());
        }
        row.recoveries.push_back(recovery);
    }
    return row;
}

double
RecoveryReport::GetFactor(const RecoveryRow& row, const RecoveryRow& other)
{
    const double theirs = other.GetThroughput(other.after);
    return theirs > 0 ? row.GetThroughput(row.after) / theirs : 0;
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

void
RecoveryReport::WriteJson(std::ostream& os) const
{
    Json list = Json::array();
    for (const auto& row : rows)
    {
        Json recoveries = Json::array();
        for (const auto& recovery : row.recoveries)
        {
            recoveries.push_back(GetSteps(recovery));
        }
        list.push_back(Json{{"name", row.name},
                            {"fabric", row.fabric},
                            {"oversubscription", row.oversubscription},
                            {"idle_gpus", row.idleGpus},
                            {"iteration_before_s", ToSeconds(row.before)},
                            {"iteration_after_s", ToSeconds(row.after)},
                            {"tokens_per_s_before", row.GetThroughput(row.before)},
                            {"tokens_per_s_after", row.GetThroughput(row.after)},
                            {"photonic_factor", GetFactor(rows.front(), row)},
                            {"recovery_s", ToSeconds(row.GetRecoveryTime())},
                            {"lost_work_s", ToSeconds(row.GetLostWork())},
                            {"recoveries", recoveries},
                            {"failure", row.failure}});
    }
    os << Json{{"description", description},
               {"settings", TextsToJson(settings)},
               {"losses", losses},
               {"rows", list}}
              .dump(2)
       << "\n";
}

void
RecoveryReport::WriteTable(std::ostream& os) const
{
    os << description << ", " << losses << (losses == 1 ? " GPU" : " GPUs") << " lost\n\n"
       << std::left << std::setw(34) << "spares" << std::right << std::setw(6) << "idle"
       << std::setw(12) << "recovery s" << std::setw(12) << "lost work s" << std::setw(14)
       << "tokens/s" << std::setw(14) << "afterwards" << std::setw(18) << "photonic is x"
       << "\n";
    for (const auto& row : rows)
    {
        os << std::left << std::setw(34) << row.name << std::right;
        if (!row.failure.empty())
        {
            os << "  " << row.failure << "\n";
            continue;
        }
        os << std::setw(6) << row.idleGpus << std::fixed << std::setprecision(4) << std::setw(12)
           << ToSeconds(row.GetRecoveryTime()) << std::setw(12) << ToSeconds(row.GetLostWork())
           << std::setprecision(1) << std::setw(14) << row.GetThroughput(row.before)
           << std::setw(14) << row.GetThroughput(row.after) << std::setprecision(3) << std::setw(18)
           << GetFactor(rows.front(), row) << "\n";
    }
    for (const auto& row : rows)
    {
        if (row.recoveries.empty() || !row.failure.empty())
        {
            continue;
        }
        const RunRecovery& one = row.recoveries.front();
        os << "\n"
           << row.name << ", the first: missed after " << std::setprecision(4)
           << ToSeconds(one.detected - one.lost) << " s, stopped "
           << ToSeconds(one.stopped - one.detected) << ", circuits planned "
           << ToSeconds(one.replaced - one.stopped) << ", rank and communicators "
           << ToSeconds(one.ready - one.replaced) << ", going on "
           << ToSeconds(one.resumed - one.ready);
    }
    os << "\n";
}

} // namespace ns3
