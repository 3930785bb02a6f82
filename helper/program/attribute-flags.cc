// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-flags.h"

#include "child-process.h"
#include "flag-parser.h"
#include "option.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/pointer.h"
#include "ns3/report-value.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <map>
#include <sstream>
#include <unistd.h>
#include <utility>

#ifdef PHOTONIC_RAILS_CONFIG_STORE
#include "ns3/config-store.h"

#include <fstream>
#include <memory>
#endif

namespace ns3
{

namespace
{

/// @return true if a class has an attribute, which is then in info
bool
FindAttributeOf(const std::string& type,
                const std::string& name,
                TypeId::AttributeInformation& info)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(type, &tid))
    {
        return false;
    }
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i) // those of parents have other flags
    {
        if (tid.GetAttribute(i).name == name)
        {
            info = tid.GetAttribute(i);
            return true;
        }
    }
    return false;
}

/// @return true if a text is a whole number that a type holds
template <typename Number>
bool
IsWhole(const std::string& text)
{
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && rest == end;
}

bool
IsBooleanText(const std::string& text)
{
    return text == "true" || text == "false" || text == "1" || text == "0";
}

bool
IsNumberText(const std::string& text)
{
    const auto quantity = FlagParser::ReadQuantity(text);
    return quantity && quantity->second.empty();
}

/// @return true if a text is a time that ns-3 can hold, with a unit, as that of flags: ns-3 would
/// read a number as seconds
bool
IsTimeText(const std::string& text)
{
    static const std::map<std::string, double> units = {{"s", 1},
                                                        {"ms", 1e-3},
                                                        {"us", 1e-6},
                                                        {"ns", 1e-9},
                                                        {"ps", 1e-12},
                                                        {"fs", 1e-15},
                                                        {"min", 60},
                                                        {"h", 3600},
                                                        {"d", 86400},
                                                        {"y", 31536000}};
    const auto quantity = FlagParser::ReadQuantity(text);
    if (quantity == FlagParser::Quantity(0, ""))
    {
        return true;
    }
    const auto unit = quantity ? units.find(quantity->second) : units.end();
    const double most = Time::Max().GetSeconds();
    return unit != units.end() && std::abs(quantity->first * unit->second) < most;
}

/// @return true if a text has the form of a rate; ns-3 checks the unit
bool
IsRateText(const std::string& text)
{
    const auto quantity = FlagParser::ReadQuantity(text);
    return quantity && quantity->first >= 0 && quantity->first < 1e15;
}

/// @return the type of a checker's values, such as TimeValue: checkers name it with or without the
/// namespace, and newer releases of ns-3 add the argument of a template
std::string
GetValueType(const AttributeChecker& checker)
{
    const std::string name = checker.GetValueTypeName();
    const std::string space = "ns3::";
    const std::string local = name.rfind(space, 0) == 0 ? name.substr(space.size()) : name;
    return local.substr(0, local.find('<'));
}

/// How the texts of a type of value are read.
struct TextForm
{
    std::function<bool(const std::string&)> isRead; //!< whether a text has this form
    std::string name;                               //!< of the form
    bool needsTrial;                                //!< ns-3 has the last word, in another process
};

/// @param type of a value @return the format of texts of the type
TextForm
GetForm(const std::string& type)
{
    static const std::map<std::string, TextForm> forms{
        {"BooleanValue", {IsBooleanText, "true or false", false}},
        {"UintegerValue", {IsWhole<uint64_t>, "a whole number", false}},
        {"IntegerValue", {IsWhole<int64_t>, "a whole number", false}},
        {"DoubleValue", {IsNumberText, "a number", false}},
        {"TimeValue", {IsTimeText, "a time such as 10us", false}},
        {"DataRateValue", {IsRateText, "a rate such as 100Gbps", true}},
        {"EnumValue", {[](const auto& text) { return !text.empty(); }, "one of", true}},
        {"StringValue", {[](const auto& /* text */) { return true; }, "a text", false}},
    };
    const auto form = forms.find(type);
    return form != forms.end() ? form->second
                               : TextForm{[](const auto& text) { return !text.empty(); },
                                          "a text that ns-3 reads as " + type,
                                          true};
}

