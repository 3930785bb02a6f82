// SPDX-License-Identifier: GPL-2.0-only

#include "control-rig.h"

#include "ns3/inet-socket-address.h"
#include "ns3/management-port.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

Time
ControlRig::Result::GetLast() const
{
    const auto last = std::max_element(admitted.begin(), admitted.end());
    return last == admitted.end() ? Time() : *last;
}

ControlRig::ControlRig(const Settings& settings)
    : m_settings(settings),
      m_rails(std::min(settings.gpusPerDomain, settings.groups)),
      m_domains((settings.groups + m_rails - 1) / m_rails * settings.ranks),
      m_controller(CreateObject<OpusController>())
{
    m_network.SetRate(m_settings.rate);
    m_network.SetLatency(m_settings.controlLatency);
    for (uint32_t group = 0; group < m_settings.groups; ++group)
    {
        ProcessGroup one{group, {}};
        const uint32_t first = group / m_rails * m_settings.ranks;
        for (uint32_t i = 0; i < m_settings.ranks; ++i)
        {
            one.ranks.push_back((first + i) * m_rails + group % m_rails);
        }
        m_groups.push_back(one);
    }
    BuildRails();
    for (uint32_t domain = 0; domain < m_domains; ++domain)
    {
        BuildDomain(domain);
    }
}

void
ControlRig::BuildRails()
{
    auto node = CreateObject<Node>();
    node->AddApplication(m_controller);
    m_address = InetSocketAddress(m_network.Attach(node), 5812);
    for (uint32_t rail = 0; rail < m_rails; ++rail)
    {
        auto ocs = CreateObject<OpticalCircuitSwitch>();
        ocs->SetAttribute("Radix", UintegerValue(2 * m_domains));
        ocs->SetAttribute("ReconfigurationDelay", TimeValue(m_settings.reconfiguration));
        ocs->SetAttribute("TransceiverLockTime", TimeValue(Time(0)));
        auto place = CreateObject<Node>();
        place->AggregateObject(ocs);
        m_agents.push_back(CreateObject<OcsAgent>());
        place->AddApplication(m_agents.back());
        m_agents.back()->AddController(m_address);
        m_agentAddresses.push_back(InetSocketAddress(m_network.Attach(place), 5811));
        m_controller->GetJobs().GetPlaces().AddSwitch(rail, m_agentAddresses.back());
    }
}

void
ControlRig::BuildDomain(uint32_t domain)
{
    auto host = CreateObject<Node>();
    const InetSocketAddress address(m_network.Attach(host), 5813);
    auto manager = CreateObject<OpusManager>();
    manager->SetController(m_address);
    host->AddApplication(manager);
    m_managers.push_back(manager);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
    link.SetChannelAttribute("Delay", TimeValue(m_settings.hostLatency));
    for (uint32_t rail = 0; rail < m_rails; ++rail)
    {
        const uint32_t rank = domain * m_rails + rail;
        auto gpu = CreateObject<Node>();
        const NetDeviceContainer ends = link.Install(gpu, host);
        auto shim = CreateObject<OpusShim>();
        shim->SetRank(0, rank);
        shim->SetHostLink(ends.Get(0));
        gpu->AddApplication(shim);
        manager->AddHostLink(ends.Get(1), 0, rank);
        m_controller->GetJobs().SetManager(0, rank, address);
        shim->TraceConnectWithoutContext("Refused", MakeCallback(&ControlRig::CountRefusal, this));
        m_controller->GetJobs().AddRank(0, rank, {{rail, 2 * domain}, {rail, 2 * domain + 1}});
        m_shims.push_back(shim);
    }
}

void
ControlRig::SetControllerAttribute(const std::string& name, const AttributeValue& value)
{
    m_controller->SetAttribute(name, value);
}

void
ControlRig::SetManagerAttribute(const std::string& name, const AttributeValue& value)
{
    for (const auto& manager : m_managers)
    {
        manager->SetAttribute(name, value);
    }
}

void
ControlRig::SetAgentAttribute(const std::string& name, const AttributeValue& value)
{
    for (const auto& agent : m_agents)
    {
        agent->SetAttribute(name, value);
    }
}

void
ControlRig::Intrude(int rail, const OpusMessage& message)
{
    if (!m_intruder)
    {
        auto node = CreateObject<Node>();
        m_network.Attach(node);
        m_intruder = node->GetObject<ManagementPort>();
    }
    m_intruder->Send(5813, rail < 0 ? m_address : m_agentAddresses.at(rail), message);
}

uint32_t
ControlRig::GetGroup(uint32_t rank) const
{
    return rank / m_rails / m_settings.ranks * m_rails + rank % m_rails;
}

void
ControlRig::Call(uint32_t rank)
{
    const uint32_t group = GetGroup(rank);
    if (group < m_groups.size())
    {
        m_shims[rank]->GetProvider()->Request(m_groups[group],
                                              {CollectiveKind::ALL_REDUCE, group, 1, 0},
                                              MakeCallback(&ControlRig::Admit, this).Bind(rank));
    }
}

void
ControlRig::Admit(uint32_t)
{
    m_result.admitted.push_back(Simulator::Now());
}

void
ControlRig::CountRefusal(uint32_t, uint64_t, const std::string&)
{
    ++m_result.refused;
}

ControlRig::Result
ControlRig::Run()
{
    for (uint32_t rank = 0; rank < m_shims.size(); ++rank)
    {
        Simulator::ScheduleNow(&ControlRig::Call, this, rank);
    }
    Simulator::Run();
    m_result.events = Simulator::GetEventCount();
    return m_result;
}

Ptr<OpusController>
ControlRig::GetController() const
{
    return m_controller;
}

const std::vector<Ptr<OpusManager>>&
ControlRig::GetManagers() const
{
    return m_managers;
}

const std::vector<Ptr<OcsAgent>>&
ControlRig::GetAgents() const
{
    return m_agents;
}

} // namespace ns3
