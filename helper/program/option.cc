// SPDX-License-Identifier: GPL-2.0-only

#include "option.h"

#include "attribute-flags.h"
#include "flag-parser.h"
#include "option-group.h"

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/output-file.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

/// @param attribute "ns3::Class::Name" @return its entry in ns-3
TypeId::AttributeInformation
FindAttribute(const std::string& attribute)
{
    const auto colon = attribute.rfind("::");
    TypeId::AttributeInformation info;
    TypeId type;
    const bool isKnown = TypeId::LookupByNameFailSafe(attribute.substr(0, colon), &type) &&
                         type.LookupAttributeByName(attribute.substr(colon + 2), &info);
    NS_ABORT_MSG_UNLESS(isKnown, "there is no attribute " << attribute);
    return info;
}

/// @return the default of an attribute, a time or a rate, as people write it
std::string
GetDefault(const std::string& attribute)
{
    // The value before the user has changed it, which CheckAttributes refuses.
    const auto info = FindAttribute(attribute);
    return AttributeFlags::ToText(*info.originalInitialValue, info.checker);
}

/// @return the value that the user has set for an attribute, or an empty string
std::string
FindChange(const std::string& attribute)
{
    return AttributeFlags::FindChange(attribute, FindAttribute(attribute)).value_or("");
}

} // namespace

std::string
RefuseFlag(const std::string& flag, const std::string& value, const std::string& allowed)
{
    return "--" + flag + "=" + value + " is not allowed: it must be " + allowed;
}

std::string
CheckWritable(const std::string& flag, const std::string& file)
{
    const std::string reason = OutputFile::Check(file);
    return reason.empty() ? "" : RefuseFlag(flag, file, "a file that can be written: " + reason);
}

std::string
FindObjection(const std::vector<Objection>& objections)
{
    const auto found = std::find_if(objections.begin(), objections.end(), [](const Objection& one) {
        return one.first;
    });
    return found == objections.end() ? "" : found->second;
}

OptionHelp&
OptionHelp::SetsWithDefault(const std::string& attribute)
{
    initial = GetDefault(attribute);
    return Sets(attribute);
}

std::istream&
operator>>(std::istream& is, OptionText& text)
{
    text.text.assign(std::istreambuf_iterator<char>(is), std::istreambuf_iterator<char>());
    text.isGiven = true;
    return is;
}

std::ostream&
operator<<(std::ostream& os, const OptionText& text)
{
    return os << text.text;
}

Option::Option(OptionGroup* group,
               std::string name,
               std::string initial,
               OptionHelp help,
               OptionDomain domain)
    : m_group(group),
      m_heading(group->GetHeading()),
      m_name(std::move(name)),
      m_initial(initial.empty() ? help.initial : std::move(initial)),
      m_help(std::move(help)),
      m_domain(std::move(domain)),
      m_text{m_initial}
{
    group->Add(this);
}

std::string
Option::GetHelp() const
{
    std::string help = m_help.text;
    const auto place = m_domain.kind == "choice" ? help.find("{}") : std::string::npos;
    return place == std::string::npos ? help
                                      : help.replace(place, 2, FlagParser::List(m_domain.choices));
}

void
Option::AddTo(CommandLine& cmd)
{
    cmd.AddValue(m_name, GetHelp(), m_text);
}

std::string
Option::Check()
{
    m_derived.reset();
    if (!IsSet() && m_initial.empty())
    {
        return "";
    }
    const std::string allowed = Read(m_text.text);
    return allowed.empty() ? "" : Refuse(allowed);
}

std::string
Option::CheckNeeds() const
{
    if (!IsChosen() || !IsFlag())
    {
        return "";
    }
    // Where a program goes through the values of the other option, or where the other option is on
    // the command line and this one in a file, nothing is contradicted.
    const auto holds = [this](const OptionNeed& need) {
        const Option& other = *need.other;
        return !other.IsFlag() || other.m_isVaried ||
               (m_isFromFile && other.IsGiven() && !other.m_isFromFile) || need.holds();
    };
    for (const auto& needs : m_needs)
    {
        if (std::any_of(needs.begin(), needs.end(), holds))
        {
            continue;
        }
        std::vector<std::string> lacking;
        std::vector<std::string> allowed;
        for (const auto& [other, condition, way] : needs)
        {
            lacking.push_back(way.empty() ? "without --" + other->m_name
                                          : "with --" + other->m_name + "=" + other->GetText());
            allowed.push_back(way.empty() ? "--" + other->m_name : way);
        }
        const std::string line = "--" + m_name + "=" + GetText() + " has no effect " +
                                 FlagParser::List(lacking, " and ");
        return needs[0].allowed.empty()
                   ? line
                   : line + "; allowed with " + FlagParser::List(allowed, " or ");
    }
    return "";
}

