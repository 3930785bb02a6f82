// SPDX-License-Identifier: GPL-2.0-only

#include "flag.h"

#include "flag-parser.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

/// @return true for what would break a line
bool
IsControl(char c)
{
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
}

} // namespace

std::string
RefuseFlag(const std::string& flag, const std::string& value, const std::string& allowed)
{
    std::string line = "--" + flag + "=" + value;
    std::replace_if(line.begin(), line.end(), IsControl, '?');
    return line + " is not allowed: it must be " + allowed;
}

std::string
CheckWritable(const std::string& flag, const std::string& file)
{
    const bool existed = std::ifstream(file).good();
    const bool writable = std::ofstream(file, std::ios::app).good();
    if (!existed && writable)
    {
        std::remove(file.c_str());
    }
    return writable ? "" : RefuseFlag(flag, file, "a file that can be written");
}

std::vector<std::pair<std::string, std::string>>
WithDerived(std::vector<std::pair<std::string, std::string>> settings,
            const std::vector<std::pair<std::string, std::string>>& derived)
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

std::istream&
operator>>(std::istream& is, FlagText& text)
{
    text.text.assign(std::istreambuf_iterator<char>(is), std::istreambuf_iterator<char>());
    return is;
}

std::ostream&
operator<<(std::ostream& os, const FlagText& text)
{
    return os << text.text;
}

Flag::Flag(std::string name, std::string initial)
    : m_name(std::move(name)),
      m_text{std::move(initial)}
{
}

void
Flag::AddTo(CommandLine& cmd, const std::string& help)
{
    cmd.AddValue(m_name, help, m_text);
}

const std::string&
Flag::GetName() const
{
    return m_name;
}

const std::string&
Flag::GetText() const
{
    return m_text.text;
}

void
Flag::SetText(const std::string& text)
{
    m_text.text = text;
}

std::string
Flag::Refuse(const std::string& allowed) const
{
    return RefuseFlag(m_name, m_text.text, allowed);
}

std::string
CheckWritable(const Flag& flag)
{
    return flag.GetText().empty() ? "" : CheckWritable(flag.GetName(), flag.GetText());
}

CountFlag::CountFlag(const std::string& name, uint32_t initial, uint32_t least, uint32_t most)
    : Flag(name, std::to_string(initial)),
      m_value(initial),
      m_least(least),
      m_most(most)
{
}

CountFlag
CountFlag::Optional(const std::string& name, uint32_t least)
{
    CountFlag flag(name, least, least);
    flag.SetText("");
    flag.m_optional = true;
    return flag;
}

std::string
CountFlag::Check()
{
    if (m_optional && !IsGiven())
    {
        return "";
    }
    const auto parsed = FlagParser::ParseCount(GetText());
    if (!parsed)
    {
        return Refuse("a whole number");
    }
    if (*parsed < m_least || *parsed > m_most)
    {
        return Refuse("from " + std::to_string(m_least) + " to " + std::to_string(m_most));
    }
    m_value = *parsed;
    return "";
}

bool
CountFlag::IsGiven() const
{
    return !GetText().empty();
}

uint32_t
CountFlag::Get() const
{
    return m_value;
}

NumberFlag::NumberFlag(const std::string& name,
                       const std::string& initial,
                       double least,
                       double most)
    : Flag(name, initial),
      m_least(least),
      m_most(most),
      m_optional(initial.empty())
{
}

std::string
NumberFlag::Check()
{
    if (m_optional && !IsGiven())
    {
        return "";
    }
    const auto parsed = FlagParser::ParseFraction(GetText());
    if (!parsed || *parsed < m_least || *parsed > m_most)
    {
        std::ostringstream allowed;
        allowed << "a number from " << m_least << " to " << m_most;
        return Refuse(allowed.str());
    }
    m_value = *parsed;
    return "";
}

bool
NumberFlag::IsGiven() const
{
    return !GetText().empty();
}

double
NumberFlag::Get() const
{
    return m_value;
}

BytesFlag::BytesFlag(const std::string& name, const std::string& initial, uint64_t least)
    : Flag(name, initial),
      m_least(least)
{
}

std::string
BytesFlag::Check()
{
    const auto parsed = FlagParser::ParseBytes(GetText());
    if (!parsed || *parsed < m_least)
    {
        return Refuse("a size of at least " + std::to_string(m_least) +
                      " bytes and at most 1T "
                      "such as 4096, 64K or 1MiB");
    }
    m_value = *parsed;
    return "";
}

uint64_t
BytesFlag::Get() const
{
    return m_value;
}

TimeFlag::TimeFlag(const std::string& name,
                   const std::string& initial,
                   double mostSeconds,
                   const std::string& allowed)
    : Flag(name, initial),
      m_optional(initial.empty()),
      m_mostSeconds(mostSeconds),
      m_allowed(allowed)
{
}

std::string
TimeFlag::Check()
{
    if (m_optional && !IsGiven())
    {
        return "";
    }
    const auto parsed = FlagParser::ParseTime(GetText(), Seconds(m_mostSeconds));
    if (!parsed)
    {
        return Refuse(m_allowed);
    }
    m_value = *parsed;
    return "";
}

bool
TimeFlag::IsGiven() const
{
    return !GetText().empty();
}

Time
TimeFlag::Get() const
{
    return m_value;
}

ChoiceFlag::ChoiceFlag(const std::string& name,
                       const std::string& initial,
                       std::vector<std::string> choices)
    : Flag(name, initial),
      m_choices(std::move(choices)),
      m_optional(initial.empty())
{
}

std::string
ChoiceFlag::Check() const
{
    if (m_optional && GetText().empty())
    {
        return "";
    }
    const bool known = std::find(m_choices.begin(), m_choices.end(), GetText()) != m_choices.end();
    return known ? "" : Refuse((m_choices.size() > 1 ? "one of " : "") + GetChoices());
}

std::string
ChoiceFlag::GetChoices() const
{
    return FlagParser::List(m_choices);
}

} // namespace ns3
