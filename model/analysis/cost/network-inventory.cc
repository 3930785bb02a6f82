// SPDX-License-Identifier: GPL-2.0-only

#include "network-inventory.h"

#include "ns3/abort.h"
#include "ns3/divide-up.h"
#include "ns3/fabric-clos.h"
#include "ns3/fabric-fat-tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ns3
{

namespace
{

using Tier = NetworkInventory::Tier;
using Tiers = std::vector<Tier>;

constexpr uint32_t MAX_TIERS = 3;  // of electrical switches
constexpr uint32_t MAX_LEVELS = 4; // of OCSes

/// Names of fabrics, in the order of NetworkKind::Fabric.
const std::vector<std::string> COUNTED_FABRICS{"electrical",
                                               "leaf-spine",
                                               "rail-only",
                                               "fat-tree",
                                               "photonic"};

/// @return GPUs of a rail that levels of switches join, each by so many ports at a level (BCube)
uint64_t
CountLevelGpus(uint32_t radix, uint32_t portsPerLevel, uint32_t levels)
{
    NS_ABORT_MSG_IF(portsPerLevel == 0, "a GPU has at least one port at each level");
    uint64_t gpus = 1;
    for (uint32_t level = 0; level < levels; ++level)
    {
        gpus *= radix / portsPerLevel;
    }
    return gpus;
}

/// @return the sum over tiers
Tier
Sum(const Tiers& tiers)
{
    Tier sum;
    for (const auto& tier : tiers)
    {
        sum.devices += tier.devices;
        sum.ports += tier.ports;
    }
    return sum;
}

/// Several networks of the same shape.
void
Multiply(Tiers& tiers, uint64_t networks)
{
    for (auto& tier : tiers)
    {
        tier.devices *= networks;
        tier.ports *= networks;
    }
}

/// @return NIC ports that a Clos network without oversubscription can join
uint64_t
GetCapacity(uint32_t radix, uint32_t tiers)
{
    uint64_t hosts = radix;
    for (uint32_t tier = 1; tier < tiers; ++tier)
    {
        hosts *= radix / 2;
    }
    return hosts;
}

/**
 * @param hosts NIC ports
 * @param rails over which they are spread evenly, each with leaves of its own
 * @param radix of a switch
 * @param tiers of the network; 0 for as few as suffice
 * @param result gets the network
 * @return an error or an empty string
 */
std::string
CountIdeal(uint64_t hosts, uint32_t rails, uint32_t radix, uint32_t tiers, Tiers& result)
{
    const uint32_t least = rails > 1 ? 2 : 1;
    uint32_t need = least;
    while (need < MAX_TIERS && GetCapacity(radix, need) < hosts)
    {
        ++need;
    }
    if (GetCapacity(radix, need) < hosts || (tiers > 0 && tiers < need))
    {
        const uint32_t most = tiers > 0 ? tiers : MAX_TIERS;
        return std::to_string(most) + (most == 1 ? " tier" : " tiers") +
               " of switches with a radix of " + std::to_string(radix) + " join " +
               std::to_string(GetCapacity(radix, most)) + " NIC ports" +
               (most < least ? " of one rail" : "") + ", not " + std::to_string(hosts);
    }
    const uint32_t used = tiers > 0 ? tiers : need;
    const uint64_t ofRail = hosts / rails;
    for (uint32_t tier = 1; tier <= used; ++tier)
    {
        const uint64_t ports = tier < used ? 2 : 1; // of each NIC port
        result.push_back({tier == 1 ? rails * DivideUp(ports * ofRail, radix / ports * ports)
                                    : DivideUp(ports * hosts, radix / ports * ports),
                          ports * hosts});
    }
    return "";
}

/// @return the network that ClosShape describes
Tiers
CountBuilt(const ClosShape& shape, uint64_t hosts)
{
    const uint64_t leaves = shape.GetLeaves();
    Tiers tiers{{leaves, hosts}};
    if (shape.tiers > 1)
    {
        const uint64_t uplinks = leaves * shape.uplinks;
        tiers[0].ports += uplinks;
        tiers.push_back({uint64_t{shape.pods} * shape.spinesPerPod, uplinks});
    }
    if (shape.tiers > 2)
    {
        const uint64_t uplinks = tiers[1].devices * shape.coresPerPlane * shape.coreLinks;
        tiers[1].ports += uplinks;
        tiers.push_back({uint64_t{shape.spinesPerPod} * shape.coresPerPlane, uplinks});
    }
    return tiers;
}

/// @return the network that FatTreeShape describes
Tiers
CountBuilt(const FatTreeShape& shape, uint64_t hosts)
{
    Tiers tiers{{shape.edges, hosts}};
    if (shape.edges > 1)
    {
        const uint64_t uplinks = uint64_t{shape.edges} * shape.uplinks;
        tiers[0].ports += uplinks;
        tiers.push_back({uint64_t{shape.pods} * shape.uplinks, uplinks});
    }
    if (shape.pods > 1)
    {
        const uint64_t half = shape.arity / 2;
        const uint64_t uplinks = tiers[1].devices * half;
        tiers[1].ports += uplinks;
        tiers.push_back({shape.uplinks * half, uplinks});
    }
    return tiers;
}

/// @return the fat-tree with the fewest switches, or an error
FatTreeShape
FindFatTree(FabricSpec spec)
{
    FatTreeShape best = FatTreeShape::Find(spec);
    uint64_t fewest = best.error.empty() ? Sum(CountBuilt(best, spec.GetHosts())).devices : 0;
    for (spec.arity = best.arity + 2; fewest > 0 && spec.arity <= spec.radix; spec.arity += 2)
    {
        const FatTreeShape shape = FatTreeShape::Find(spec);
        const uint64_t switches = Sum(CountBuilt(shape, spec.GetHosts())).devices;
        best = switches < fewest ? shape : best;
        fewest = std::min(fewest, switches);
    }
    return best;
}

/// Electrical networks as the simulator builds them. @return an error or an empty string
std::string
CountBuilt(const NetworkKind& kind, const InventorySpec& spec, Tiers& tiers)
{
    FabricSpec fabric;
    fabric.domains = spec.gpus / spec.gpusPerDomain;
    fabric.gpusPerDomain = spec.gpusPerDomain;
    fabric.nicPorts = spec.switchPortsPerGpu;
    fabric.portRate = DataRate(400000000000); // all links alike, so that it does not matter
    fabric.radix = spec.switchRadix;
    if (kind.fabric == NetworkKind::FAT_TREE)
    {
        const FatTreeShape shape = FindFatTree(fabric);
        tiers = shape.error.empty() ? CountBuilt(shape, fabric.GetHosts()) : Tiers();
        return shape.error;
    }
    const uint32_t networks = kind.fabric == NetworkKind::LEAF_SPINE ? 1 : spec.gpusPerDomain;
    const ClosShape shape = ClosShape::Find(fabric, spec.gpusPerDomain / networks);
    tiers = shape.error.empty() ? CountBuilt(shape, fabric.GetHosts() / networks) : Tiers();
    Multiply(tiers, networks);
    return shape.error;
}

/// Electrical networks by the rule of the published script. @return as above
std::string
CountPublished(const NetworkKind& kind, const InventorySpec& spec, Tiers& tiers)
{
    if (spec.switchPortsPerGpu > 1)
    {
        return "the published counting knows one port of a switch for each GPU";
    }
    const uint64_t gpus = spec.gpus;
    if (kind.fabric == NetworkKind::FAT_TREE)
    {
        const auto k = static_cast<uint64_t>(std::cbrt(4.0 * static_cast<double>(gpus)) + 0.5);
        tiers = {{k * k / 2, k * k / 2 * k},
                 {k * k - k * k / 2, (k * k - k * k / 2) * k},
                 {k * k / 4, k * k / 4 * k}};
        return "";
    }
    if (kind.fabric != NetworkKind::LEAF_SPINE)
    {
        return "the published counting knows fat-tree, leaf-spine and photonic only";
    }
    const uint64_t domains = gpus / spec.gpusPerDomain;
    const auto k = static_cast<uint64_t>(std::sqrt(4.0 * static_cast<double>(domains)) + 0.5);
    const uint64_t ofTier = domains / (k / 2) * spec.gpusPerDomain;
    tiers = {{ofTier, ofTier * k}, {ofTier, ofTier * k}, {gpus / k, gpus / k * k}};
    return "";
}

/// Optical circuit switches of all rails. @return an error or an empty string
std::string
CountOcs(const NetworkKind& kind,
         const InventorySpec& spec,
         NetworkInventory::Shape shape,
         Tiers& levels)
{
    const uint64_t ofRail = spec.gpus / spec.gpusPerDomain;
    const uint32_t ports = spec.GetOcsPortsPerGpu();
    const uint64_t n = spec.ocsRadix / ports;
    uint32_t need = 1;
    while (need < MAX_LEVELS && CountLevelGpus(spec.ocsRadix, ports, need) < ofRail)
    {
        ++need;
    }
    const bool anyRadix = shape == NetworkInventory::PUBLISHED && kind.tiers == 0;
    if (anyRadix)
    {
        levels = {{spec.gpusPerDomain, uint64_t{spec.gpus} * ports}};
        return "";
    }
    const uint32_t used = kind.tiers > 0 ? kind.tiers : need;
    const uint64_t reachable = CountLevelGpus(spec.ocsRadix, ports, used);
    if (reachable < ofRail)
    {
        return std::to_string(used) + (used == 1 ? " level" : " levels") +
               " of OCSes with a radix of " + std::to_string(spec.ocsRadix) + " join " +
               std::to_string(reachable) + " GPUs of a rail at " + std::to_string(ports) +
               " ports each, not " + std::to_string(ofRail);
    }
    uint64_t size = 1; // of all levels, if they are built
    while (CountLevelGpus(static_cast<uint32_t>(size), 1, used) < ofRail)
    {
        ++size;
    }
    uint64_t stride = 1; // GPUs with the same digits from this level on
    for (uint32_t level = 0; level < used; ++level)
    {
        const uint64_t block = stride * size;
        const uint64_t built = ofRail / block * stride + std::min(ofRail % block, stride);
        const uint64_t devices = shape == NetworkInventory::BUILT ? built : DivideUp(ofRail, n);
        levels.push_back({devices * spec.gpusPerDomain, uint64_t{spec.gpus} * ports});
        stride = block;
    }
    return "";
}

} // namespace

std::optional<NetworkKind>
NetworkKind::Parse(const std::string& text)
{
    const auto colon = text.find(':');
    const auto name =
        std::find(COUNTED_FABRICS.begin(), COUNTED_FABRICS.end(), text.substr(0, colon));
    if (name == COUNTED_FABRICS.end())
    {
        return std::nullopt;
    }
    NetworkKind kind;
    kind.fabric = static_cast<Fabric>(name - COUNTED_FABRICS.begin());
    if (colon != std::string::npos)
    {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, kind.tiers);
        const uint32_t most = kind.fabric == PHOTONIC     ? MAX_LEVELS
                              : kind.fabric == ELECTRICAL ? 1
                                                          : MAX_TIERS;
        if (error != std::errc() || stop != end || kind.tiers == 0 || kind.tiers > most)
        {
            return std::nullopt;
        }
    }
    return kind;
}

