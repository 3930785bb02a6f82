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

/// What the parser must not go on with; thrown and caught inside this file.
struct Refusal
{
    std::string error; //!< one line
};

/// Follows the parser through a text.
class JsonWatch
{
  public:
    /**
     * @brief See what the parser sees.
     * @param event what it is
     * @param value the key, if it is one
     * @return true: keep it
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
    std::vector<std::set<std::string>> m_keys; //!< of each object around the parser
};

/**
 * @param text a text
 * @param bytes how many the parser had read when it gave up
 * @return where that is
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
    // The parser would take it for the end.
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
    catch (const nlohmann::json::exception&) // a number beyond the range of floating point
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
    // Not UTF-8 is possible where the value was not parsed.
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
