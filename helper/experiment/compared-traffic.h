// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMPARED_TRAFFIC_H
#define PHOTONIC_RAILS_COMPARED_TRAFFIC_H

#include "ns3/fabric-probe.h"
#include "ns3/fabric-report.h"
#include "ns3/option-group.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// Traffic that several fabrics carry in turn, each in a simulation of its own.
class ComparedTraffic
{
  public:
    virtual ~ComparedTraffic() = default;

    /// @return the kinds of traffic
    static std::vector<std::string> GetKinds();
    /**
     * @param kind one of GetKinds()
     * @param options receive the options of the traffic, except the option of the fabric
     * @return the traffic with its defaults
     */
    static std::unique_ptr<ComparedTraffic> Make(const std::string& kind, OptionGroup* options);

    /**
     * @brief Check the flags on one fabric, and choose it.
     * @param fabric a name of a fabric
     * @return an empty string, or one line with the error, or with the reason why the fabric cannot
     * carry the traffic
     */
    virtual std::string Check(const std::string& fabric) = 0;

    /**
     * @brief Run on the fabric that was checked last.
     * @param probe observes the cluster
     * @return completion and message times; a reason if the traffic came to a standstill
     */
    virtual FabricRun Run(FabricProbe& probe) = 0;

    /**
     * @brief Describe the traffic, after a Check without error.
     * @param circuits true for remarks on circuits
     * @return a report without runs
     */
    virtual FabricReport MakeReport(bool circuits) const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPARED_TRAFFIC_H
