// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COST_SETTINGS_H
#define PHOTONIC_RAILS_COST_SETTINGS_H

#include "costed-run.h"

#include "ns3/cost-report.h"
#include "ns3/flag.h"
#include "ns3/scale-table.h"

#include <string>
#include <vector>

namespace ns3
{

/// What networks are to be counted and priced, as flags give it.
class CostSettings
{
  public:
    CostSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings, read the files and work out what the getters below return.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return true if the parts are to be printed, and nothing else
    bool PrintsParts() const;
    /// @return true if the table of technologies is asked for instead of the costs
    bool IsTable3() const;
    /// @return the parts to choose from
    const PartsCatalogue& GetCatalogue() const;
    /// @return networks with prices
    const CostReport& GetReport() const;
    /// @return sizes by technology
    const ScaleTable& GetScale() const;
    /// @return the file for the table, or an empty string
    const std::string& GetCsvFile() const;
    /// @return the file for the object, or an empty string
    const std::string& GetJsonFile() const;

  private:
    /// @return an error if the catalogue is none
    std::string ReadParts();
    /// @return an error if a list is none
    std::string ReadLists();
    /// @return an error if the run is none, or if parts for it are missing
    std::string ReadRun();
    /// @return an error if there are no such networks
    std::string MakeReport();

    Flag m_gpus{"gpus", "512"};
    CountFlag m_gpusPerDomain{"gpusPerDomain", 8, 1, 65536};
    Flag m_networks{"networks", ""};
    ChoiceFlag m_counting;
    Flag m_parts{"parts", ""};
    CountFlag m_nicRate{CountFlag::Optional("nicRate", 1)};
    CountFlag m_nicPorts{"nicPorts", 2, 1, 64};
    CountFlag m_switchPorts{"switchPorts", 1, 1, 64};
    ChoiceFlag m_switchCables{"switchCables", "optical", {"optical", "active"}};
    ChoiceFlag m_simplex{"simplex", "false", {"false", "true"}};
    ChoiceFlag m_ocs;
    CountFlag m_levels{"levels", 1, 1, 4};
    Flag m_run{"run", ""};
    Flag m_csv{"csv", ""};
    Flag m_json{"json", ""};
    bool m_printsParts{false};
    bool m_isTable3{false};

    // what Check has made of them
    PartsCatalogue m_catalogue;
    CostReport m_report;
    ScaleTable m_scale;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COST_SETTINGS_H
