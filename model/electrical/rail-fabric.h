// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_FABRIC_H
#define PHOTONIC_RAILS_RAIL_FABRIC_H

#include "electrical-fabric.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What joins the NICs of different scale-up domains: photonic rails, or an electrical fabric.
class RailFabric
{
  public:
    /// Photonic rails: an optical circuit switch per rail.
    RailFabric() = default;
    /// @param electrical a fabric of switches
    RailFabric(const Variant<ElectricalFabric>& electrical);
    /// @param name "photonic" or that of an electrical fabric; the program ends if there is none
    RailFabric(const char* name);

    /// @param name as above @return what it names, or nothing
    static std::optional<RailFabric> Find(const std::string& name);
    /// @return "photonic", then the names of all electrical fabrics, sorted
    static std::vector<std::string> GetNames();
    /// @param holds a question @return the names of those of which it is true, after commas
    static std::string GetNames(bool (RailFabric::*holds)() const);

    /// @return the name in flags and files
    std::string GetName() const;
    /// @return the fabric in a sentence: "photonic rails", "leaf-spine"
    std::string Describe() const;
    /// @return whether rails are optical circuit switches
    bool IsPhotonic() const;
    /// @return the electrical fabric; the program ends if rails are photonic
    const Variant<ElectricalFabric>& GetElectrical() const;
    /// @return see ElectricalFabric; photonic rails do not
    bool JoinsRails() const;
    /// @return see ElectricalFabric; photonic rails are
    bool HasEqualRails() const;

    /// @param other another one @return whether it is the same
    bool operator==(const RailFabric& other) const;

  private:
    std::optional<Variant<ElectricalFabric>> m_electrical;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_FABRIC_H
