// SPDX-License-Identifier: GPL-2.0-only

#include "job-description.h"

#include "ns3/report-table.h"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

/// Kinds of ranks in the table for people.
constexpr std::size_t MAX_CLASSES = 32;

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

/// @return a number with four digits that count
std::string
ToDigits(double value)
{
    std::ostringstream text;
    text << std::setprecision(4) << value;
    return text.str();
}

/// @return the share of input bytes that leaves the domain; 0 of none
double
GetScaleOutShare(const JobDescription::RankClass& entry)
{
    return entry.inputBytes > 0 ? static_cast<double>(entry.scaleOutInputBytes) /
                                      static_cast<double>(entry.inputBytes)
                                : 0;
}

const ReportTable<JobDescription::Role> ROLES{
    {"role", "", [](const auto& one) { return ToString(one.role); }, {"groups", -13}},
    {"ranks", "ranks", &JobDescription::Role::ranks, {"ranks", 7}},
    {"groups", "", &JobDescription::Role::groups, {"groups", 9}},
    {"inside_domain", "", &JobDescription::Role::insideDomain, {"in a domain", 14}},
    {"along_rail", "", &JobDescription::Role::alongRail, {"on a rail", 12}},
    {"across", "", &JobDescription::Role::across, {"across both", 14}},
    {"called",
     "",
     &JobDescription::Role::isCalled,
     {"called", 9, [](const auto& one) { return one.isCalled ? "yes" : "no"; }}},
};

const ReportTable<JobDescription::Stage> STAGES{
    {"stage", "", &JobDescription::Stage::stage, {"stage", 5}},
    {"pipeline_rank", "", &JobDescription::Stage::pipelineRank, {"pipeline rank", 16}},
    {"layers", "", &JobDescription::Stage::layers, {"layers", 9}},
    {"parameters", "parameters", &JobDescription::Stage::parameters, {"parameters of a rank", 25}},
    {"owned_parameters",
     "parameters",
     &JobDescription::Stage::shardParameters,
     {"owned by it", 16}},
    {"model_flops",
     "FLOP",
     &JobDescription::Stage::modelFlops,
     {"model FLOP", 13, [](const auto& one) { return Short(one.modelFlops); }}},
    {"compute_s",
     "s",
     &JobDescription::Stage::computeSeconds,
     {"time s", 9, [](const auto& one) { return ToDigits(one.computeSeconds); }}},
};

const ReportTable<JobDescription::RankClass> RANK_CLASSES{
    {"ranks", "ranks", &JobDescription::RankClass::ranks},
    {"representative", "", &JobDescription::RankClass::representative},
    {"pipeline_rank", "", &JobDescription::RankClass::pipelineRank},
    {"parameters", "parameters", &JobDescription::RankClass::parameters},
    {"owned_parameters", "parameters", &JobDescription::RankClass::shardParameters},
    {"operations", "", &JobDescription::RankClass::operations},
    {"collectives",
     "",
     {[](const auto& one) { return MakeJson(one.volumes); }, {{"", "object", ""}}}},
    {"input_bytes", "bytes", &JobDescription::RankClass::inputBytes},
    {"scale_out_input_bytes", "bytes", &JobDescription::RankClass::scaleOutInputBytes},
    {"scale_out_share", "", GetScaleOutShare},
    {"scale_out_sent_bytes", "bytes", &JobDescription::RankClass::scaleOutSentBytes},
    {"scale_out_most_bytes", "bytes", &JobDescription::RankClass::scaleOutMostBytes},
    {"flops", "FLOP", &JobDescription::RankClass::flops},
    {"model_flops", "FLOP", &JobDescription::RankClass::modelFlops},
    {"compute_s", "s", &JobDescription::RankClass::computeSeconds},
    {"scale_up_s", "s", &JobDescription::RankClass::scaleUpSeconds},
    {"scale_out_s", "s", &JobDescription::RankClass::scaleOutSeconds},
    {"expected_s", "s", &JobDescription::RankClass::expectedSeconds},
};

// Parts of the description that are objects of their own in the JSON.

const ReportTable<JobDescription> DESCRIBED_MODEL{
    {"name", "", &JobDescription::model},
    {"parameters", "parameters", &JobDescription::parameters},
    {"active_parameters", "parameters", &JobDescription::activeParameters},
};

const ReportTable<JobDescription> DESCRIBED_MESH{
    {"order", "", &JobDescription::meshOrder},
    {"roles", "", ReportRows(&JobDescription::roles, ROLES)},
};

const ReportTable<JobDescription> DESCRIBED_PIPELINE{
    {"schedule", "", &JobDescription::schedule},
    {"bubble", "", &JobDescription::bubble},
};

/// @return the description itself
const JobDescription&
GetAll(const JobDescription& job)
{
    return job;
}

const ReportTable<JobDescription> DESCRIPTION{
    {"fabric", "", &JobDescription::fabric},
    {"settings", "", &JobDescription::settings},
    {"derived", "", &JobDescription::derived},
    {"remarks", "", &JobDescription::remarks},
    {"world_size", "ranks", &JobDescription::worldSize},
    {"domains", "", &JobDescription::domains},
    {"tokens", "tokens", &JobDescription::tokens},
    {"scale_out_sent_bytes", "bytes", &JobDescription::scaleOutSentBytes},
    {"model", "", ReportObject(GetAll, DESCRIBED_MODEL)},
    {"mesh", "", ReportObject(GetAll, DESCRIBED_MESH)},
    {"pipeline", "", ReportObject(GetAll, DESCRIBED_PIPELINE)},
    {"stages", "", ReportRows(&JobDescription::stages, STAGES)},
    {"collectives",
     "",
     {[](const auto& job) { return MakeJson(job.classes.front().volumes); }, ListVolumeKeys()}},
    {"rank_classes", "", ReportRows(&JobDescription::classes, RANK_CLASSES)},
};

void
WriteRoles(std::ostream& os, const JobDescription& job)
{
    std::vector<JobDescription::Role> called;
    std::copy_if(job.roles.begin(),
                 job.roles.end(),
                 std::back_inserter(called),
                 [](const auto& role) { return role.isCalled; });
    ROLES.WriteText(os << "\n", called);
}

void
WriteClass(std::ostream& os, const JobDescription::RankClass& entry)
{
    std::ostringstream title;
    title << entry.ranks << " like rank " << entry.representative;
    WriteVolumes(os << "\n", title.str(), entry.volumes);
    os << std::setprecision(4) << "  leaves the domain " << 100 * GetScaleOutShare(entry)
       << " % of input bytes; the NIC sends " << Short(static_cast<double>(entry.scaleOutSentBytes))
       << "B\n  computed " << Short(entry.flops) << "FLOP, of the model " << Short(entry.modelFlops)
       << "FLOP\n  computation " << entry.computeSeconds
       << " s, collectives in the domain by closed form " << entry.scaleUpSeconds
       << " s, on the NIC at line rate " << entry.scaleOutSeconds
       << " s\n  step, if the NIC took no time, " << entry.expectedSeconds << " s\n";
}

} // namespace

ReportKeys
JobDescription::ListKeys()
{
    return DESCRIPTION.ListKeys();
}

void
JobDescription::WriteJson(std::ostream& os) const
{
    DESCRIPTION.WriteJson(os, *this);
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
    STAGES.WriteText(os << "\n", stages);
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
