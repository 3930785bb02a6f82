// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_TRAFFIC_H
#define PHOTONIC_RAILS_JOB_TRAFFIC_H

#include "compared-traffic.h"

#include "ns3/training-settings.h"

namespace ns3
{

/// A training job; on photonic rails with Opus.
class JobTraffic : public ComparedTraffic
{
  public:
    /// @param options get those of this traffic
    explicit JobTraffic(OptionGroup* options);

    std::string Check(const std::string& fabric) override;
    FabricRun Run(FabricProbe& probe) override;
    FabricReport MakeReport(bool circuits) const override;

  private:
    TrainingSettings m_settings;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_TRAFFIC_H
