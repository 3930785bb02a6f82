// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-file.h"

#include "ns3/json-reader.h"
#include "ns3/output-file.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/range/iterator_range.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Finds the tiers and the connected networks of the switches of a file: sets joinsRails and tiers.
class FabricNetworks
{
  public:
    /// @param content in which each NIC port has a link
    explicit FabricNetworks(FabricContent& content)
        : m_content(content)
    {
        Graph graph(content.switches.size());
        for (const auto& link : content.links)
        {
            boost::add_edge(link.a, link.b, graph);
        }
        FindTiers(graph);
        m_network.resize(content.switches.size());
        const auto networks = boost::connected_components(graph, m_network.data());
        content.joinsRails = networks == 1 && !content.hasCircuits;
    }

    /// Check the networks, and sort switches and NIC ports. @return an empty string, or an error
    std::string Arrange()
    {
        std::string error = CheckRails();
        if (error.empty())
        {
            SortSwitches();
        }
        return error;
    }

  private:
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

    /// @return an error unless one network has all NIC ports, or each rail a network of its own
    std::string CheckRails() const
    {
        for (const auto& one : m_content.switches)
        {
            if (one.tier == 0)
            {
                return "links: switch " + one.name + " is not connected with any NIC port";
            }
        }
        std::map<uint32_t, uint32_t> railOf;    // by network
        std::map<uint32_t, uint32_t> networkOf; // by rail
        for (const auto& nic : m_content.nics)
        {
            const uint32_t rail = nic.gpu % m_content.size.gpusPerDomain;
            const uint32_t network = m_network[nic.switchNumber];
            const bool fits = railOf.emplace(network, rail).first->second == rail &&
                              networkOf.emplace(rail, network).first->second == network;
            if (!m_content.joinsRails && !fits)
            {
                return "links: port " + std::to_string(nic.port) + " of GPU " +
                       std::to_string(nic.gpu) + " on switch " +
                       m_content.switches[nic.switchNumber].name +
                       (m_content.hasCircuits
                            ? ": all NIC ports of a rail lead to one circuit switch, and no others "
                              "do"
                            : ": NIC ports must all be connected, or those of each rail with "
                              "each other only");
            }
        }
        return "";
    }

    /// Order switches by rail, if each has a network of its own, and tier; and NIC ports by switch.
    void SortSwitches()
    {
        std::map<uint32_t, uint32_t> railOf; // by network
        for (const auto& nic : m_content.nics)
        {
            const uint32_t rail = m_content.joinsRails ? 0 : nic.gpu % m_content.size.gpusPerDomain;
            railOf[m_network[nic.switchNumber]] = rail;
        }
        std::vector<uint32_t> order(m_content.switches.size());
        std::iota(order.begin(), order.end(), 0);
        const auto getKey = [&](uint32_t number) {
            return std::pair(railOf[m_network[number]], m_content.switches[number].tier);
        };
        std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
            return getKey(x) < getKey(y);
        });
        std::vector<FabricContent::Switch> sorted;
        std::vector<uint32_t> place(order.size());
        for (const uint32_t number : order)
        {
            place[number] = static_cast<uint32_t>(sorted.size());
            sorted.push_back(m_content.switches[number]);
        }
        m_content.switches = std::move(sorted);
        for (auto& nic : m_content.nics)
        {
            nic.switchNumber = place[nic.switchNumber];
        }
        std::sort(m_content.nics.begin(), m_content.nics.end(), [](const auto& x, const auto& y) {
            return std::tie(x.switchNumber, x.gpu, x.port) <
                   std::tie(y.switchNumber, y.gpu, y.port);
        });
        for (auto& link : m_content.links)
        {
            link.a = place[link.a];
            link.b = place[link.b];
        }
    }

    /// Find the tier of each switch: 0 for a switch that is not connected with any NIC port.
    void FindTiers(const Graph& graph)
    {
        auto& switches = m_content.switches;
        std::vector<uint32_t> order;
        for (const auto& nic : m_content.nics)
        {
            if (switches[nic.switchNumber].tier == 0)
            {
                switches[nic.switchNumber].tier = 1;
                order.push_back(nic.switchNumber);
            }
        }
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            for (const auto next :
                 boost::make_iterator_range(boost::adjacent_vertices(order[i], graph)))
            {
                if (switches[next].tier == 0)
                {
                    switches[next].tier = switches[order[i]].tier + 1;
                    order.push_back(static_cast<uint32_t>(next));
                }
            }
        }
    }

    FabricContent& m_content;
    std::vector<uint32_t> m_network; //!< by switch
};

