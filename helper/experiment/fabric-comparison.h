// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_COMPARISON_H
#define PHOTONIC_RAILS_FABRIC_COMPARISON_H

#include "compared-traffic.h"

#include "ns3/flag.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// The same traffic on several fabrics, each in a process of its own.
class FabricComparison
{
  public:
    /**
     * @param arguments of the program: which flags there are depends on --traffic among them
     */
    explicit FabricComparison(const std::vector<std::string>& arguments);

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

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
    const std::string& GetJsonFile() const;

  private:
    /// @return what a run on a fabric has shown; to be called in a process of its own
    FabricRun RunOne(const std::string& fabric) const;

    ChoiceFlag m_kind;
    Flag m_fabrics{"fabrics", "all"};
    bool m_latency{true};
    Flag m_json{"json", ""};
    std::string m_made; //!< kind of the traffic below: with its flags there is no other
    std::unique_ptr<ComparedTraffic> m_traffic;
    std::vector<FabricRun> m_runs; //!< by fabric; before they are run, name and reason only
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_COMPARISON_H
