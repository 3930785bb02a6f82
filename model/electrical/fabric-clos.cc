// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-clos.h"

#include "ns3/divide-up.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ClosFabric);

namespace
{

/// @return the largest divisor of a number that is at most a limit; 0 if the limit is 0
uint32_t
LargestDivisor(uint32_t number, uint32_t limit)
{
    uint32_t divisor = std::min(number, limit);
    while (divisor > 0 && number % divisor != 0)
    {
        --divisor;
    }
    return divisor;
}

/**
 * @brief Spread the uplinks of a leaf over the spines of its pod.
 * @param shape gets spines and links, or an error
 * @param most parallel links between a leaf and a spine, at most
 */
void
SpreadUplinks(ClosShape& shape, uint32_t most)
{
    const uint32_t spines = shape.spines;
    shape.spineLinks = spines == 0 ? LargestDivisor(shape.uplinks, most) : shape.uplinks / spines;
    if (spines > 0 && (shape.uplinks % spines != 0 || shape.spineLinks > most))
    {
        shape.error = "the " + std::to_string(shape.uplinks) +
                      " uplinks of a leaf cannot be spread evenly over " + std::to_string(spines) +
                      " spines with at most " + std::to_string(most) + " links to each";
        return;
    }
    shape.spinesPerPod = shape.uplinks / shape.spineLinks;
}

/// Compute the dimensions of pods and cores from those of the leaves.
void
FindPods(ClosShape& shape, uint32_t radix)
{
    const uint32_t leaves = shape.GetLeaves();
    const uint32_t half = radix / 2;
    // A unit of leaves that is not divided among pods: one of each rail, if they fit.
    const uint32_t unit = shape.rails <= half ? shape.rails : 1;
    const uint32_t units = leaves / unit;
    shape.tiers = 3;
    shape.pods = static_cast<uint32_t>(DivideUp(units, half / unit));
    if (shape.pods > radix)
    {
        shape.error = std::to_string(leaves) + " leaves make " + std::to_string(shape.pods) +
                      " pods, which outgrows three tiers of switches with a radix of " +
                      std::to_string(radix);
        return;
    }
    shape.leavesPerPod = static_cast<uint32_t>(DivideUp(units, shape.pods)) * unit;
    shape.pods = static_cast<uint32_t>(DivideUp(leaves, shape.leavesPerPod));
    SpreadUplinks(shape, half / shape.leavesPerPod);
    if (!shape.error.empty())
    {
        return;
    }
    const uint32_t spineUplinks = shape.spineLinks * shape.leavesPerPod;
    shape.coreLinks = LargestDivisor(spineUplinks, radix / shape.pods);
    shape.coresPerPlane = spineUplinks / shape.coreLinks;
}

/// Adds the network of some rails to a topology that has the hosts of these rails.
struct ClosBuilder
{
    const FabricSpec& spec;   //!< what to join
    const ClosShape& shape;   //!< its dimensions
    uint32_t firstRail;       //!< the first of shape.rails
    FabricTopology& topology; //!< to add to

    /// Add the NIC ports, leaf by leaf.
    void AddHosts()
    {
        for (uint32_t leaf = 0; leaf < shape.GetLeaves(); ++leaf)
        {
            const uint32_t first = leaf / shape.rails * shape.gpusPerLeaf;
            const uint32_t last = std::min(first + shape.gpusPerLeaf, spec.domains);
            for (uint32_t domain = first; domain < last; ++domain)
            {
                for (uint32_t port = 0; port < spec.nicPorts; ++port)
                {
                    topology.AddHost(domain * spec.gpusPerDomain + GetRail(leaf), port);
                }
            }
        }
    }

