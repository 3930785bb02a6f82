// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-watch.h"

#include "lambda-call.h"

#include "ns3/abort.h"
#include "ns3/collective-engine.h"
#include "ns3/fiber-switches.h"
#include "ns3/opus-controller.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace test
{

namespace
{

/// Connect to a trace source, which there must be.
void
Connect(Ptr<Object> object, const std::string& source, const CallbackBase& action)
{
    NS_ABORT_MSG_UNLESS(object->TraceConnectWithoutContext(source, action),
                        "there is no trace source " << source);
}

} // namespace

OpusWatch::OpusWatch(const RailCluster& cluster)
    : m_cluster(cluster),
      m_ports(cluster.GetGpusPerDomain()),
      m_commands(cluster.GetGpusPerDomain()),
      m_rails(cluster.GetGpusPerDomain())
{
    const auto rails = static_cast<uint32_t>(m_rails.size());
    for (uint32_t rail = 0; rail < rails; ++rail)
    {
        m_rails[rail].ocs = rail;
        WatchSwitch(rail, cluster.GetOcs(rail));
    }
    for (uint32_t i = 0; i < cluster.GetNSpares(); ++i)
    {
        WatchSpare(rails + i, cluster.GetSpare(i));
    }
}

void
OpusWatch::AddJob(const RailCluster& part,
                  const OpusHelper& opus,
                  const std::vector<ProcessGroup>& groups,
                  const std::string& exchange,
                  const std::set<uint32_t>& exchanging)
{
    const auto job = static_cast<uint32_t>(m_jobs.size());
    m_jobs.push_back(Job{part, groups, std::vector<Rank>(part.GetNGpus()), exchange, exchanging});
    for (uint32_t rank = 0; rank < part.GetNGpus(); ++rank)
    {
        auto& ports = m_ports[part.GetRailOf(rank)];
        const auto& places = part.GetOcsPorts(rank);
        for (uint32_t index = 0; index < places.size(); ++index)
        {
            ports.resize(std::max<std::size_t>(ports.size(), places[index] + 1));
            ports[places[index]] = Port{job, rank, index};
        }
        WatchRank(job, rank, opus.GetShim(rank, job));
    }
}

void
OpusWatch::AddControllers(const OpusHelper& opus)
{
    const auto all = opus.GetAllControllers();
    const std::size_t planes = opus.GetControllers().size();
    const std::size_t each = all.size() / planes; // two, if there are standbys
    m_planes.resize(planes);
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const Teller teller{static_cast<uint32_t>(i / each), static_cast<uint32_t>(i % each)};
        WatchController(teller, all[i]);
    }
}

void
OpusWatch::SetWindow(bool decidesLater)
{
    m_decidesLater = decidesLater;
}

void
OpusWatch::SetLatency(Time latency)
{
    m_latency = latency;
}

void
OpusWatch::SetLog(std::ostream* log)
{
    m_log = log;
}

void
OpusWatch::Note(const std::string& text)
{
    m_moments.push_back(Simulator::Now());
    if (m_log)
    {
        *m_log << Simulator::Now().GetPicoSeconds() << " ps " << text << "\n";
    }
}

const std::string&
OpusWatch::GetError() const
{
    return m_error;
}

const std::vector<Time>&
OpusWatch::GetMoments() const
{
    return m_moments;
}

const OpusWatch::Counts&
OpusWatch::GetCounts() const
{
    return m_counts;
}

void
OpusWatch::Fail(const std::string& error)
{
    if (m_error.empty())
    {
        m_error = "at " + std::to_string(Simulator::Now().GetPicoSeconds()) + " ps " + error;
        Simulator::Stop();
    }
}

// --- trace sinks --------------------------------------------------------------------------------

void
OpusWatch::WatchSwitch(uint32_t ocs, Ptr<OpticalCircuitSwitch> device)
{
    using Switch = Ptr<const OpticalCircuitSwitch>;
    Connect(device,
            "ReconfigurationStart",
            ToCallback<Switch, const CircuitSet&, const CircuitSet&>(
                [this, ocs](Switch, const CircuitSet& dropped, const CircuitSet& made) {
                    if (const auto rail = GetRail(ocs))
                    {
                        Start(*rail, dropped, made);
                    }
                }));
    Connect(device, "CircuitUp", ToCallback<Switch, Circuit>([this, ocs](Switch, Circuit circuit) {
                if (const auto rail = GetRail(ocs))
                {
                    Up(*rail, circuit);
                }
            }));
    Connect(device,
            "CircuitDown",
            ToCallback<Switch, Circuit>([this, ocs](Switch, Circuit circuit) {
                if (const auto rail = GetRail(ocs))
                {
                    Down(*rail, circuit);
                }
            }));
    Connect(
        device,
        "BitsLost",
        ToCallback<Switch, uint32_t, uint64_t, OpticalCircuitSwitch::LossReason>(
            [this, ocs](Switch, uint32_t port, uint64_t bits, OpticalCircuitSwitch::LossReason) {
                Lost(ocs, port, bits);
            }));
}