/// @return true if ns-3 accepts a value
bool
IsTaken(const AttributeChecker& checker, const std::string& value)
{
    return checker.CreateValidValue(StringValue(value)) != nullptr;
}

/// @return true if ns-3 accepts a value; false also if ns-3 ends the process because of it
bool
IsTakenInChild(const AttributeChecker& checker, const std::string& value)
{
    const auto taken = RunInChild([&] {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        return std::string(IsTaken(checker, value) ? "yes" : "no");
    });
    return taken == "yes";
}

/// @return the limits of a checker, in addition to the form of the text
std::string
DescribeLimits(const AttributeChecker& checker)
{
    if (!checker.HasUnderlyingTypeInformation() || GetValueType(checker) == "BooleanValue")
    {
        return "";
    }
    std::string limits = checker.GetUnderlyingTypeInformation();
    const auto colon = limits.find(':');
    if (const auto blank = limits.find(' '); blank < colon && colon != std::string::npos)
    {
        // of a number: its type and, with a colon in between, its least and largest value
        return " from " + limits.substr(blank + 1, colon - blank - 1) + " to " +
               limits.substr(colon + 1);
    }
    const bool isEnum = GetValueType(checker) == "EnumValue";
    std::replace(limits.begin(), limits.end(), '|', isEnum ? ',' : '|');
    return (isEnum ? " " : ", ") + limits;
}

/// @return true if objects may have the same value, which a flag sets for all objects of a class:
/// not an address, and an object only if it has no owner
bool
MayBeShared(const AttributeChecker& checker)
{
    const std::string value = GetValueType(checker);
    const std::string type = checker.GetUnderlyingTypeInformation();
    const bool isAddress = value.find("Address") != std::string::npos;
    const bool hasOwner = value == "PointerValue" &&
                          type.find("RandomVariableStream") == std::string::npos &&
                          type.find("CircuitFabric") == std::string::npos &&
                          type.find("ErrorModel") == std::string::npos;
    return !isAddress && !hasOwner;
}

/// @return an empty string, or why a value is not allowed
std::string
CheckValue(const std::string& flag, const std::string& value, const AttributeChecker& checker)
{
    const TextForm form = GetForm(GetValueType(checker));
    const bool isTaken = form.isRead(value) && (form.needsTrial ? IsTakenInChild(checker, value)
                                                                : IsTaken(checker, value));
    return isTaken ? "" : RefuseFlag(flag, value, form.name + DescribeLimits(checker));
}

/// @return an object as ns-3 reads it: the class and its attributes, but for those that are objects
std::string
DescribeObject(Ptr<const Object> object)
{
    std::string list;
    for (TypeId type = object->GetInstanceTypeId(); type != Object::GetTypeId();
         type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            const auto info = type.GetAttribute(i);
            const auto value = info.checker->Create();
            if ((info.flags & TypeId::ATTR_CONSTRUCT) != 0 && info.accessor->HasSetter() &&
                GetValueType(*info.checker) != "PointerValue" &&
                info.accessor->Get(PeekPointer(object), *value))
            {
                list += (list.empty() ? "" : "|") + info.name + "=" +
                        AttributeFlags::ToText(*value, info.checker);
            }
        }
    }
    return object->GetInstanceTypeId().GetName() + "[" + list + "]";
}

/// @return true if a text names a class that is derived from another one and can be created
bool
IsKindOf(const std::string& name, TypeId base)
{
    TypeId type;
    return TypeId::LookupByNameFailSafe(name, &type) && type.IsChildOf(base) &&
           type.HasConstructor();
}

} // namespace