std::string
Option::CheckVariants(TypeId base, std::optional<TypeId> chosen) const
{
    for (const auto& [attribute, given] : AttributeFlags::GetGiven())
    {
        TypeId type;
        const bool isOfVariant =
            TypeId::LookupByNameFailSafe(attribute.substr(0, attribute.rfind("::")), &type) &&
            type.IsChildOf(base);
        const bool isChosen = chosen && (*chosen == type || chosen->IsChildOf(type));
        const bool isReplaced = given.isFromFile && IsGiven() && !m_isFromFile;
        if (isOfVariant && !isChosen && !isReplaced && IsFlag() && !m_isVaried)
        {
            return "--" + attribute + "=" + given.text + " has no effect with --" + m_name + "=" +
                   GetText();
        }
    }
    return "";
}

std::string
Option::CheckAttributes() const
{
    for (const auto& [attribute, isValue, isAlways] : m_help.attributes)
    {
        const std::string change = FindChange(attribute);
        if (change.empty() || !IsPresent() || (!isAlways && !IsChosen()))
        {
            continue;
        }
        const std::string line = "--" + attribute + "=" + change;
        if (IsGiven())
        {
            return line + " and --" + m_name + "=" + GetText() +
                   " set the same; allowed: " + (isAlways ? "--" + m_name : "one of them");
        }
        return line + " has no effect: this program sets it; allowed instead: --" + m_name;
    }
    return "";
}

std::string
Option::GetAttributeChange() const
{
    std::string change;
    for (const auto& attribute : m_help.attributes)
    {
        change = change.empty() ? FindChange(attribute.name) : change;
    }
    return change;
}

std::map<std::string, std::string>
Option::GetAttributes(const std::string& type) const
{
    std::map<std::string, std::string> values;
    for (const auto& [attribute, isValue, isAlways] : m_help.attributes)
    {
        const auto colon = attribute.rfind("::");
        if (isValue && IsSet() && (isAlways || GetText() != m_initial) &&
            attribute.substr(0, colon) == type)
        {
            values[attribute.substr(colon + 2)] = GetAttributeText();
        }
    }
    return values;
}

bool
Option::IsOn() const
{
    const auto& text = m_text.text;
    return IsSet() && text != "false" && text != "0" && text != "none";
}

OptionNeed
Option::Is(const std::vector<std::string>& values) const
{
    const auto holds = [this, values] {
        return std::find(values.begin(), values.end(), GetText()) != values.end();
    };
    return Fits(holds, "--" + m_name + "=" + FlagParser::List(values));
}

FileOption::FileOption(OptionGroup* group,
                       std::string name,
                       OptionHelp help,
                       std::vector<std::string> endings)
    : Option(group, std::move(name), "", std::move(help.ForOneRun()), {"file"}),
      m_endings(std::move(endings))
{
}

std::vector<std::string>
FileOption::GetFiles() const
{
    std::vector<std::string> files = IsSet() ? m_endings : std::vector<std::string>();
    for (std::string& file : files)
    {
        file = GetText() + file;
    }
    return files;
}

std::string
FileOption::CheckFile() const
{
    std::string error;
    for (const std::string& file : GetFiles())
    {
        error = error.empty() ? CheckWritable(GetName(), file) : error;
    }
    return error;
}

std::string
CountLimits::Read(const std::string& text, uint32_t& value) const
{
    const auto parsed = FlagParser::ParseCount(text);
    if (!parsed)
    {
        return "a whole number";
    }
    if (*parsed < least || *parsed > most)
    {
        return "from " + std::to_string(least) + " to " + std::to_string(most);
    }
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *parsed) == choices.end())
    {
        auto names = GetDomain().choices;
        const std::string last = names.back();
        names.pop_back();
        return FlagParser::List(names) + (names.empty() ? "" : " or ") + last;
    }
    value = *parsed;
    return "";
}

