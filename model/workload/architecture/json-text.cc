// SPDX-License-Identifier: GPL-2.0-only

#include "json-text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
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

/// Parser callback that checks depth and duplicate keys.
class JsonWatch
{
  public:
    /**
     * @brief Handle an event of the parser.
     * @param event the event
     * @param value the key, if the event is a key
     * @return true: the parser keeps the value
     */
    bool Follow(nlohmann::json::parse_event_t event, const nlohmann::json& value)
    {
        switch (event)
        {
        case nlohmann::json::parse_event_t::object_start:
        case nlohmann::json::parse_event_t::array_start:
            if (m_keys.size() == JsonText::MAX_DEPTH)
            {
                throw Refusal{"objects and arrays inside each other: must be at most " +
                              std::to_string(JsonText::MAX_DEPTH)};
            }
            m_keys.emplace_back();
            break;
        case nlohmann::json::parse_event_t::object_end:
        case nlohmann::json::parse_event_t::array_end:
            m_keys.pop_back();
            break;
        case nlohmann::json::parse_event_t::key:
            if (!m_keys.back().insert(value.get<std::string>()).second)
            {
                throw Refusal{JsonText::QuoteKey(value.get<std::string>()) +
                              ": must be in an object once"};
            }
            break;
        case nlohmann::json::parse_event_t::value:
            break;
        }
        return true;
    }

  private:
    std::vector<std::set<std::string>> m_keys; //!< keys of each open object
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
    JsonWatch watch;
    const auto follow = [&watch](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        return watch.Follow(event, parsed);
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

} // namespace ns3