std::string
AttributeFlags::CheckAttribute(const std::string& name, const std::string& value)
{
    const auto colon = name.rfind("::");
    const std::string type = name.substr(0, colon);
    const std::string attribute = name.substr(colon + 2);
    TypeId::AttributeInformation info;
    if (FindAttributeOf(type, attribute, info))
    {
        const bool isSettable = (info.flags & TypeId::ATTR_CONSTRUCT) != 0 &&
                                info.accessor->HasSetter() && MayBeShared(*info.checker);
        // The checker allows a start before the simulation, which never comes.
        if (name == "ns3::Application::StartTime" && value.rfind('-', 0) == 0)
        {
            return RefuseFlag(name, value, "a time such as 10us, at least 0s");
        }
        return isSettable ? CheckValue(name, value, *info.checker)
                          : "--" + name + " is no flag: programs set the attribute of each object";
    }
    const std::string space = "ns3::";
    const std::string other = type.rfind(space, 0) == 0 ? type.substr(space.size()) : space + type;
    TypeId tid;
    return "--" + name + " sets no attribute: " +
           (TypeId::LookupByNameFailSafe(type, &tid) ? type + " has no attribute " + attribute
                                                     : "there is no class " + type) +
           (FindAttributeOf(other, attribute, info) ? "; allowed: --" + other + "::" + attribute
                                                    : "");
}

std::map<std::string, AttributeFlags::Given>&
AttributeFlags::GetRecord()
{
    static std::map<std::string, Given> record;
    return record;
}

std::string
AttributeFlags::RecordEnvironment()
{
    const std::string variable = "NS_ATTRIBUTE_DEFAULT";
    const char* const environment = std::getenv(variable.c_str());
    std::istringstream entries(environment ? environment : "");
    for (std::string entry; std::getline(entries, entry, ';');)
    {
        if (entry.empty())
        {
            continue;
        }
        const auto [name, value] = FlagParser::SplitFlag(entry);
        std::string error = name.find("::") == std::string::npos
                                ? entry + " is not CLASS::ATTRIBUTE=VALUE"
                                : CheckAttribute(name, value);
        TypeId::AttributeInformation info;
        const auto colon = std::min(name.rfind("::"), name.size());
        if (error.empty() && FindAttributeOf(name.substr(0, colon), name.substr(colon + 2), info) &&
            GetValueType(*info.checker) == "PointerValue")
        {
            // Owners would not share the object, as they do with a flag, which repeats the run.
            error = name + " is an object; allowed instead: --" + entry;
        }
        if (!error.empty())
        {
            return variable + ": " + error;
        }
        Record(name, {value, false, true});
    }
    return "";
}

std::string
AttributeFlags::ToText(const AttributeValue& value, Ptr<const AttributeChecker> checker)
{
    const auto valid = checker->CreateValidValue(value);
    if (const auto time = DynamicCast<TimeValue>(valid))
    {
        return FlagParser::ToText(time->Get());
    }
    if (const auto rate = DynamicCast<DataRateValue>(valid))
    {
        return FlagParser::ToText(rate->Get());
    }
    if (const auto number = DynamicCast<DoubleValue>(valid))
    {
        return ReportValue(number->Get()).ToText(); // all digits
    }
    const auto pointer = DynamicCast<PointerValue>(valid);
    const auto object = pointer ? pointer->GetObject() : nullptr;
    return object ? DescribeObject(object) : (valid ? *valid : value).SerializeToString(checker);
}

std::optional<std::string>
AttributeFlags::FindChange(const std::string& name, const TypeId::AttributeInformation& info)
{
    const auto own = GetRecord().find(name);
    const bool isGiven = own != GetRecord().end();
    const auto given = isGiven ? std::optional(own->second.text) : std::nullopt;
    // A value that is an object, such as a random variable, may have changed in the run.
    const bool isObject = GetValueType(*info.checker) == "PointerValue";
    if (info.initialValue == info.originalInitialValue ||
        (isGiven && (isObject || own->second.isFromEnvironment)))
    {
        return given;
    }
    const std::string now = ToText(*info.initialValue, info.checker);
    const std::string before = isGiven ? ToText(StringValue(*given), info.checker)
                                       : ToText(*info.originalInitialValue, info.checker);
    return now == before ? given : now;
}

