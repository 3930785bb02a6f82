// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-scenario.h"

#include "../track-fabric.h"

#include "ns3/circuit-planner.h"
#include "ns3/fabric-matchings.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3
{
namespace test
{

namespace
{

/// Draws a job that has groups along the dimensions of a mesh and calls them as training does, or
/// out of the blue.
class JobDraw
{
  public:
    JobDraw(Draw& draw, const OpusScenario& scenario)
        : m_draw(draw),
          m_scenario(scenario)
    {
    }

    RandomJob Make()
    {
        const bool pairs = m_scenario.nicPorts == 1; // all that one port can join
        m_dp = m_draw.Pick<uint32_t>(pairs ? std::vector<uint32_t>{1, 2, 2}
                                           : std::vector<uint32_t>{1, 2, 2, 3});
        m_cp = m_draw.Pick<uint32_t>({1, 1, 1, 2});
        m_pp = m_draw.Pick<uint32_t>(m_dp * m_cp > 2 ? std::vector<uint32_t>{1, 1, 2}
                                                     : std::vector<uint32_t>{1, 2, 2, 3, 4});
        if (m_dp * m_cp * m_pp == 1)
        {
            m_pp = 2;
        }
        m_job.domains = m_dp * m_cp * m_pp;
        m_job.streams = m_draw.Pick<uint32_t>({1, 2, 3, 3});
        m_think = NanoSeconds(m_draw.Scaled(10, 400000));
        MakeGroups(pairs);
        const uint32_t iterations = m_draw.Pick<uint32_t>({1, 2, 3, 3, 4});
        for (uint32_t i = 0; i < iterations; ++i)
        {
            m_job.steps.push_back(i == 0 ? MakeSteps() : m_job.steps.back());
            if (i > 0 && m_draw.Chance(35))
            {
                Change(m_job.steps.back());
            }
        }
        return m_job;
    }

  private:
    /// @return the rank on a rail at some coordinates
    uint32_t GetRank(uint32_t rail, uint32_t dp, uint32_t cp, uint32_t pp) const
    {
        return ((pp * m_cp + cp) * m_dp + dp) * m_scenario.rails + rail;
    }

    /// @return index of the group of these ranks, a new one if there is none yet
    uint32_t AddGroup(const std::vector<uint32_t>& ranks)
    {
        const auto it = std::find_if(m_job.groups.begin(), m_job.groups.end(), [&](const auto& x) {
            return x.ranks == ranks;
        });
        if (it != m_job.groups.end())
        {
            return it->id;
        }
        const auto id = static_cast<uint32_t>(m_job.groups.size());
        m_job.groups.push_back({id, ranks});
        return id;
    }

    void MakeGroups(bool pairs)
    {
        const bool asLine = !pairs && m_draw.Chance(40);
        const bool hasWorld = !pairs && m_draw.Chance(50);
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            std::vector<uint32_t> world;
            for (uint32_t pp = 0; pp < m_pp; ++pp)
            {
                for (uint32_t cp = 0; cp < m_cp; ++cp)
                {
                    std::vector<uint32_t> shards;
                    for (uint32_t dp = 0; dp < m_dp; ++dp)
                    {
                        shards.push_back(GetRank(rail, dp, cp, pp));
                        world.push_back(shards.back());
                    }
                    AddCollectives(shards);
                }
                for (uint32_t dp = 0; dp < m_dp && m_cp > 1; ++dp)
                {
                    AddCollectives({GetRank(rail, dp, 0, pp), GetRank(rail, dp, 1, pp)});
                }
            }
            if (hasWorld)
            {
                AddCollectives(world);
            }
            MakePipelines(rail, asLine);
        }
        if (m_scenario.across)
        {
            MakeAcross();
        }
    }

    /// Let groups along rails have counterparts that span some rails of the same domains.
    void MakeAcross()
    {
        const auto along = m_collectives;
        for (uint64_t i = 0; i < 4 && !along.empty(); ++i)
        {
            std::set<uint32_t> rails;
            while (rails.size() < 2)
            {
                rails.insert(m_draw.Index(m_scenario.rails));
                rails.insert(m_draw.Index(m_scenario.rails));
            }
            std::vector<uint32_t> ranks;
            for (const uint32_t rank : m_job.groups[m_draw.Pick(along)].ranks)
            {
                for (const uint32_t rail : rails)
                {
                    ranks.push_back(rank / m_scenario.rails * m_scenario.rails + rail);
                }
            }
            AddCollectives(ranks);
        }
    }

    void AddCollectives(const std::vector<uint32_t>& ranks)
    {
        if (ranks.size() > 1)
        {
            m_collectives.push_back(AddGroup(ranks));
        }
    }

    /// The neighbours in a pipeline are pairs, or talk within the group of all of it.
    void MakePipelines(uint32_t rail, bool asLine)
    {
        for (uint32_t i = 0; i < m_dp * m_cp && m_pp > 1; ++i)
        {
            std::vector<uint32_t> ranks;
            for (uint32_t pp = 0; pp < m_pp; ++pp)
            {
                ranks.push_back(GetRank(rail, i % m_dp, i / m_dp, pp));
            }
            // Beside collectives of the same ranks, messages need a group of their own.
            uint32_t whole = 0;
            if (asLine && m_pp > 2)
            {
                whole = static_cast<uint32_t>(m_job.groups.size());
                m_job.groups.push_back({whole, ranks});
            }
            std::vector<OpusStep> line;
            for (uint32_t pp = 0; pp + 1 < m_pp; ++pp)
            {
                const bool inside = asLine && m_pp > 2;
                OpusStep step;
                step.kind = CollectiveKind::SEND;
                step.group = inside ? whole : AddGroup({ranks[pp], ranks[pp + 1]});
                step.from = inside ? pp : 0;
                step.to = step.from + 1;
                line.push_back(step);
            }
            m_pipelines.push_back(line);
        }
    }

    std::vector<OpusStep> MakeSteps()
    {
        std::vector<OpusStep> steps;
        if (m_draw.Chance(50))
        {
            AppendRandom(steps, m_draw.Between(2, 16));
            return steps;
        }
        // As training does: gather, forward and backward through the pipeline, reduce.
        AppendAll(steps, CollectiveKind::ALL_GATHER, m_draw.Between(1, 2));
        const uint64_t microBatches = m_draw.Between(1, 3);
        for (uint64_t i = 0; i < 2 * microBatches; ++i)
        {
            const bool forward = m_draw.Chance(50) ? i % 2 == 0 : i < microBatches;
            AppendPipelines(steps, forward);
        }
        AppendAll(steps, CollectiveKind::REDUCE_SCATTER, m_draw.Between(0, 2));
        AppendRandom(steps, m_draw.Between(0, 3));
        if (steps.empty())
        {
            AppendRandom(steps, 1);
        }
        return steps;
    }

    void AppendAll(std::vector<OpusStep>& steps, CollectiveKind kind, uint64_t times)
    {
        for (uint64_t i = 0; i < times; ++i)
        {
            for (uint32_t group : m_collectives)
            {
                steps.push_back(Finish({group, kind}));
            }
        }
    }

    void AppendPipelines(std::vector<OpusStep>& steps, bool forward)
    {
        for (const auto& line : m_pipelines)
        {
            for (std::size_t i = 0; i < line.size(); ++i)
            {
                OpusStep step = line[forward ? i : line.size() - 1 - i];
                if (!forward)
                {
                    std::swap(step.from, step.to);
                }
                steps.push_back(Finish(step));
            }
        }
    }

    void AppendRandom(std::vector<OpusStep>& steps, uint64_t count)
    {
        OpusStep last = DrawStep();
        for (uint64_t i = 0; i < count; ++i)
        {
            last = m_draw.Chance(40) ? last : DrawStep();
            steps.push_back(Finish(last));
        }
    }

    /// @return a step but for its volume
    OpusStep DrawStep()
    {
        OpusStep step;
        if (!m_pipelines.empty() && (m_collectives.empty() || m_draw.Chance(50)))
        {
            step = m_draw.Pick(m_draw.Pick(m_pipelines));
            if (m_draw.Chance(50))
            {
                std::swap(step.from, step.to);
            }
            return step;
        }
        step.group = m_draw.Pick(m_collectives);
        step.kind = m_draw.Pick<CollectiveKind>({CollectiveKind::ALL_GATHER,
                                                 CollectiveKind::REDUCE_SCATTER,
                                                 CollectiveKind::ALL_REDUCE});
        return step;
    }

    /// Give a step a volume, and its ranks something to compute.
    OpusStep Finish(OpusStep step)
    {
        const uint64_t size = m_job.groups[step.group].ranks.size();
        step.bytes = 2 * size * m_draw.Scaled(1, 20000); // shared by ranks and directions
        step.think.clear();
        const bool now = m_draw.Chance(30);
        for (uint64_t i = 0; i < size; ++i)
        {
            const auto most = static_cast<uint64_t>(m_think.GetNanoSeconds());
            step.think.push_back(
                NanoSeconds(now || m_draw.Chance(10) ? 0 : m_draw.Between(0, most)));
        }
        return step;
    }

    /// Let an iteration differ from the one before it.
    void Change(std::vector<OpusStep>& steps)
    {
        const uint64_t changes = m_draw.Between(1, 3);
        for (uint64_t i = 0; i < changes; ++i)
        {
            const uint32_t at = m_draw.Index(steps.size());
            switch (m_draw.Index(4))
            {
            case 0:
                steps.insert(steps.begin() + at, Finish(DrawStep()));
                break;
            case 1:
                if (steps.size() > 1)
                {
                    steps.erase(steps.begin() + at);
                }
                break;
            case 2:
                std::swap(steps[at], steps[m_draw.Index(steps.size())]);
                break;
            default:
                steps[at] = Finish(steps[at]);
            }
        }
    }

    Draw& m_draw;
    const OpusScenario& m_scenario;
    RandomJob m_job;
    uint32_t m_dp{1};
    uint32_t m_cp{1};
    uint32_t m_pp{1};
    Time m_think;                                   //!< at most, before a step
    std::vector<uint32_t> m_collectives;            //!< groups that have collectives
    std::vector<std::vector<OpusStep>> m_pipelines; //!< messages from stage to stage, forward
};

/// @return a job of the program that trains, on as many rails and ports
RandomJob
MakeTraining(Draw& draw, const OpusScenario& scenario)
{
    RandomJob job;
    const auto pp = draw.Pick<uint32_t>({1, 2, 2, 4});
    const auto cp =
        draw.Pick<uint32_t>(pp == 4 ? std::vector<uint32_t>{1} : std::vector<uint32_t>{1, 1, 2});
    const auto fsdp = draw.Pick<uint32_t>(pp == 4   ? std::vector<uint32_t>{1, 2}
                                          : pp == 1 ? std::vector<uint32_t>{2}
                                                    : std::vector<uint32_t>{1, 2, 2});
    const auto replicate = draw.Pick<uint32_t>({1, 1, pp == 1 && cp == 1 ? 2u : 1u});
    job.domains = pp * cp * fsdp * replicate;
    job.iterations = draw.Pick<uint32_t>({1, 2, 2, 3});
    const std::string schedule = draw.Pick<std::string>(
        pp == 1 ? std::vector<std::string>{"1f1b"}
                : std::vector<std::string>{"1f1b", "gpipe", "zb-h1", "interleaved"});
    job.flags = {"test",
                 "--model=debugmodel",
                 "--seqLen=64",
                 "--tp=" + std::to_string(scenario.rails),
                 "--gpusPerDomain=" + std::to_string(scenario.rails),
                 "--pp=" + std::to_string(pp),
                 "--cp=" + std::to_string(cp),
                 "--fsdp=" + std::to_string(fsdp),
                 "--dpReplicate=" + std::to_string(replicate),
                 "--microBatches=" + std::to_string(pp * draw.Between(1, 2)),
                 "--schedule=" + schedule,
                 "--virtualStages=" + std::string(schedule == "interleaved" ? "2" : "1"),
                 "--nicPorts=" + std::to_string(scenario.nicPorts)};
    return job;
}

/// @return the circuits of each group, as if it were alone
std::vector<CircuitSet>
PlanGroups(const OpusScenario& scenario)
{
    std::vector<CircuitSet> plans;
    uint32_t first = 0; // domain of a job
    for (const RandomJob& job : scenario.jobs)
    {
        for (const ProcessGroup& group : job.groups)
        {
            std::vector<CircuitPlanner::Member> members;
            for (const uint32_t rank : group.ranks)
            {
                const uint32_t domain = first + rank / scenario.rails;
                members.push_back({rank, {}});
                for (uint32_t i = 0; i < scenario.nicPorts; ++i)
                {
                    members.back().ports.push_back({0, domain * scenario.nicPorts + i});
                }
            }
            plans.push_back(CircuitPlanner::PlanRing(members).plan.at(0));
        }
        first += job.domains;
    }
    return plans;
}

/// @return the fewest tracks with which each group is possible; 0 if not all groups are drawn
uint32_t
CountTracks(const OpusScenario& scenario)
{
    uint32_t ports = 0;
    for (const RandomJob& job : scenario.jobs)
    {
        if (!job.flags.empty())
        {
            return 0;
        }
        ports += job.domains * scenario.nicPorts;
    }
    const auto plans = PlanGroups(scenario);
    for (uint32_t tracks = 1;; ++tracks)
    {
        const auto fabric = TrackFabric::Make(ports, tracks);
        if (std::all_of(plans.begin(), plans.end(), [&fabric](const CircuitSet& circuits) {
                return CheckOnIdleFabric(*fabric, circuits).empty();
            }))
        {
            return tracks;
        }
    }
}

/// Let all steps of one kind be an AllToAll, in some scenarios whose switches can lend any pair.
void
DrawExchange(Draw& draw, OpusScenario& scenario)
{
    if (scenario.tracks > 0 || !draw.Chance(35))
    {
        return;
    }
    scenario.exchange =
        draw.Pick<std::string>({"planned", "pairwise", "pairwise", "hypercube", "ring"});
    const auto kind = draw.Pick<CollectiveKind>(
        {CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_REDUCE});
    for (RandomJob& job : scenario.jobs)
    {
        for (auto& steps : job.steps)
        {
            for (OpusStep& step : steps)
            {
                step.kind = step.kind == kind ? CollectiveKind::ALL_TO_ALL : step.kind;
            }
        }
    }
}

/// @return a time, mostly zero or short
Time
DrawScenarioTime(Draw& draw, const std::vector<uint64_t>& nanoSeconds)
{
    return NanoSeconds(draw.Pick(nanoSeconds));
}

} // namespace

OpusScenario
OpusScenario::Make(uint64_t seed)
{
    OpusScenario scenario = MakeAny(seed, false);
    Draw draw(~seed); // so that the rest of the scenario is the same without an AllToAll
    DrawExchange(draw, scenario);
    return scenario;
}

OpusScenario
OpusScenario::MakeAcross(uint64_t seed)
{
    return MakeAny(seed, true);
}

OpusScenario
OpusScenario::MakeAhead(uint64_t seed)
{
    OpusScenario scenario = seed % 5 == 0 ? MakeAcross(seed) : Make(seed);
    Draw draw(~seed * 3); // so that the rest of the scenario is the same
    scenario.hosts = draw.Pick<std::string>({"ahead", "ahead", "blocking"});
    scenario.launchTime = DrawScenarioTime(draw, {0, 100, 1000, 5000, 50000});
    scenario.launchDepth = draw.Pick<uint32_t>({1, 2, 3, 8, 1000, 1000});
    return scenario;
}

OpusScenario
OpusScenario::MakeAny(uint64_t seed, bool across)
{
    Draw draw(seed);
    OpusScenario s;
    s.seed = seed;
    s.across = across;
    s.rails = draw.Pick<uint32_t>(across ? std::vector<uint32_t>{2, 2, 2, 8}
                                         : std::vector<uint32_t>{1, 1, 1, 2});
    s.nicPorts = draw.Pick<uint32_t>({1, 2, 2, 2, 4});
    s.portRate = DataRate(draw.Pick<uint64_t>({10, 100, 100, 400}) * 1000000000);
    s.fiberDelay = DrawScenarioTime(draw, {0, 50, 50, 500, 5000});
    s.reconfigurationDelay = DrawScenarioTime(draw, {0, 10, 1000, 10000, 100000, 1000000});
    s.lockTime = DrawScenarioTime(draw, {0, 0, 100, 20000});
    s.controlLatency = DrawScenarioTime(draw, {0, 1000, 10000, 10000, 50000});
    s.messageTime = DrawScenarioTime(draw, {0, 0, 100, 2000});
    s.managerTime = DrawScenarioTime(draw, {0, 0, 100, 2000});
    s.agentTime = DrawScenarioTime(draw, {0, 0, 1000});
    s.commandLatency = DrawScenarioTime(draw, {0, 0, 10000});
    s.coalesceTime = DrawScenarioTime(draw, {0, 0, 0, 1000, 20000});
    s.commandWindow = draw.Pick<uint32_t>({0, 0, 0, 1, 2});
    s.threads = draw.Pick<uint32_t>({1, 1, 2});
    s.perRail = s.rails > 1 && draw.Chance(30) && !across;
    s.policy = draw.Pick<std::string>(
        {"provisioned", "provisioned", "provisioned", "on-demand", "per-call"});
    s.detect = draw.Chance(20);
    const auto jobs = draw.Pick<uint32_t>({1, 1, 1, 2});
    for (uint32_t i = 0; i < jobs; ++i)
    {
        const bool trains = s.nicPorts > 1 && draw.Chance(6) && !across;
        s.jobs.push_back(trains ? MakeTraining(draw, s) : JobDraw(draw, s).Make());
    }
    s.threshold = draw.Chance(15) && !across ? draw.Scaled(100, 50000) : 0;
    const uint64_t spread = draw.Pick<uint64_t>({0, 500, 5000, 50000});
    for (uint32_t i = 0; i < 16; ++i)
    {
        s.more.push_back(NanoSeconds(draw.Between(0, spread)));
    }
    s.tracks = draw.Chance(25) && !across ? CountTracks(s) : 0;
    s.trouble = OpusTrouble::Make(seed, s.perRail);
    return s;
}

std::string
OpusScenario::ToText() const
{
    std::ostringstream text;
    text << "seed " << seed << ": rails=" << rails << " nicPorts=" << nicPorts
         << " portRate=" << portRate << " fiberDelay=" << fiberDelay.As(Time::NS)
         << " reconfigDelay=" << reconfigurationDelay.As(Time::US)
         << " lockTime=" << lockTime.As(Time::US)
         << " controlLatency=" << controlLatency.As(Time::US)
         << " messageTime=" << messageTime.As(Time::US)
         << " managerTime=" << managerTime.As(Time::US) << " agentTime=" << agentTime.As(Time::US)
         << " commandLatency=" << commandLatency.As(Time::US)
         << " coalesceTime=" << coalesceTime.As(Time::US) << " commandWindow=" << commandWindow
         << " threads=" << threads << " perRail=" << perRail << " policy=" << policy
         << " detect=" << detect << " threshold=" << threshold << " tracks=" << tracks;
    if (hosts != "none")
    {
        text << " hosts=" << hosts << " launchTime=" << launchTime.As(Time::US)
             << " launchDepth=" << launchDepth;
    }
    text << (exchange.empty() ? "" : " AllToAll=" + exchange);
    for (const auto& job : jobs)
    {
        text << "; job of " << job.domains << " domains";
        for (const auto& flag : job.flags)
        {
            text << " " << flag;
        }
        for (const auto& steps : job.steps)
        {
            text << ", " << steps.size() << " steps";
        }
    }
    if (trouble.IsAny())
    {
        text << "; trouble: " << trouble.ToText();
    }
    return text.str();
}

std::string
OpusScenario::ToText(const RandomJob& job)
{
    std::ostringstream text;
    for (std::size_t i = 0; i < job.steps.size(); ++i)
    {
        for (const auto& step : job.steps[i])
        {
            const auto& group = job.groups[step.group];
            text << "iteration " << i << ": " << ToString(step.kind) << " " << step.bytes
                 << " B on group " << group.id << " (";
            for (std::size_t k = 0; k < group.ranks.size(); ++k)
            {
                text << (k ? " " : "") << group.ranks[k] << " after " << step.think[k].As(Time::US);
            }
            text << ")";
            if (step.kind == CollectiveKind::SEND)
            {
                text << " from " << group.ranks[step.from] << " to " << group.ranks[step.to];
            }
            text << "\n";
        }
    }
    return text.str();
}

} // namespace test
} // namespace ns3