using Json = nlohmann::json;

constexpr uint32_t MAX_PARALLEL = 1024;
constexpr std::size_t MAX_NAME = 64;

/// Reads the content of a file; the first error ends the reading.
class FabricReader
{
  public:
    /// @return an empty string, or one line with the place of the error
    std::string Read(const Json& json)
    {
        JsonObjectReader reader(json, "");
        reader.Read("domains", 1, 1 << 20, content.size.domains);
        reader.Read("gpusPerDomain", 1, 1024, content.size.gpusPerDomain);
        reader.Read("nicPorts", 1, 4, content.size.nicPorts);
        const Json* switches = reader.Find("switches");
        const Json* circuitSwitches = reader.Find("circuitSwitches");
        const Json* nics = reader.Find("nics");
        const Json* links = reader.Find("links");
        m_error = json.is_object() ? reader.GetError() : "the file must be an object {...}";
        content.hasCircuits = circuitSwitches != nullptr;
        if (m_error.empty() && circuitSwitches && (switches || links))
        {
            m_error = std::string(switches ? "switches" : "links") +
                      ": a file has circuitSwitches, one for each rail, or electrical switches";
        }
        ReadList(circuitSwitches ? circuitSwitches : switches,
                 circuitSwitches ? "circuitSwitches" : "switches",
                 FabricContent::MAX_SWITCHES,
                 [this](auto& one, auto& path) { ReadSwitch(one, path); });
        ReadList(nics, "nics", MAX_ENTRIES, [this](auto& one, auto& path) { ReadNics(one, path); });
        if (links)
        {
            ReadList(links, "links", MAX_ENTRIES, [this](auto& one, auto& path) {
                ReadLink(one, path);
            });
        }
        if (m_error.empty())
        {
            CheckAllJoined();
        }
        return m_error.empty() ? FabricNetworks(content).Arrange() : m_error;
    }

    FabricContent content;

  private:
    static constexpr uint32_t MAX_ENTRIES = 1 << 20;
    static constexpr uint32_t MAX_CIRCUIT_PORTS = 1 << 16; // of a switch

    /// Read each entry of an array, until there is an error.
    template <typename ReadEntry>
    void ReadList(const Json* list, const std::string& key, uint32_t most, ReadEntry&& readEntry)
    {
        if (!m_error.empty())
        {
            return;
        }
        const std::string rule = ": must be an array of 1 to " + std::to_string(most) + " entries";
        if (!list || !list->is_array() || list->empty() || list->size() > most)
        {
            m_error = key + (list ? "=" + JsonText::Quote(*list) : " is missing") + rule;
            return;
        }
        for (std::size_t i = 0; i < list->size() && m_error.empty(); ++i)
        {
            const std::string path = key + "[" + std::to_string(i) + "]";
            readEntry((*list)[i], path);
        }
    }

    /// Set the error, unless there is one already.
    void Fail(const std::string& error)
    {
        m_error = m_error.empty() ? error : m_error;
    }

    void Refuse(const std::string& path, const Json& value, const std::string& rule)
    {
        Fail(path + "=" + JsonText::Quote(value) + ": " + rule);
    }

