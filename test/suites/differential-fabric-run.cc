// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How scenarios of fabrics are carried out.
 */

#include "differential-fabric.h"
#include "lambda-call.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace ns3
{
namespace test
{

namespace
{

constexpr uint32_t SWITCH_NODE = 1000; //!< the first of the switches

/// Carries out a FabricScenario.
class FabricScenarioRun
{
  public:
    FabricScenarioRun(const FabricScenario& scenario, const RunMode& mode)
        : m_scenario(scenario),
          m_mode(mode)
    {
    }

    Record Run()
    {
        Build();
        m_mode.Observe();
        Connect();
        Prepare();
        PreparePackets();
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            Read(gpu, [this](uint32_t, const std::string& text) { m_record.NoteAtEnd(text); });
            m_record.CountPackets(*m_cluster.GetNic(gpu));
            if (m_scenario.scaleUp)
            {
                m_record.CountPackets(*m_cluster.GetScaleUpNic(gpu));
            }
        }
        for (const auto& one : m_cluster.GetSwitches())
        {
            m_record.NoteAtEnd(one.name + " " + ToText(*one.device));
        }
        Simulator::Destroy();
        return m_record;
    }

  private:
    using Tell = std::function<void(uint32_t, const std::string&)>;

    RailClusterHelper MakeHelper(bool plain) const
    {
        const auto& s = m_scenario;
        RailClusterHelper helper;
        helper.SetDomains(s.domains, s.gpusPerDomain);
        helper.SetNic(s.ports, DataRate(s.rate));
        helper.SetNicAttribute("Fidelity", StringValue(m_mode.fidelity));
        helper.SetNicAttribute("RetryPackets", UintegerValue(s.retryPackets));
        helper.SetFiberAttribute("Delay", TimeValue(PicoSeconds(s.fiber)));
        if (s.radix > 0 && !plain)
        {
            helper.SetSwitchRadix(s.radix);
        }
        helper.SetOversubscription(s.oversubscription, 1);
        helper.SetSwitchAttribute("HopLatency", TimeValue(PicoSeconds(s.hop)));
        helper.SetSwitchAttribute("Forwarding",
                                  StringValue(s.cutThrough ? "CutThrough" : "StoreAndForward"));
        helper.SetSwitchAttribute("LoadBalancing", StringValue(s.balancing));
        helper.SetQueuePairAttribute("ReorderTolerance", UintegerValue(s.tolerance));
        helper.SetSwitchAttribute("Pfc", BooleanValue(s.pfc));
        helper.SetSwitchAttribute("Ecn", BooleanValue(s.ecn));
        helper.SetSwitchAttribute("Kmin", UintegerValue(s.kmin));
        helper.SetSwitchAttribute("Kmax", UintegerValue(s.kmax));
        helper.SetSwitchAttribute("BufferSize", UintegerValue(plain ? 0 : s.buffer));
        if (s.scaleUp)
        {
            helper.SetScaleUp("nvlink4");
        }
        if (s.alike)
        {
            helper.SetScaleUp({"alike", {}, s.rate, s.hop, s.fiber, s.gpusPerDomain});
            helper.SetScaleUpQueuePairAttribute("Mtu", UintegerValue(s.mtu));
            helper.SetScaleUpQueuePairAttribute("Window", UintegerValue(s.window));
        }
        helper.SetQueuePairAttribute("Mtu", UintegerValue(s.mtu));
        helper.SetQueuePairAttribute("Window", UintegerValue(s.window));
        helper.SetQueuePairAttribute("AckInterval", UintegerValue(s.ackInterval));
        helper.SetQueuePairAttribute("LossRecovery",
                                     StringValue(s.selective ? "SelectiveRepeat" : "GoBackN"));
        helper.SetQueuePairAttribute("CongestionControl",
                                     StringValue(s.control.empty() ? "" : "ns3::Rdma" + s.control));
        return helper;
    }

    void Build()
    {
        auto helper = MakeHelper(false);
        if (helper.Check(m_scenario.fabric).empty())
        {
            m_cluster = helper.Install(m_scenario.fabric);
        }
        if (m_cluster.GetSwitches().empty() || !m_cluster.CheckSwitches().empty())
        {
            // Too few ports or too little memory was drawn: as large as necessary.
            m_cluster = RailCluster();
            Simulator::Destroy();
            m_cluster = MakeHelper(true).Install(m_scenario.fabric);
        }
        RailClusterHelper::AssignStreams(m_cluster, 1);
        for (const auto& one : m_cluster.GetSwitches())
        {
            if (m_scenario.started)
            {
                one.device->Start();
            }
        }
    }

    void Connect()
    {
        std::vector<uint32_t> ports(m_scenario.ports);
        std::iota(ports.begin(), ports.end(), 0);
        for (uint32_t i = 0; i < m_scenario.messages.size(); ++i)
        {
            const auto& message = m_scenario.messages[i];
            if (m_scenario.shared && Share(i))
            {
                continue;
            }
            auto ends = message.scaleUp ? RdmaHelper::Connect(m_cluster.GetScaleUpNic(message.from),
                                                              {0},
                                                              m_cluster.GetScaleUpNic(message.to),
                                                              {0})
                                        : RdmaHelper::Connect(m_cluster.GetNic(message.from),
                                                              ports,
                                                              m_cluster.GetNic(message.to),
                                                              ports);
            Listen(*ends.first, message.from);
            Listen(*ends.second, message.to);
            m_senders.push_back(ends.first);
            m_receivers.push_back(ends.second);
        }
    }

    /// Record the callbacks of a connection's end at a GPU; messages and their answers are
    /// identified by their immediate values.
    void Listen(RdmaConnection& end, uint32_t gpu)
    {
        m_ends[gpu].push_back(&end);
        end.SetSentCallback(ToCallback<uint32_t, bool>([this, gpu](uint32_t i, bool delivered) {
            m_record.Note(gpu,
                          "message " + std::to_string(i) + (delivered ? " delivered" : " failed"));
        }));
        const auto received = [this, &end, gpu](uint32_t i, uint64_t bytes) {
            m_record.Note(gpu,
                          "message " + std::to_string(i) + " arrived, " + std::to_string(bytes) +
                              " bytes");
            if (m_answers[i]++ < m_scenario.answers)
            {
                FindAnswering(end, gpu).Post(bytes, i, m_scenario.messages[i].signaled);
            }
        };
        end.SetReceivedCallback(ToCallback<uint32_t, uint64_t>(received));
    }

    /// @return the end at a GPU on which a message is answered that arrived at an end
    RdmaConnection& FindAnswering(RdmaConnection& end, uint32_t gpu)
    {
        const auto& ends = m_ends[gpu];
        const auto place = std::find(ends.begin(), ends.end(), &end) + 1;
        return m_scenario.alike ? **(place == ends.end() ? ends.begin() : place) : end;
    }

    /// @return true if a message takes the connection of one before it
    bool Share(uint32_t i)
    {
        const auto& message = m_scenario.messages[i];
        for (uint32_t j = 0; j < i; ++j)
        {
            const auto& other = m_scenario.messages[j];
            const bool same = other.from == message.from && other.to == message.to;
            const bool opposite = other.from == message.to && other.to == message.from;
            if ((same || opposite) && other.scaleUp == message.scaleUp)
            {
                m_senders.push_back(same ? m_senders[j] : m_receivers[j]);
                m_receivers.push_back(same ? m_receivers[j] : m_senders[j]);
                return true;
            }
        }
        return false;
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
        std::vector<uint32_t> order(m_scenario.messages.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [this](uint32_t x, uint32_t y) {
            const auto& messages = m_scenario.messages;
            return m_mode.reversed ? messages[x].from > messages[y].from
                                   : messages[x].from < messages[y].from;
        });
        for (const uint32_t i : order)
        {
            const auto& message = m_scenario.messages[i];
            After(PicoSeconds(message.at), message.from, [this, i] {
                const auto& one = m_scenario.messages[i];
                m_senders[i]->Post(one.bytes, i, one.signaled);
            });
        }
        for (uint32_t i = 0; i < m_scenario.actions.size(); ++i)
        {
            const auto& action = m_scenario.actions[i];
            After(PicoSeconds(action.at), action.gpu, [this, i] { Act(m_scenario.actions[i]); });
        }
    }

    void PreparePackets()
    {
        const auto getEnd = [this](uint32_t gpu, uint32_t port) {
            const auto nic = m_cluster.GetNic(gpu);
            return PacketTraffic::End{nic->GetPort(port), (*nic->GetPorts())[port].second};
        };
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus() && !m_scenario.packets.empty(); ++gpu)
        {
            for (uint32_t port = 0; port < m_scenario.ports; ++port)
            {
                m_packets.Listen(gpu, getEnd(gpu, port));
            }
        }
        for (const auto& stream : m_scenario.packets)
        {
            m_packets.Start(stream,
                            getEnd(stream.from, stream.port),
                            getEnd(stream.to, stream.port));
        }
    }

    void Act(const FabricScenario::Action& action)
    {
        if (action.kind == FabricScenario::PAUSE)
        {
            for (uint32_t i = 0; i < m_senders.size(); ++i)
            {
                if (m_scenario.messages[i].from == action.gpu)
                {
                    m_senders[i]->Pause(ToCallback<>([this, i, gpu = action.gpu] {
                        m_record.Note(gpu, "drained " + std::to_string(i));
                    }));
                    After(PicoSeconds(action.value), action.gpu, [this, i] {
                        m_senders[i]->Resume();
                    });
                }
            }
        }
        else if (action.kind >= FabricScenario::KINDS)
        {
            Disturb(action);
        }
        else if (action.kind == FabricScenario::ERRORS)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(static_cast<double>(action.value) / 1000);
            model->AssignStreams(1000 + action.gpu);
            m_cluster.GetNic(action.gpu)
                ->GetPort(0)
                ->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        else
        {
            for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
            {
                Read(gpu,
                     [this](uint32_t node, const std::string& text) { m_record.Note(node, text); });
            }
            for (uint32_t i = 0; i < m_cluster.GetSwitches().size(); ++i)
            {
                m_record.Note(SWITCH_NODE + i, ToText(*m_cluster.GetSwitches()[i].device));
            }
        }
    }

    /// Carry out an action on switches and their ports.
    void Disturb(const FabricScenario::Action& action)
    {
        const auto& switches = m_cluster.GetSwitches();
        if (action.kind == FabricScenario::LATENCY)
        {
            for (const auto& one : switches)
            {
                one.device->SetAttribute("HopLatency", TimeValue(PicoSeconds(action.value)));
            }
        }
        else if (action.kind == FabricScenario::LISTEN)
        {
            const uint32_t i = action.value % switches.size();
            const bool enqueue = action.value % 2 == 1;
            switches[i].device->TraceConnectWithoutContext(
                enqueue ? "Enqueue" : "Dequeue",
                ToCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t>(
                    [this,
                     i,
                     enqueue](Ptr<const Packet> frame, uint32_t port, uint8_t, uint64_t depth) {
                        // Frames come in by turns of the ports; who sends first at an instant is
                        // left open.
                        const uint32_t node = SWITCH_NODE * (i + 1) + (enqueue ? 0 : 1 + port);
                        m_record.Note(node,
                                      "a frame of " + std::to_string(frame->GetSize()) +
                                          " bytes, port " + std::to_string(port) + ", depth " +
                                          std::to_string(depth));
                    }));
        }
        else if (action.kind == FabricScenario::STOP)
        {
            auto port = m_cluster.GetNic(action.gpu)->GetPort(0);
            port->SendPfc(3, true);
            After(PicoSeconds(action.value), action.gpu, [port] { port->SendPfc(3, false); });
        }
        else
        {
            for (uint32_t i = 0; i < switches.size(); ++i)
            {
                std::string text = "depths";
                const auto& ports = switches[i].device->GetObject<Node>();
                for (uint32_t port = 0; port < CountPorts(*ports); ++port)
                {
                    for (const uint8_t priority : {3, 6})
                    {
                        text +=
                            " " + std::to_string(switches[i].device->GetQueueDepth(port, priority));
                    }
                }
                m_record.Note(SWITCH_NODE + i, text);
            }
        }
    }

    static uint32_t CountPorts(const Node& node)
    {
        uint32_t count = 0;
        for (uint32_t i = 0; i < node.GetNDevices(); ++i)
        {
            count += DynamicCast<EthernetPortNetDevice>(node.GetDevice(i)) ? 1 : 0;
        }
        return count;
    }

    /// @return all counts of a switch and its ports
    static std::string ToText(const ElectricalSwitch& device)
    {
        std::string text = test::ToText(device.GetStatistics()) + " sent";
        const auto node = device.GetObject<Node>();
        for (uint32_t i = 0; i < node->GetNDevices(); ++i)
        {
            if (const auto port = DynamicCast<EthernetPortNetDevice>(node->GetDevice(i)))
            {
                text += " " + std::to_string(port->GetBytesSent()) +
                        (port->IsSending() ? " sending" : "");
            }
        }
        return text;
    }

    void Read(uint32_t gpu, const Tell& tell) const
    {
        tell(gpu, "GPU " + std::to_string(gpu) + " " + test::ToText(*m_cluster.GetNic(gpu)));
        if (m_scenario.scaleUp)
        {
            tell(gpu, "scale-up " + test::ToText(*m_cluster.GetScaleUpNic(gpu)));
        }
    }

    const FabricScenario& m_scenario;
    RunMode m_mode;
    Record m_record;
    PacketTraffic m_packets{m_record};
    RailCluster m_cluster;
    std::vector<Ptr<RdmaConnection>> m_senders;              //!< by message
    std::vector<Ptr<RdmaConnection>> m_receivers;            //!< by message
    std::map<uint32_t, std::vector<RdmaConnection*>> m_ends; //!< by GPU
    std::map<uint32_t, uint32_t> m_answers;                  //!< arrivals so far, by message
};

} // namespace

Record
FabricScenario::Run(const RunMode& mode) const
{
    return FabricScenarioRun(*this, mode).Run();
}

} // namespace test
} // namespace ns3
