// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_POPULARITY_FILE_H
#define PHOTONIC_RAILS_POPULARITY_FILE_H

#include "ns3/expert-routing.h"

#include <istream>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief Read how popular experts are.
 * @param text uniform, zipf, zipf:EXPONENT with an exponent from 0 to 10, or the name of a file of
 * weights
 * @return the popularity, and an empty string or what is allowed
 */
std::pair<ExpertPopularity, std::string> ReadPopularity(const std::string& text);

/**
 * @brief Read weights of experts: numbers that are not negative, one at least above 0, between
 * blanks, ends of lines or commas. At most 1 MiB.
 * @param file the text
 * @return the popularity, and an empty string or what is allowed
 */
std::pair<ExpertPopularity, std::string> ReadPopularity(std::istream& file);

} // namespace ns3

#endif // PHOTONIC_RAILS_POPULARITY_FILE_H
