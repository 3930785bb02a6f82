// SPDX-License-Identifier: GPL-2.0-only

#include "link-utilisation.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
LinkUtilisation::Add(const std::string& tier, Ptr<EthernetPortNetDevice> port)
{
    auto place = std::find(m_tiers.begin(), m_tiers.end(), tier);
    if (place == m_tiers.end())
    {
        place = m_tiers.insert(place, tier);
    }
    m_ports.push_back(
        Port{static_cast<std::size_t>(place - m_tiers.begin()), port, port->GetBytesSent()});
}

void
LinkUtilisation::Start()
{
    m_start = Simulator::Now();
    for (auto& port : m_ports)
    {
        port.before = port.device->GetBytesSent();
    }
}

std::vector<LinkUtilisation::Tier>
LinkUtilisation::Measure() const
{
    std::vector<Tier> tiers;
    for (const auto& name : m_tiers)
    {
        tiers.push_back(Tier{name, 0, 0, 0, 0});
    }
    const double seconds = (Simulator::Now() - m_start).ToDouble(Time::S);
    for (const auto& port : m_ports)
    {
        Tier& tier = tiers[port.tier];
        const uint64_t bytes = port.device->GetBytesSent() - port.before;
        const double bits = seconds * static_cast<double>(port.device->GetDataRate().GetBitRate());
        const double busy = bits > 0 ? 8 * static_cast<double>(bytes) / bits : 0;
        ++tier.ports;
        tier.bytes += bytes;
        tier.mean += busy;
        tier.max = std::max(tier.max, busy);
    }
    for (auto& tier : tiers)
    {
        tier.mean = std::min(tier.mean / tier.ports, tier.max); // but for the last bit it is
    }
    return tiers;
}

} // namespace ns3
