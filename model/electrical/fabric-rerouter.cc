// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-rerouter.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricRerouter);

namespace
{

/// Of random numbers, far from those of ranks, switches and faults.
constexpr int64_t FIRST_LOSS_STREAM = int64_t{1} << 41;

} // namespace

TypeId
FabricRerouter::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricRerouter")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<FabricRerouter>()
            .AddAttribute("DetectionTime",
                          "Time from the loss or return of light at a port of an electrical switch "
                          "until the switch stops or starts to choose the port among equal-cost "
                          "ports. A physical interface failure is often detected in milliseconds "
                          "(RFC 7938, section 7.1).",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&FabricRerouter::m_detectionTime),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("ConvergenceTime",
                          "Time from the detection until all switches of the fabric have new "
                          "routes. Sub-second convergence is achievable (RFC 7938, section 7); "
                          "the default is an assumption.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&FabricRerouter::m_convergenceTime),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute(
                "LossRate",
                "Share of the frames of any kind that is lost on each link, those of "
                "hosts included, in each direction, 0 to 1.",
                DoubleValue(0),
                MakeDoubleAccessor(&FabricRerouter::SetLossRate, &FabricRerouter::GetLossRate),
                MakeDoubleChecker<double>(0, 1))
            .AddTraceSource("Rerouted",
                            "All switches have new routes after a fault or a repair.",
                            MakeTraceSourceAccessor(&FabricRerouter::m_rerouted),
                            "ns3::FabricRerouter::ReroutedTracedCallback");
    return tid;
}

void
FabricRerouter::DoDispose()
{
    m_switches.clear();
    m_topology = nullptr;
    m_routing = nullptr;
    Object::DoDispose();
}

// --- routes -------------------------------------------------------------------------------------

void
FabricRerouter::SetRoutes(ElectricalSwitch& device,
                          uint32_t number,
                          const FabricRouting& routing,
                          const std::vector<Ipv4Address>& addresses,
                          const std::set<uint32_t>& down)
{
    device.RemoveRoutes();
    const auto& ports = routing.GetPorts(number);
    for (FabricRouting::Entry entry : routing.GetTable(number))
    {
        const auto isUp = [&](uint32_t port) { return down.count(ports[port].link) == 0; };
        const auto up = std::stable_partition(entry.ports.begin(), entry.ports.end(), isUp);
        if (up != entry.ports.begin()) // otherwise frames are dropped at a dark port
        {
            entry.ports.erase(up, entry.ports.end());
        }
        uint32_t first = entry.firstHost;
        for (uint32_t host = first; host <= entry.lastHost; ++host)
        {
            // Between the last address of a subnet and the first of the next are some of no host.
            const bool isLast =
                host == entry.lastHost || addresses[host + 1].Get() != addresses[host].Get() + 1;
            if (isLast)
            {
                device.AddRoute(addresses[first], addresses[host], entry.ports);
                first = host + 1;
            }
        }
    }
}

void
FabricRerouter::Install(const FabricTopology& topology,
                        const std::vector<Ipv4Address>& addresses,
                        const std::vector<Ptr<ElectricalSwitch>>& switches)
{
    m_topology = std::make_shared<const FabricTopology>(topology);
    m_addresses = addresses;
    m_switches = switches;
    SetLossRate(m_lossRate);
}

// --- losses -------------------------------------------------------------------------------------

void
FabricRerouter::SetLossRate(double rate)
{
    const bool isLossy = m_lossRate > 0 || rate > 0; // an error model costs time and ends bursts
    m_lossRate = rate;
    int64_t stream = FIRST_LOSS_STREAM;
    for (const auto& device : m_switches)
    {
        for (uint32_t number = 0; isLossy && number < device->GetNPorts(); ++number)
        {
            const Ptr<EthernetPortNetDevice> port = device->GetPort(number);
            EthernetPortNetDevice* const partner = port->GetPath().receiver;
            Lose(port, stream++);
            if (partner && !partner->GetNode()->GetObject<ElectricalSwitch>())
            {
                Lose(partner, stream++); // a host
            }
        }
    }
}