std::vector<std::string>
NetworkKind::GetNames()
{
    return COUNTED_FABRICS;
}

std::string
NetworkKind::ToText() const
{
    return COUNTED_FABRICS[fabric] + (tiers > 0 ? ":" + std::to_string(tiers) : "");
}

std::string
InventorySpec::Check() const
{
    if (gpus == 0 || gpusPerDomain == 0 || gpus % gpusPerDomain != 0)
    {
        return std::to_string(gpus) + " GPUs are no whole scale-up domains of " +
               std::to_string(gpusPerDomain);
    }
    if (nicPorts == 0 || switchPortsPerGpu == 0)
    {
        return "a GPU needs at least one port";
    }
    if (switchRadix < 2 || GetOcsPortsPerGpu() > ocsRadix)
    {
        return "a switch needs at least 2 ports, and an OCS those of a GPU, " +
               std::to_string(GetOcsPortsPerGpu());
    }
    return "";
}

uint32_t
InventorySpec::GetOcsPortsPerGpu() const
{
    return nicPorts * (simplex ? 2 : 1);
}

Tier
NetworkInventory::GetSwitches() const
{
    return Sum(switches);
}

Tier
NetworkInventory::GetOcs() const
{
    return Sum(ocs);
}

uint64_t
NetworkInventory::GetTransceivers() const
{
    return nicTransceivers + switchTransceivers;
}

