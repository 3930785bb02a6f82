// SPDX-License-Identifier: GPL-2.0-only

#include "job-mix.h"

#include "training-experiment.h"

#include "ns3/flag-parser.h"
#include "ns3/interruption.h"
#include "ns3/job-file.h"
#include "ns3/json-reader.h"
#include "ns3/program.h"
#include "ns3/report-table.h"
#include "ns3/simulator.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-recorder.h"

#include <algorithm>
#include <boost/algorithm/cxx11/none_of.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>

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
    {"start_s", "s", &MixJob::start, {"start {}", 12, ReportUnit::FITS}},
    {"alone_s", "s", &MixJob::GetAlone, {"alone {}", 14, ReportUnit::FITS}},
    {"together_s", "s", &MixJob::GetTogether, {"together {}", 14, ReportUnit::SAME}},
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

std::vector<std::string>
JobPlacement::GetNames()
{
    return {"packed", "spread", "random"};
}

std::vector<std::vector<uint32_t>>
JobPlacement::Make(const std::string& name,
                   uint32_t domains,
                   const std::vector<uint32_t>& needs,
                   uint32_t seed)
{
    std::vector<uint32_t> order(domains);
    std::iota(order.begin(), order.end(), 0);
    if (name == "random")
    {
        // std::shuffle differs between libraries; the Mersenne Twister does not.
        std::mt19937 random(seed);
        for (uint32_t i = domains; i > 1; --i)
        {
            std::swap(order[i - 1], order[random() % i]);
        }
    }
    std::vector<std::vector<uint32_t>> places(needs.size());
    std::size_t next = 0;
    if (name == "spread")
    {
        const uint32_t rounds = *std::max_element(needs.begin(), needs.end());
        for (uint32_t round = 0; round < rounds; ++round)
        {
            for (std::size_t job = 0; job < needs.size(); ++job)
            {
                if (round < needs[job])
                {
                    places[job].push_back(order[next++]);
                }
            }
        }
        return places;
    }
    for (std::size_t job = 0; job < needs.size(); ++job)
    {
        places[job].assign(order.begin() + static_cast<std::ptrdiff_t>(next),
                           order.begin() + static_cast<std::ptrdiff_t>(next + needs[job]));
        next += needs[job];
    }
    return places;
}

namespace
{

constexpr std::size_t MAX_JOBS = 256;
const Time LATEST_START = Seconds(1e6);

/// Headings of flags that describe a job; all others are of the cluster.
const std::set<std::string> JOB_HEADINGS{"job", "parallelism", "framework", "compute", "variation"};

/// A job while it runs.
struct RunningJob
{
    /// @param part GPUs of the job @param settings of the job
    RunningJob(const RailCluster& part, const TrainingSettings& settings)
        : part(part),
          job(settings.GetRanks()),
          recorder(job.GetLayout(part)),
          iterations(settings.iterations.Get())
    {
        settings.Apply(job);
    }

    /// @return true if all iterations have ended
    bool HasEnded() const
    {
        return recorder.GetLog().ends.size() >= iterations;
    }

    RailCluster part;
    TrainingJobHelper job;
    TrainingRecorder recorder;
    uint32_t iterations;
};

} // namespace

JobMix::JobMix()
{
    m_common.OmitSingleRun({"symmetry", "job"});
}