    /**
     * @brief Add the switches and links.
     * @param firstHost the first of the hosts that AddHosts has added
     * @return the host after the last
     */
    uint32_t AddSwitches(uint32_t firstHost)
    {
        const uint32_t firstLeaf = AddTier(1, shape.GetLeaves());
        uint32_t host = firstHost;
        for (uint32_t leaf = 0; leaf < shape.GetLeaves(); ++leaf)
        {
            const uint32_t first = leaf / shape.rails * shape.gpusPerLeaf;
            const uint32_t gpus = std::min(shape.gpusPerLeaf, spec.domains - first);
            for (uint32_t i = 0; i < gpus * spec.nicPorts; ++i)
            {
                Join(host++, firstLeaf + leaf, 1, spec.portRate, spec.hostDelay);
            }
        }
        if (shape.tiers == 1)
        {
            return host;
        }
        const DataRate rate = spec.GetFabricRate();
        const uint32_t firstSpine = AddTier(2, shape.pods * shape.spinesPerPod);
        for (uint32_t leaf = 0; leaf < shape.GetLeaves(); ++leaf)
        {
            const uint32_t pod = leaf / shape.leavesPerPod;
            for (uint32_t spine = 0; spine < shape.spinesPerPod; ++spine)
            {
                Join(topology.GetEnd(firstLeaf + leaf),
                     firstSpine + pod * shape.spinesPerPod + spine,
                     shape.spineLinks,
                     rate,
                     spec.spineDelay);
            }
        }
        const uint32_t firstCore = AddTier(3, shape.spinesPerPod * shape.coresPerPlane);
        for (uint32_t spine = 0; spine < shape.pods * shape.spinesPerPod; ++spine)
        {
            const uint32_t plane = spine % shape.spinesPerPod;
            for (uint32_t core = 0; core < shape.coresPerPlane; ++core)
            {
                Join(topology.GetEnd(firstSpine + spine),
                     firstCore + plane * shape.coresPerPlane + core,
                     shape.coreLinks,
                     rate,
                     spec.coreDelay);
            }
        }
        return host;
    }

  private:
    /// @return the rail of a leaf
    uint32_t GetRail(uint32_t leaf) const
    {
        return firstRail + leaf % shape.rails;
    }

    /// @return the name of a switch of a tier
    std::string GetName(uint32_t tier, uint32_t number) const
    {
        const std::string rail = "rail " + std::to_string(firstRail);
        if (shape.tiers == 1 && shape.rails == 1)
        {
            return shape.namesRails ? rail : "switch";
        }
        if (tier == 1)
        {
            return (shape.namesRails ? "rail " + std::to_string(GetRail(number)) + " " : "") +
                   "leaf " + std::to_string(number / shape.rails);
        }
        const std::string prefix = shape.rails < spec.gpusPerDomain ? rail + " " : "";
        if (tier == 3)
        {
            return prefix + "core " + std::to_string(number);
        }
        const std::string pod =
            shape.tiers == 3 ? "pod " + std::to_string(number / shape.spinesPerPod) + " " : "";
        return prefix + pod + "spine " + std::to_string(number % shape.spinesPerPod);
    }

    /// @return the number of the first of count new switches
    uint32_t AddTier(uint32_t tier, uint32_t count)
    {
        const auto first = static_cast<uint32_t>(topology.switches.size());
        for (uint32_t number = 0; number < count; ++number)
        {
            topology.AddSwitch(tier, GetName(tier, number));
        }
        return first;
    }

    /// Join an end to a switch, by its number.
    void Join(uint32_t lower, uint32_t upper, uint32_t count, DataRate rate, Time delay)
    {
        topology.Join(lower, topology.GetEnd(upper), count, rate, delay);
    }
};

/// @return the number of NIC ports that a Clos network without oversubscription can join
uint64_t
GetClosCapacity(uint32_t radix, uint32_t tiers)
{
    uint64_t hosts = radix;
    for (uint32_t tier = 1; tier < tiers; ++tier)
    {
        hosts *= radix / 2;
    }
    return hosts;
}

} // namespace

PortSplit
PortSplit::Find(const FabricSpec& spec, uint32_t radix)
{
    const uint64_t portRate = spec.portRate.GetBitRate();
    const uint64_t fabricRate = spec.GetFabricRate().GetBitRate();
    const uint64_t common = std::gcd(portRate, fabricRate);
    PortSplit split;
    split.ratioDown = spec.down * (fabricRate / common);
    split.ratioUp = spec.up * (portRate / common);
    const uint64_t divisor = std::gcd(split.ratioDown, split.ratioUp);
    split.ratioDown /= divisor;
    split.ratioUp /= divisor;
    const uint64_t multiple = radix / (split.ratioDown + split.ratioUp);
    split.down = static_cast<uint32_t>(multiple * split.ratioDown);
    split.up = static_cast<uint32_t>(multiple * split.ratioUp);
    return split;
}

