// SPDX-License-Identifier: GPL-2.0-only

#include "option-group.h"

#include "flag-parser.h"

#include "ns3/report-value.h"

#include <algorithm>
#include <iomanip>
#include <map>

namespace ns3
{

namespace
{

/// Programs with so few options show all of them on the first page.
constexpr std::size_t MOST_ON_FIRST_PAGE = 24;

/// @return the first error of options that are present
template <typename Check>
std::string
CheckPresent(const std::vector<Option*>& options, const Check& check)
{
    for (auto* option : options)
    {
        if (auto error = option->IsPresent() ? check(option) : ""; !error.empty())
        {
            return error;
        }
    }
    return "";
}

} // namespace

OptionGroup::OptionGroup(OptionGroup* parent)
    : m_parent(parent),
      m_heading(parent ? parent->m_heading : "program")
{
}

void
OptionGroup::Add(Option* option)
{
    for (auto* group = this; group; group = group->m_parent)
    {
        group->m_options.push_back(option);
    }
}

Option*
OptionGroup::Find(const std::string& name) const
{
    const auto option = std::find_if(m_options.begin(), m_options.end(), [&name](Option* one) {
        return one->GetName() == name && one->IsPresent();
    });
    return option == m_options.end() ? nullptr : *option;
}

void
OptionGroup::AddFlags(CommandLine& cmd) const
{
    for (auto* option : m_options)
    {
        if (option->IsFlag())
        {
            option->AddTo(cmd);
        }
    }
}

std::string
OptionGroup::CheckOptions() const
{
    return CheckPresent(m_options, [](Option* option) { return option->Check(); });
}

std::string
OptionGroup::CheckNeeds() const
{
    return CheckPresent(m_options, [](Option* option) { return option->CheckNeeds(); });
}

std::string
OptionGroup::CheckAttributes() const
{
    return CheckPresent(m_options, [](Option* option) { return option->CheckAttributes(); });
}

std::string
OptionGroup::CheckFiles() const
{
    std::map<std::string, const Option*> writers; // of each file
    return CheckPresent(m_options, [&writers](Option* option) {
        const auto* file = dynamic_cast<FileOption*>(option);
        const std::string target = file ? file->FindTarget() : "";
        if (!target.empty())
        {
            const auto [other, isFirst] = writers.emplace(target, option);
            if (!isFirst)
            {
                return option->Refuse("another file than that of --" + other->second->GetName());
            }
        }
        return file ? file->CheckFile() : "";
    });
}

OptionGroup::Settings
OptionGroup::GetList() const
{
    Settings list;
    for (const auto* option : m_options)
    {
        if (option->IsPresent() && option->GetTraits().isListed)
        {
            list.emplace_back(option->GetName(), option->GetText());
        }
    }
    return list;
}

OptionGroup::Settings
OptionGroup::GetDerived() const
{
    Settings derived;
    for (const auto* option : m_options)
    {
        if (option->IsPresent() && !option->IsSet() && option->GetDerived())
        {
            derived.emplace_back(option->GetName(), *option->GetDerived());
        }
    }
    return derived;
}

OptionGroup::Settings
OptionGroup::GetInForce() const
{
    return WithDerived(GetList(), GetDerived());
}

OptionGroup::Settings
OptionGroup::WithDerived(Settings settings, const Settings& derived)
{
    for (const auto& [name, value] : derived)
    {
        for (auto& setting : settings)
        {
            setting.second = setting.first == name ? value : setting.second;
        }
    }
    return settings;
}

OptionGroup::Settings
OptionGroup::GetJobSettings() const
{
    Settings settings;
    for (const auto* option : m_options)
    {
        const auto& traits = option->GetTraits();
        if (option->IsFlag() && !traits.isForOneRun && !traits.holdsFlags)
        {
            settings.emplace_back(option->GetName(), option->GetText());
        }
    }
    return settings;
}

std::vector<std::string>
OptionGroup::SelectArguments(const std::vector<std::string>& arguments,
                             const OptionGroup& part) const
{
    std::vector<std::string> selected;
    for (const auto& argument : arguments)
    {
        const std::string flag = FlagParser::SplitFlag(argument).first;
        if (selected.empty() || Find(flag) == part.Find(flag))
        {
            selected.push_back(argument);
        }
    }
    return selected;
}

OptionGroup::Settings
OptionGroup::GetRenamed() const
{
    Settings renamed;
    for (const auto* option : m_options)
    {
        for (const auto& former : option->GetTraits().formerNames)
        {
            renamed.emplace_back(former, option->GetName());
        }
    }
    return renamed;
}

void
OptionGroup::Fix()
{
    std::for_each(m_options.begin(), m_options.end(), [](Option* option) { option->Fix(); });
}

void
OptionGroup::Omit()
{
    std::for_each(m_options.begin(), m_options.end(), [](Option* option) { option->Omit(); });
}

void
OptionGroup::Vary(const std::vector<std::string>& names)
{
    for (const auto& name : names)
    {
        if (auto* option = Find(name))
        {
            option->Vary();
        }
    }
}

std::vector<std::string>
OptionGroup::GetHeadings() const
{
    std::vector<std::string> headings;
    for (const auto* option : m_options)
    {
        const auto& heading = option->GetHeading();
        if (option->IsFlag() &&
            std::find(headings.begin(), headings.end(), heading) == headings.end())
        {
            headings.push_back(heading);
        }
    }
    return headings;
}

bool
OptionGroup::WriteHelp(std::ostream& os, const std::string& program, const std::string& page) const
{
    const auto headings = GetHeadings();
    const bool isFirst = page.empty();
    const bool isKnown = std::find(headings.begin(), headings.end(), page) != headings.end();
    if (!isFirst && page != "all" && !isKnown)
    {
        return false;
    }
    std::vector<const Option*> flags;
    std::copy_if(m_options.begin(),
                 m_options.end(),
                 std::back_inserter(flags),
                 [](const Option* option) { return option->IsFlag(); });
    const bool hasAll = page == "all" || (isFirst && flags.size() <= MOST_ON_FIRST_PAGE);
    const auto isShown = [&](const Option* option) {
        return hasAll || (isFirst ? option->GetTraits().isFirst : option->GetHeading() == page);
    };
    flags.erase(std::remove_if(flags.begin(),
                               flags.end(),
                               [&isShown](const Option* option) { return !isShown(option); }),
                flags.end());
    os << program << " [--FLAG=VALUE ...]\n";
    for (const auto& heading : isFirst ? std::vector<std::string>{""} : headings)
    {
        bool isBegun = false;
        for (const auto* option : flags)
        {
            if (!isFirst && option->GetHeading() != heading)
            {
                continue;
            }
            if (!isBegun)
            {
                os << "\n" << heading << (isFirst ? "" : ":\n");
                isBegun = true;
            }
            const auto& text = option->GetText();
            os << "    --" << std::left << std::setw(26) << option->GetName() + ":"
               << " " << option->GetHelp() << (text.empty() ? "" : " [" + text + "]") << "\n";
        }
    }
    os << "\n";
    if (isFirst && !hasAll)
    {
        os << "These are the most important flags. --help=all shows all of them, --help=HEADING\n"
              "those of a heading: "
           << FlagParser::List(headings) << ".\n";
    }
    os << "Attributes of ns-3 are flags, too: --PrintHelp says how to list them.\n";
    return true;
}

void
OptionGroup::WriteJson(std::ostream& os) const
{
    ReportValue::Array flags;
    for (const auto* option : m_options)
    {
        if (!option->IsFlag())
        {
            continue;
        }
        const OptionDomain domain = option->GetDomain();
        flags.emplace_back(ReportValue::Object{{"name", option->GetName()},
                                               {"heading", option->GetHeading()},
                                               {"default", option->GetText()},
                                               {"help", option->GetHelp()},
                                               {"one_run", option->GetTraits().isForOneRun},
                                               {"kind", domain.kind},
                                               {"least", domain.least},
                                               {"most", domain.most},
                                               {"choices", domain.choices}});
    }
    ReportValue(flags).WriteJson(os);
}

OptionHeading::OptionHeading(OptionGroup* group, const std::string& heading)
{
    group->SetHeading(heading);
}

} // namespace ns3
