// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JSON_OBJECT_READER_H
#define PHOTONIC_RAILS_JSON_OBJECT_READER_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Reads the keys of a JSON object that a user wrote, and knows which ones were asked for.
 *
 * Each reading names a key. A key that is missing leaves the variable as it is, unless that value
 * would not be allowed either; then the key is required. Call GetError at the end: an unknown key
 * comes first, because it is often the cause of a missing one, then the first complaint of the
 * readings.
 */
class JsonObjectReader
{
  public:
    /**
     * @param value should be an object; must outlive the reader
     * @param path what errors call it, such as "model.attention"; empty for a whole file
     */
    JsonObjectReader(const nlohmann::json& value, const std::string& path);

    /**
     * @param key a key
     * @return true if the object has it
     */
    bool Has(const std::string& key) const;

    /**
     * @param key of a whole number
     * @param least smallest allowed
     * @param most largest allowed
     * @param number gets it
     */
    void Read(const std::string& key, uint32_t least, uint32_t most, uint32_t& number);

    /**
     * @param key of a number, whole or not; required
     * @param least smallest allowed
     * @param most largest allowed
     * @param number gets it
     */
    void Read(const std::string& key, double least, double most, double& number);

    /**
     * @param key of true or false
     * @param flag gets it
     */
    void Read(const std::string& key, bool& flag);

    /**
     * @param key of a text; required
     * @param text gets it
     */
    void Read(const std::string& key, std::string& text);

    /**
     * @param key of one of a few words
     * @param words those allowed
     * @param index gets which of them it is
     * @return false if it is none of them
     */
    bool Read(const std::string& key, const std::vector<std::string>& words, std::size_t& index);

    /**
     * @param key of an object
     * @return the object, or null if there is none of that key
     */
    const nlohmann::json* Find(const std::string& key);

    /**
     * @param key a key
     * @return what errors call it
     */
    std::string GetPath(const std::string& key) const;

    /// @return an empty string, or one line that begins with the path of a key
    std::string GetError() const;

    /// @return likewise, where it is not known yet which keys may be there
    const std::string& GetComplaint() const;

  private:
    /**
     * @param key a key, known from now on
     * @return its value, or null
     */
    const nlohmann::json* Ask(const std::string& key);

    /// The value of a key is missing or wrong; says so if nothing was wrong before.
    void Refuse(const std::string& key, const nlohmann::json* value, const std::string& rule);

    const nlohmann::json& m_value;
    std::string m_path;
    std::vector<std::string> m_known; //!< keys asked for, in that order
    std::string m_error;              //!< first complaint
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JSON_OBJECT_READER_H
