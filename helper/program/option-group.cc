// SPDX-License-Identifier: GPL-2.0-only

#include "option-group.h"

#include "attribute-flags.h"
#include "flag-parser.h"

#include "ns3/global-value.h"
#include "ns3/output-file.h"
#include "ns3/report-value.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <filesystem>
#include <iomanip>
#include <map>
#include <optional>
#include <utility>

namespace ns3
{

namespace
{

/// Programs with so few options show all of them on the first page.
constexpr std::ptrdiff_t MOST_ON_FIRST_PAGE = 24;

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

/// @param options the options
/// @param find returns the value of an option that belongs to the list, if it does
/// @return names and values of the options that belong to a list
template <typename Find>
OptionGroup::Settings
CollectSettings(const std::vector<Option*>& options, const Find& find)
{
    OptionGroup::Settings settings;
    for (const auto* option : options)
    {
        if (const std::optional<std::string> value = find(*option))
        {
            settings.emplace_back(option->GetName(), *value);
        }
    }
    return settings;
}

/// @return the files that the program reads because of an option: their paths behind all links, and
/// the option
std::vector<std::pair<std::string, const Option*>>
FindReadFiles(const std::vector<Option*>& options)
{
    std::vector<std::pair<std::string, const Option*>> files;
    for (const Option* option : options)
    {
        const OptionHelp& traits = option->GetTraits();
        const std::string& text = option->GetText();
        for (const std::string& ending : traits.readEndings)
        {
            std::error_code error;
            if (option->IsPresent() && boost::algorithm::ends_with(text, traits.ownEnding) &&
                std::filesystem::is_regular_file(text + ending, error))
            {
                files.emplace_back(OutputFile::FindTarget(text + ending), option);
            }
        }
    }
    return files;
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

std::vector<std::string>
OptionGroup::GetReadFiles() const
{
    std::vector<std::string> files;
    for (const auto& [file, option] : FindReadFiles(m_options))
    {
        files.push_back(file);
    }
    return files;
}

std::string
OptionGroup::CheckFiles() const
{
    const auto read = FindReadFiles(m_options);
    std::map<std::string, const Option*> users(read.begin(), read.end()); // of each file
    return CheckPresent(m_options, [&users](Option* option) -> std::string {
        const auto* writer = dynamic_cast<FileOption*>(option);
        for (const auto& file : writer ? writer->GetFiles() : std::vector<std::string>())
        {
            const std::string target = OutputFile::FindTarget(file);
            const auto [other, isFirst] = users.emplace(target, option);
            if (!isFirst && !target.empty())
            {
                return option->Refuse("another file than that of --" + other->second->GetName());
            }
        }
        return writer ? writer->CheckFile() : "";
    });
}

OptionGroup::Settings
OptionGroup::GetList() const
{
    Settings list = CollectSettings(m_options, [](const Option& option) {
        const bool isListed = option.IsPresent() && option.GetTraits().isListed;
        return isListed ? std::optional(option.GetText()) : std::nullopt;
    });
    for (const auto& change : AttributeFlags::ListChanges())
    {
        list.push_back(change);
    }
    const Settings seeds = GetSeeds();
    list.insert(list.end(), seeds.begin(), seeds.end());
    return list;
}

OptionGroup::Settings
OptionGroup::GetSeeds()
{
    Settings seeds;
    for (const char* name : {"RngSeed", "RngRun"})
    {
        UintegerValue value;
        GlobalValue::GetValueByName(name, value);
        if (value.Get() != 1)
        {
            seeds.emplace_back(name, std::to_string(value.Get()));
        }
    }
    return seeds;
}

OptionGroup::Settings
OptionGroup::GetDerived() const
{
    return CollectSettings(m_options, [](const Option& option) {
        return option.IsPresent() && !option.IsSet() ? option.GetDerived() : std::nullopt;
    });
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
    return CollectSettings(m_options, [](const Option& option) {
        const OptionHelp& traits = option.GetTraits();
        const bool isOfJob = option.IsFlag() && !traits.isForOneRun && !traits.holdsFlags;
        return isOfJob ? std::optional(option.GetText()) : std::nullopt;
    });
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
    const auto count = std::count_if(m_options.begin(), m_options.end(), [](const Option* option) {
        return option->IsFlag();
    });
    const bool hasAll = page == "all" || (isFirst && count <= MOST_ON_FIRST_PAGE);
    const auto isShown = [&](const Option* option) {
        const bool isOnPage = isFirst ? option->GetTraits().isFirst : option->GetHeading() == page;
        return option->IsFlag() && (hasAll || isOnPage);
    };
    os << program << " [--FLAG=VALUE ...]\n";
    for (const auto& heading : isFirst ? std::vector<std::string>{""} : headings)
    {
        bool isBegun = false;
        for (const auto* option : m_options)
        {
            if (!isShown(option) || (!isFirst && option->GetHeading() != heading))
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
        const OptionDomain& domain = option->GetDomain();
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
