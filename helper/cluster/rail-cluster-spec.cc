// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-spec.h"

#include "ns3/fabric-file.h"
#include "ns3/optical-fiber-link.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t NETWORK = 0x0a000000; //!< 10.0.0.0
constexpr uint32_t NETWORK_BITS = 24;    //!< bits of an address behind the mask of 10.0.0.0/8

/// @return the attribute Delay of fibers
TypeId::AttributeInformation
FindDelayAttribute()
{
    TypeId::AttributeInformation delay;
    OpticalFiberLink::GetTypeId().LookupAttributeByName("Delay", &delay);
    return delay;
}

/// @return the text beside the first condition that holds, or an empty string
std::string
FindProblem(std::initializer_list<std::pair<bool, std::string>> problems)
{
    for (const auto& [holds, text] : problems)
    {
        if (holds)
        {
            return text;
        }
    }
    return "";
}

} // namespace

RailSubnets::RailSubnets(uint32_t subnets, uint64_t ports)
    : m_subnets(subnets),
      m_hostBits(2)
{
    // The network's own address and the broadcast address are no port's.
    while ((uint64_t{1} << m_hostBits) - 2 < ports)
    {
        ++m_hostBits;
    }
}

bool
RailSubnets::Fit() const
{
    return m_hostBits <= NETWORK_BITS && uint64_t{m_subnets} << m_hostBits <= uint64_t{1}
                                                                                  << NETWORK_BITS;
}

Ipv4Mask
RailSubnets::GetMask() const
{
    return Ipv4Mask(~((uint32_t{1} << m_hostBits) - 1));
}

Ipv4Address
RailSubnets::GetAddress(uint32_t subnet, uint32_t number) const
{
    return Ipv4Address(NETWORK + (subnet << m_hostBits) + 1 + number);
}

std::vector<Ipv4Address>
RailSubnets::GetAddresses(const std::vector<FabricTopology::Host>& hosts, uint32_t rails) const
{
    std::vector<uint32_t> next(rails, 0);
    std::vector<Ipv4Address> addresses;
    addresses.reserve(hosts.size());
    for (const auto& host : hosts)
    {
        const uint32_t rail = host.gpu % rails;
        addresses.push_back(GetAddress(rail, next[rail]++));
    }
    return addresses;
}

std::string
RailClusterSpec::Check(const RailFabric& joining) const
{
    const uint64_t allDomains = uint64_t{domains} + spareDomains;
    const uint64_t most = (1 << 24) - 2; // addresses of 10.0.0.0/8
    const uint64_t gpus = allDomains > most || spareGpus > most
                              ? std::numeric_limits<uint64_t>::max() / 4
                              : allDomains * gpusPerDomain + uint64_t{domains} * spareGpus;
    std::string error = FindProblem({
        {domains == 0 || gpusPerDomain == 0, "a cluster needs at least one domain of one GPU"},
        {processes == 0 || processes > gpusPerDomain,
         std::to_string(gpusPerDomain) + " rails can be shared between 1 to " +
             std::to_string(gpusPerDomain) + " processes, not " + std::to_string(processes)},
        {nicPorts != 1 && nicPorts != 2 && nicPorts != 4,
         "a NIC has 1, 2 or 4 ports, not " + std::to_string(nicPorts)},
        {portRate.GetBitRate() == 0, "the line rate of a NIC port must be above 0"},
        {gpus * nicPorts > most || !GetSubnets(joining.JoinsRails()).Fit(),
         std::to_string(allDomains) + " domains of " + std::to_string(gpusPerDomain) +
             " GPUs and " + std::to_string(spareGpus) +
             " spares need more addresses than 10.0.0.0/8 has"},
    });
    error = error.empty() ? CheckSpareGpus(joining) : error;
    if (error.empty() && scaleUp)
    {
        error = scaleUp->Check(gpusPerDomain + spareGpus);
    }
    if (error.empty() && hostNetwork)
    {
        error = hostNetwork->Check(GetAllDomains(), gpusPerDomain);
    }
    if (!error.empty())
    {
        return error;
    }
    return joining.IsPhotonic() ? CheckOcs(joining) : GetPlan(joining.GetElectrical()).error;
}

RailSubnets
RailClusterSpec::GetSubnets(bool joinsRails) const
{
    const uint32_t rails = joinsRails ? 1 : gpusPerDomain;
    const uint64_t gpusOfRail = uint64_t{GetAllDomains()} * gpusPerDomain / std::max(rails, 1u);
    const uint32_t spares = CountSpareGpus();
    return RailSubnets(rails + (spares > 0 ? 1 : 0),
                       std::max<uint64_t>(gpusOfRail, spares) * nicPorts);
}

Time
RailClusterSpec::GetFiberDelay() const
{
    // A channel that is created only to read its attribute would stay in ns-3's list of channels.
    return fiberDelay ? *fiberDelay : ToFiberDelay(*FindDelayAttribute().initialValue);
}

uint32_t
RailClusterSpec::GetOcsPorts(const RailFabric& rails) const
{
    const auto cabling = rails.GetCabling();
    return cabling ? cabling->GetOcsPorts() : (GetAllDomains() + CountSpareGpus()) * nicPorts;
}

std::string
RailClusterSpec::CheckOcs(const RailFabric& rails) const
{
    const uint32_t needed = GetOcsPorts(rails);
    const std::string error = ocs.Check(needed);
    if (const auto cabling = rails.GetCabling())
    {
        const auto other = cabling->Check({domains, gpusPerDomain, nicPorts});
        return FindProblem({{!other.empty(), other},
                            {spareGpus > 0 || spareDomains > 0 || spareRails > 0,
                             cabling->GetName() + " has no fibers of spares"},
                            {!error.empty(),
                             cabling->GetName() + " has OCS ports up to number " +
                                 std::to_string(needed - 1) + ", but " + error}});
    }
    return error.empty() ? ""
                         : "a rail of " + std::to_string(needed / nicPorts) + " GPUs with " +
                               std::to_string(nicPorts) + " ports each needs " +
                               std::to_string(needed) + " OCS ports, but " + error;
}

std::string
RailClusterSpec::CheckSpareGpus(const RailFabric& joining) const
{
    const bool hasSpares = spareGpus > 0 || spareDomains > 0;
    return FindProblem({
        {hasSpares && processes > 1, "spare GPUs need one process"},
        {hasSpares && hostNetwork, "spare GPUs have no ports on a host network"},
        {spareGpus > 0 && !joining.IsPhotonic(),
         "spare GPUs in a domain need photonic rails, to any of which they are led"},
        {spareGpus > 0 && (spareRails > 0 || spareDomains > 0),
         "spare GPUs in a domain cannot be combined with spare rails or spare domains"},
    });
}

FabricPlan
RailClusterSpec::GetPlan(const Variant<ElectricalFabric>& electrical) const
{
    FabricSpec spec = fabric;
    spec.domains = GetAllDomains();
    spec.gpusPerDomain = gpusPerDomain;
    spec.nicPorts = nicPorts;
    spec.portRate = portRate;
    spec.hostDelay = GetFiberDelay();
    spec.spineDelay = spineDelay.value_or(spec.hostDelay);
    spec.coreDelay = coreDelay.value_or(spec.hostDelay);
    spec.radix = switchRadix > 0 ? switchRadix : electrical->GetDefaultRadix(spec);
    return electrical->MakePlan(spec);
}

Time
RailClusterSpec::ToFiberDelay(const AttributeValue& value)
{
    const auto checker = FindDelayAttribute().checker;
    return DynamicCast<TimeValue>(checker->CreateValidValue(value))->Get();
}

} // namespace ns3
