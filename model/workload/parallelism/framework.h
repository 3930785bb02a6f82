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
 * @brief A training framework, whose defaults are where a job starts; each rule can then be
 * changed.
 *
 * A framework is a class in a file of its own, which registers it; see Variant.
 */
class Framework : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the name as flags have it
    virtual std::string GetName() const = 0;

    /// @return what the framework does by default
    virtual FrameworkRules MakeRules() const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FRAMEWORK_H