void
OpusWatch::WatchSpare(uint32_t ocs, Ptr<Node> node)
{
    WatchSwitch(ocs, node->GetObject<OpticalCircuitSwitch>());
    Connect(node->GetObject<ProtectionSwitch>(),
            "Protected",
            ToCallback<uint32_t>([this, ocs](uint32_t rail) { Protected(ocs, rail); }));
}

void
OpusWatch::WatchController(const Teller& teller, Ptr<OpusController> controller)
{
    Connect(controller, "Learn", ToCallback<bool>([this, teller](bool begins) {
                Learn(teller, begins);
            }));
    Connect(controller, "Rebuild", ToCallback<uint32_t>([this, teller](uint32_t rail) {
                if (IsActing(teller))
                {
                    Rebuild(rail);
                }
            }));
    Connect(controller,
            "Rx",
            ToCallback<const OpusMessage&>([this, teller](const OpusMessage& message) {
                if (IsActing(teller))
                {
                    Heard(message);
                }
            }));
    Connect(controller,
            "GroupGranted",
            ToCallback<uint32_t, uint64_t, Time, bool>(
                [this, teller](uint32_t job, uint64_t group, Time, bool) {
                    IsActing(teller) ? GroupGranted(job, group) : GrantedBefore(job, group);
                }));
    Connect(controller,
            "ReconfigurationBegin",
            ToCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&>(
                [this, teller](uint32_t job,
                               uint64_t group,
                               uint32_t rail,
                               const CircuitSet& dropped,
                               const CircuitSet& made) {
                    if (IsActing(teller))
                    {
                        Commanded(job, group, rail, Command{dropped, made});
                    }
                    else
                    {
                        m_commands[rail].push_back(Command{dropped, made, 0, true});
                    }
                }));
}

void
OpusWatch::WatchRank(uint32_t job, uint32_t rank, Ptr<OpusShim> shim)
{
    Connect(shim,
            "Requested",
            ToCallback<uint32_t, uint64_t, bool>(
                [this, job](uint32_t r, uint64_t group, bool) { Requested(job, r, group); }));
    Connect(
        shim,
        "Granted",
        ToCallback<uint32_t, uint64_t, Time, Time, bool>(
            [this, job](uint32_t r, uint64_t group, Time, Time, bool) { Granted(job, r, group); }));
    Connect(shim,
            "Released",
            ToCallback<uint32_t, uint64_t>(
                [this, job](uint32_t r, uint64_t group) { Released(job, r, group); }));
    Connect(shim,
            "Mispredicted",
            ToCallback<uint32_t, uint64_t, uint64_t>(
                [this](uint32_t, uint64_t, uint64_t) { ++m_counts.mispredicted; }));
    Connect(shim,
            "Refused",
            ToCallback<uint32_t, uint64_t, const std::string&>(
                [this, job](uint32_t, uint64_t group, const std::string& error) {
                    Fail(Name(job, group) + " is refused: " + error);
                }));
    const auto engine = m_jobs[job].part.GetGpu(rank)->GetObject<CollectiveEngine>();
    const auto connect = [this, job, engine](const std::string& source, auto method) {
        Connect(engine,
                source,
                ToCallback<uint32_t, const CollectiveCall&, uint64_t>(
                    [this, job, method](uint32_t r, const CollectiveCall& call, uint64_t) {
                        (this->*method)(job, r, call);
                    }));
    };
    connect("CallArrived", &OpusWatch::Made);
    connect("CallStarted", &OpusWatch::Began);
    connect("CallEnded", &OpusWatch::Ended);
    connect("RoundStarted", &OpusWatch::RoundBegan);
    connect("RoundEnded", &OpusWatch::RoundEnded);
    Connect(engine,
            "CallFailed",
            ToCallback<uint32_t, const CollectiveCall&, uint64_t>(
                [this](uint32_t r, const CollectiveCall&, uint64_t) {
                    Fail("a call of rank " + std::to_string(r) + " has failed");
                }));
}

} // namespace test
} // namespace ns3
