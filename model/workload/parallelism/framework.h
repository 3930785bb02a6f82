// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FRAMEWORK_H
#define PHOTONIC_RAILS_FRAMEWORK_H

#include "framework-rules.h"

#include "ns3/object.h"
#include "ns3/variant.h"

#include <string>

namespace ns3
{

/**
 * @brief A training framework. Its rules are the defaults of a job, and a job can override each
 * rule.
 *
 * Each framework is a class in a file of its own, which registers the class; see Variant.
 */
class Framework : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name used in flags
    virtual std::string GetName() const = 0;

    /// @return the default rules of the framework
    virtual FrameworkRules MakeRules() const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FRAMEWORK_H
