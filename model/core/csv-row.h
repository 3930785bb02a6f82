// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CSV_ROW_H
#define PHOTONIC_RAILS_CSV_ROW_H

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// How far a text of rows has been read.
struct CsvPlace
{
    uint64_t line{0};     //!< in which the last row ends, from 1
    std::size_t bytes{0}; //!< of all rows so far
    bool isWhole{false};  //!< the last row has an end; a row at the end of the text may have none
    std::string error;    //!< what is wrong, and in which line; empty if nothing is
};

/**
 * @brief Read a row of comma-separated values (RFC 4180). The text may begin with a byte order
 * mark, which is no part of a field.
 * @param in the text, which may be any bytes
 * @param fields gets the fields without quotation marks
 * @param place where the text is read; at first that of the constructor
 * @param maxBytes longest row
 * @return false at the end of the text, or if the row is wrong
 */
bool ReadCsvRow(std::istream& in,
                std::vector<std::string>& fields,
                CsvPlace& place,
                std::size_t maxBytes = 1U << 24);

/// @param field of a row @return the field without blanks at its ends
std::string TrimField(const std::string& field);

/**
 * @param field of a row
 * @param most largest number, below 10^18
 * @return a whole number as tools write it, such as 2000000, 2000000.0 or 2e6; nothing if the field
 * is none, or a larger one
 */
std::optional<uint64_t> ParseWholeNumber(const std::string& field, uint64_t most);

} // namespace ns3

#endif // PHOTONIC_RAILS_CSV_ROW_H