    void ReadSwitch(const Json& json, const std::string& path)
    {
        const std::string name = json.is_string() ? json.get<std::string>() : "";
        const bool isPlain = std::all_of(name.begin(), name.end(), [](char c) {
            return c >= ' ' && c <= '~' && c != '"' && c != '\\';
        });
        if (name.empty() || name.size() > MAX_NAME || !isPlain)
        {
            Refuse(path, json, "must be a name of 1 to 64 printable ASCII characters");
            return;
        }
        const auto number = static_cast<uint32_t>(content.switches.size());
        if (!m_switches.emplace(name, number).second)
        {
            Refuse(path, json, "must be the name of one switch only");
            return;
        }
        content.switches.push_back({name});
    }

    /// @return a delay of whole picoseconds
    static Time ReadDelay(JsonObjectReader& reader)
    {
        double nanoseconds = 0;
        reader.Read("delay_ns", 0, 1e6, nanoseconds);
        return PicoSeconds(static_cast<int64_t>(std::llround(nanoseconds * 1000)));
    }

    /// @return the number of a switch; sets the error if there is none of that name
    uint32_t FindSwitch(const Json& json, const std::string& path)
    {
        const auto found =
            json.is_string() ? m_switches.find(json.get<std::string>()) : m_switches.end();
        if (found == m_switches.end())
        {
            Refuse(path, json, "must be the name of one of the switches");
            return 0;
        }
        return found->second;
    }

    /// @return whole numbers below a limit; all of them if there is no array
    std::vector<uint32_t> ReadNumbers(const Json* json, const std::string& path, uint32_t limit)
    {
        if (!json)
        {
            std::vector<uint32_t> all(limit);
            std::iota(all.begin(), all.end(), 0);
            return all;
        }
        const auto isAllowed = [limit](const Json& one) {
            return one.is_number_unsigned() && one.get<uint64_t>() < limit;
        };
        const bool isList = json->is_array() && !json->empty() && json->size() <= limit;
        if (!isList || !std::all_of(json->begin(), json->end(), isAllowed))
        {
            Refuse(path,
                   *json,
                   "must be an array of whole numbers, 0 to " + std::to_string(limit - 1));
            return {};
        }
        return json->get<std::vector<uint32_t>>();
    }

    void ReadNics(const Json& json, const std::string& path)
    {
        JsonObjectReader reader(json, path);
        const Json* name = reader.Find("switch");
        const Json* gpuList = reader.Find("gpus");
        const Json* portList = reader.Find("ports");
        const Json* circuitPorts = content.hasCircuits ? reader.Find("circuitPorts") : nullptr;
        std::optional<Time> delay;
        if (reader.Has("delay_ns"))
        {
            delay = ReadDelay(reader);
        }
        else
        {
            reader.Find("delay_ns"); // a known key
        }
        m_error = reader.GetError();
        if (m_error.empty() && (!name || !gpuList))
        {
            m_error = path + (name ? ".gpus" : ".switch") + " is missing";
        }
        if (!m_error.empty())
        {
            return;
        }
        const uint32_t on = FindSwitch(*name, path + ".switch");
        const auto gpus = ReadNumbers(gpuList, path + ".gpus", CountGpus());
        const auto ports = ReadNumbers(portList, path + ".ports", content.size.nicPorts);
        // Without numbers, the ports of a circuit switch are taken in the order of the file.
        const std::size_t fibers = gpus.size() * ports.size();
        std::vector<uint32_t> onSwitch;
        if (circuitPorts)
        {
            onSwitch = ReadNumbers(circuitPorts, path + ".circuitPorts", MAX_CIRCUIT_PORTS);
            if (onSwitch.size() != fibers)
            {
                Refuse(path + ".circuitPorts",
                       *circuitPorts,
                       "must have a number for each NIC port, " + std::to_string(fibers));
            }
        }
        for (std::size_t i = 0; i < fibers && m_error.empty(); ++i)
        {
            const uint32_t next = content.switches[on].ports;
            AddNic({gpus[i / ports.size()],
                    ports[i % ports.size()],
                    on,
                    delay,
                    onSwitch.empty() ? next : onSwitch[i]},
                   path);
        }
    }

