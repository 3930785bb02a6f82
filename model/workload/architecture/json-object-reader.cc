// SPDX-License-Identifier: GPL-2.0-only

#include "json-object-reader.h"

#include "json-text.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

/// @return a list of words, each between two copies of @p mark, with @p last before the last word
std::string
List(const std::vector<std::string>& words, const std::string& mark, const std::string& last)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        text += i == 0 ? "" : i + 1 < words.size() ? ", " : last;
        text += mark + words[i] + mark;
    }
    return text;
}

/// @return true if the value is a whole number in the range
bool
IsNumber(const nlohmann::json& value, uint64_t least, uint64_t most)
{
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0))
    {
        return false;
    }
    const auto number = value.get<uint64_t>();
    return number >= least && number <= most;
}

} // namespace

JsonObjectReader::JsonObjectReader(const nlohmann::json& value, const std::string& path)
    : m_value(value),
      m_path(path)
{
    if (!value.is_object())
    {
        m_error = (path.empty() ? "model" : path) + "=" + JsonText::Quote(value) +
                  ": must be an object {...}";
    }
}

bool
JsonObjectReader::Has(const std::string& key) const
{
    return m_value.is_object() && m_value.contains(key);
}

void
JsonObjectReader::Read(const std::string& key, uint32_t least, uint32_t most, uint32_t& number)
{
    const auto* value = Ask(key);
    if (value ? !IsNumber(*value, least, most) : number < least || number > most)
    {
        Refuse(key,
               value,
               "must be a whole number, " + std::to_string(least) + " to " + std::to_string(most));
    }
    else if (value)
    {
        number = value->get<uint32_t>();
    }
}

void
JsonObjectReader::Read(const std::string& key, double least, double most, double& number)
{
    const auto* value = Ask(key);
    const double read = value && value->is_number() ? value->get<double>() : std::nan("");
    if (!(read >= least && read <= most))
    {
        std::ostringstream rule;
        rule << "must be a number, " << std::setprecision(15) << least << " to " << most;
        Refuse(key, value, rule.str());
    }
    else
    {
        number = read;
    }
}

void
JsonObjectReader::Read(const std::string& key, bool& flag)
{
    const auto* value = Ask(key);
    if (value && !value->is_boolean())
    {
        Refuse(key, value, "must be true or false");
    }
    else if (value)
    {
        flag = value->get<bool>();
    }
}

void
JsonObjectReader::Read(const std::string& key, std::string& text)
{
    const auto* value = Ask(key);
    if (!value || !value->is_string())
    {
        Refuse(key, value, "must be a text in quotation marks");
    }
    else
    {
        text = value->get<std::string>();
    }
}

bool
JsonObjectReader::Read(const std::string& key,
                       const std::vector<std::string>& words,
                       std::size_t& index)
{
    const auto* value = Ask(key);
    if (!value)
    {
        return true;
    }
    const auto word = value->is_string()
                          ? std::find(words.begin(), words.end(), value->get<std::string>())
                          : words.end();
    if (word == words.end())
    {
        Refuse(key, value, "must be " + List(words, "\"", " or "));
        return false;
    }
    index = static_cast<std::size_t>(word - words.begin());
    return true;
}

const nlohmann::json*
JsonObjectReader::Find(const std::string& key)
{
    return Ask(key);
}

std::string
JsonObjectReader::GetPath(const std::string& key) const
{
    return m_path.empty() ? key : m_path + "." + key;
}

std::string
JsonObjectReader::GetError() const
{
    if (m_value.is_object())
    {
        for (const auto& item : m_value.items())
        {
            if (std::find(m_known.begin(), m_known.end(), item.key()) == m_known.end())
            {
                return GetPath(JsonText::QuoteKey(item.key())) + ": unknown, must be one of " +
                       List(m_known, "", ", ");
            }
        }
    }
    return m_error;
}

const std::string&
JsonObjectReader::GetComplaint() const
{
    return m_error;
}

const nlohmann::json*
JsonObjectReader::Ask(const std::string& key)
{
    m_known.push_back(key);
    if (!m_value.is_object())
    {
        return nullptr;
    }
    const auto item = m_value.find(key);
    return item == m_value.end() ? nullptr : &*item;
}

void
JsonObjectReader::Refuse(const std::string& key,
                         const nlohmann::json* value,
                         const std::string& rule)
{
    if (m_error.empty())
    {
        m_error =
            GetPath(key) + (value ? "=" + JsonText::Quote(*value) : " is missing") + ": " + rule;
    }
}

} // namespace ns3