NetworkInventory
NetworkInventory::Count(const NetworkKind& kind, const InventorySpec& spec, Shape shape)
{
    NetworkInventory inventory;
    inventory.gpus = spec.gpus;
    inventory.switchRadix = spec.switchRadix;
    inventory.ocsRadix = spec.ocsRadix;
    inventory.error = spec.Check();
    if (!inventory.error.empty())
    {
        return inventory;
    }
    const uint64_t hosts = uint64_t{spec.gpus} * spec.switchPortsPerGpu;
    if (kind.fabric == NetworkKind::PHOTONIC)
    {
        inventory.error = CountOcs(kind, spec, shape, inventory.ocs);
        inventory.nicTransceivers = uint64_t{spec.gpus} * inventory.ocs.size();
        return inventory;
    }
    Tiers& tiers = inventory.switches;
    const bool isOfRail =
        kind.fabric == NetworkKind::ELECTRICAL || kind.fabric == NetworkKind::RAIL_ONLY;
    const uint32_t asked = kind.fabric == NetworkKind::ELECTRICAL ? 1 : kind.tiers;
    if (shape == PUBLISHED)
    {
        inventory.error = CountPublished(kind, spec, tiers);
    }
    else if (shape == BUILT)
    {
        inventory.error = CountBuilt(kind, spec, tiers);
    }
    else if (isOfRail)
    {
        inventory.error = CountIdeal(hosts / spec.gpusPerDomain, 1, spec.switchRadix, asked, tiers);
        Multiply(tiers, spec.gpusPerDomain);
    }
    else
    {
        const uint32_t rails = kind.fabric == NetworkKind::LEAF_SPINE ? spec.gpusPerDomain : 1;
        inventory.error = CountIdeal(hosts, rails, spec.switchRadix, asked, tiers);
    }
    if (inventory.error.empty() && asked > 0 && tiers.size() != asked)
    {
        inventory.error = std::to_string(spec.gpus) + " GPUs get " + std::to_string(tiers.size()) +
                          (tiers.size() == 1 ? " tier" : " tiers") + ", not " +
                          std::to_string(asked);
        tiers.clear();
    }
    inventory.nicTransceivers = inventory.error.empty() ? hosts : 0;
    inventory.switchTransceivers = spec.switchTransceivers ? inventory.GetSwitches().ports : 0;
    return inventory;
}

uint64_t
NetworkInventory::GetMaxGpus(const InventorySpec& spec, uint32_t levels)
{
    return spec.gpusPerDomain * CountLevelGpus(spec.ocsRadix, spec.GetOcsPortsPerGpu(), levels);
}

} // namespace ns3
