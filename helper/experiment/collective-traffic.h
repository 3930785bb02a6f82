// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_TRAFFIC_H
#define PHOTONIC_RAILS_COLLECTIVE_TRAFFIC_H

#include "compared-traffic.h"

#include "ns3/collectives-settings.h"

namespace ns3
{

/// A collective of one size, called by one group or by one on every rail.
class CollectiveTraffic : public ComparedTraffic
{
  public:
    /// @param options get those of this traffic
    explicit CollectiveTraffic(OptionGroup* options);

    std::string Check(const std::string& fabric) override;
    FabricRun Run(FabricProbe& probe) override;
    FabricReport MakeReport(bool circuits) const override;

  private:
    CollectivesSettings m_settings;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_TRAFFIC_H
