// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JSON_TEXT_H
#define PHOTONIC_RAILS_JSON_TEXT_H

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3
{

/// JSON (RFC 8259) from user input, which may be malformed.
class JsonText
{
  public:
    static constexpr std::size_t MAX_BYTES = 65536; //!< default limit of the length of a text
    static constexpr std::size_t MAX_DEPTH = 16;    //!< largest nesting depth of objects and arrays

    /**
     * @brief Parse a text. Throws no exceptions for any input.
     *
     * A key may occur only once in an object: with duplicate keys, readers would silently take
     * either value.
     *
     * @param text one JSON value, in UTF-8
     * @param value set to the value, unless there is an error
     * @param maxBytes longest text; larger for files that programs write and users name
     * @return an empty string, or one line with the position of the error
     */
    static std::string Parse(const std::string& text,
                             nlohmann::json& value,
                             std::size_t maxBytes = MAX_BYTES);

    /**
     * @param value a JSON value
     * @return the value for an error message: one short line of ASCII, arrays and objects
     * abbreviated
     */
    static std::string Quote(const nlohmann::json& value);

    /**
     * @param key a key, which may be any text
     * @return the key for an error message: one short line of ASCII, without quotation marks
     */
    static std::string QuoteKey(const std::string& key);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JSON_TEXT_H
