// SPDX-License-Identifier: GPL-2.0-only

#include "fault-plan.h"

#include "ns3/fabric-topology.h"
#include "ns3/flag-parser.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

/// What differs between the kinds of faults.
struct KindEntry
{
    FaultKind kind;
    const char* form; //!< of the target; with a port if there is a slash, unless it has a name
    uint32_t FaultScope::*components; //!< none: parts of an electrical fabric, with names
    uint32_t FaultScope::*ports;
    bool isOpus; //!< only with photonic rails
};

const KindEntry KINDS[] = {
    {FaultKind::OCS, "SWITCH", &FaultScope::switches, nullptr, true},
    {FaultKind::OCS_PORT, "SWITCH/PORT", &FaultScope::switches, &FaultScope::switchPorts, true},
    {FaultKind::NIC_PORT, "GPU/PORT", &FaultScope::gpus, &FaultScope::nicPorts, false},
    {FaultKind::GPU, "GPU", &FaultScope::gpus, nullptr, false},
    {FaultKind::SHIM, "GPU", &FaultScope::gpus, nullptr, true},
    {FaultKind::LINK, "NAME/NAME", nullptr, nullptr, false},
    {FaultKind::SWITCH, "NAME", nullptr, nullptr, false},
};

const KindEntry&
GetEntry(FaultKind kind)
{
    return *std::find_if(std::begin(KINDS), std::end(KINDS), [kind](const KindEntry& entry) {
        return entry.kind == kind;
    });
}

/// The fields of KIND:SUBJECT\@TIME[+DURATION].
struct FaultEntry
{
    FaultKind kind;
    std::string subject;
    Time time;
    Time duration;
};

/// @return the fields, if the text is well formed
std::optional<FaultEntry>
SplitEntry(const std::string& text)
{
    const auto colon = text.find(':');
    const auto sign = text.find('@');
    if (colon == std::string::npos || sign == std::string::npos || sign < colon)
    {
        return std::nullopt;
    }
    std::string time = text.substr(sign + 1);
    std::optional<Time> duration = Time(0);
    // A plus sign may also belong to an exponent.
    for (auto plus = time.find('+'); plus != std::string::npos; plus = time.find('+', plus + 1))
    {
        if (plus == 0 || (time[plus - 1] != 'e' && time[plus - 1] != 'E'))
        {
            duration =
                FlagParser::ParseTime(time.substr(plus + 1), Seconds(FaultPlan::MOST_SECONDS));
            if (!duration || duration->IsZero())
            {
                return std::nullopt;
            }
            time.resize(plus);
            break;
        }
    }
    const auto kind = FindFaultKind(text.substr(0, colon));
    const auto at = FlagParser::ParseTime(time, Seconds(FaultPlan::MOST_SECONDS));
    if (!kind || !at || (*kind == FaultKind::GPU && !duration->IsZero()))
    {
        return std::nullopt;
    }
    return FaultEntry{*kind, text.substr(colon + 1, sign - colon - 1), *at, *duration};
}

/// @return "0 to 3" for a bound of 4, "0" for a bound of 1
std::string
Range(uint32_t bound)
{
    return bound == 1 ? "0" : "0 to " + std::to_string(bound - 1);
}

/// @return the first numbers, as many as fit a line
std::string
ListSome(const std::set<uint32_t>& numbers)
{
    constexpr std::size_t MOST = 32;
    std::vector<std::string> words;
    for (const uint32_t number : numbers)
    {
        words.push_back(words.size() < MOST ? std::to_string(number) : "...");
    }
    words.resize(std::min(words.size(), MOST + 1));
    return FlagParser::List(words);
}

} // namespace

std::string
Fault::GetTarget() const
{
    if (!name.empty())
    {
        return name;
    }
    return std::to_string(component) + (GetEntry(kind).ports ? "/" + std::to_string(port) : "");
}

uint64_t
FaultScope::Count(FaultKind kind) const
{
    const KindEntry& entry = GetEntry(kind);
    if (!entry.components)
    {
        return !fabric                   ? 0
               : kind == FaultKind::LINK ? fabric->CountLinks()
                                         : fabric->CountSwitches();
    }
    if (entry.isOpus && fabric)
    {
        return 0;
    }
    const uint64_t components = this->*entry.components;
    return entry.ports ? components * this->*entry.ports : components;
}

Fault
FaultScope::Get(FaultKind kind, uint64_t index) const
{
    const KindEntry& entry = GetEntry(kind);
    const auto number = static_cast<uint32_t>(index);
    const uint32_t ports = entry.ports ? this->*entry.ports : 1;
    Fault fault;
    fault.kind = kind;
    fault.component = number / ports;
    fault.port = number % ports;
    if (const auto* cabled = FindCabled(kind, fault.component))
    {
        fault.port = *std::next(cabled->begin(), fault.port);
    }
    if (kind == FaultKind::LINK)
    {
        fault.component = fabric->GetLink(number);
        fault.name = fabric->GetLinkName(fault.component);
    }
    else if (kind == FaultKind::SWITCH)
    {
        fault.name = fabric->GetSwitchName(number);
    }
    return fault;
}

