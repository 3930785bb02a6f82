// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NEAR_NAMES_H
#define PHOTONIC_RAILS_NEAR_NAMES_H

#include <string>
#include <vector>

namespace ns3
{

/// Suggestions for a name that does not exist.
class NearNames
{
  public:
    /**
     * @param wrong a name that is not known
     * @param names the names that are
     * @return those that differ from it in a few letters, the nearest first, three at most
     */
    static std::vector<std::string> Find(const std::string& wrong,
                                         const std::vector<std::string>& names);

    /**
     * @param wrong a name that is not known
     * @param names the names that are
     * @param prefix of a name in the answer, such as --
     * @param list flag that lists all names, such as --help
     * @return "the nearest are --tp, --pp, and --help lists them"
     */
    static std::string Describe(const std::string& wrong,
                                const std::vector<std::string>& names,
                                const std::string& prefix,
                                const std::string& list);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_NEAR_NAMES_H
