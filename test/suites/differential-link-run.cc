// SPDX-License-Identifier: GPL-2.0-only

#include "differential-link-run.h"

#include "lambda-call.h"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/fiber-capture.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <unistd.h>

namespace ns3
{
namespace test
{

namespace
{

constexpr uint32_t TRACE_NODE = 2000;    //!< NICs and trace sources follow
constexpr uint32_t LINK_OCS_NODE = 1000; //!< the OCS; its ports follow

Mac48Address
MakeMac(uint32_t nic, uint32_t port)
{
    uint8_t bytes[6] = {2, 0, 0, 0, static_cast<uint8_t>(nic), static_cast<uint8_t>(port)};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

} // namespace

LinkRun::LinkRun(const LinkScenario& scenario, const RunMode& mode)
    : m_scenario(scenario),
      m_mode(mode),
      m_flows(scenario.flows.size()),
      m_followed(scenario.messages.size(), false)
{
}

void
LinkRun::After(Time delay, uint32_t nic, std::function<void()> what)
{
    Simulator::ScheduleWithContext(m_nodes[nic]->GetId(), delay, &CallScheduled, std::move(what));
}

void
LinkRun::Note(uint32_t nic, const std::string& text)
{
    m_record.Note(nic, text);
}

EthernetPortNetDevice&
LinkRun::GetPort(uint32_t nic, uint32_t port)
{
    return *m_nics[nic]->GetPort(port);
}

// --- topology -----------------------------------------------------------------------------------

void
LinkRun::BuildNic(uint32_t nic)
{
    m_nodes[nic]->AggregateObject(m_nics[nic]);
    for (uint32_t port = 0; port < m_scenario.ports; ++port)
    {
        auto device = CreateObject<EthernetPortNetDevice>();
        device->SetAttribute("DataRate", DataRateValue(DataRate(m_scenario.rates[nic])));
        device->SetAddress(MakeMac(nic, port));
        device->SetNode(m_nodes[nic]);
        m_nodes[nic]->AddDevice(device);
        m_nics[nic]->AddPort(device, Ipv4Address(0x0a000001 + nic * 4 + port));
    }
}

CircuitSet
LinkRun::GetCircuits(uint32_t a, uint32_t b, uint32_t port) const
{
    const Circuit there{a * m_scenario.ports + port, b * m_scenario.ports + port};
    if (m_scenario.simplex)
    {
        return {there, {there.b, there.a}};
    }
    return {there};
}

void
LinkRun::Cable()
{
    if (!m_scenario.ocs)
    {
        for (const auto& link : m_scenario.links)
        {
            auto fiber = CreateObject<OpticalFiberLink>();
            fiber->SetAttribute("Delay", TimeValue(PicoSeconds(m_scenario.fibers[0])));
            fiber->Attach(m_nics[link.a]->GetPort(link.port));
            fiber->Attach(m_nics[link.b]->GetPort(link.port));
        }
        return;
    }
    auto node = CreateObject<Node>();
    m_ocs = CreateObject<OpticalCircuitSwitch>();
    m_ocs->SetAttribute("InsertionDelay", TimeValue(PicoSeconds(m_scenario.insertion)));
    m_ocs->SetAttribute("ReconfigurationDelay", TimeValue(Time(0)));
    m_ocs->SetAttribute("Transceivers",
                        StringValue(m_scenario.simplex ? "Simplex" : "Bidirectional"));
    m_ocs->SetAttribute("Mode", StringValue(m_scenario.wholeSwitch ? "WholeSwitch" : "PerPort"));
    node->AggregateObject(m_ocs);
    CircuitSet circuits;
    for (uint32_t nic = 0; nic < m_scenario.nics; ++nic)
    {
        for (uint32_t port = 0; port < m_scenario.ports; ++port)
        {
            auto entry = CreateObject<OcsNetDevice>();
            entry->SetNode(node);
            node->AddDevice(entry);
            m_ocs->AddPort(entry);
            auto fiber = CreateObject<OpticalFiberLink>();
            fiber->SetAttribute("Delay", TimeValue(PicoSeconds(m_scenario.fibers[nic])));
            fiber->Attach(m_nics[nic]->GetPort(port));
            fiber->Attach(entry);
        }
    }
    for (const auto& link : m_scenario.links)
    {
        for (const auto& circuit : GetCircuits(link.a, link.b, link.port))
        {
            circuits.push_back(circuit);
        }
    }
    Command({}, circuits);
}

void
LinkRun::Build()
{
    for (uint32_t nic = 0; nic < m_scenario.nics; ++nic)
    {
        m_nodes.push_back(CreateObject<Node>());
        m_nics.push_back(CreateObject<RdmaNic>());
    }
    for (uint32_t i = 0; i < m_scenario.nics; ++i)
    {
        BuildNic(m_mode.reversed ? m_scenario.nics - 1 - i : i);
        if (m_scenario.writesTraced && m_scenario.writesTracedAt == 0)
        {
            WatchNic(i);
        }
    }
    Cable();
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run(); // until there is light
    if (m_ocs)
    {
        m_ocs->SetAttribute("ReconfigurationDelay",
                            TimeValue(PicoSeconds(m_scenario.reconfiguration)));
        m_ocs->SetAttribute("TransceiverLockTime", TimeValue(PicoSeconds(m_scenario.lock)));
        m_ocs->TraceConnectWithoutContext("BitsLost",
                                          ToCallback<Ptr<const OpticalCircuitSwitch>,
                                                     uint32_t,
                                                     uint64_t,
                                                     OpticalCircuitSwitch::LossReason>(
                                              [this](Ptr<const OpticalCircuitSwitch>,
                                                     uint32_t port,
                                                     uint64_t bits,
                                                     OpticalCircuitSwitch::LossReason reason) {
                                                  m_record.Note(LINK_OCS_NODE + 1 + port,
                                                                "lost " + std::to_string(bits) +
                                                                    " bits, reason " +
                                                                    std::to_string(reason));
                                              }));
    }
}

void
LinkRun::Create(uint32_t index)
{
    const auto& flow = m_scenario.flows[index];
    Ends& ends = m_flows[index];
    for (uint32_t end = 0; end < 2; ++end)
    {
        ends[end].nic = end == 0 ? flow.a : flow.b;
        for (const uint32_t port : flow.ports)
        {
            auto pair = m_nics[ends[end].nic]->CreateQueuePair(port);
            pair->SetAttribute("Mtu", UintegerValue(flow.mtu));
            pair->SetAttribute("Window", UintegerValue(flow.window[end]));
            pair->SetAttribute("AckInterval", UintegerValue(flow.ackInterval[end]));
            pair->SetAttribute("FirstPsn", UintegerValue(flow.firstPsn[end]));
            pair->SetAttribute("Tos", UintegerValue(flow.tos[end]));
            pair->SetAttribute("LossRecovery",
                               StringValue(flow.selective ? "SelectiveRepeat" : "GoBackN"));
            pair->SetAttribute("InitialTimeout", TimeValue(PicoSeconds(flow.initialTimeout)));
            pair->SetAttribute("MinTimeout", TimeValue(PicoSeconds(flow.minTimeout)));
            pair->SetAttribute("BaseRoundTrip", TimeValue(PicoSeconds(flow.baseRoundTrip)));
            pair->SetAttribute("RetryLimit", UintegerValue(flow.retryLimit));
            pair->SetAttribute("CongestionControl",
                               StringValue(flow.control.empty() ? "" : "ns3::Rdma" + flow.control));
            ends[end].queuePairs.push_back(pair);
        }
    }
    for (std::size_t i = 0; i < flow.ports.size(); ++i)
    {
        ends[0].queuePairs[i]->Connect(ends[1].queuePairs[i]->GetEndpoint());
        ends[1].queuePairs[i]->Connect(ends[0].queuePairs[i]->GetEndpoint());
    }
    for (uint32_t end = 0; end < 2; ++end)
    {
        Watch(index, end);
        if (m_scenario.repeatsTraced)
        {
            WatchRepeats(index, end);
        }
    }
}

void
LinkRun::Watch(uint32_t flow, uint32_t end)
{
    End& at = m_flows[flow][end];
    const std::string name = "f" + std::to_string(flow);
    const auto sent = ToCallback<uint32_t, bool>([this, &at, name](uint32_t message,
                                                                   bool delivered) {
        Note(at.nic,
             name + " message " + std::to_string(message) + (delivered ? " delivered" : " failed"));
        if (m_scenario.readInCallbacks)
        {
            Read(at.nic); // what others count at this instant is not for this one to see
        }
        Follow(message, LinkScenario::AFTER_SENT);
    });
    const auto received =
        ToCallback<uint32_t, uint64_t>([this, &at, name](uint32_t message, uint64_t bytes) {
            Note(at.nic,
                 name + " message " + std::to_string(message) + " arrived, " +
                     std::to_string(bytes) + " bytes");
            if (m_scenario.readInCallbacks)
            {
                Read(at.nic); // what others count at this instant is not for this one to see
            }
            Follow(message, LinkScenario::AFTER_ARRIVED);
        });
    if (!m_scenario.flows[flow].connection)
    {
        at.queuePairs[0]->SetSentCallback(sent);
        at.queuePairs[0]->SetReceivedCallback(received);
        return;
    }
    at.connection = CreateObject<RdmaConnection>();
    for (const auto& pair : at.queuePairs)
    {
        at.connection->AddQueuePair(pair);
    }
    at.connection->SetSentCallback(sent);
    at.connection->SetReceivedCallback(received);
}

void
LinkRun::WatchNic(uint32_t nic)
{
    m_nics[nic]->TraceConnectWithoutContext(
        "WriteCompleted",
        ToCallback<uint64_t, Time, bool, uint32_t>(
            [this, nic](uint64_t bytes, Time elapsed, bool delivered, uint32_t queuePair) {
                Note(nic,
                     "queue pair " + std::to_string(queuePair) + ": write of " +
                         std::to_string(bytes) + " bytes took " +
                         std::to_string(elapsed.GetPicoSeconds()) + " ps" +
                         (delivered ? "" : ", failed"));
            }));
}

void
LinkRun::WatchRepeats(uint32_t flow, uint32_t end)
{
    for (std::size_t i = 0; i < m_flows[flow][end].queuePairs.size(); ++i)
    {
        const uint32_t nic = m_flows[flow][end].nic;
        const std::string name = "f" + std::to_string(flow) + "[" + std::to_string(i) + "] ";
        m_flows[flow][end].queuePairs[i]->TraceConnectWithoutContext(
            "GoBack",
            ToCallback<uint64_t, uint64_t, bool>(
                [this, nic, name](uint64_t from, uint64_t to, bool timeout) {
                    Note(nic,
                         name + "goes back from " + std::to_string(from) + " to " +
                             std::to_string(to) + (timeout ? ", time-out" : ""));
                }));
    }
}

void
LinkRun::BuildFlows()
{
    for (uint32_t i = 0; i < m_scenario.flows.size(); ++i)
    {
        const auto& flow = m_scenario.flows[i];
        if (flow.createdAt == 0)
        {
            Create(i);
        }
        else
        {
            After(PicoSeconds(flow.createdAt), flow.a, [this, i] { Create(i); });
        }
    }
}

// --- events -------------------------------------------------------------------------------------

void
LinkRun::Post(uint32_t index)
{
    const auto& message = m_scenario.messages[index];
    m_followed[index] = true;
    End& end = m_flows[message.flow][message.end];
    if (end.queuePairs.empty())
    {
        return; // the flow will be there later
    }
    if (end.connection)
    {
        end.connection->Post(message.bytes, index, message.signaled);
    }
    else
    {
        end.queuePairs[0]->Post(message.bytes, index, message.signaled);
    }
}

void
LinkRun::Follow(uint32_t message, LinkScenario::Trigger trigger)
{
    for (uint32_t i = message + 1; i < m_scenario.messages.size(); ++i)
    {
        const auto& next = m_scenario.messages[i];
        if (next.trigger == trigger && next.after == message && !m_followed[i])
        {
            Post(i);
        }
    }
}

void
LinkRun::Pause(const LinkScenario::Action& action)
{
    const uint32_t flow = action.index;
    const uint32_t place = action.place;
    End& end = m_flows[flow][place];
    if (end.queuePairs.empty())
    {
        return;
    }
    std::function<void()> drained = [this, flow, place, value = action.value] {
        Note(m_flows[flow][place].nic, "f" + std::to_string(flow) + " drained");
        if (value == 0)
        {
            Resume(flow, place);
        }
    };
    if (end.connection)
    {
        end.connection->Pause(ToCallback<>(drained));
    }
    else
    {
        end.queuePairs[0]->Pause(ToCallback<>(drained));
    }
    if (action.value > 0)
    {
        After(PicoSeconds(action.value), end.nic, [this, flow, place] { Resume(flow, place); });
    }
}

void
LinkRun::Resume(uint32_t flow, uint32_t place)
{
    End& end = m_flows[flow][place];
    if (end.connection)
    {
        end.connection->Resume();
    }
    else
    {
        end.queuePairs[0]->Resume();
    }
}

void
LinkRun::SetAttribute(const LinkScenario::Action& action)
{
    static const std::vector<std::string> CONTROLS{"", "ns3::RdmaDcqcn", "ns3::RdmaSwift"};
    for (uint32_t place = 0; place < 2; ++place)
    {
        for (const auto& pair : m_flows[action.index][place].queuePairs)
        {
            if (action.kind == LinkScenario::CONTROL)
            {
                pair->SetAttribute("CongestionControl", StringValue(CONTROLS[action.value]));
            }
            else if (place != action.place)
            {
                continue;
            }
            else if (action.kind == LinkScenario::MIN_TIMEOUT)
            {
                pair->SetAttribute("MinTimeout", TimeValue(PicoSeconds(action.value)));
            }
            else
            {
                pair->SetAttribute(action.kind == LinkScenario::WINDOW ? "Window" : "AckInterval",
                                   UintegerValue(action.value));
            }
        }
    }
}

void
LinkRun::SetErrors(const LinkScenario::Action& action)
{
    EthernetPortNetDevice& port = GetPort(action.index, action.place);
    if (action.kind == LinkScenario::ERROR_LIST)
    {
        std::list<uint32_t> numbers;
        for (uint32_t bit = 0; bit < 64; ++bit)
        {
            if (action.value >> bit & 1)
            {
                numbers.push_back(static_cast<uint32_t>(action.extra + bit));
            }
        }
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(numbers);
        port.SetAttribute("ReceiveErrorModel", PointerValue(model));
        return;
    }
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(static_cast<double>(action.value) / 1000);
    model->AssignStreams(action.index * 4 + action.place);
    port.SetAttribute("ReceiveErrorModel", PointerValue(model));
    if (action.extra > 0)
    {
        After(PicoSeconds(action.extra), action.index, [model] { model->Disable(); });
    }
}

void
LinkRun::Command(const CircuitSet& drop, const CircuitSet& make)
{
    const std::string error = m_ocs->Reconfigure(drop, make);
    if (!error.empty())
    {
        m_record.Note(LINK_OCS_NODE, error);
    }
}

void
LinkRun::Switch(const LinkScenario::Action& action)
{
    const auto& link = m_scenario.links[action.index];
    const CircuitSet mine = GetCircuits(link.a, link.b, link.port);
    if (action.kind == LinkScenario::TEAR)
    {
        Command(mine, mine);
        return;
    }
    CircuitSet other;
    if (action.kind == LinkScenario::DIVERT)
    {
        other = GetCircuits(0, 2, link.port);
        if (link.a == 0 && link.b == 2)
        {
            other = GetCircuits(0, 1, link.port);
        }
        if (link.a == 1)
        {
            other = GetCircuits(1, 0, link.port);
        }
    }
    Command(mine, other);
    After(PicoSeconds(action.value), 0, [this, mine, other] { Command(other, mine); });
}

void
LinkRun::Trace(uint32_t nic, uint32_t port, Time duration)
{
    // Each source has its own order: nobody promises one among them at an instant.
    uint32_t node = TRACE_NODE + nic;
    for (const std::string source : {"PhyTxBegin", "PhyTxEnd", "MacRx", "PhyRxDrop"})
    {
        node += 100;
        const std::string name = source + " port " + std::to_string(port) + " ";
        if (source == "PhyRxDrop")
        {
            GetPort(nic, port).TraceConnectWithoutContext(
                source,
                ToCallback<Ptr<const Packet>, EthernetPortNetDevice::DropReason>(
                    [this, node, name](Ptr<const Packet> frame, EthernetPortNetDevice::DropReason) {
                        m_record.Note(node, name + std::to_string(frame->GetSize()));
                    }));
            continue;
        }
        const auto sink =
            ToCallback<Ptr<const Packet>>([this, node, name](Ptr<const Packet> frame) {
                m_record.Note(node, name + std::to_string(frame->GetSize()));
            });
        GetPort(nic, port).TraceConnectWithoutContext(source, sink);
        if (duration.IsStrictlyPositive())
        {
            After(duration, nic, [this, nic, port, source, sink] {
                GetPort(nic, port).TraceDisconnectWithoutContext(source, sink);
            });
        }
    }
}

void
LinkRun::Capture(uint32_t nic, uint32_t port)
{
    const std::string name = "nic " + std::to_string(nic) + " port " + std::to_string(port);
    if (m_files.count(name) > 0)
    {
        return;
    }
    const auto file = std::filesystem::temp_directory_path() /
                      ("photonic-rails-differential-" + std::to_string(::getpid()) + "-" +
                       std::to_string(nic) + "-" + std::to_string(port) + ".pcap");
    m_files[name] = file.string();
    FiberCapture::Start(m_nics[nic]->GetPort(port), file.string(), 96);
}

void
LinkRun::SendPfc(const LinkScenario::Action& action)
{
    EthernetPortNetDevice& port = GetPort(action.index, action.place);
    const auto priority = static_cast<uint8_t>(action.extra);
    port.SendPfc(priority, true);
    After(PicoSeconds(action.value), action.index, [&port, priority] {
        port.SendPfc(priority, false);
    });
}

void
LinkRun::Read(uint32_t nic)
{
    std::string text = ToText(*m_nics[nic]);
    for (const auto& ends : m_flows)
    {
        for (const auto& end : ends)
        {
            for (const auto& pair : end.queuePairs)
            {
                if (end.nic == nic)
                {
                    text += " [" + ToText(pair->GetStatistics()) +
                            (pair->IsPathOpen() ? " open" : "") +
                            (pair->HasFailed() ? " failed" : "") + "]";
                }
            }
        }
    }
    Note(nic, text);
}

void
LinkRun::Act(uint32_t index)
{
    const auto& action = m_scenario.actions[index];
    switch (action.kind)
    {
    case LinkScenario::PAUSE:
        Pause(action);
        break;
    case LinkScenario::TEAR:
    case LinkScenario::CUT:
    case LinkScenario::DIVERT:
        Switch(action);
        break;
    case LinkScenario::ERROR_RATE:
    case LinkScenario::ERROR_LIST:
        SetErrors(action);
        break;
    case LinkScenario::WINDOW:
    case LinkScenario::ACK_INTERVAL:
    case LinkScenario::MIN_TIMEOUT:
    case LinkScenario::CONTROL:
        SetAttribute(action);
        break;
    case LinkScenario::PORT_RATE:
        GetPort(action.index, action.place)
            .SetAttribute("DataRate", DataRateValue(DataRate(action.value)));
        break;
    case LinkScenario::READ:
    case LinkScenario::READ_OUTSIDE:
        for (uint32_t nic = 0; nic < m_scenario.nics; ++nic)
        {
            Read(nic);
        }
        break;
    case LinkScenario::TRACE:
        Trace(action.index, action.place, PicoSeconds(action.value));
        break;
    case LinkScenario::CAPTURE:
        Capture(action.index, action.place);
        break;
    case LinkScenario::PFC:
        SendPfc(action);
        break;
    case LinkScenario::KICK:
        GetPort(action.index, action.place).Kick();
        break;
    case LinkScenario::KINDS:
        break;
    }
}

Time
LinkRun::GetTime(const LinkScenario::Action& action) const
{
    if (action.boundary == 0)
    {
        return PicoSeconds(action.at);
    }
    const auto& message = m_scenario.messages[0];
    const auto& flow = m_scenario.flows[message.flow];
    auto port = m_nics[message.end == 0 ? flow.a : flow.b]->GetPort(flow.ports[0]);
    // Ethernet, IPv4, UDP, BTH and ICRC; RETH in the first.
    const uint32_t bytes = 14 + 20 + 8 + 12 + 4 + (flow.mtu + 3) / 4 * 4;
    return PicoSeconds(message.at) + port->GetFrameTime(bytes + 16) +
           port->GetFrameTime(bytes) * int64_t{action.boundary - 1};
}

void
LinkRun::Prepare()
{
    std::vector<std::pair<uint32_t, std::function<void()>>> steps; // with the NIC that does it
    for (uint32_t i = 0; i < m_scenario.messages.size(); ++i)
    {
        const auto& message = m_scenario.messages[i];
        const auto& flow = m_scenario.flows[message.flow];
        const uint32_t nic = message.end == 0 ? flow.a : flow.b;
        if (message.trigger == LinkScenario::AT)
        {
            steps.emplace_back(nic, [this, i, nic] {
                After(PicoSeconds(m_scenario.messages[i].at), nic, [this, i] { Post(i); });
            });
        }
    }
    if (m_mode.reversed)
    {
        // Each NIC in its own order, the last NIC first.
        std::stable_sort(steps.begin(), steps.end(), [](const auto& x, const auto& y) {
            return x.first > y.first;
        });
    }
    for (const auto& step : steps)
    {
        step.second();
    }
    for (uint32_t i = 0; i < m_scenario.actions.size(); ++i)
    {
        if (m_scenario.actions[i].kind != LinkScenario::READ_OUTSIDE)
        {
            After(GetTime(m_scenario.actions[i]), 0, [this, i] { Act(i); });
        }
    }
    for (uint32_t nic = 0; nic < m_nics.size(); ++nic)
    {
        if (m_scenario.writesTraced && m_scenario.writesTracedAt > 0)
        {
            After(PicoSeconds(m_scenario.writesTracedAt), nic, [this, nic] { WatchNic(nic); });
        }
    }
}

void
LinkRun::PreparePackets()
{
    const auto getEnd = [this](uint32_t nic, uint32_t port) {
        return PacketTraffic::End{m_nics[nic]->GetPort(port),
                                  (*m_nics[nic]->GetPorts())[port].second};
    };
    for (uint32_t nic = 0; nic < m_nics.size() && !m_scenario.packets.empty(); ++nic)
    {
        for (uint32_t port = 0; port < m_scenario.ports; ++port)
        {
            m_packets.Listen(nic, getEnd(nic, port));
        }
    }
    for (const auto& stream : m_scenario.packets)
    {
        m_packets.Start(stream, getEnd(stream.from, stream.port), getEnd(stream.to, stream.port));
    }
}

Record
LinkRun::Run()
{
    Config::SetDefaultFailSafe("ns3::RdmaNic::Fidelity", StringValue(m_mode.fidelity));
    Build();
    m_mode.Observe();
    BuildFlows();
    for (uint32_t nic = 0; m_scenario.traced && nic < m_nics.size(); ++nic)
    {
        for (uint32_t port = 0; port < m_scenario.ports; ++port)
        {
            Trace(nic, port, Time(0));
        }
    }
    const Time start = Simulator::Now();
    Prepare();
    PreparePackets();
    // Actions from outside of the simulation, in order of time.
    std::vector<std::pair<Time, std::function<void()>>> outside;
    for (uint32_t i = 0; i < m_scenario.messages.size(); ++i)
    {
        if (m_scenario.messages[i].trigger == LinkScenario::OUTSIDE)
        {
            outside.emplace_back(PicoSeconds(m_scenario.messages[i].at), [this, i] { Post(i); });
        }
    }
    for (uint32_t i = 0; i < m_scenario.actions.size(); ++i)
    {
        if (m_scenario.actions[i].kind == LinkScenario::READ_OUTSIDE)
        {
            outside.emplace_back(GetTime(m_scenario.actions[i]), [this, i] { Act(i); });
        }
    }
    std::stable_sort(outside.begin(), outside.end(), [](const auto& x, const auto& y) {
        return x.first < y.first;
    });
    for (const auto& [at, what] : outside)
    {
        Simulator::Stop(start + at - Simulator::Now());
        Simulator::Run();
        what();
    }
    const Time end = m_scenario.stopAt > 0 ? PicoSeconds(m_scenario.stopAt) : Seconds(20);
    Simulator::Stop(std::max(Time(0), start + end - Simulator::Now()));
    Simulator::Run();

    for (uint32_t nic = 0; nic < m_nics.size(); ++nic)
    {
        m_record.NoteAtEnd("NIC " + std::to_string(nic) + " " + ToText(*m_nics[nic]));
        m_record.CountPackets(*m_nics[nic]);
    }
    if (m_ocs)
    {
        m_record.NoteAtEnd("OCS " + ToText(*m_ocs));
    }
    Simulator::Destroy();
    m_flows.clear();
    m_nics.clear();
    m_nodes.clear();
    m_ocs = nullptr;
    for (const auto& [name, path] : m_files)
    {
        std::ifstream file(path, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(file), {}};
        m_record.NoteAtEnd("capture of " + name + ": " + std::to_string(content.size()) +
                           " bytes, hash " + std::to_string(std::hash<std::string>()(content)));
        std::filesystem::remove(path);
    }
    Config::SetDefaultFailSafe("ns3::RdmaNic::Fidelity", StringValue("Burst"));
    return m_record;
}

Record
LinkScenario::Run(const RunMode& mode) const
{
    return LinkRun(*this, mode).Run();
}

} // namespace test
} // namespace ns3
