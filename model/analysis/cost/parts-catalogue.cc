// SPDX-License-Identifier: GPL-2.0-only

#include "parts-catalogue.h"

#include "ns3/json-reader.h"
#include "ns3/report-table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

/// Names of kinds, in the order of NetworkPart::Kind.
const std::vector<std::string> KINDS{"transceiver", "switch", "ocs"};

/// @return true if the text is a year, a month or a day
bool
IsDate(const std::string& text)
{
    const std::string form = std::string("0000-00-00").substr(0, text.size());
    const bool isWhole = text.size() == 4 || text.size() == 7 || text.size() == 10;
    return isWhole && std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
               return f == '0' ? c >= '0' && c <= '9' : c == f;
           });
}

/// @return an empty string, or the rule that a text of the part breaks
std::string
CheckTexts(const NetworkPart& part, const JsonObjectReader& reader)
{
    const auto isOfName = [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               c == '.' || c == '_' || c == '-';
    };
    const auto isControl = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    const auto& name = part.name;
    if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), isOfName))
    {
        return reader.GetPath("name") + "=" + JsonText::Quote(name) +
               ": must be 1 to 64 letters, digits, dots, underscores or hyphens";
    }
    const auto& source = part.source;
    if (source.empty() || source.size() > PartsCatalogue::MAX_TEXT ||
        std::any_of(source.begin(), source.end(), isControl))
    {
        return reader.GetPath("source") + "=" + JsonText::Quote(source) + ": must be 1 to " +
               std::to_string(PartsCatalogue::MAX_TEXT) + " characters on one line";
    }
    if (!IsDate(part.date))
    {
        return reader.GetPath("date") + "=" + JsonText::Quote(part.date) +
               ": must be a date such as 2026, 2026-02 or 2026-02-13";
    }
    return "";
}

/**
 * @param value the object
 * @param path name of the object in errors
 * @param part gets the values of the object
 * @return an empty string or one line
 */
std::string
ReadPart(const nlohmann::json& value, const std::string& path, NetworkPart& part)
{
    JsonObjectReader reader(value, path);
    reader.Read("name", part.name);
    std::size_t kind = KINDS.size();
    const bool isKind = reader.Has("kind") && reader.Read("kind", KINDS, kind);
    if (!isKind)
    {
        return reader.GetComplaint().empty()
                   ? reader.GetPath("kind") + " is missing: must be \"" + KINDS[0] + "\", \"" +
                         KINDS[1] + "\" or \"" + KINDS[2] + "\""
                   : reader.GetComplaint();
    }
    part.kind = static_cast<NetworkPart::Kind>(kind);
    reader.Read("ports", 1, PartsCatalogue::MAX_PORTS, part.ports);
    if (part.kind != NetworkPart::Kind::OCS)
    {
        reader.Read("gbps", 1, PartsCatalogue::MAX_GBPS, part.gbps);
    }
    reader.Read("price_usd", 0, PartsCatalogue::MAX_USD, part.usd);
    reader.Read("watts", 0, PartsCatalogue::MAX_WATTS, part.watts);
    reader.Read("source", part.source);
    reader.Read("date", part.date);
    const std::string error = reader.GetError();
    return error.empty() ? CheckTexts(part, reader) : error;
}

/// @return as Parse
std::string
ReadParts(const nlohmann::json& json, std::vector<NetworkPart>& parts)
{
    if (!json.is_object())
    {
        return "catalogue=" + JsonText::Quote(json) + ": must be an object {\"parts\": [...]}";
    }
    JsonObjectReader reader(json, "");
    const auto* list = reader.Find("parts");
    if (const std::string error = reader.GetError(); !error.empty())
    {
        return error;
    }
    const std::string rule =
        ": must be an array of 1 to " + std::to_string(PartsCatalogue::MAX_PARTS) + " objects";
    if (!list)
    {
        return "parts is missing" + rule;
    }
    if (!list->is_array() || list->empty() || list->size() > PartsCatalogue::MAX_PARTS)
    {
        return "parts=" + JsonText::Quote(*list) + rule;
    }
    for (std::size_t i = 0; i < list->size(); ++i)
    {
        NetworkPart part;
        const std::string path = "parts[" + std::to_string(i) + "]";
        if (const std::string error = ReadPart((*list)[i], path, part); !error.empty())
        {
            return error;
        }
        const auto& name = part.name;
        if (std::any_of(parts.begin(), parts.end(), [&name](const NetworkPart& other) {
                return other.name == name;
            }))
        {
            return path + ".name=\"" + part.name + "\": must be the name of one part only";
        }
        parts.push_back(std::move(part));
    }
    return "";
}

} // namespace

