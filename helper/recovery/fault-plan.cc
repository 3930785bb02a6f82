// SPDX-License-Identifier: GPL-2.0-only

#include "fault-plan.h"

#include "ns3/flag-parser.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

bool
HasPort(FaultKind kind)
{
    return kind == FaultKind::OCS_PORT || kind == FaultKind::NIC_PORT;
}

bool
IsOfSwitch(FaultKind kind)
{
    return kind == FaultKind::OCS || kind == FaultKind::OCS_PORT;
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

std::string
GetFaultKindNames()
{
    std::vector<std::string> names;
    for (const FaultKind kind : GetFaultKinds())
    {
        names.push_back(ToString(kind));
    }
    return FlagParser::List(names);
}

/// @return "0 to 3" for a bound of 4, "0" for a bound of 1
std::string
Range(uint32_t bound)
{
    return bound == 1 ? "0" : "0 to " + std::to_string(bound - 1);
}

} // namespace

std::string
Fault::GetTarget() const
{
    return std::to_string(component) + (HasPort(kind) ? "/" + std::to_string(port) : "");
}

uint64_t
FaultScope::Count(FaultKind kind) const
{
    const uint64_t components = IsOfSwitch(kind) ? switches : gpus;
    const uint64_t ports = IsOfSwitch(kind) ? switchPorts : nicPorts;
    return HasPort(kind) ? components * ports : components;
}

Fault
FaultScope::Get(FaultKind kind, uint64_t index) const
{
    const uint64_t ports = HasPort(kind) ? (IsOfSwitch(kind) ? switchPorts : nicPorts) : 1;
    Fault fault;
    fault.kind = kind;
    fault.component = static_cast<uint32_t>(index / ports);
    fault.port = static_cast<uint32_t>(index % ports);
    return fault;
}

std::string
FaultPlan::Parse(const std::string& text, const FaultScope& scope, std::vector<Fault>& faults)
{
    const std::string allowed =
        "KIND:TARGET@TIME or KIND:TARGET@TIME+DURATION in a row, such as ocs-port:0/3@12ms+1s, "
        "with kinds " +
        GetFaultKindNames() + "; switches " + Range(scope.switches) + ", their ports " +
        Range(scope.switchPorts) + "; GPUs " + Range(scope.gpus) + ", their NIC ports " +
        Range(scope.nicPorts) + "; times up to 1e6s; a gpu stays away";
    std::istringstream entries(text);
    for (std::string one; std::getline(entries, one, ',');)
    {
        const auto entry = SplitEntry(one);
        if (!entry)
        {
            return allowed;
        }
        const std::size_t slash = entry->subject.find('/');
        const auto component = FlagParser::ParseCount(entry->subject.substr(0, slash));
        const bool hasPort = slash != std::string::npos;
        const auto port = FlagParser::ParseCount(hasPort ? entry->subject.substr(slash + 1) : "0");
        const uint32_t components = IsOfSwitch(entry->kind) ? scope.switches : scope.gpus;
        const uint32_t ports = IsOfSwitch(entry->kind) ? scope.switchPorts : scope.nicPorts;
        if (!component || !port || *component >= components || hasPort != HasPort(entry->kind) ||
            (hasPort && *port >= ports))
        {
            return allowed;
        }
        faults.push_back(Fault{entry->kind, *component, *port, entry->time, entry->duration});
    }
    return "";
}

std::string
FaultPlan::ParseRates(const std::string& text, std::vector<Rate>& rates)
{
    const std::string allowed =
        "KIND:RATE@END or KIND:RATE@END+DURATION in a row, such as ocs-port:0.01@10s+1s, with "
        "kinds " +
        GetFaultKindNames() + ", up to 1000 a second and component, before END";
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

Time
FaultPlan::GetEnd(const std::vector<Fault>& faults)
{
    Time end;
    for (const Fault& fault : faults)
    {
        end = Max(end, fault.at + fault.duration);
    }
    return end;
}

} // namespace ns3
