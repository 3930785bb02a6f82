// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CSV_ROW_H
#define PHOTONIC_RAILS_CSV_ROW_H

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Read a row of comma-separated values (RFC 4180).
 * @param in the text
 * @param fields gets the fields without quotation marks
 * @param maxBytes longest row
 * @return false at the end of the text, or if the row is too long
 */
bool ReadCsvRow(std::istream& in,
                std::vector<std::string>& fields,
                std::size_t maxBytes = 1U << 24);

} // namespace ns3

#endif // PHOTONIC_RAILS_CSV_ROW_H
