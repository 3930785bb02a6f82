// SPDX-License-Identifier: GPL-2.0-only

#include "rail-fabric.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

constexpr const char* PHOTONIC_RAILS = "photonic";

} // namespace

RailFabric::RailFabric(const Variant<ElectricalFabric>& electrical)
    : m_electrical(electrical)
{
}

RailFabric::RailFabric(const char* name)
{
    if (name != std::string(PHOTONIC_RAILS))
    {
        m_electrical.emplace(name);
    }
}

std::optional<RailFabric>
RailFabric::Find(const std::string& name)
{
    if (name == PHOTONIC_RAILS)
    {
        return RailFabric();
    }
    const auto electrical = Variant<ElectricalFabric>::Find(name);
    return electrical ? std::optional<RailFabric>(*electrical) : std::nullopt;
}

std::vector<std::string>
RailFabric::GetNames()
{
    std::vector<std::string> names = Variant<ElectricalFabric>::GetNames();
    names.insert(names.begin(), PHOTONIC_RAILS);
    return names;
}

std::string
RailFabric::GetNames(bool (RailFabric::*holds)() const)
{
    std::string names;
    for (const auto& name : GetNames())
    {
        if ((RailFabric(name.c_str()).*holds)())
        {
            names += (names.empty() ? "" : ", ") + name;
        }
    }
    return names;
}

std::string
RailFabric::GetName() const
{
    return m_electrical ? (*m_electrical)->GetName() : PHOTONIC_RAILS;
}

std::string
RailFabric::Describe() const
{
    return m_electrical ? (*m_electrical)->Describe() : "photonic rails";
}

bool
RailFabric::IsPhotonic() const
{
    return !m_electrical;
}

const Variant<ElectricalFabric>&
RailFabric::GetElectrical() const
{
    NS_ABORT_MSG_IF(IsPhotonic(), "photonic rails have no electrical fabric");
    return *m_electrical;
}

bool
RailFabric::JoinsRails() const
{
    return m_electrical && (*m_electrical)->JoinsRails();
}

bool
RailFabric::HasEqualRails() const
{
    return !m_electrical || (*m_electrical)->HasEqualRails();
}

bool
RailFabric::operator==(const RailFabric& other) const
{
    return m_electrical == other.m_electrical;
}

} // namespace ns3
