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
 * @brief Mutation point for tests: a rule, for example of the lease protocol, that a caller keeps
 * only if this function returns true.
 *
 * Tests must detect a broken rule. The sources that call IsRuleKept are therefore compiled a second
 * time with PHOTONIC_RAILS_MUTATE. In that build IsRuleKept returns false for the rule that the
 * environment variable PHOTONIC_RAILS_MUTATION names.
 *
 * @return true; false for that rule in the mutation build
 */
#ifdef PHOTONIC_RAILS_MUTATE
inline bool
IsRuleKept(const char* rule)
{
    const char* broken = std::getenv("PHOTONIC_RAILS_MUTATION");
    return !broken || std::strcmp(broken, rule) != 0;
}
#else
constexpr bool
IsRuleKept(const char* /* rule */)
{
    return true;
}
#endif

} // namespace ns3

#endif // PHOTONIC_RAILS_KEPT_RULE_H
