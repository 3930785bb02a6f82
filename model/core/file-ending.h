// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FILE_ENDING_H
#define PHOTONIC_RAILS_FILE_ENDING_H

#include <boost/algorithm/string/predicate.hpp>
#include <string>

namespace ns3
{

/**
 * @param name of a file
 * @param ending such as .json
 * @return true if the name has something before this ending
 */
inline bool
HasEnding(const std::string& name, const std::string& ending)
{
    return name.size() > ending.size() && boost::algorithm::ends_with(name, ending);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_FILE_ENDING_H
