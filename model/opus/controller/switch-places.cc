// SPDX-License-Identifier: GPL-2.0-only

#include "switch-places.h"

namespace ns3
{

void
SwitchPlaces::AddSwitch(uint32_t number, const Address& agent)
{
    m_switches[number] = Switch{agent, false, true};
    m_switchOf[number] = number;
}

void
SwitchPlaces::AddSpare(uint32_t number, const Address& agent)
{
    m_switches[number] = Switch{agent, true, true};
}

const Address*
SwitchPlaces::GetAgent(uint32_t rail) const
{
    const auto place = m_switchOf.find(rail);
    return place == m_switchOf.end() ? nullptr : &m_switches.at(place->second).agent;
}

uint32_t
SwitchPlaces::GetSwitch(uint32_t rail) const
{
    return m_switchOf.at(rail);
}

std::set<Address>
SwitchPlaces::GetAgents() const
{
    std::set<Address> agents;
    for (const auto& [number, one] : m_switches)
    {
        agents.insert(one.agent);
    }
    return agents;
}

std::vector<uint32_t>
SwitchPlaces::GetRails() const
{
    std::vector<uint32_t> rails;
    for (const auto& [rail, number] : m_switchOf)
    {
        rails.push_back(rail);
    }
    return rails;
}

std::optional<uint32_t>
SwitchPlaces::GetRail(uint32_t number) const
{
    for (const auto& [rail, carrier] : m_switchOf)
    {
        if (carrier == number)
        {
            return rail;
        }
    }
    return std::nullopt;
}

std::optional<uint32_t>
SwitchPlaces::Find(const Address& agent) const
{
    for (const auto& [number, one] : m_switches)
    {
        if (one.agent == agent)
        {
            return number;
        }
    }
    return std::nullopt;
}

void
SwitchPlaces::SetWorking(uint32_t number, bool works)
{
    const auto it = m_switches.find(number);
    if (it != m_switches.end())
    {
        it->second.works = works;
    }
}

std::optional<uint32_t>
SwitchPlaces::Move(uint32_t rail)
{
    for (const auto& [number, one] : m_switches)
    {
        if (one.isSpare && one.works && !GetRail(number))
        {
            m_switchOf[rail] = number;
            return number;
        }
    }
    return std::nullopt;
}

} // namespace ns3
