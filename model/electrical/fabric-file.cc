// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-file.h"

#include "ns3/json-reader.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace ns3
{

namespace
{

using Json = nlohmann::json;

constexpr double MAX_DELAY_NS = 1e6;
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
        reader.Read("domains", 1, 1 << 20, content.domains);
        reader.Read("gpusPerDomain", 1, 1024, content.gpusPerDomain);
        reader.Read("nicPorts", 1, 4, content.nicPorts);
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
                 FabricFile::MAX_SWITCHES,
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
        if (m_error.empty())
        {
            SortSwitches();
        }
        return m_error;
    }

    FabricFile::Content content;

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

    void Refuse(const std::string& path, const Json& value, const std::string& rule)
    {
        m_error = path + "=" + JsonText::Quote(value) + ": " + rule;
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
        content.switches.emplace_back();
        content.switches.back().name = name;
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
        std::vector<uint32_t> numbers;
        if (!json)
        {
            for (uint32_t i = 0; i < limit; ++i)
            {
                numbers.push_back(i);
            }
            return numbers;
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
            return numbers;
        }
        for (const auto& one : *json)
        {
            numbers.push_back(one.get<uint32_t>());
        }
        return numbers;
    }

    void ReadNics(const Json& json, const std::string& path)
    {
        JsonObjectReader reader(json, path);
        const Json* name = reader.Find("switch");
        const Json* gpuList = reader.Find("gpus");
        const Json* portList = reader.Find("ports");
        const Json* circuitPorts = content.hasCircuits ? reader.Find("circuitPorts") : nullptr;
        double delay = -1;
        if (reader.Has("delay_ns"))
        {
            reader.Read("delay_ns", 0, MAX_DELAY_NS, delay);
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
        const auto gpus = m_error.empty() ? ReadNumbers(gpuList, path + ".gpus", CountGpus())
                                          : std::vector<uint32_t>();
        const auto ports = m_error.empty()
                               ? ReadNumbers(portList, path + ".ports", content.nicPorts)
                               : std::vector<uint32_t>();
        // Without numbers, the ports of a circuit switch are taken in the order of the file.
        const std::size_t fibres = gpus.size() * ports.size();
        std::vector<uint32_t> onSwitch;
        if (m_error.empty() && circuitPorts)
        {
            onSwitch = ReadNumbers(circuitPorts, path + ".circuitPorts", MAX_CIRCUIT_PORTS);
        }
        if (m_error.empty() && circuitPorts && onSwitch.size() != fibres)
        {
            Refuse(path + ".circuitPorts",
                   *circuitPorts,
                   "must have a number for each NIC port, " + std::to_string(fibres));
        }
        for (std::size_t i = 0; i < fibres && m_error.empty(); ++i)
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

    void AddNic(const FabricFile::NicLink& nic, const std::string& path)
    {
        if (m_error.empty() && !m_nics.emplace(nic.gpu, nic.port).second)
        {
            m_error = path + ": port " + std::to_string(nic.port) + " of GPU " +
                      std::to_string(nic.gpu) + " has a link already";
        }
        if (m_error.empty() && content.hasCircuits &&
            !m_circuitPorts.emplace(nic.switchNumber, nic.circuitPort).second)
        {
            m_error = path + ": port " + std::to_string(nic.circuitPort) + " of switch " +
                      content.switches[nic.switchNumber].name + " has a fibre already";
        }
        content.nics.push_back(nic);
        ++content.switches[nic.switchNumber].ports;
    }

    void ReadLink(const Json& json, const std::string& path)
    {
        JsonObjectReader reader(json, path);
        const Json* ends = reader.Find("switches");
        FabricFile::SwitchLink link{0, 0, 1, 0, 0};
        reader.Read("rate_gbps", 1, 1e5, link.rate);
        reader.Read("delay_ns", 0, MAX_DELAY_NS, link.delay);
        reader.Read("count", 1, MAX_PARALLEL, link.count);
        m_error = reader.GetError();
        if (m_error.empty() && (!ends || !ends->is_array() || ends->size() != 2))
        {
            m_error = path + ".switches" + (ends ? "=" + JsonText::Quote(*ends) : " is missing") +
                      ": must be an array of the names of two switches";
        }
        if (m_error.empty())
        {
            link.a = FindSwitch((*ends)[0], path + ".switches[0]");
        }
        if (m_error.empty())
        {
            link.b = FindSwitch((*ends)[1], path + ".switches[1]");
        }
        if (m_error.empty() && link.a == link.b)
        {
            m_error = path + ".switches: a link joins two different switches";
        }
        m_linkCount += link.count;
        if (m_error.empty() && m_linkCount > FabricFile::MAX_LINKS)
        {
            m_error = path + ": there are more than " + std::to_string(FabricFile::MAX_LINKS) +
                      " links between switches";
        }
        content.links.push_back(link);
        content.switches[link.a].ports += link.count;
        content.switches[link.b].ports += link.count;
    }

    uint32_t CountGpus() const
    {
        return static_cast<uint32_t>(
            std::min<uint64_t>(uint64_t{content.domains} * content.gpusPerDomain, 1 << 24));
    }

    /// Check that each NIC port has a link, and that the right ones are connected.
    void CheckAllJoined()
    {
        const uint64_t ports = uint64_t{content.domains} * content.gpusPerDomain * content.nicPorts;
        if (m_nics.size() != ports)
        {
            m_error = "nics: " + std::to_string(m_nics.size()) + " of " + std::to_string(ports) +
                      " NIC ports have a link" + NameMissing();
            return;
        }
        FindTiers();
        for (const auto& one : content.switches)
        {
            if (one.tier == 0)
            {
                m_error = "links: switch " + one.name + " is not connected with any NIC port";
                return;
            }
        }
        CheckRails();
    }

    /// @return the first NIC port without a link, for an error
    std::string NameMissing() const
    {
        for (uint32_t gpu = 0; gpu < CountGpus(); ++gpu)
        {
            for (uint32_t port = 0; port < content.nicPorts; ++port)
            {
                if (m_nics.count({gpu, port}) == 0)
                {
                    return ", port " + std::to_string(port) + " of GPU " + std::to_string(gpu) +
                           " has none";
                }
            }
        }
        return "";
    }

    /// Find the tier and the connected network of each switch.
    void FindTiers()
    {
        auto& switches = content.switches;
        std::vector<std::vector<uint32_t>> neighbours(switches.size());
        for (const auto& link : content.links)
        {
            neighbours[link.a].push_back(link.b);
            neighbours[link.b].push_back(link.a);
        }
        std::vector<uint32_t> order;
        for (const auto& nic : content.nics)
        {
            if (switches[nic.switchNumber].tier == 0)
            {
                switches[nic.switchNumber].tier = 1;
                order.push_back(nic.switchNumber);
            }
        }
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            for (const uint32_t next : neighbours[order[i]])
            {
                if (switches[next].tier == 0)
                {
                    switches[next].tier = switches[order[i]].tier + 1;
                    order.push_back(next);
                }
            }
        }
        NumberComponents(neighbours);
    }

    void NumberComponents(const std::vector<std::vector<uint32_t>>& neighbours)
    {
        auto& switches = content.switches;
        for (uint32_t first = 0; first < switches.size(); ++first)
        {
            if (switches[first].component > 0)
            {
                continue;
            }
            switches[first].component = ++m_components;
            std::vector<uint32_t> order{first};
            for (std::size_t i = 0; i < order.size(); ++i)
            {
                for (const uint32_t next : neighbours[order[i]])
                {
                    if (switches[next].component == 0)
                    {
                        switches[next].component = m_components;
                        order.push_back(next);
                    }
                }
            }
        }
    }

    /// Check that one network has all NIC ports, or that each rail has a network of its own.
    void CheckRails()
    {
        content.joinsRails = m_components == 1 && !content.hasCircuits;
        std::map<uint32_t, uint32_t> railOf;    // by network
        std::map<uint32_t, uint32_t> networkOf; // by rail
        for (const auto& nic : content.nics)
        {
            const uint32_t rail = nic.gpu % content.gpusPerDomain;
            const uint32_t network = content.switches[nic.switchNumber].component;
            const bool fits = railOf.emplace(network, rail).first->second == rail &&
                              networkOf.emplace(rail, network).first->second == network;
            if (!content.joinsRails && !fits)
            {
                m_error =
                    "links: port " + std::to_string(nic.port) + " of GPU " +
                    std::to_string(nic.gpu) + " on switch " +
                    content.switches[nic.switchNumber].name +
                    (content.hasCircuits
                         ? ": all NIC ports of a rail lead to one circuit switch, and no others do"
                         : ": NIC ports must all be connected, or those of each rail with "
                           "each other only");
                return;
            }
        }
    }

    /// Order the switches by rail, if each has a network of its own, and by tier.
    void SortSwitches()
    {
        for (const auto& nic : content.nics)
        {
            const uint32_t rail = content.joinsRails ? 0 : nic.gpu % content.gpusPerDomain;
            m_railOf[content.switches[nic.switchNumber].component] = rail;
        }
        std::vector<uint32_t> order;
        for (uint32_t number = 0; number < content.switches.size(); ++number)
        {
            content.switches[number].component = m_railOf[content.switches[number].component];
            order.push_back(number);
        }
        std::stable_sort(order.begin(), order.end(), [this](uint32_t x, uint32_t y) {
            const auto& one = content.switches[x];
            const auto& other = content.switches[y];
            return std::tie(one.component, one.tier) < std::tie(other.component, other.tier);
        });
        std::vector<FabricFile::Switch> sorted;
        std::vector<uint32_t> place(order.size());
        for (const uint32_t number : order)
        {
            place[number] = static_cast<uint32_t>(sorted.size());
            sorted.push_back(content.switches[number]);
        }
        content.switches = std::move(sorted);
        for (auto& nic : content.nics)
        {
            nic.switchNumber = place[nic.switchNumber];
        }
        for (auto& link : content.links)
        {
            link.a = place[link.a];
            link.b = place[link.b];
        }
    }

    std::string m_error;
    std::map<uint32_t, uint32_t> m_railOf;                  //!< by connected network
    std::map<std::string, uint32_t> m_switches;             //!< by name
    std::set<std::pair<uint32_t, uint32_t>> m_nics;         //!< GPUs and ports with a link
    std::set<std::pair<uint32_t, uint32_t>> m_circuitPorts; //!< switches and ports with a fibre
    uint64_t m_linkCount{0};
    uint32_t m_components{0};
};

/// @return a time from a number of nanoseconds
Time
ToTime(double nanoseconds)
{
    return PicoSeconds(static_cast<int64_t>(std::llround(nanoseconds * 1000)));
}

} // namespace

