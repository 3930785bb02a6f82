// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JSON_READER_H
#define PHOTONIC_RAILS_JSON_READER_H

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

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

/**
 * @brief Reads the keys of a JSON object from user input and records the keys that were read.
 *
 * Each call of Read or Find names a key. A missing key leaves the variable unchanged, unless the
 * value of the variable is outside the allowed range; the key is then required. Call GetError at
 * the end. GetError reports an unknown key first, because a misspelled key often causes a missing
 * one, and otherwise the first error of the calls.
 */
class JsonObjectReader
{
  public:
    /**
     * @param value expected to be an object; must outlive the reader
     * @param path name of the object in errors, such as "model.attention"; empty for a whole file
     */
    JsonObjectReader(const nlohmann::json& value, const std::string& path);

    /**
     * @param key a key
     * @return true if the object has the key
     */
    bool Has(const std::string& key) const;

    /**
     * @param key key of an integer
     * @param least smallest allowed value
     * @param most largest allowed value
     * @param number set to the value
     */
    void Read(const std::string& key, uint32_t least, uint32_t most, uint32_t& number);

    /**
     * @param key key of a number, integer or not; required
     * @param least smallest allowed value
     * @param most largest allowed value
     * @param number set to the value
     */
    void Read(const std::string& key, double least, double most, double& number);

    /**
     * @param key key of a boolean
     * @param flag set to the value
     */
    void Read(const std::string& key, bool& flag);

    /**
     * @param key key of a string; required
     * @param text set to the value
     */
    void Read(const std::string& key, std::string& text);

    /**
     * @param key key of a word from a list
     * @param words the allowed words
     * @param index set to the index of the word
     * @return false if the value is not in the list
     */
    bool Read(const std::string& key, const std::vector<std::string>& words, std::size_t& index);

    /**
     * @param key a key, added to the known keys
     * @return the value of the key, or null if the key is missing
     */
    const nlohmann::json* Find(const std::string& key);

    /**
     * @param key a key
     * @return the path of the key in errors
     */
    std::string GetPath(const std::string& key) const
    {
        return m_path.empty() ? key : m_path + "." + key;
    }

    /// @return an empty string, or one line that begins with the path of a key
    std::string GetError() const;

    /// @return the first error of the calls. Unknown keys are no errors, since more keys may
    /// follow.
    const std::string& GetComplaint() const
    {
        return m_error;
    }

  private:
    /// Record that the value of a key is missing or wrong, unless an error has already been
    /// recorded.
    void Refuse(const std::string& key, const nlohmann::json* value, const std::string& rule);

    const nlohmann::json& m_value;
    std::string m_path;
    std::vector<std::string> m_known; //!< known keys, in the order of the calls
    std::string m_error;              //!< first error
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JSON_READER_H