std::string
JobMix::ReadFile()
{
    const std::string where = "--mix=" + m_file.GetText() + ": ";
    if (!m_file.IsSet())
    {
        return "--mix is missing: it names a JSON file with the jobs";
    }
    const auto text = JobFile::ReadText(m_file.GetText());
    if (!text)
    {
        return where + "it cannot be read";
    }
    nlohmann::json json;
    if (auto error = JsonText::Parse(*text, json); !error.empty())
    {
        return where + error;
    }
    const bool hasJobs = json.is_object() && json.contains("jobs") && json["jobs"].is_array();
    if (!hasJobs || json["jobs"].empty() || json["jobs"].size() > MAX_JOBS)
    {
        return where + "it must be an object with the key jobs, an array of 1 to " +
               std::to_string(MAX_JOBS) + " objects";
    }
    for (const auto& [key, value] : json.items())
    {
        if (key != "jobs")
        {
            return where + JsonText::QuoteKey(key) + " is not known; allowed is the key jobs alone";
        }
    }
    OptionGroup::Settings known;
    const TrainingSettings single;
    for (const auto& [flag, value] : single.GetJobSettings())
    {
        if (JOB_HEADINGS.count(single.Find(flag)->GetHeading()) > 0)
        {
            known.emplace_back(flag, value);
        }
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < json["jobs"].size(); ++i)
    {
        const nlohmann::json& entry = json["jobs"][i];
        const std::string path = "jobs[" + std::to_string(i) + "]";
        if (!entry.is_object())
        {
            return where + path + " must be an object with the keys name, start and flags";
        }
        Job job;
        std::string start = "0s";
        JsonObjectReader reader(entry, path);
        reader.Read("name", job.name);
        if (reader.Has("start"))
        {
            reader.Read("start", start);
        }
        const nlohmann::json* flags = reader.Find("flags");
        if (auto error = reader.GetError(); !error.empty())
        {
            return where + error;
        }
        const auto time = FlagParser::ParseTime(start, LATEST_START);
        const bool isName =
            !job.name.empty() && boost::algorithm::none_of(job.name, boost::algorithm::is_cntrl());
        if (!time || !isName || !names.insert(job.name).second)
        {
            return where + path +
                   (time ? ".name must be a text without control characters that no other job has"
                         : ".start must be a time from 0s to 1000000s such as 1ms");
        }
        job.start = *time;
        const JobFile file = JobFile::Parse(flags ? flags->dump() : "{}", known);
        if (!file.error.empty())
        {
            return where + path + ".flags: " + file.error;
        }
        for (const auto& [flag, value] : file.settings)
        {
            if (flag.find("::") != std::string::npos)
            {
                return where + path + ".flags: " + flag +
                       " holds for all jobs, and is allowed on the command line only";
            }
            job.flags.push_back("--" + flag + "=" + value);
        }
        m_jobs.push_back(job);
    }
    return "";
}

std::string
JobMix::ReadJob(Job& job, const std::vector<std::string>& more) const
{
    std::vector<std::string> arguments{m_arguments.front()};
    arguments.insert(arguments.end(), job.flags.begin(), job.flags.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), m_arguments.begin() + 1, m_arguments.end());
    job.settings = std::make_shared<TrainingSettings>();
    CommandLine cmd;
    std::string error = ParseFlags(cmd, *job.settings, arguments);
    if (error.empty())
    {
        job.settings->Find("symmetry")->SetText("none"); // jobs share what joins rails
        error = job.settings->Check();
    }
    const bool isStatic =
        job.settings->fabric.IsPhotonic() && !job.settings->GetPolicy()->IsLending();
    if (error.empty() && isStatic)
    {
        error = "--policy=" + job.settings->GetPolicy()->GetName() +
                " plans the circuits of one job; allowed are policies that lend circuits";
    }
    return error.empty() ? "" : "job " + job.name + ": " + error;
}

std::string
JobMix::Place()
{
    std::vector<uint32_t> needs;
    uint64_t sum = 0;
    int64_t ranks = 0;
    for (Job& job : m_jobs)
    {
        const uint32_t size = job.settings->GetAllRanks().GetWorldSize();
        needs.push_back(size / job.settings->fabric.gpusPerDomain.Get());
        sum += needs.back();
        job.firstStream = ranks;
        ranks += size;
    }
    if (m_domains.Get() > 0 && m_domains.Get() < sum)
    {
        return m_domains.Refuse("0, or at least " + std::to_string(sum) +
                                ", which the jobs need together");
    }
    m_allDomains = m_domains.Get() > 0 ? m_domains.Get() : static_cast<uint32_t>(sum);
    const auto places =
        JobPlacement::Make(m_placement.GetText(), m_allDomains, needs, m_seed.Get());
    for (std::size_t i = 0; i < m_jobs.size(); ++i)
    {
        m_jobs[i].domains = places[i];
    }
    const FabricSettings& fabric = GetClusterSettings().fabric;
    const std::string error = MakeClusterHelper().Check(fabric.GetFabric());
    return error.empty() ? fabric.CheckSwitches(m_allDomains)
                         : "a cluster of " + std::to_string(m_allDomains) + " domains: " + error;
}

std::string
JobMix::Check(const std::vector<std::string>& arguments)
{
    m_arguments = SelectArguments(arguments, m_common);
    std::string error = FindError([this] { return m_placement.Check(); },
                                  [this] { return m_seed.Check(); },
                                  [this] { return m_domains.Check(); },
                                  [this] { return ReadFile(); });
    const auto readAll = [this, &error](const std::vector<std::string>& more) {
        for (Job& job : m_jobs)
        {
            error = error.empty() ? ReadJob(job, more) : error;
        }
    };
    readAll({});
    const auto differs = [this](const Job& job) {
        return job.settings->GetControllers() != m_jobs.front().settings->GetControllers();
    };
    if (error.empty() && std::any_of(m_jobs.begin(), m_jobs.end(), differs))
    {
        readAll({"--controllers=one"}); // the jobs do not join the same rails
    }
    return FindError([&] { return error; },
                     [this] { return Place(); },
                     [this] { return CheckFiles(); });
}