FabricSpec
ClosShape::MakeFlat(const FabricSpec& spec)
{
    FabricSpec flat = spec;
    flat.domains = spec.domains * spec.gpusPerDomain;
    flat.gpusPerDomain = 1;
    return flat;
}

ClosShape
ClosShape::FindFlat(const FabricSpec& spec)
{
    const FabricSpec flat = MakeFlat(spec);
    if (!flat.Check().empty())
    {
        return Find(flat, 1);
    }
    const uint32_t most = PortSplit::Find(flat, flat.radix).down / flat.nicPorts;
    ClosShape best = Find(flat, 1, 0, most);
    auto fewest = best.CountDevices(flat);
    for (uint32_t filled = 1; filled < most; ++filled)
    {
        const ClosShape shape = Find(flat, 1, 0, filled);
        const auto devices = shape.CountDevices(flat);
        if (shape.error.empty() && (!best.error.empty() || devices < fewest))
        {
            best = shape;
            fewest = devices;
        }
    }
    best.namesRails = false;
    return best;
}

std::pair<uint32_t, uint64_t>
ClosShape::CountDevices(const FabricSpec& spec) const
{
    uint64_t devices = 0;
    for (const auto& tier : Count(spec).tiers)
    {
        devices += tier.devices;
    }
    return {tiers, devices};
}

ClosShape
ClosShape::Find(const FabricSpec& spec, uint32_t rails, uint32_t spines, uint32_t filled)
{
    ClosShape shape;
    shape.rails = rails;
    shape.spines = spines;
    shape.error = spec.Check();
    if (!shape.error.empty())
    {
        return shape;
    }
    shape.gpusPerLeaf = spec.domains;
    if (rails == 1 && uint64_t{spec.domains} * spec.nicPorts <= spec.radix)
    {
        return shape;
    }
    const PortSplit split = PortSplit::Find(spec, spec.radix);
    const uint32_t most = split.down / spec.nicPorts;
    if (most == 0)
    {
        shape.error = "a leaf with a radix of " + std::to_string(spec.radix) + " has " +
                      std::to_string(split.down) + " ports for hosts at " +
                      std::to_string(split.ratioDown) + " ports down to " +
                      std::to_string(split.ratioUp) + " up, but a NIC needs " +
                      std::to_string(spec.nicPorts);
        return shape;
    }
    shape.leavesPerRail = static_cast<uint32_t>(DivideUp(spec.domains, filled > 0 ? filled : most));
    shape.gpusPerLeaf =
        filled > 0 ? filled : static_cast<uint32_t>(DivideUp(spec.domains, shape.leavesPerRail));
    shape.uplinks = static_cast<uint32_t>(
        DivideUp(uint64_t{shape.gpusPerLeaf} * spec.nicPorts * split.ratioUp, split.ratioDown));
    const uint32_t leaves = shape.GetLeaves();
    if (leaves > spec.radix)
    {
        FindPods(shape, spec.radix);
        return shape;
    }
    shape.tiers = 2;
    shape.leavesPerPod = leaves;
    SpreadUplinks(shape, spec.radix / leaves);
    return shape;
}

namespace
{

/// @return spines, or a radix, with which there are dimensions
std::string
FindAllowedSize(const FabricSpec& spec, const ClosShape& shape)
{
    constexpr uint32_t most = 4096;
    for (uint32_t spines = 1; shape.spines > 0 && spines <= spec.radix; ++spines)
    {
        if (ClosShape::Find(spec, shape.rails, spines).error.empty())
        {
            return "; allowed for instance: " + std::to_string(spines) + " spines";
        }
    }
    FabricSpec other = spec;
    for (other.radix = 4; other.radix <= most; other.radix *= 2)
    {
        if (other.radix > spec.radix &&
            ClosShape::Find(other, shape.rails, shape.spines).error.empty())
        {
            return "; allowed for instance: a radix of " + std::to_string(other.radix);
        }
    }
    return "";
}

} // namespace

