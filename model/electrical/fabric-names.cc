// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-names.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

FabricNames::FabricNames(std::shared_ptr<const FabricTopology> topology)
    : m_topology(std::move(topology))
{
    const auto hosts = static_cast<uint32_t>(m_topology->hosts.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> parallel;
    for (uint32_t i = 0; i < m_topology->links.size(); ++i)
    {
        const auto& link = m_topology->links[i];
        if (m_topology->IsSwitch(link.lower))
        {
            const auto ends = std::minmax(link.lower, link.upper);
            m_links.push_back({i, link.lower - hosts, link.upper - hosts, parallel[ends]++});
        }
    }
}

uint32_t
FabricNames::CountSwitches() const
{
    return static_cast<uint32_t>(m_topology->switches.size());
}

uint32_t
FabricNames::CountLinks() const
{
    return static_cast<uint32_t>(m_links.size());
}

uint32_t
FabricNames::GetLink(uint32_t index) const
{
    return m_links.at(index).link;
}

std::optional<uint32_t>
FabricNames::FindSwitch(const std::string& text) const
{
    for (uint32_t number = 0; number < CountSwitches(); ++number)
    {
        if (GetSwitchName(number) == text)
        {
            return number;
        }
    }
    for (uint32_t number = 0; number < CountSwitches(); ++number)
    {
        if (std::to_string(number) == text)
        {
            return number;
        }
    }
    return std::nullopt;
}

std::optional<uint32_t>
FabricNames::FindLink(const std::string& text) const
{
    for (const bool hasNumbers : {false, true})
    {
        for (const Link& link : m_links)
        {
            if (IsName(text, link, hasNumbers))
            {
                return link.link;
            }
        }
    }
    return std::nullopt;
}

const std::string&
FabricNames::GetSwitchName(uint32_t number) const
{
    return m_topology->switches.at(number).name;
}

std::string
FabricNames::GetLinkName(uint32_t link) const
{
    const auto found = std::find_if(m_links.begin(), m_links.end(), [link](const Link& one) {
        return one.link == link;
    });
    return Join(GetSwitchName(found->lower), GetSwitchName(found->upper), found->rank);
}

std::string
FabricNames::Join(const std::string& first, const std::string& second, uint32_t rank)
{
    return first + "/" + second + (rank > 0 ? "/" + std::to_string(rank) : "");
}

bool
FabricNames::IsName(const std::string& text, const Link& link, bool hasNumbers) const
{
    const std::string lower = hasNumbers ? std::to_string(link.lower) : GetSwitchName(link.lower);
    const std::string upper = hasNumbers ? std::to_string(link.upper) : GetSwitchName(link.upper);
    return text == Join(lower, upper, link.rank) || text == Join(upper, lower, link.rank);
}

} // namespace ns3
