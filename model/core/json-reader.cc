// SPDX-License-Identifier: GPL-2.0-only

#include "json-reader.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// An error at which the parser stops; thrown and caught inside this file.
struct Refusal
{
    std::string error; //!< one line
};

/**
 * @param text a text
 * @param bytes number of bytes read before the error
 * @return line and column of the error
 */
std::string
Locate(const std::string& text, std::size_t bytes)
{
    const std::size_t last = bytes == 0 ? 0 : std::min(bytes - 1, text.size());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(last);
    const auto line = 1 + std::count(text.begin(), end, '\n');
    const std::size_t newline = last == 0 ? std::string::npos : text.rfind('\n', last - 1);
    const std::size_t column = newline == std::string::npos ? last + 1 : last - newline;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

} // namespace

std::string
JsonText::Parse(const std::string& text, nlohmann::json& value, std::size_t maxBytes)
{
    if (text.size() > maxBytes)
    {
        return "size=" + std::to_string(text.size()) + " bytes: must be at most " +
               std::to_string(maxBytes);
    }
    // The parser would treat a zero byte as the end of the text.
    if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    {
        return Locate(text, zero + 1) + ": must be JSON";
    }
    // The parser's callback checks depth and duplicate keys, and keeps all values.
    using Event = nlohmann::json::parse_event_t;
    std::vector<std::set<std::string>> keys; // of each open object
    const auto follow = [&keys](int, Event event, const nlohmann::json& parsed) {
        if (event == Event::object_start || event == Event::array_start)
        {
            if (keys.size() == MAX_DEPTH)
            {
                throw Refusal{"objects and arrays inside each other: must be at most " +
                              std::to_string(MAX_DEPTH)};
            }
            keys.emplace_back();
        }
        else if (event == Event::object_end || event == Event::array_end)
        {
            keys.pop_back();
        }
        else if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
        {
            throw Refusal{QuoteKey(parsed.get<std::string>()) + ": must be in an object once"};
        }
        return true;
    };
    try
    {
        value = nlohmann::json::parse(text, follow);
        return "";
    }
    catch (const nlohmann::json::parse_error& error)
    {
        return Locate(text, error.byte) + ": must be JSON";
    }
    catch (const nlohmann::json::exception&) // a number outside the range of floating point
    {
        return "numbers: must be at most 1e308";
    }
    catch (const Refusal& refusal)
    {
        return refusal.error;
    }
}

std::string
JsonText::Quote(const nlohmann::json& value)
{
    if (value.is_array())
    {
        return "[...]";
    }
    if (value.is_object())
    {
        return "{...}";
    }
    constexpr std::size_t MAX_LENGTH = 40;
    // A value that was not parsed may contain invalid UTF-8.
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > MAX_LENGTH)
    {
        text.resize(MAX_LENGTH);
        text += "...";
    }
    return text;
}

std::string
JsonText::QuoteKey(const std::string& key)
{
    const std::string text = Quote(key).substr(1);
    return text.back() == '"' ? text.substr(0, text.size() - 1) : text;
}

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
    const auto* value = Find(key);
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
    const auto* value = Find(key);
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
    const auto* value = Find(key);
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
    const auto* value = Find(key);
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
    const auto* value = Find(key);
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

const nlohmann::json*
JsonObjectReader::Find(const std::string& key)
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
