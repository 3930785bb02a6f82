// SPDX-License-Identifier: GPL-2.0-only

#include "host-network-settings.h"

#include "ns3/flag-parser.h"

namespace ns3
{

HostNetworkSettings::HostNetworkSettings()
    : m_threshold("hostThreshold", "1M", 0)
{
}

void
HostNetworkSettings::AddFlags(CommandLine& cmd)
{
    m_network.AddTo(cmd,
                    "packet-switched network of the hosts beside the rails, for what is small or "
                    "across rails: the line rate of a host's NIC, or none");
    m_threshold.AddTo(cmd,
                      "calls of fewer bytes take the host network, if there is one; 0: only what "
                      "the fabric cannot join");
}

std::string
HostNetworkSettings::Check()
{
    m_rate = DataRate(0);
    if (m_network.GetText() != "none")
    {
        const auto rate = FlagParser::ParseRate(m_network.GetText());
        if (!rate)
        {
            return RefuseFlag(m_network.GetName(),
                              m_network.GetText(),
                              std::string("none, or ") + FlagParser::RATE_FORM);
        }
        m_rate = *rate;
    }
    return m_threshold.Check();
}

std::vector<std::pair<std::string, std::string>>
HostNetworkSettings::GetList() const
{
    return {{m_network.GetName(), m_network.GetText()},
            {m_threshold.GetName(), m_threshold.GetText()}};
}

bool
HostNetworkSettings::IsGiven() const
{
    return m_rate.GetBitRate() > 0;
}

const std::string&
HostNetworkSettings::GetRateText() const
{
    return m_network.GetText();
}

DataRate
HostNetworkSettings::GetRate() const
{
    return m_rate;
}

uint64_t
HostNetworkSettings::GetThreshold() const
{
    return IsGiven() ? m_threshold.Get() : 0;
}

} // namespace ns3
