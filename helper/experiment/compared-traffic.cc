// SPDX-License-Identifier: GPL-2.0-only

#include "compared-traffic.h"

#include "collectives-experiment.h"
#include "permutation-traffic.h"
#include "training-experiment.h"

#include "ns3/abort.h"
#include "ns3/collectives-settings.h"
#include "ns3/training-settings.h"

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
        m_settings.fabric.SetName(fabric);
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

    FabricReport MakeReport(bool circuits) const override
    {
        const CollectiveReport calls = m_settings.MakeReport();
        FabricReport report;
        report.traffic = "collective";
        report.description = calls.algorithm + " " + ToString(calls.kind) + " of " +
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
        report.settings = {{"collective", ToString(calls.kind)},
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
        m_settings.fabric.SetName(fabric);
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

} // namespace ns3