std::map<std::string, std::string>
AttributeFlags::ListChanges()
{
    std::map<std::string, std::string> changes;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            const std::string name = type.GetAttributeFullName(k);
            if (const auto change = FindChange(name, type.GetAttribute(k)))
            {
                changes.emplace(name, *change);
            }
        }
    }
    return changes;
}

std::string
AttributeFlags::CheckGlobalValue(const std::string& name, const std::string& value)
{
    const auto global = std::find_if(GlobalValue::Begin(), GlobalValue::End(), [&name](auto one) {
        return one->GetName() == name;
    });
    if (global == GlobalValue::End())
    {
        return "";
    }
    // ns-3 creates objects of these classes without checking their type.
    const std::map<std::string, TypeId> bases{
        {"SchedulerType", Scheduler::GetTypeId()},
        {"SimulatorImplementationType", SimulatorImpl::GetTypeId()}};
    if (const auto base = bases.find(name); base != bases.end())
    {
        // In real time a run has no end: events are awaited that a job no longer has.
        const bool isReal = value == "ns3::RealtimeSimulatorImpl";
        return IsKindOf(value, base->second) && !isReal
                   ? ""
                   : RefuseFlag(name,
                                value,
                                "a class that is derived from " + base->second.GetName() +
                                    (isReal ? " and does not wait for real time" : ""));
    }
    if (name == "RngSeed") // the checker allows seeds that generators refuse
    {
        constexpr uint64_t MODULUS = 4294944443; // m2 of MRG32k3a
        const auto seed = FlagParser::ParseCount(value);
        const bool isSeed = seed && *seed > 0 && *seed < MODULUS;
        return isSeed ? ""
                      : RefuseFlag(name,
                                   value,
                                   "a whole number from 1 to " + std::to_string(MODULUS - 1));
    }
    return CheckValue(name, value, *(*global)->GetChecker());
}

std::string
AttributeFlags::CheckGlobalValues()
{
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        StringValue value;
        (*global)->GetValue(value);
        if (auto error = CheckGlobalValue((*global)->GetName(), value.Get()); !error.empty())
        {
            return error;
        }
    }
    return "";
}

#ifdef PHOTONIC_RAILS_CONFIG_STORE

namespace
{

/// @return the store of this process, if there is something to load
std::unique_ptr<ConfigStore>&
GetStore()
{
    static std::unique_ptr<ConfigStore> store;
    return store;
}

/// @return initial value of an attribute of ConfigStore, as text
std::string
Ask(const std::string& name)
{
    TypeId::AttributeInformation attribute;
    ConfigStore::GetTypeId().LookupAttributeByName(name, &attribute);
    return attribute.initialValue->SerializeToString(attribute.checker);
}

} // namespace

std::string
ConfigStoreFlags::ApplyDefaults()
{
    const std::string what = Ask("Mode");
    const std::string file = Ask("Filename");
    if (what == "None")
    {
        return "";
    }
    if (what == "Save")
    {
        if (auto error = CheckWritable("ns3::ConfigStore::Filename", file); !error.empty())
        {
            return error;
        }
    }
    else if (!std::ifstream(file))
    {
        return RefuseFlag("ns3::ConfigStore::Filename", file, "a file that can be read");
    }
    GetStore() = std::make_unique<ConfigStore>();
    GetStore()->ConfigureDefaults();
    if (what == "Save")
    {
        GetStore().reset(); // it is written now
    }
    return "";
}

bool
ConfigStoreFlags::HasObjects()
{
    return GetStore() != nullptr;
}

void
ConfigStoreFlags::ApplyObjects()
{
    if (GetStore())
    {
        GetStore()->ConfigureAttributes();
        GetStore().reset();
    }
}

#else

std::string
ConfigStoreFlags::ApplyDefaults()
{
    return "";
}

bool
ConfigStoreFlags::HasObjects()
{
    return false;
}

void
ConfigStoreFlags::ApplyObjects()
{
}

#endif

} // namespace ns3
