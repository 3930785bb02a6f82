// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_COMPARISON_H
#define PHOTONIC_RAILS_FABRIC_COMPARISON_H

#include "compared-traffic.h"

#include "ns3/fabric-settings.h"
#include "ns3/flag-parser.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// The same traffic on several fabrics, each in a process of its own.
class FabricComparison : public OptionGroup
{
  public:
    /**
     * @param arguments of the program: which flags there are depends on --traffic among them
     */
    explicit FabricComparison(const std::vector<std::string>& arguments);

    /**
     * @brief Check all settings.
     * @return an empty string if at least one fabric can carry the traffic; otherwise one line that
     * names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Run on one fabric after the other.
     * @param progress where a line for each goes; null for none
     * @return what the runs have shown
     */
    FabricReport Run(std::ostream* progress);

    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const
    {
        return m_json.GetText();
    }

  private:
    /// @return what a run on a fabric has shown; to be called in a process of its own
    FabricRun RunOne(const std::string& fabric) const;

    OptionHeading m_heading{this, "comparison"};
    ChoiceOption m_kind{this,
                        "traffic",
                        ComparedTraffic::GetKinds()[0],
                        ComparedTraffic::GetKinds(),
                        OptionHelp("traffic: {}; the other flags depend on it").First()};
    TextOption m_fabrics{this,
                         "fabrics",
                         "all",
                         OptionHelp("fabrics: all, or some of " +
                                    FlagParser::List(RailFabric::GetNames()) +
                                    ", separated by commas")
                             .First()};
    BoolOption m_latency{
        this,
        "latency",
        true,
        OptionHelp("measure the latency of packets, which takes CPU time").First()};
    FileOption m_json{this, "json", OptionHelp("write the comparison to this file").First()};
    std::string m_made; //!< kind of the traffic below: with its flags there is no other
    std::unique_ptr<ComparedTraffic> m_traffic;
    std::vector<FabricRun> m_runs; //!< by fabric; before they are run, name and reason only
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_COMPARISON_H
