// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How scenarios of rings are carried out.
 */

#include "differential-ring.h"
#include "lambda-call.h"

#include "ns3/collective-engine.h"
#include "ns3/collective-helper.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/static-policy.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ns3
{
namespace test
{

namespace
{

constexpr uint32_t RING_OCS_NODE = 1000; //!< the switches' rails follow

/// Carries out a RingScenario.
class RingRun
{
  public:
    RingRun(const RingScenario& scenario, const RunMode& mode)
        : m_scenario(scenario),
          m_mode(mode)
    {
    }

    Record Run()
    {
        Build();
        Prepare();
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            m_record.NoteAtEnd("GPU " + std::to_string(gpu) + " " + ToText(*m_cluster.GetNic(gpu)));
            m_record.CountPackets(*m_cluster.GetNic(gpu));
        }
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            m_record.NoteAtEnd("OCS " + ToText(*m_cluster.GetOcs(rail)));
        }
        Simulator::Destroy();
        return m_record;
    }

  private:
    void Build()
    {
        RailClusterHelper helper;
        helper.SetDomains(m_scenario.domains, m_scenario.rails);
        helper.SetNic(m_scenario.ports, DataRate(m_scenario.rate));
        helper.SetNicAttribute("Fidelity", StringValue(m_mode.fidelity));
        helper.SetFiberAttribute("Delay", TimeValue(PicoSeconds(m_scenario.fiber)));
        helper.SetOcsAttribute("ReconfigurationDelay",
                               TimeValue(PicoSeconds(m_scenario.reconfiguration)));
        helper.SetQueuePairAttribute("Mtu", UintegerValue(m_scenario.mtu));
        helper.SetQueuePairAttribute("Window", UintegerValue(m_scenario.window));
        helper.SetQueuePairAttribute("AckInterval", UintegerValue(m_scenario.ackInterval));
        helper.SetQueuePairAttribute(
            "LossRecovery",
            StringValue(m_scenario.selective ? "SelectiveRepeat" : "GoBackN"));
        helper.SetQueuePairAttribute(
            "CongestionControl",
            StringValue(m_scenario.control.empty() ? "" : "ns3::Rdma" + m_scenario.control));
        m_cluster = helper.InstallPhotonic();
        CollectiveHelper::Install(m_cluster);
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            GetEngine(gpu).SetAttribute("Directions", UintegerValue(m_scenario.directions));
            Watch(gpu);
        }
        for (uint32_t id = 0; id < m_scenario.rails * m_scenario.groupsPerRail; ++id)
        {
            ProcessGroup group{id, {}};
            for (uint32_t domain = 0; domain < m_scenario.domains; ++domain)
            {
                group.ranks.push_back(GetRank(id, domain));
            }
            CollectiveHelper::Join(m_cluster, group);
        }
        StaticCircuitsHelper::LightRings(m_cluster);
        Simulator::Stop(MicroSeconds(200));
        Simulator::Run();
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            m_circuits.push_back(m_cluster.GetOcs(rail)->GetCircuits());
        }
    }

    /// @return the rank of that index in a group
    uint32_t GetRank(uint32_t group, uint32_t index) const
    {
        return index * m_scenario.rails + group % m_scenario.rails;
    }

    CollectiveEngine& GetEngine(uint32_t gpu)
    {
        return *m_cluster.GetGpu(gpu)->GetObject<CollectiveEngine>();
    }

    void Watch(uint32_t gpu)
    {
        for (const std::string source : {"CallStarted", "CallEnded", "CallFailed"})
        {
            GetEngine(gpu).TraceConnectWithoutContext(
                source,
                ToCallback<uint32_t, const CollectiveCall&, uint64_t>(
                    [this, source](uint32_t rank, const CollectiveCall& call, uint64_t sequence) {
                        m_record.Note(rank,
                                      source + " group " + std::to_string(call.groupId) + " call " +
                                          std::to_string(sequence));
                    }));
        }
    }

    void After(Time delay, uint32_t gpu, std::function<void()> what)
    {
        Simulator::ScheduleWithContext(m_cluster.GetGpu(gpu)->GetId(),
                                       delay,
                                       &CallScheduled,
                                       std::move(what));
    }

    void Prepare()
    {
        std::vector<std::pair<uint32_t, uint32_t>> steps; // index of a rank, and a call
        for (uint32_t i = 0; i < m_scenario.calls.size(); ++i)
        {
            for (uint32_t index = 0; index < m_scenario.domains && !IsChained(i); ++index)
            {
                steps.emplace_back(index, i);
            }
        }
        std::stable_sort(steps.begin(), steps.end(), [this](const auto& x, const auto& y) {
            return m_mode.reversed ? x.first > y.first : x.first < y.first;
        });
        for (const auto& [index, i] : steps)
        {
            After(PicoSeconds(GetTime(i, index)),
                  GetRank(m_scenario.calls[i].group, index),
                  [this, i = i, index = index] { Call(i, index); });
        }
        for (uint32_t i = 0; i < m_scenario.actions.size(); ++i)
        {
            const auto& action = m_scenario.actions[i];
            After(PicoSeconds(action.at), action.gpu, [this, i] { Act(m_scenario.actions[i]); });
        }
    }

    /// @return the call before one on the same group, or the call itself if there is none
    uint32_t GetBefore(uint32_t i) const
    {
        uint32_t before = i;
        while (before > 0)
        {
            --before;
            if (m_scenario.calls[before].group == m_scenario.calls[i].group)
            {
                return before;
            }
        }
        return i;
    }

    /// @return true if a call is made when the one before it has ended; then all after it are
    bool IsChained(uint32_t i) const
    {
        const uint32_t before = GetBefore(i);
        return before != i && (m_scenario.calls[i].chained || IsChained(before));
    }

    /// @return when a rank makes a call, not before the one before it
    uint64_t GetTime(uint32_t i, uint32_t index) const
    {
        const auto& call = m_scenario.calls[i];
        const uint64_t at = call.at + call.skew * (index % 4);
        const uint32_t before = GetBefore(i);
        return before == i ? at : std::max(at, GetTime(before, index));
    }

    /// A rank goes on after a call.
    void CallNext(uint32_t i, uint32_t index)
    {
        for (uint32_t next = i + 1; next < m_scenario.calls.size(); ++next)
        {
            if (GetBefore(next) == i && IsChained(next))
            {
                Call(next, index);
            }
        }
    }

    void Call(uint32_t i, uint32_t index)
    {
        const auto& made = m_scenario.calls[i];
        CollectiveCall call{made.kind, made.group, made.bytes, GetRank(made.group, made.root)};
        if (made.kind == CollectiveKind::SEND)
        {
            const uint32_t receiver = (made.root + 1) % m_scenario.domains;
            if (index == receiver)
            {
                call.kind = CollectiveKind::RECV;
            }
            else if (index == made.root)
            {
                call.peer = GetRank(made.group, receiver);
            }
            else
            {
                CallNext(i, index); // this one is not for this rank
                return;
            }
        }
        const uint32_t rank = GetRank(made.group, index);
        GetEngine(rank).Run(call, ToCallback<>([this, rank, i, index] {
                                m_record.Note(rank, "ended " + std::to_string(i));
                                CallNext(i, index);
                            }));
    }

    void Act(const RingScenario::Action& action)
    {
        auto port = m_cluster.GetNic(action.gpu)->GetPort(action.port);
        switch (action.kind)
        {
        case RingScenario::TEAR:
        case RingScenario::CUT:
            Switch(action);
            break;
        case RingScenario::ERRORS: {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(static_cast<double>(action.value) / 1000);
            model->AssignStreams(action.gpu * 4 + action.port);
            port->SetAttribute("ReceiveErrorModel", PointerValue(model));
            break;
        }
        case RingScenario::WINDOW:
            m_cluster.GetNic(action.gpu)
                ->SetQueuePairAttribute("Window", UintegerValue(action.value));
            break;
        case RingScenario::READ:
            for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
            {
                m_record.Note(gpu, ToText(*m_cluster.GetNic(gpu)));
            }
            break;
        case RingScenario::PFC:
            port->SendPfc(3, true);
            After(PicoSeconds(action.value), action.gpu, [port] { port->SendPfc(3, false); });
            break;
        case RingScenario::TRACE:
            port->TraceConnectWithoutContext(
                "PhyTxBegin",
                ToCallback<Ptr<const Packet>>([this, gpu = action.gpu](Ptr<const Packet> frame) {
                    m_record.Note(gpu, "frame of " + std::to_string(frame->GetSize()));
                }));
            break;
        case RingScenario::KINDS:
            break;
        }
    }

    void Switch(const RingScenario::Action& action)
    {
        const uint32_t rail = action.gpu % m_scenario.rails;
        const auto& circuits = m_circuits[rail];
        const CircuitSet one{circuits[(action.gpu + action.port) % circuits.size()]};
        const bool torn = action.kind == RingScenario::TEAR;
        Command(rail, one, torn ? one : CircuitSet());
        if (!torn)
        {
            After(PicoSeconds(action.value), action.gpu, [this, rail, one] {
                Command(rail, {}, one);
            });
        }
    }

    void Command(uint32_t rail, const CircuitSet& drop, const CircuitSet& make)
    {
        const std::string error = m_cluster.GetOcs(rail)->Reconfigure(drop, make);
        if (!error.empty())
        {
            m_record.Note(RING_OCS_NODE + rail, error);
        }
    }

    const RingScenario& m_scenario;
    RunMode m_mode;
    Record m_record;
    RailCluster m_cluster;
    std::vector<CircuitSet> m_circuits; //!< of each rail, at first
};

} // namespace

Record
RingScenario::Run(const RunMode& mode) const
{
    return RingRun(*this, mode).Run();
}

} // namespace test
} // namespace ns3