FabricPlan
ClosShape::Build(const FabricSpec& spec) const
{
    if (!error.empty())
    {
        return {{}, error + (spec.Check().empty() ? FindAllowedSize(spec, *this) : "")};
    }
    FabricPlan plan;
    for (uint32_t rail = 0; rail < spec.gpusPerDomain; rail += rails)
    {
        ClosBuilder{spec, *this, rail, plan.topology}.AddHosts();
    }
    uint32_t host = 0;
    for (uint32_t rail = 0; rail < spec.gpusPerDomain; rail += rails)
    {
        host = ClosBuilder{spec, *this, rail, plan.topology}.AddSwitches(host);
    }
    return plan;
}

FabricCount
ClosShape::Count(const FabricSpec& spec) const
{
    if (!error.empty())
    {
        return {{}, error};
    }
    const uint64_t networks = spec.gpusPerDomain / rails;
    const uint64_t leaves = networks * GetLeaves();
    FabricCount count{{{leaves, spec.GetHosts()}}, ""};
    if (tiers > 1)
    {
        const uint64_t ports = leaves * uplinks;
        count.tiers[0].ports += ports;
        count.tiers.push_back({networks * pods * spinesPerPod, ports});
    }
    if (tiers > 2)
    {
        const uint64_t ports = count.tiers[1].devices * coresPerPlane * coreLinks;
        count.tiers[1].ports += ports;
        count.tiers.push_back({networks * spinesPerPod * coresPerPlane, ports});
    }
    return count;
}

FabricCount
ClosShape::CountIdeal(const FabricSpec& spec, uint32_t networks, uint32_t rails, uint32_t tiers)
{
    constexpr uint32_t mostTiers = 3;
    const uint32_t radix = spec.radix;
    const uint64_t hosts = spec.GetHosts() / networks;
    const uint32_t least = rails > 1 ? 2 : 1;
    uint32_t need = least;
    while (need < mostTiers && GetClosCapacity(radix, need) < hosts)
    {
        ++need;
    }
    if (GetClosCapacity(radix, need) < hosts || (tiers > 0 && tiers < need))
    {
        const uint32_t most = tiers > 0 ? tiers : mostTiers;
        return {{},
                std::to_string(most) + (most == 1 ? " tier" : " tiers") +
                    " of switches with a radix of " + std::to_string(radix) + " join " +
                    std::to_string(GetClosCapacity(radix, most)) + " NIC ports" +
                    (most < least ? " of one rail" : "") + ", not " + std::to_string(hosts)};
    }
    FabricCount count;
    const uint32_t used = tiers > 0 ? tiers : need;
    for (uint32_t tier = 1; tier <= used; ++tier)
    {
        const uint64_t ports = tier < used ? 2 : 1; // switch ports for each NIC port
        const uint64_t devices =
            tier == 1 ? rails * DivideUp(ports * (hosts / rails), radix / ports * ports)
                      : DivideUp(ports * hosts, radix / ports * ports);
        count.tiers.push_back({networks * devices, networks * ports * hosts});
    }
    return count;
}

TypeId
ClosFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ClosFabric")
            .SetParent<ElectricalFabric>()
            .SetGroupName("PhotonicRails")
            .AddAttribute("Spines",
                          "Spines of the network, or of each pod of it; 0: as few as suffice.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ClosFabric::m_spines),
                          MakeUintegerChecker<uint32_t>(0, 4096));
    return tid;
}

FabricCount
ClosFabric::CountBuilt(const FabricSpec& spec) const
{
    return ClosShape::Find(spec, GetJoinedRails(spec), m_spines).Count(spec);
}

FabricCount
ClosFabric::CountIdeal(const FabricSpec& spec, uint32_t tiers) const
{
    const uint32_t rails = GetJoinedRails(spec);
    return ClosShape::CountIdeal(spec, spec.gpusPerDomain / rails, rails, tiers);
}

FabricPlan
ClosFabric::DoMakePlan(const FabricSpec& spec) const
{
    return ClosShape::Find(spec, GetJoinedRails(spec), m_spines).Build(spec);
}

} // namespace ns3