    void AddNic(const FabricContent::NicLink& nic, const std::string& path)
    {
        if (!m_nics.emplace(nic.gpu, nic.port).second)
        {
            Fail(path + ": port " + std::to_string(nic.port) + " of GPU " +
                 std::to_string(nic.gpu) + " has a link already");
        }
        if (content.hasCircuits &&
            !m_circuitPorts.emplace(nic.switchNumber, nic.circuitPort).second)
        {
            Fail(path + ": port " + std::to_string(nic.circuitPort) + " of switch " +
                 content.switches[nic.switchNumber].name + " has a fiber already");
        }
        content.nics.push_back(nic);
        ++content.switches[nic.switchNumber].ports;
    }

    void ReadLink(const Json& json, const std::string& path)
    {
        JsonObjectReader reader(json, path);
        const Json* ends = reader.Find("switches");
        FabricContent::SwitchLink link{0, 0, 1, 0, Time()};
        reader.Read("rate_gbps", 1, 1e5, link.rate);
        link.delay = ReadDelay(reader);
        reader.Read("count", 1, MAX_PARALLEL, link.count);
        m_error = reader.GetError();
        if (m_error.empty() && (!ends || !ends->is_array() || ends->size() != 2))
        {
            m_error = path + ".switches" + (ends ? "=" + JsonText::Quote(*ends) : " is missing") +
                      ": must be an array of the names of two switches";
        }
        if (!m_error.empty())
        {
            return;
        }
        link.a = FindSwitch((*ends)[0], path + ".switches[0]");
        link.b = FindSwitch((*ends)[1], path + ".switches[1]");
        if (link.a == link.b)
        {
            Fail(path + ".switches: a link joins two different switches");
        }
        m_linkCount += link.count;
        if (m_linkCount > FabricContent::MAX_LINKS)
        {
            Fail(path + ": there are more than " + std::to_string(FabricContent::MAX_LINKS) +
                 " links between switches");
        }
        content.links.push_back(link);
        content.switches[link.a].ports += link.count;
        content.switches[link.b].ports += link.count;
    }

    uint32_t CountGpus() const
    {
        return static_cast<uint32_t>(
            std::min<uint64_t>(uint64_t{content.size.domains} * content.size.gpusPerDomain,
                               1 << 24));
    }

    /// Check that each NIC port has a link.
    void CheckAllJoined()
    {
        const uint64_t ports =
            uint64_t{content.size.domains} * content.size.gpusPerDomain * content.size.nicPorts;
        if (m_nics.size() == ports)
        {
            return;
        }
        uint32_t gpu = 0; // of the first NIC port without a link
        uint32_t port = 0;
        while (m_nics.count({gpu, port}) > 0)
        {
            port = (port + 1) % content.size.nicPorts;
            gpu += port == 0 ? 1 : 0;
        }
        m_error = "nics: " + std::to_string(m_nics.size()) + " of " + std::to_string(ports) +
                  " NIC ports have a link, port " + std::to_string(port) + " of GPU " +
                  std::to_string(gpu) + " has none";
    }

    std::string m_error;
    std::map<std::string, uint32_t> m_switches;             //!< by name
    std::set<std::pair<uint32_t, uint32_t>> m_nics;         //!< GPUs and ports with a link
    std::set<std::pair<uint32_t, uint32_t>> m_circuitPorts; //!< switches and ports with a fiber
    uint64_t m_linkCount{0};
};

} // namespace

std::string
FabricSize::Check(const std::string& name, const FabricSize& cluster) const
{
    const auto print = [](const FabricSize& one) {
        return std::to_string(one.domains) + " domains of " + std::to_string(one.gpusPerDomain) +
               " GPUs with " + std::to_string(one.nicPorts) + " NIC ports each";
    };
    const bool fits = domains == cluster.domains && gpusPerDomain == cluster.gpusPerDomain &&
                      nicPorts == cluster.nicPorts;
    return fits ? "" : name + " is for " + print(*this) + ", not for " + print(cluster);
}

