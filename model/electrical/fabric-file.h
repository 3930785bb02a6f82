// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_FILE_H
#define PHOTONIC_RAILS_FABRIC_FILE_H

#include "electrical-fabric.h"
#include "fabric-content.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief A fabric of electrical switches that a user describes in a JSON file (FabricContent).
 *
 * A FabricFile is no registered variant: its name is that of the file.
 */
class FabricFile : public ElectricalFabric
{
  public:
    /// @param content of the file, without circuits
    explicit FabricFile(FabricContent content);

    // inherited from ElectricalFabric
    std::string GetName() const override;
    std::string Describe() const override;
    bool JoinsRails() const override;
    uint32_t GetDefaultRadix(const FabricSpec& spec) const override;

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override;

  private:
    FabricContent m_content;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_FILE_H