std::optional<Fault>
FaultScope::Find(FaultKind kind, const std::string& target) const
{
    const KindEntry& entry = GetEntry(kind);
    if (Count(kind) == 0)
    {
        return std::nullopt;
    }
    Fault fault;
    fault.kind = kind;
    if (!entry.components)
    {
        const bool isLink = kind == FaultKind::LINK;
        const auto found = isLink ? fabric->FindLink(target) : fabric->FindSwitch(target);
        if (!found)
        {
            return std::nullopt;
        }
        fault.component = *found;
        fault.name = isLink ? fabric->GetLinkName(*found) : fabric->GetSwitchName(*found);
        return fault;
    }
    const std::size_t slash = target.find('/');
    const bool hasPort = slash != std::string::npos;
    const auto component = FlagParser::ParseCount(target.substr(0, slash));
    const auto port = FlagParser::ParseCount(hasPort ? target.substr(slash + 1) : "0");
    if (!component || !port || *component >= this->*entry.components ||
        hasPort != (entry.ports != nullptr))
    {
        return std::nullopt;
    }
    const auto* cabled = FindCabled(kind, *component);
    if (hasPort && !(cabled ? cabled->count(*port) > 0 : *port < this->*entry.ports))
    {
        return std::nullopt;
    }
    fault.component = *component;
    fault.port = *port;
    return fault;
}

const std::set<uint32_t>*
FaultScope::FindCabled(FaultKind kind, uint32_t component) const
{
    const bool isCabled = kind == FaultKind::OCS_PORT && component < cabledPorts.size();
    return isCabled ? &cabledPorts[component] : nullptr;
}

std::string
FaultScope::Describe() const
{
    std::vector<std::string> kinds;
    for (const FaultKind kind : GetFaultKinds())
    {
        if (Count(kind) > 0)
        {
            kinds.push_back(ToString(kind));
        }
    }
    std::string text = "kinds " + FlagParser::List(kinds) + "; ";
    if (switches > 0 && !fabric)
    {
        text += "switches " + Range(switches) + ", their ports " +
                (cabledPorts.empty() ? Range(switchPorts)
                                     : "as in the file, of switch 0: " + ListSome(cabledPorts[0])) +
                "; ";
    }
    text += "GPUs " + Range(gpus) + (nicPorts > 0 ? ", their NIC ports " + Range(nicPorts) : "");
    if (fabric)
    {
        text += "; switches " + Range(fabric->CountSwitches()) + " or their names, such as " +
                fabric->GetSwitchName(0);
    }
    if (fabric && fabric->CountLinks() > 0)
    {
        text += "; links such as " + fabric->GetLinkName(fabric->GetLink(0));
    }
    return text;
}

std::string
FaultPlan::GetForms()
{
    std::string text;
    for (const KindEntry& entry : KINDS)
    {
        text += (text.empty() ? "" : ", ") + ToString(entry.kind) + ":" + entry.form;
    }
    return text;
}

std::string
FaultPlan::Parse(const std::string& text, const FaultScope& scope, std::vector<Fault>& faults)
{
    const std::string allowed = "KIND:TARGET@TIME or KIND:TARGET@TIME+DURATION in a row, such as " +
                                std::string(scope.fabric ? "nic-port" : "ocs-port") +
                                ":0/3@12ms+1s, with " + scope.Describe() +
                                "; times up to 1e6s; a gpu stays away";
    std::istringstream entries(text);
    for (std::string one; std::getline(entries, one, ',');)
    {
        const auto entry = SplitEntry(one);
        auto fault = entry ? scope.Find(entry->kind, entry->subject) : std::nullopt;
        if (!fault)
        {
            return allowed;
        }
        fault->at = entry->time;
        fault->duration = entry->duration;
        faults.push_back(*fault);
    }
    return "";
}

std::string
FaultPlan::ParseRates(const std::string& text, std::vector<Rate>& rates)
{
    const std::string allowed =
        "KIND:RATE@END or KIND:RATE@END+DURATION in a row, such as nic-port:0.01@10s+1s, with "
        "the kinds of --fault, up to 1000 a second and component, before END";
    std::istringstream entries(text);
    for (std::string one; std::getline(entries, one, ',');)
    {
        const auto entry = SplitEntry(one);
        const auto rate = entry ? FlagParser::ParseFraction(entry->subject) : std::nullopt;
        if (!rate || *rate > 1000)
        {
            return allowed;
        }
        rates.push_back(Rate{entry->kind, *rate, entry->time, entry->duration});
    }
    return "";
}

std::vector<Fault>
FaultPlan::Draw(const Rate& rate, const FaultScope& scope, const std::function<double()>& uniform)
{
    std::vector<Fault> faults;
    const uint64_t count = scope.Count(rate.kind);
    const double all = rate.perSecond * static_cast<double>(count);
    double at = 0;
    while (all > 0 && faults.size() <= MOST_DRAWN)
    {
        at -= std::log1p(-uniform()) / all;
        if (at >= rate.end.GetSeconds())
        {
            break;
        }
        const auto index = static_cast<uint64_t>(uniform() * static_cast<double>(count));
        Fault fault = scope.Get(rate.kind, std::min(index, count - 1));
        fault.at = PicoSeconds(static_cast<int64_t>(at * 1e12));
        fault.duration = rate.duration;
        faults.push_back(fault);
    }
    return faults;
}

std::vector<std::pair<Time, Time>>
FaultPlan::GetHeartbeatSpans(const std::vector<Fault>& faults, Time detectionTime)
{
    std::set<Time> moments;
    for (const Fault& fault : faults)
    {
        if (fault.kind == FaultKind::OCS)
        {
            moments.insert({fault.at, fault.at + fault.duration});
        }
    }
    const Time margin = detectionTime * int64_t{2};
    std::vector<std::pair<Time, Time>> spans;
    for (const Time& moment : moments)
    {
        const Time begin = Max(moment - margin, Time(0));
        if (spans.empty() || begin > spans.back().second + margin)
        {
            spans.emplace_back(begin, Time(0));
        }
        spans.back().second = moment + margin;
    }
    return spans;
}

} // namespace ns3
