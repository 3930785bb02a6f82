// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_KEPT_RULE_H
#define PHOTONIC_RAILS_KEPT_RULE_H

#ifdef PHOTONIC_RAILS_MUTATE
#include <cstdlib>
#include <cstring>
#endif

namespace ns3
{

/**
 * @brief For the tests: whether the code keeps a rule, of the lease protocol for instance.
 *
 * Tests have to see when a rule is broken. So the sources that call this function are compiled once
 * more with PHOTONIC_RAILS_MUTATE, and then break the rule that the environment variable
 * PHOTONIC_RAILS_MUTATION names.
 *
 * @return true, except in that build
 */
#ifdef PHOTONIC_RAILS_MUTATE
inline bool
KeepsRule(const char* rule)
{
    const char* broken = std::getenv("PHOTONIC_RAILS_MUTATION");
    return !broken || std::strcmp(broken, rule) != 0;
}
#else
constexpr bool
KeepsRule(const char* /* rule */)
{
    return true;
}
#endif

} // namespace ns3

#endif // PHOTONIC_RAILS_KEPT_RULE_H
