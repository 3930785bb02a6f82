// SPDX-License-Identifier: GPL-2.0-only

#include "rail-fabric.h"

#include "fabric-file.h"

#include "ns3/abort.h"

#include <boost/algorithm/string/join.hpp>

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
    std::string error;
    const auto found = Find(name, error);
    NS_ABORT_MSG_UNLESS(found, "the fabric " << name << " must be " << error);
    *this = *found;
}

std::optional<RailFabric>
RailFabric::Find(const std::string& name, std::string& error)
{
    error.clear();
    if (name == PHOTONIC_RAILS)
    {
        return RailFabric();
    }
    if (FabricContent::IsFile(name))
    {
        const auto content = FabricContent::Read(name, error);
        if (!content)
        {
            error = "a file with a fabric; " + error;
            return std::nullopt;
        }
        if (!content->hasCircuits)
        {
            return RailFabric(Variant<ElectricalFabric>(
                Ptr<const ElectricalFabric>(CreateObject<FabricFile>(*content))));
        }
        RailFabric photonic;
        photonic.m_cabling = std::make_shared<const CircuitCabling>(*content);
        return photonic;
    }
    if (const auto electrical = Variant<ElectricalFabric>::Find(name))
    {
        return RailFabric(*electrical);
    }
    error = "one of " + boost::algorithm::join(GetNames(), ", ") + ", or a file FABRIC.json";
    return std::nullopt;
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
    return m_electrical ? (*m_electrical)->GetName()
           : m_cabling  ? m_cabling->GetName()
                        : PHOTONIC_RAILS;
}

std::string
RailFabric::Describe() const
{
    return m_electrical ? (*m_electrical)->Describe()
           : m_cabling  ? "photonic rails of " + m_cabling->GetName()
                        : "photonic rails";
}

const Variant<ElectricalFabric>&
RailFabric::GetElectrical() const
{
    NS_ABORT_MSG_IF(IsPhotonic(), "photonic rails have no electrical fabric");
    return *m_electrical;
}

} // namespace ns3