std::string
PartsCatalogue::Parse(const std::string& text, PartsCatalogue& catalogue)
{
    nlohmann::json json;
    std::string error = JsonText::Parse(text, json);
    std::vector<NetworkPart> parts;
    error = error.empty() ? ReadParts(json, parts) : error;
    if (error.empty())
    {
        catalogue.m_parts = std::move(parts);
    }
    return error;
}

const PartsCatalogue&
PartsCatalogue::GetDefault()
{
    using Kind = NetworkPart::Kind;
    static const PartsCatalogue catalogue = [] {
        // None of these figures was checked with the vendors.
        const std::string as = "as in the script of the cost figure published with arXiv "
                               "2602.12521, which names ";
        const std::string optics = as + "www.fs.com/products/229253.html";
        const std::string power400 = " (price) and www.fs.com/products/110530.html "
                                     "(power: 400GBASE-XDR4 QSFP-DD)";
        const std::string tomahawk = as + "www.fs.com/products/149853.html (FS N9510-64D, "
                                          "Tomahawk 4)";
        const std::string quantum =
            as + "NVIDIA Quantum-X800 Q3400-RA: www.naddod.com/products/nvidia-networking/102612 "
                 "(price) and docs.nvidia.com/networking/display/xdrswitcheshwum/specifications "
                 "(power, with active cables)";
        const std::string polatis = as + "Polatis 6000n (75 W for 192 ports); 520 USD a port, for "
                                         "which it names no source";
        const std::string date = "2026-02";
        PartsCatalogue made;
        made.m_parts = {
            {"transceiver-400g", Kind::TRANSCEIVER, 1, 400, 879, 10, optics + power400, date},
            {"switch-400g", Kind::SWITCH, 64, 400, 37299, 2524, tomahawk, date},
            {"transceiver-800g", Kind::TRANSCEIVER, 1, 800, 879, 16, optics, date},
            {"switch-800g", Kind::SWITCH, 144, 800, 149939, 7000, quantum, date},
            {"ocs-port", Kind::OCS, 192, 0, 192 * 520.0, 75, polatis, date},
        };
        return made;
    }();
    return catalogue;
}

std::string
PartsCatalogue::ToText() const
{
    const auto getRate = [](const NetworkPart& part) {
        return part.kind == NetworkPart::Kind::OCS ? std::nullopt : std::optional(part.gbps);
    };
    const ReportTable<NetworkPart> table{
        {"name", "", &NetworkPart::name},
        {"kind", "", [](const NetworkPart& part) { return ToString(part.kind); }},
        {"ports", "ports", &NetworkPart::ports},
        {"gbps", "Gbit/s", getRate},
        {"price_usd", "USD", &NetworkPart::usd},
        {"watts", "W", &NetworkPart::watts},
        {"source", "", &NetworkPart::source},
        {"date", "", &NetworkPart::date},
    };
    std::ostringstream text;
    ReportValue(ReportValue::Object{{"parts", table.Make(m_parts)}}).WriteJson(text);
    return text.str() + "\n";
}

std::string
PartsCatalogue::Select(uint32_t gbps, NetworkParts& parts) const
{
    using Kind = NetworkPart::Kind;
    NetworkParts found;
    NetworkPart* places[] = {&found.transceiver, &found.packetSwitch, &found.ocs};
    for (std::size_t kind = 0; kind < KINDS.size(); ++kind)
    {
        const bool isOcs = static_cast<Kind>(kind) == Kind::OCS;
        const auto part =
            std::find_if(m_parts.begin(), m_parts.end(), [kind, isOcs, gbps](const auto& one) {
                return one.kind == static_cast<Kind>(kind) && (isOcs || one.gbps == gbps);
            });
        if (part == m_parts.end())
        {
            return "there is no " + KINDS[kind] +
                   (isOcs ? "" : " of " + std::to_string(gbps) + " Gbit/s") +
                   " among the parts: must be one of each kind";
        }
        *places[kind] = *part;
    }
    parts = found;
    return "";
}

uint32_t
PartsCatalogue::FindRate(uint32_t gbps) const
{
    uint32_t least = 0;
    NetworkParts parts;
    for (const auto& part : m_parts)
    {
        const bool isBetter = part.gbps >= gbps && (least == 0 || part.gbps < least);
        if (part.gbps > 0 && isBetter && Select(part.gbps, parts).empty())
        {
            least = part.gbps;
        }
    }
    return least;
}

std::string
ToString(NetworkPart::Kind kind)
{
    return KINDS[static_cast<std::size_t>(kind)];
}

} // namespace ns3
