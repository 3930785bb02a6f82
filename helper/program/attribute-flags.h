// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ATTRIBUTE_FLAGS_H
#define PHOTONIC_RAILS_ATTRIBUTE_FLAGS_H

#include <string>

namespace ns3
{

/**
 * @brief Checks flags that set attributes and global values, before ns-3 reads them.
 *
 * ns-3's parsers abort on some wrong values, end in a segmentation fault on others, and pass over
 * what follows a number. AttributeFlags reads booleans, numbers, times and rates in full. Values of
 * other types, for which only ns-3 has a parser, are tried in a child process first.
 */
class AttributeFlags
{
  public:
    /**
     * @param name of a flag with colons: CLASS::ATTRIBUTE
     * @param value of the flag
     * @return an empty string, or one line that says why the attribute cannot have the value
     */
    static std::string CheckAttribute(const std::string& name, const std::string& value);

    /**
     * @param name of a flag
     * @param value of the flag
     * @return an empty string, also if there is no global value of this name, or one line that says
     * why the global value cannot have the value
     */
    static std::string CheckGlobalValue(const std::string& name, const std::string& value);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ATTRIBUTE_FLAGS_H