void
FabricRerouter::Lose(Ptr<EthernetPortNetDevice> port, int64_t stream) const
{
    Ptr<RateErrorModel> losses;
    if (m_lossRate > 0)
    {
        losses = CreateObject<RateErrorModel>();
        losses->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        losses->SetRate(m_lossRate);
        losses->AssignStreams(stream);
    }
    port->SetAttribute("ReceiveErrorModel", PointerValue(losses));
}

// --- faults -------------------------------------------------------------------------------------

void
FabricRerouter::SetLinkFailed(uint32_t link, bool failed)
{
    NS_ABORT_MSG_UNLESS(m_topology && link < m_topology->links.size() &&
                            m_topology->IsSwitch(m_topology->links[link].lower),
                        "no link " << link << " between switches");
    if (failed ? m_failedLinks.insert(link).second : m_failedLinks.erase(link) > 0)
    {
        Make({false, link, failed, {link}});
    }
}

void
FabricRerouter::SetSwitchFailed(uint32_t number, bool failed)
{
    NS_ABORT_MSG_UNLESS(number < m_switches.size(), "no switch " << number);
    if (failed ? !m_failedSwitches.insert(number).second : m_failedSwitches.erase(number) == 0)
    {
        return;
    }
    std::vector<uint32_t> links;
    const uint32_t end = m_topology->GetEnd(number);
    for (uint32_t i = 0; i < m_topology->links.size(); ++i)
    {
        const auto& link = m_topology->links[i];
        if (link.lower == end || link.upper == end)
        {
            links.push_back(i);
        }
    }
    Make({true, number, failed, links});
}

bool
FabricRerouter::HasFailedSwitch(uint32_t end) const
{
    return m_topology->IsSwitch(end) && m_failedSwitches.count(end - m_topology->GetEnd(0)) > 0;
}

bool
FabricRerouter::IsDown(uint32_t link) const
{
    const auto& ends = m_topology->links[link];
    return m_failedLinks.count(link) > 0 || HasFailedSwitch(ends.lower) ||
           HasFailedSwitch(ends.upper);
}

void
FabricRerouter::Make(const Change& change)
{
    if (!m_routing)
    {
        m_routing = std::make_unique<const FabricRouting>(*m_topology);
    }
    for (uint32_t number = 0; number < m_switches.size(); ++number)
    {
        const auto& ports = m_routing->GetPorts(number);
        for (uint32_t port = 0; port < ports.size(); ++port)
        {
            const uint32_t link = ports[port].link;
            if (std::binary_search(change.links.begin(), change.links.end(), link))
            {
                m_switches[number]->GetPort(port)->SetFailed(m_failedLinks.count(link) > 0 ||
                                                             m_failedSwitches.count(number) > 0);
            }
        }
    }
    Simulator::Schedule(m_detectionTime,
                        &FabricRerouter::Detect,
                        Ptr<FabricRerouter>(this),
                        change);
}

void
FabricRerouter::Detect(Change change)
{
    std::set<uint32_t> ends;
    for (const uint32_t link : change.links)
    {
        const bool isDown = IsDown(link);
        if (isDown ? m_known.insert(link).second : m_known.erase(link) > 0)
        {
            ends.insert({m_topology->links[link].lower, m_topology->links[link].upper});
        }
    }
    for (const uint32_t end : ends)
    {
        if (m_topology->IsSwitch(end))
        {
            Route(end - m_topology->GetEnd(0));
        }
    }
    if (!ends.empty())
    {
        Simulator::Schedule(m_convergenceTime,
                            &FabricRerouter::Converge,
                            Ptr<FabricRerouter>(this),
                            change,
                            m_known);
    }
}

void
FabricRerouter::Converge(Change change, std::set<uint32_t> down)
{
    m_routing = std::make_unique<const FabricRouting>(*m_topology, down);
    for (uint32_t number = 0; number < m_switches.size(); ++number)
    {
        Route(number);
    }
    m_rerouted(change.isSwitch, change.number, change.failed);
}

} // namespace ns3
