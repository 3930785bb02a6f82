// SPDX-License-Identifier: GPL-2.0-only

#include "differential-job.h"

#include "differential-draw.h"
#include "lambda-call.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-settings.h"

namespace ns3
{
namespace test
{

namespace
{

/// Carries out a JobScenario.
class JobRun
{
  public:
    JobRun(const JobScenario& scenario, const RunMode& mode)
        : m_mode(mode)
    {
        std::vector<std::string> flags{"test"};
        flags.insert(flags.end(), scenario.flags.begin(), scenario.flags.end());
        CommandLine cmd;
        m_settings.AddFlags(cmd);
        cmd.Parse(flags);
        const std::string error = m_settings.Check();
        NS_ABORT_MSG_UNLESS(error.empty(), scenario.ToText() << ": " << error);
    }

    Record Run()
    {
        RailClusterHelper helper = m_settings.MakeClusterHelper();
        helper.SetNicAttribute("Fidelity", StringValue(m_mode.fidelity));
        m_cluster = helper.Install(m_settings.fabric.GetFabric());
        RailClusterHelper::AssignStreams(m_cluster, 1000);
        TrainingJobHelper job(m_settings.GetWorkload());
        job.SetIterations(m_settings.iterations.Get());
        m_settings.variation.Apply(job);
        if (m_cluster.IsPhotonic())
        {
            OpusHelper opus;
            opus.SetControlLatency(m_settings.controlPlane.controlLatency.Get());
            opus.SetHostLinkLatency(m_settings.controlPlane.hostLatency.Get());
            opus.SetPolicy(m_settings.GetPolicy()->GetName());
            opus.Install(m_cluster);
        }
        const ApplicationContainer ranks = job.Install(m_cluster);
        TrainingJobHelper::AssignStreams(ranks, 0);
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            Watch(ranks.Get(rank), rank);
        }
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        ReadAtEnd();
        Simulator::Destroy();
        return m_record;
    }

  private:
    void Watch(Ptr<Application> application, uint32_t rank)
    {
        for (const std::string source : {"OperationBegin", "OperationEnd"})
        {
            const bool found = application->TraceConnectWithoutContext(
                source,
                ToCallback<uint32_t, uint32_t, const RankOperation&>(
                    [this, source, rank](uint32_t, uint32_t iteration, const RankOperation&) {
                        m_record.Note(rank, source + " of " + std::to_string(iteration));
                    }));
            NS_ABORT_MSG_UNLESS(found, "an application has no trace source " << source);
        }
    }

    void ReadAtEnd()
    {
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            m_record.NoteAtEnd("GPU " + std::to_string(gpu) + " " + ToText(*m_cluster.GetNic(gpu)));
            m_record.CountPackets(*m_cluster.GetNic(gpu));
            ExpectNoRepeats(*m_cluster.GetNic(gpu));
            if (auto scaleUp = m_cluster.GetScaleUpNic(gpu))
            {
                m_record.NoteAtEnd("scale-up " + ToText(*scaleUp));
                m_record.CountPackets(*scaleUp);
                ExpectNoRepeats(*scaleUp);
            }
        }
        for (uint32_t rail = 0; m_cluster.IsPhotonic() && rail < m_cluster.GetGpusPerDomain();
             ++rail)
        {
            m_record.NoteAtEnd("OCS " + ToText(*m_cluster.GetOcs(rail)));
        }
        for (const auto& one : m_cluster.GetSwitches())
        {
            m_record.NoteAtEnd(one.name + " " + ToText(one.device->GetStatistics()));
        }
    }

    /// Circuits are lent and switches pause: nothing is lost, so nothing may be repeated.
    void ExpectNoRepeats(const RdmaNic& nic) const
    {
        const auto statistics = nic.GetQueuePairStatistics();
        NS_ABORT_MSG_IF(statistics.retransmissions + statistics.timeouts > 0,
                        statistics.timeouts << " time-outs and " << statistics.retransmissions
                                            << " retransmissions where nothing is lost");
    }

    TrainingSettings m_settings;
    RunMode m_mode;
    RailCluster m_cluster;
    Record m_record;
};

} // namespace

JobScenario
JobScenario::Make(uint64_t seed)
{
    Draw draw(seed);
    JobScenario s;
    s.seed = seed;
    const std::string fabric = draw.Pick<std::string>(
        {"photonic", "photonic", "photonic", "electrical", "leaf-spine", "fat-tree"});
    const auto pp = draw.Pick<uint32_t>({1, 2, 2, 4});
    const auto tp = draw.Pick<uint32_t>({1, 2});
    s.flags = {"--symmetry=none",
               "--model=debugmodel",
               "--fabric=" + fabric,
               "--iterations=" + std::to_string(draw.Between(1, 3)),
               "--seqLen=" + std::to_string(64 << draw.Index(2)),
               "--tp=" + std::to_string(tp),
               "--gpusPerDomain=" + std::to_string(tp),
               "--pp=" + std::to_string(pp),
               "--fsdp=" + std::to_string(pp == 1 ? draw.Between(2, 4) : 2),
               "--microBatches=" + std::to_string(pp * draw.Between(1, 2)),
               "--nicPorts=" + draw.Pick<std::string>({"2", "2", "4"})};
    if (fabric == "photonic")
    {
        s.flags.push_back("--policy=" + draw.Pick<std::string>(
                                            {"provisioned", "on-demand", "per-call", "oracle"}));
        s.flags.push_back("--reconfigDelay=" + draw.Pick<std::string>({"0s", "10us", "25ms"}));
    }
    else
    {
        s.flags.push_back("--cc=" + draw.Pick<std::string>({"none", "none", "dcqcn", "swift"}));
    }
    if (tp > 1 && draw.Chance(40))
    {
        s.flags.push_back("--scaleUp=nvlink3");
    }
    if (draw.Chance(30))
    {
        s.flags.push_back("--portRate=" + std::to_string(draw.Between(10, 800)) + "Gbps");
    }
    return s;
}

std::string
JobScenario::ToText() const
{
    std::string text = "seed " + std::to_string(seed) + ":";
    for (const auto& flag : flags)
    {
        text += " " + flag;
    }
    return text;
}

std::vector<JobScenario>
JobScenario::Simplify() const
{
    return {};
}

Record
JobScenario::Run(const RunMode& mode) const
{
    return JobRun(*this, mode).Run();
}

} // namespace test
} // namespace ns3
