// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-comparison.h"

#include "collectives-experiment.h"
#include "training-experiment.h"

#include "ns3/abort.h"
#include "ns3/child-process.h"
#include "ns3/collectives-settings.h"
#include "ns3/fabric-file.h"
#include "ns3/interruption.h"
#include "ns3/rdma-helper.h"
#include "ns3/run-summary.h"
#include "ns3/simulator.h"
#include "ns3/training-settings.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace ns3
{

namespace
{

/// A collective of one size, called by one group or by one on every rail.
class CollectiveTraffic : public ComparedTraffic
{
  public:
    /// @param options receive the options of this traffic
    explicit CollectiveTraffic(OptionGroup* options)
        : m_settings(options, true)
    {
    }

    std::string Check(const std::string& fabric) override
    {
        m_settings.fabric.fabric.SetText(fabric);
        return m_settings.Check();
    }

    FabricRun Run(FabricProbe& probe) override
    {
        const auto row =
            CollectivesExperiment(m_settings).Run(m_settings.MakeReport().GetSizes()[0], &probe);
        FabricRun run;
        if (!row)
        {
            run.reason = "the calls came to a standstill";
            return run;
        }
        run.completion = row->time;
        run.messageTimes = row->callTimes;
        return run;
    }

    std::string DescribeTiers() const override
    {
        return m_settings.fabric.DescribeTiers(m_settings.domains.Get());
    }

    FabricReport MakeReport(bool circuits) const override
    {
        const CollectiveReport calls = m_settings.MakeReport();
        FabricReport report;
        report.traffic = "collective";
        report.description = calls.algorithm + " " + calls.test->name + " of " +
                             std::to_string(calls.minBytes) + " bytes by " +
                             std::to_string(m_settings.GetGroups().size()) + " group(s) of " +
                             std::to_string(calls.ranks) + " GPUs, " +
                             std::to_string(m_settings.fabric.nicPorts.Get()) + " x " +
                             m_settings.fabric.portRate.GetText() + " a GPU";
        if (circuits)
        {
            report.remarks.emplace_back("photonic: the circuits of the rings are set up before");
        }
        if (const auto remark = m_settings.GetRingRemark(); !remark.empty())
        {
            report.remarks.push_back(remark);
        }
        report.messages = "call of a rank";
        report.completion = "call, start to last end";
        report.settings = {{"collective", calls.test->name},
                           {"algorithm", calls.algorithm},
                           {"bytes", std::to_string(calls.minBytes)},
                           {"warmups", std::to_string(calls.warmups)},
                           {"iterations", std::to_string(calls.iterations)}};
        report.settings.insert(report.settings.end(), calls.settings.begin(), calls.settings.end());
        return report;
    }

  private:
    CollectivesSettings m_settings;
};

/// A training job; on photonic rails with the circuits of a policy.
class JobTraffic : public ComparedTraffic
{
  public:
    /// @param options receive the options of this traffic
    explicit JobTraffic(OptionGroup* options)
        : m_settings(options)
    {
        m_settings.FixFabric();
    }

    std::string Check(const std::string& fabric) override
    {
        m_settings.fabric.fabric.SetText(fabric);
        return m_settings.Check();
    }

    FabricRun Run(FabricProbe& probe) override
    {
        const RunSummary summary = TrainingExperiment(m_settings).Run(nullptr, &probe);
        FabricRun run;
        run.reason = ToOneLine(summary.CheckInvariants());
        std::vector<Time> times;
        for (const auto& iteration : summary.iterations)
        {
            times.push_back(iteration.duration);
        }
        run.messageTimes = LatencySummary::Make(times);
        run.completion = times.empty() ? Time(0) : times.back();
        return run;
    }

    std::string DescribeTiers() const override
    {
        return m_settings.DescribeTiers();
    }

    FabricReport MakeReport(bool circuits) const override
    {
        FabricReport report;
        report.traffic = "job";
        report.description = m_settings.DescribeJob();
        if (circuits)
        {
            report.remarks = {
                "photonic: circuits of --policy=" + m_settings.GetPolicy()->GetName() + " (" +
                m_settings.DescribeCircuits() + ")"};
        }
        report.messages = "iteration";
        report.completion = "last iteration";
        report.settings = m_settings.GetInForce();
        return report;
    }

  private:
    TrainingSettings m_settings;
};

/// A message and how much of it has arrived.
struct Message
{
    uint32_t* unfinished{nullptr}; //!< messages that have not been acknowledged
    Ptr<RdmaConnection> sender;
    Ptr<RdmaConnection> receiver;
    uint64_t left{0}; //!< bytes that have not arrived
    Time arrived;     //!< when the last byte had
};

void
MessageStripeArrived(Message* message, uint32_t /* immediate */, uint64_t bytes)
{
    message->left -= bytes;
    message->arrived = Simulator::Now();
}

void
MessageAcknowledged(Message* message,
                    uint32_t /* immediate */,
                    bool /* delivered: else bytes are left */)
{
    if (--*message->unfinished == 0)
    {
        Simulator::Stop(); // what is left to happen is of no interest: timers
    }
}

/// @return the traffic that the arguments ask for if there is such a traffic, or the default
std::string
FindTraffic(const std::vector<std::string>& arguments)
{
    const auto kinds = ComparedTraffic::GetKinds();
    std::string wanted = kinds[0];
    for (const auto& argument : arguments)
    {
        // ns-3 takes flags with one dash or two, and the last of several.
        const auto [flag, kind] = FlagParser::SplitFlag(argument);
        const bool isKind = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
        wanted = argument[0] == '-' && flag == "traffic" && isKind ? kind : wanted;
    }
    return wanted;
}

} // namespace

std::vector<std::string>
ComparedTraffic::GetKinds()
{
    return {"collective", "permutation", "job"};
}

std::unique_ptr<ComparedTraffic>
ComparedTraffic::Make(const std::string& kind, OptionGroup* options)
{
    if (kind == "permutation")
    {
        return std::make_unique<PermutationTraffic>(options);
    }
    if (kind == "job")
    {
        return std::make_unique<JobTraffic>(options);
    }
    NS_ABORT_MSG_UNLESS(kind == "collective", "there is no traffic " << kind);
    return std::make_unique<CollectiveTraffic>(options);
}

PermutationTraffic::PermutationTraffic(OptionGroup* options)
    : OptionGroup(options)
{
    m_fabric.fabric.Fix();
    m_fabric.scaleUp.Fix();
}

std::string
PermutationTraffic::Check(const std::string& fabric)
{
    m_fabric.fabric.SetText(fabric);
    if (auto error =
            FindError([this] { return CheckOptions(); }, [this] { return m_fabric.Check(); });
        !error.empty())
    {
        return error;
    }
    const bool isWorld = m_group.GetText() == "world";
    if (uint64_t{m_domains.Get()} * (isWorld ? m_fabric.gpusPerDomain.Get() : 1) < 2)
    {
        return m_domains.Refuse("such that there are at least 2 GPUs");
    }
    const auto helper = m_fabric.MakeClusterHelper(m_domains.Get());
    if (auto error = helper.Check(m_fabric.GetFabric()); !error.empty())
    {
        return error;
    }
    if (isWorld && m_fabric.gpusPerDomain.Get() > 1 && !m_fabric.GetFabric().JoinsRails())
    {
        return "fabric " + fabric +
               " does not join GPUs of different rails (--group=rail permutes those of each)";
    }
    if (m_fabric.IsPhotonic() && m_fabric.nicPorts.Get() < 2)
    {
        return "--nicPorts=1 is not enough for photonic rails: a circuit leads to one GPU, another "
               "one comes from one";
    }
    return FindError([this] { return m_fabric.CheckSwitches(m_domains.Get()); },
                     [this] { return CheckNeeds(); });
}

std::vector<uint32_t>
PermutationTraffic::MakeCycle(uint32_t size, uint32_t seed)
{
    std::mt19937 random(seed); // the same numbers everywhere, unlike distributions
    std::vector<uint32_t> images(size);
    std::iota(images.begin(), images.end(), 0);
    for (uint32_t i = size - 1; i > 0; --i)
    {
        std::swap(images[i], images[random() % i]);
    }
    return images;
}

std::vector<uint32_t>
PermutationTraffic::MakePairs() const
{
    const uint32_t gpus = m_domains.Get() * m_fabric.gpusPerDomain.Get();
    const uint32_t groups = m_group.GetText() == "world" ? 1 : m_fabric.gpusPerDomain.Get();
    std::vector<uint32_t> pairs(gpus);
    for (uint32_t group = 0; group < groups; ++group)
    {
        const auto images = MakeCycle(gpus / groups, m_seed.Get() + group);
        for (uint32_t i = 0; i < images.size(); ++i)
        {
            pairs[i * groups + group] = images[i] * groups + group;
        }
    }
    return pairs;
}

void
PermutationTraffic::Light(const RailCluster& cluster, const std::vector<uint32_t>& pairs)
{
    std::vector<CircuitSet> circuits(cluster.GetGpusPerDomain());
    for (uint32_t gpu = 0; gpu < pairs.size(); ++gpu)
    {
        const auto& from = cluster.GetOcsPorts(gpu);
        const auto& to = cluster.GetOcsPorts(pairs[gpu]);
        for (std::size_t i = 0; i < from.size() / 2; ++i)
        {
            circuits[cluster.GetRailOf(gpu)].push_back({from[i], to[from.size() / 2 + i]});
        }
    }
    for (uint32_t rail = 0; rail < circuits.size(); ++rail)
    {
        cluster.GetOcs(rail)->Reconfigure({}, circuits[rail]);
    }
    Interruption::RunSimulator(); // until there is light
}

FabricRun
PermutationTraffic::Run(FabricProbe& probe)
{
    const RailCluster cluster =
        m_fabric.MakeClusterHelper(m_domains.Get()).Install(m_fabric.GetFabric());
    probe.Observe(cluster);
    const auto pairs = MakePairs();
    std::vector<uint32_t> ports(m_fabric.nicPorts.Get());
    std::iota(ports.begin(), ports.end(), 0);
    const auto halves = RdmaHelper::GetRingPorts(m_fabric.nicPorts.Get());
    std::vector<Message> messages(pairs.size());
    auto unfinished = static_cast<uint32_t>(pairs.size());
    for (uint32_t gpu = 0; gpu < pairs.size(); ++gpu)
    {
        Message& message = messages[gpu];
        message.unfinished = &unfinished;
        std::tie(message.sender, message.receiver) =
            RdmaHelper::Connect(cluster.GetNic(gpu),
                                cluster.IsPhotonic() ? halves.next : ports,
                                cluster.GetNic(pairs[gpu]),
                                cluster.IsPhotonic() ? halves.previous : ports);
        message.sender->SetSentCallback(MakeBoundCallback(&MessageAcknowledged, &message));
        message.receiver->SetReceivedCallback(MakeBoundCallback(&MessageStripeArrived, &message));
    }
    if (cluster.IsPhotonic())
    {
        Light(cluster, pairs);
    }

    const Time start = Simulator::Now();
    probe.Start();
    for (auto& message : messages)
    {
        message.left = m_bytes.Get();
        message.sender->Post(m_bytes.Get(), 1);
    }
    Interruption::RunSimulator();
    probe.Stop();

    FabricRun run;
    std::vector<Time> times;
    for (const auto& message : messages)
    {
        times.push_back(message.arrived - start);
        if (message.left > 0)
        {
            run.reason = "the messages came to a standstill";
        }
    }
    run.messageTimes = LatencySummary::Make(times);
    run.completion = run.messageTimes.max;
    Simulator::Destroy();
    return run;
}

std::string
PermutationTraffic::DescribeTiers() const
{
    return m_fabric.DescribeTiers(m_domains.Get());
}

FabricReport
PermutationTraffic::MakeReport(bool circuits) const
{
    const uint32_t gpus = m_domains.Get() * m_fabric.gpusPerDomain.Get();
    FabricReport report;
    report.traffic = "permutation";
    report.description = "a random permutation of " + std::to_string(gpus) + " messages of " +
                         std::to_string(m_bytes.Get()) + " bytes, all at once, " +
                         std::to_string(m_fabric.nicPorts.Get()) + " x " +
                         m_fabric.portRate.GetText() + " a GPU";
    if (circuits)
    {
        report.remarks = {
            "photonic: a circuit for each message is set up before, over half of the ports "
            "of the two NICs; others: a message is striped over all ports"};
    }
    report.messages = "message, post to last byte";
    report.completion = "all messages";
    for (const auto& setting : GetInForce())
    {
        const bool isBytes = setting.first == m_bytes.GetName();
        report.settings.emplace_back(setting.first,
                                     isBytes ? std::to_string(m_bytes.Get()) : setting.second);
    }
    return report;
}

FabricComparison::FabricComparison(const std::vector<std::string>& arguments)
    : m_made(FindTraffic(arguments)),
      m_traffic(ComparedTraffic::Make(m_made, this))
{
}

std::string
FabricComparison::Check()
{
    if (auto error =
            FindError([this] { return m_kind.Check(); }, [this] { return m_latency.Check(); });
        !error.empty())
    {
        return error;
    }
    if (m_kind.GetText() != m_made)
    {
        return m_kind.Refuse(m_made + ", which the other flags are of");
    }
    const auto all = RailFabric::GetNames();
    const auto names = m_fabrics.GetText() == "all" ? all : FlagParser::Split(m_fabrics.GetText());
    m_runs.clear();
    bool possible = false;
    for (const auto& name : names)
    {
        std::string error;
        if (!RailFabric::Find(name, error) && FabricContent::IsFile(name))
        {
            return m_fabrics.Refuse(error);
        }
        if (!error.empty() || std::count(names.begin(), names.end(), name) > 1)
        {
            return m_fabrics.Refuse("all, or some of " + FlagParser::List(all) + ", each once");
        }
        // In a process of its own, so that the memory of the others does not grow by it.
        const auto reason = RunInChild([this, &name] { return m_traffic->Check(name); });
        m_runs.emplace_back();
        m_runs.back().fabric = name;
        m_runs.back().reason = reason.value_or("the settings could not be checked");
        possible = possible || m_runs.back().reason.empty();
    }
    if (!possible)
    {
        return m_runs.empty()
                   ? m_fabrics.Refuse("all, or some of " + FlagParser::List(all) + ", each once")
                   : m_runs[0].reason;
    }
    return CheckFiles();
}

FabricRun
FabricComparison::RunOne(const std::string& fabric) const
{
    m_traffic->Check(fabric);
    FabricProbe probe(m_latency.Get());
    FabricRun run = m_traffic->Run(probe);
    run.fabric = fabric;
    run.remark = m_traffic->DescribeTiers();
    run.measurement = probe.GetMeasurement();
    run.setupCpuSeconds = probe.GetSetupCpuSeconds();
    run.cpuSeconds = probe.GetCpuSeconds();
    run.peakRssBytes = GetPeakRss();
    return run;
}

FabricReport
FabricComparison::Run(std::ostream* progress)
{
    std::string first;
    for (auto& run : m_runs)
    {
        if (!run.reason.empty())
        {
            continue;
        }
        if (progress && Interruption::GetSignal() == 0)
        {
            *progress << "running on " << run.fabric << std::endl;
        }
        first = first.empty() ? run.fabric : first;
        const auto text = RunInChild([this, &run] { return RunOne(run.fabric).ToText(); });
        auto result = text ? FabricRun::FromText(*text) : std::nullopt;
        if (result)
        {
            run = *result;
        }
        else
        {
            const std::string signal = Interruption::GetName();
            run.reason =
                signal.empty() ? "its process ended without a result" : "interrupted by " + signal;
        }
        run.failed = !run.reason.empty();
    }
    m_traffic->Check(first);
    const auto isPhotonic = [](const FabricRun& run) {
        return run.reason.empty() && run.fabric == RailFabric().GetName();
    };
    FabricReport report =
        m_traffic->MakeReport(std::any_of(m_runs.begin(), m_runs.end(), isPhotonic));
    report.runs = m_runs;
    report.interrupted = Interruption::GetName();
    if (const auto remark = report.GetSameFabrics(); !remark.empty())
    {
        report.remarks.push_back(remark);
    }
    return report;
}

} // namespace ns3