bool
FabricFile::IsFile(const std::string& name)
{
    const std::string ending = ".json";
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

Ptr<const FabricFile>
FabricFile::Read(const std::string& path, std::string& error)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(MAX_BYTES + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad() || (file.fail() && !file.eof()))
    {
        error = "the file cannot be read";
        return nullptr;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return Parse(text, path, error);
}

Ptr<const FabricFile>
FabricFile::Parse(const std::string& text, const std::string& name, std::string& error)
{
    Json json;
    FabricReader reader;
    error = JsonText::Parse(text, json, MAX_BYTES);
    error = error.empty() ? reader.Read(json) : error;
    if (!error.empty())
    {
        return nullptr;
    }
    auto fabric = CreateObject<FabricFile>();
    fabric->m_name = name;
    fabric->m_content = std::move(reader.content);
    return fabric;
}

std::shared_ptr<const CircuitCabling>
FabricFile::GetCabling() const
{
    if (!m_content.hasCircuits)
    {
        return nullptr;
    }
    std::vector<CircuitCabling::Fibre> fibres(m_content.nics.size());
    for (const NicLink& nic : m_content.nics)
    {
        auto& fibre = fibres[std::size_t{nic.gpu} * m_content.nicPorts + nic.port];
        fibre.ocsPort = nic.circuitPort;
        if (nic.delay >= 0)
        {
            fibre.delay = ToTime(nic.delay);
        }
    }
    return std::make_shared<const CircuitCabling>(m_name,
                                                  m_content.gpusPerDomain,
                                                  m_content.nicPorts,
                                                  std::move(fibres));
}

std::string
FabricFile::GetName() const
{
    return m_name;
}

std::string
FabricFile::Describe() const
{
    return "the fabric of " + m_name;
}

bool
FabricFile::JoinsRails() const
{
    return m_content.joinsRails;
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
    if (spec.domains != m_content.domains || spec.gpusPerDomain != m_content.gpusPerDomain ||
        spec.nicPorts != m_content.nicPorts)
    {
        const auto print = [](const auto& one) {
            return std::to_string(one.domains) + " domains of " +
                   std::to_string(one.gpusPerDomain) + " GPUs with " +
                   std::to_string(one.nicPorts) + " NIC ports each";
        };
        plan.error = m_name + " is for " + print(m_content) + ", not for " + print(spec);
        return plan;
    }
    // The hosts behind a switch are a range, and those of a network.
    std::vector<const NicLink*> nics;
    for (const auto& nic : m_content.nics)
    {
        nics.push_back(&nic);
    }
    std::sort(nics.begin(), nics.end(), [this](const NicLink* x, const NicLink* y) {
        const auto getKey = [this](const NicLink& nic) {
            return std::make_tuple(m_content.switches[nic.switchNumber].component,
                                   nic.switchNumber,
                                   nic.gpu,
                                   nic.port);
        };
        return getKey(*x) < getKey(*y);
    });
    FabricTopology& topology = plan.topology;
    for (const auto* nic : nics)
    {
        topology.AddHost(nic->gpu, nic->port);
    }
    for (const auto& one : m_content.switches)
    {
        topology.AddSwitch(one.tier, one.name);
    }
    for (uint32_t host = 0; host < nics.size(); ++host)
    {
        const NicLink& nic = *nics[host];
        topology.Join(host,
                      topology.GetEnd(nic.switchNumber),
                      1,
                      spec.portRate,
                      nic.delay < 0 ? spec.hostDelay : ToTime(nic.delay));
    }
    for (const auto& link : m_content.links)
    {
        const bool isUpward = m_content.switches[link.a].tier <= m_content.switches[link.b].tier;
        topology.Join(topology.GetEnd(isUpward ? link.a : link.b),
                      topology.GetEnd(isUpward ? link.b : link.a),
                      link.count,
                      DataRate(static_cast<uint64_t>(std::llround(link.rate * 1e9))),
                      ToTime(link.delay));
    }
    return plan;
}

} // namespace ns3
