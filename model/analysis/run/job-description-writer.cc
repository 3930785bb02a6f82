// SPDX-License-Identifier: GPL-2.0-only

#include "job-description.h"

#include "ns3/texts-to-json.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Kinds of ranks in the table for people.
constexpr std::size_t MAX_CLASSES = 32;

Json
DescriptionToJson(const JobDescription::Role& role)
{
    return Json{{"role", ToString(role.role)},
                {"ranks", role.ranks},
                {"groups", role.groups},
                {"inside_domain", role.insideDomain},
                {"along_rail", role.alongRail},
                {"across", role.across},
                {"called", role.isCalled}};
}

Json
DescriptionToJson(const JobDescription::Stage& stage)
{
    return Json{{"stage", stage.stage},
                {"pipeline_rank", stage.pipelineRank},
                {"layers", stage.layers},
                {"parameters", stage.parameters},
                {"owned_parameters", stage.shardParameters},
                {"model_flops", stage.modelFlops},
                {"compute_s", stage.computeSeconds}};
}

/// @return a share, or 0 of nothing
double
ToShare(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

Json
DescriptionToJson(const JobDescription::RankClass& entry)
{
    return Json{{"ranks", entry.ranks},
                {"representative", entry.representative},
                {"pipeline_rank", entry.pipelineRank},
                {"parameters", entry.parameters},
                {"owned_parameters", entry.shardParameters},
                {"operations", entry.operations},
                {"collectives", Json::parse(ToJson(entry.volumes))},
                {"input_bytes", entry.inputBytes},
                {"scale_out_input_bytes", entry.scaleOutInputBytes},
                {"scale_out_share",
                 ToShare(static_cast<double>(entry.scaleOutInputBytes),
                         static_cast<double>(entry.inputBytes))},
                {"scale_out_sent_bytes", entry.scaleOutSentBytes},
                {"scale_out_most_bytes", entry.scaleOutMostBytes},
                {"flops", entry.flops},
                {"model_flops", entry.modelFlops},
                {"compute_s", entry.computeSeconds},
                {"scale_up_s", entry.scaleUpSeconds},
                {"scale_out_s", entry.scaleOutSeconds},
                {"expected_s", entry.expectedSeconds}};
}

/// @return a JSON array of a list
template <typename T>
Json
ListToJson(const std::vector<T>& entries)
{
    Json list = Json::array();
    for (const auto& entry : entries)
    {
        list.push_back(DescriptionToJson(entry));
    }
    return list;
}

/// @return a number with three decimals and a prefix of its unit
std::string
Short(double value)
{
    static const char* const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    std::size_t i = 0;
    while (value >= 1000 && i + 1 < std::size(prefixes))
    {
        value /= 1000;
        ++i;
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(i == 0 ? 0 : 3) << value << prefixes[i];
    return text.str();
}

void
WriteRoles(std::ostream& os, const JobDescription& job)
{
    os << "\ngroups         ranks   groups   in a domain   on a rail   across both   called\n";
    for (const auto& role : job.roles)
    {
        if (!role.isCalled)
        {
            continue;
        }
        os << std::left << std::setw(13) << ToString(role.role) << std::right << std::setw(7)
           << role.ranks << std::setw(9) << role.groups << std::setw(14) << role.insideDomain
           << std::setw(12) << role.alongRail << std::setw(14) << role.across << std::setw(9)
           << (role.isCalled ? "yes" : "no") << "\n";
    }
}

void
WriteStages(std::ostream& os, const JobDescription& job)
{
    os << "\nstage   pipeline rank   layers     parameters of a rank     owned by it   model FLOP"
          "   time s\n";
    for (const auto& stage : job.stages)
    {
        os << std::setw(5) << stage.stage << std::setw(16) << stage.pipelineRank << std::setw(9)
           << stage.layers << std::setw(25) << stage.parameters << std::setw(16)
           << stage.shardParameters << std::setw(13) << Short(stage.modelFlops) << std::setw(9)
           << std::setprecision(4) << stage.computeSeconds << "\n";
    }
}

void
WriteClass(std::ostream& os, const JobDescription::RankClass& entry)
{
    std::ostringstream title;
    title << entry.ranks << " like rank " << entry.representative;
    os << "\n";
    WriteVolumes(os, title.str(), entry.volumes);
    const double share = ToShare(static_cast<double>(entry.scaleOutInputBytes),
                                 static_cast<double>(entry.inputBytes));
    os << std::setprecision(4) << "  leaves the domain " << 100 * share
       << " % of input bytes; the NIC sends " << Short(static_cast<double>(entry.scaleOutSentBytes))
       << "B\n  computed " << Short(entry.flops) << "FLOP, of the model " << Short(entry.modelFlops)
       << "FLOP\n  computation " << entry.computeSeconds
       << " s, collectives in the domain by closed form " << entry.scaleUpSeconds
       << " s, on the NIC at line rate " << entry.scaleOutSeconds
       << " s\n  step, if the NIC took no time, " << entry.expectedSeconds << " s\n";
}

} // namespace

void
JobDescription::WriteJson(std::ostream& os) const
{
    const Json json{
        {"fabric", fabric},
        {"settings", TextsToJson(settings)},
        {"derived", TextsToJson(derived)},
        {"remarks", remarks},
        {"world_size", worldSize},
        {"domains", domains},
        {"tokens", tokens},
        {"scale_out_sent_bytes", scaleOutSentBytes},
        {"model",
         {{"name", model}, {"parameters", parameters}, {"active_parameters", activeParameters}}},
        {"mesh", {{"order", meshOrder}, {"roles", ListToJson(roles)}}},
        {"pipeline", {{"schedule", schedule}, {"bubble", bubble}}},
        {"stages", ListToJson(stages)},
        {"collectives", Json::parse(ns3::ToJson(classes.front().volumes))},
        {"rank_classes", ListToJson(classes)}};
    os << json.dump(2) << "\n";
}

void
JobDescription::WriteTable(std::ostream& os) const
{
    os << "model " << model << ": " << parameters << " parameters";
    if (activeParameters != parameters)
    {
        os << ", " << activeParameters << " active";
    }
    os << "\n"
       << worldSize << " ranks in " << domains << " scale-up domains, mesh " << meshOrder << ", "
       << tokens << " tokens a step\n";
    os << "pipeline " << schedule << ", bubble by the textbook " << std::setprecision(4)
       << 100 * bubble << " % of the time that a rank computes\n";
    WriteRoles(os, *this);
    WriteStages(os, *this);
    for (std::size_t i = 0; i < std::min(classes.size(), MAX_CLASSES); ++i)
    {
        WriteClass(os, classes[i]);
    }
    if (classes.size() > MAX_CLASSES)
    {
        os << "\n... and " << classes.size() - MAX_CLASSES << " other kinds of ranks\n";
    }
    for (const auto& remark : remarks)
    {
        os << (&remark == remarks.data() ? "\n" : "") << "remark: " << remark << "\n";
    }
}

} // namespace ns3