std::string
NumberLimits::Read(const std::string& text, double& value) const
{
    const auto parsed = FlagParser::ParseFraction(text);
    if (!parsed || *parsed < least || *parsed > most)
    {
        std::ostringstream allowed;
        allowed << "a number from " << least << " to " << most;
        return allowed.str();
    }
    value = *parsed;
    return "";
}

std::string
BytesLimits::Read(const std::string& text, uint64_t& value) const
{
    const auto parsed = FlagParser::ParseBytes(text);
    if (!parsed || *parsed < least)
    {
        return "a size of at least " + std::to_string(least) +
               " bytes and at most 1T such as 4096, 64K or 1MiB";
    }
    value = *parsed;
    return "";
}

std::string
TimeLimits::Read(const std::string& text, Time& value) const
{
    const auto parsed = FlagParser::ParseTime(text, Time(most));
    const bool isZero = mayBeZero && parsed && parsed->IsZero();
    if (!parsed || (*parsed < Time(least) && !isZero))
    {
        return std::string(mayBeZero ? "0s, or " : "") + "a time from " + least + " to " + most +
               (example ? std::string(" such as ") + example : "");
    }
    value = *parsed;
    return "";
}

std::string
RateLimits::Read(const std::string& text, DataRate& value) const
{
    const bool isNone = !none.empty() && text == none;
    const auto parsed = isNone ? DataRate(0) : FlagParser::ParseRate(text);
    if (!parsed)
    {
        return (none.empty() ? "" : none + ", or ") + FlagParser::RATE_FORM;
    }
    value = *parsed;
    return "";
}

std::string
BoolOption::Read(const std::string& text)
{
    const bool isTrue = text == "true" || text == "1";
    const bool isFalse = text == "false" || text == "0";
    if (!isTrue && !isFalse && !text.empty())
    {
        return "true or false";
    }
    SetText((text.empty() ? GetInitial() == "false" : isTrue) ? "true" : "false");
    return "";
}

ChoiceOption::ChoiceOption(OptionGroup* group,
                           std::string name,
                           std::string initial,
                           std::vector<std::string> choices,
                           OptionHelp help)
    : Option(group,
             std::move(name),
             std::move(initial),
             std::move(help),
             {"choice", "", "", std::move(choices)})
{
}

std::string
ChoiceOption::GetAttributeText() const
{
    std::string text;
    bool isFirst = true; // letter of a word
    for (const char c : GetText())
    {
        text += c == '-' ? "" : std::string(1, isFirst ? static_cast<char>(std::toupper(c)) : c);
        isFirst = c == '-';
    }
    return text;
}

std::string
ChoiceOption::Read(const std::string& text)
{
    const auto& choices = GetDomain().choices;
    const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? "" : (choices.size() > 1 ? "one of " : "") + FlagParser::List(choices);
}

OptionDomain
CountLimits::GetDomain() const
{
    OptionDomain domain{"count", std::to_string(least), std::to_string(most)};
    std::transform(choices.begin(),
                   choices.end(),
                   std::back_inserter(domain.choices),
                   [](uint32_t choice) { return std::to_string(choice); });
    return domain;
}

OptionDomain
NumberLimits::GetDomain() const
{
    std::ostringstream texts[2];
    texts[0] << least;
    texts[1] << most;
    return {"number", texts[0].str(), texts[1].str()};
}

OptionDomain
BytesLimits::GetDomain() const
{
    return {"bytes", std::to_string(least), "1T"};
}

OptionDomain
TimeLimits::GetDomain() const
{
    OptionDomain domain{"time", least, most};
    if (mayBeZero)
    {
        domain.choices.emplace_back("0s");
    }
    return domain;
}

OptionDomain
RateLimits::GetDomain() const
{
    OptionDomain domain{"rate", "1Gbps", "100Tbps"};
    if (!none.empty())
    {
        domain.choices.push_back(none);
    }
    return domain;
}

} // namespace ns3
