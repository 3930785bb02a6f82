// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_FILE_H
#define PHOTONIC_RAILS_JOB_FILE_H

#include "ns3/json-reader.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A job as a user writes it into a file: a JSON object whose keys are flags.
 *
 * Values are texts, numbers or truth values; "model" may also be an object that describes one.
 * The class turns a file into flags; the options check the values. A file may have any content:
 * every error is one line of printable characters.
 */
struct JobFile
{
    /// Names of flags and their values, as text.
    using Settings = std::vector<std::pair<std::string, std::string>>;

    /**
     * @brief Read a file, but no more than one byte beyond the limit.
     * @param name of the file
     * @param maxBytes largest size of a text
     * @return the text, or nothing if the file cannot be read
     */
    static std::optional<std::string> ReadText(const std::string& name,
                                               std::size_t maxBytes = JsonText::MAX_BYTES);

    /**
     * @brief Read the text of a file.
     * @param text the whole text; JsonText lists the errors in any JSON
     * @param known flags that the file may have besides attributes (CLASS::ATTRIBUTE), with their
     * defaults: where the default is true or false, the value must be one of the two
     * @return the flags
     */
    static JobFile Parse(const std::string& text, const Settings& known);

    /**
     * @brief Put the flags of the file that --job names first: all other flags take precedence.
     * @param arguments of a program; the first is its name, and the last --job counts
     * @param known flags that may be in the file
     * @return an empty string, or one line with the error in the file
     */
    static std::string Insert(std::vector<std::string>& arguments, const Settings& known);

    std::string error; //!< an empty string, or one line with the error
    Settings settings; //!< the flags; none if there is an error
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_FILE_H
