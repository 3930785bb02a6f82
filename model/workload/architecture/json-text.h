// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JSON_TEXT_H
#define PHOTONIC_RAILS_JSON_TEXT_H

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3
{

/// JSON (RFC 8259) that a user wrote: anything may be in it.
class JsonText
{
  public:
    static constexpr std::size_t MAX_BYTES = 65536; //!< longest text, mostly
    static constexpr std::size_t MAX_DEPTH = 16;    //!< most objects and arrays inside each other

    /**
     * @brief Parse a text. Throws nothing, whatever the bytes are.
     *
     * A key may be in an object once: of two, readers would silently take either.
     *
     * @param text one JSON value, in UTF-8
     * @param value gets the value, unless there is an error
     * @param maxBytes longest text: more where programs write what users name
     * @return an empty string, or one line that says where the text is wrong
     */
    static std::string Parse(const std::string& text,
                             nlohmann::json& value,
                             std::size_t maxBytes = MAX_BYTES);

    /**
     * @param value a JSON value
     * @return it for an error: one short line of ASCII, arrays and objects only hinted at
     */
    static std::string Quote(const nlohmann::json& value);

    /**
     * @param key a key, which may be any text
     * @return it for an error, likewise, without quotation marks
     */
    static std::string QuoteKey(const std::string& key);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JSON_TEXT_H