bool
FabricContent::IsFile(const std::string& name)
{
    return HasEnding(name, ".json");
}

std::optional<FabricContent>
FabricContent::Read(const std::string& path, std::string& error)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(MAX_BYTES + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad() || (file.fail() && !file.eof()))
    {
        error = "the file cannot be read";
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return Parse(text, path, error);
}

std::optional<FabricContent>
FabricContent::Parse(const std::string& text, const std::string& name, std::string& error)
{
    Json json;
    FabricReader reader;
    error = JsonText::Parse(text, json, MAX_BYTES);
    error = error.empty() ? reader.Read(json) : error;
    if (!error.empty())
    {
        return std::nullopt;
    }
    reader.content.name = name;
    return std::move(reader.content);
}

uint32_t
FabricFile::GetDefaultRadix(const FabricSpec&) const
{
    uint32_t most = 0;
    for (const auto& one : m_content.switches)
    {
        most = std::max(most, one.ports);
    }
    return most;
}

FabricPlan
FabricFile::DoMakePlan(const FabricSpec& spec) const
{
    FabricPlan plan;
    plan.error = m_content.size.Check(GetName(), {spec.domains, spec.gpusPerDomain, spec.nicPorts});
    if (!plan.error.empty())
    {
        return plan;
    }
    FabricTopology& topology = plan.topology;
    for (const auto& nic : m_content.nics)
    {
        topology.AddHost(nic.gpu, nic.port);
    }
    for (const auto& one : m_content.switches)
    {
        topology.AddSwitch(one.tier, one.name);
    }
    for (uint32_t host = 0; host < m_content.nics.size(); ++host)
    {
        const auto& nic = m_content.nics[host];
        topology.Join(host,
                      topology.GetEnd(nic.switchNumber),
                      1,
                      spec.portRate,
                      nic.delay.value_or(spec.hostDelay));
    }
    for (const auto& link : m_content.links)
    {
        const bool isUpward = m_content.switches[link.a].tier <= m_content.switches[link.b].tier;
        topology.Join(topology.GetEnd(isUpward ? link.a : link.b),
                      topology.GetEnd(isUpward ? link.b : link.a),
                      link.count,
                      DataRate(static_cast<uint64_t>(std::llround(link.rate * 1e9))),
                      link.delay);
    }
    return plan;
}

CircuitCabling::CircuitCabling(const FabricContent& content)
    : m_name(content.name),
      m_size(content.size),
      m_fibers(content.nics.size())
{
    for (const auto& nic : content.nics)
    {
        Fiber& fiber = m_fibers[std::size_t{nic.gpu} * m_size.nicPorts + nic.port];
        fiber.ocsPort = nic.circuitPort;
        fiber.delay = nic.delay;
    }
}

uint32_t
CircuitCabling::GetOcsPorts() const
{
    uint32_t ports = 0;
    for (const Fiber& fiber : m_fibers)
    {
        ports = std::max(ports, fiber.ocsPort + 1);
    }
    return ports;
}

std::vector<std::set<uint32_t>>
CircuitCabling::ListOcsPorts() const
{
    std::vector<std::set<uint32_t>> ports(m_size.gpusPerDomain);
    for (std::size_t i = 0; i < m_fibers.size(); ++i)
    {
        ports[i / m_size.nicPorts % m_size.gpusPerDomain].insert(m_fibers[i].ocsPort);
    }
    return ports;
}

Time
CircuitCabling::GetLongestDelay(Time initial) const
{
    Time longest;
    for (const Fiber& fiber : m_fibers)
    {
        longest = Max(longest, fiber.delay.value_or(initial));
    }
    return longest;
}

} // namespace ns3
