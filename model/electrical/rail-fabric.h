// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_FABRIC_H
#define PHOTONIC_RAILS_RAIL_FABRIC_H

#include "electrical-fabric.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class CircuitCabling;

/// The network between scale-up domains: photonic rails, or an electrical fabric. A file may
/// describe either (see FabricFile).
class RailFabric
{
  public:
    /// Photonic rails: an optical circuit switch per rail.
    RailFabric() = default;
    /// @param electrical a fabric of switches
    RailFabric(const Variant<ElectricalFabric>& electrical);
    /// @param name "photonic", or the name of an electrical fabric or of a file with one; any other
    /// name ends the program
    RailFabric(const char* name);

    /// @param name as for the constructor @return the fabric, or nothing
    static std::optional<RailFabric> Find(const std::string& name)
    {
        std::string error;
        return Find(name, error);
    }

    /**
     * @param name as for the constructor
     * @param error receives an empty string, or what is allowed instead of the name
     * @return the fabric, or nothing with an error
     */
    static std::optional<RailFabric> Find(const std::string& name, std::string& error);
    /// @return "photonic", then the names of all electrical fabrics, sorted
    static std::vector<std::string> GetNames();
    /// @param holds a condition @return the names of the fabrics that satisfy it, with commas
    static std::string GetNames(bool (RailFabric::*holds)() const);

    /// @return the name in flags and files
    std::string GetName() const;
    /// @return the fabric in a sentence: "photonic rails", "leaf-spine"
    std::string Describe() const;

    /// @return true for photonic rails
    bool IsPhotonic() const
    {
        return !m_electrical;
    }

    /// @return the electrical fabric; ends the program for photonic rails
    const Variant<ElectricalFabric>& GetElectrical() const;

    /// @return see ElectricalFabric; false for photonic rails
    bool JoinsRails() const
    {
        return m_electrical && (*m_electrical)->JoinsRails();
    }

    /// @return see ElectricalFabric; true for photonic rails without a file
    bool HasEqualRails() const
    {
        return m_electrical ? (*m_electrical)->HasEqualRails() : !m_cabling;
    }

    /// @return the fibers of photonic rails from a file; null: as CircuitCabling describes
    std::shared_ptr<const CircuitCabling> GetCabling() const
    {
        return m_cabling;
    }

    /// @param other another network @return true if both are the same
    bool operator==(const RailFabric& other) const
    {
        return m_electrical == other.m_electrical && m_cabling == other.m_cabling;
    }

  private:
    std::optional<Variant<ElectricalFabric>> m_electrical;
    std::shared_ptr<const CircuitCabling> m_cabling;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_FABRIC_H