const TrainingSettings&
JobMix::GetClusterSettings() const
{
    // A job with groups across domains and rails has networks of domains built.
    const auto hasNetwork = [](const Job& job) { return job.settings->fabric.HasScaleUpNetwork(); };
    const auto job = std::find_if(m_jobs.begin(), m_jobs.end(), hasNetwork);
    return *(job == m_jobs.end() ? m_jobs.front() : *job).settings;
}

RailClusterHelper
JobMix::MakeClusterHelper() const
{
    const TrainingSettings& settings = GetClusterSettings();
    RailClusterHelper helper = settings.MakeClusterHelper();
    helper.SetDomains(m_allDomains, settings.fabric.gpusPerDomain.Get());
    return helper;
}

std::string
JobMix::Simulate(const std::vector<std::size_t>& wanted,
                 std::vector<std::vector<Time>>& iterations) const
{
    const RailCluster cluster =
        MakeClusterHelper().Install(GetClusterSettings().fabric.GetFabric());
    cluster.StartSwitches();
    OpusHelper opus;
    std::vector<std::unique_ptr<RunningJob>> running;
    for (const std::size_t index : wanted)
    {
        const Job& job = m_jobs[index];
        running.push_back(
            std::make_unique<RunningJob>(cluster.GetPart(job.domains), *job.settings));
        RunningJob& now = *running.back();
        InstallCircuits(*job.settings, now.part, opus, now.recorder);
        const ApplicationContainer ranks = now.job.Install(now.part);
        TrainingJobHelper::AssignStreams(ranks, job.firstStream);
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            ranks.Get(rank)->SetStartTime(job.start);
            now.recorder.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)));
        }
    }
    const auto hasEnded = [](const auto& job) { return job->HasEnded(); };
    opus.StopHeartbeatsWhen([&] { return std::all_of(running.begin(), running.end(), hasEnded); });
    Interruption::RunSimulator();
    std::string error;
    iterations.clear();
    for (std::size_t i = 0; i < wanted.size(); ++i)
    {
        const Job& job = m_jobs[wanted[i]];
        iterations.emplace_back();
        for (const auto& iteration : running[i]->recorder.GetIterations())
        {
            iterations.back().push_back(iteration.duration);
        }
        if (!running[i]->HasEnded() && error.empty())
        {
            error = "job " + job.name +
                    " came to a standstill: " + std::to_string(iterations.back().size()) + " of " +
                    std::to_string(running[i]->iterations) + " iterations ended";
        }
    }
    Simulator::Destroy();
    return Interruption::GetSignal() != 0 ? "" : error;
}

std::string
JobMix::Run(MixReport& report) const
{
    const TrainingSettings& settings = GetClusterSettings();
    report.cluster = std::to_string(m_jobs.size()) + " jobs on " + std::to_string(m_allDomains) +
                     " domains of " + std::to_string(settings.fabric.gpusPerDomain.Get()) +
                     " GPUs, " + settings.fabric.Describe(m_allDomains);
    report.placement = m_placement.GetText();
    report.remarks.emplace_back("alone: the same GPUs, without the other jobs; a job whose "
                                "neighbours end before it is slowed down for a part of its time");
    std::vector<std::size_t> all(m_jobs.size());
    std::iota(all.begin(), all.end(), 0);
    for (const Job& job : m_jobs)
    {
        report.jobs.push_back({job.name,
                               job.settings->GetAllRanks().GetWorldSize(),
                               job.domains,
                               job.start,
                               {},
                               {},
                               job.settings->GetList()});
    }
    std::vector<std::vector<Time>> iterations;
    std::string error = Simulate(all, iterations);
    for (const std::size_t index : all)
    {
        report.jobs[index].together = iterations[index];
    }
    for (const std::size_t index : all)
    {
        if (!error.empty() || Interruption::GetSignal() != 0)
        {
            break;
        }
        error = Simulate({index}, iterations);
        report.jobs[index].alone = iterations.front();
    }
    report.interrupted = Interruption::GetName();
    return error;
}

} // namespace ns3
