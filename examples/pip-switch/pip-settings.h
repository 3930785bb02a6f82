// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_SETTINGS_H
#define PHOTONIC_RAILS_PIP_SETTINGS_H

#include "pip-proof.h"
#include "pip-report.h"

#include "ns3/circuit.h"
#include "ns3/flag.h"
#include "ns3/pip-plan.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Switches of programmable photonics that are to be planned, as flags give them.
class PipSettings
{
  public:
    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings, and read the plan if there is one.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Plan, and check every plan by following its light.
     * @param os gets the table for people, row by row
     * @return an empty string, or what a check has found
     */
    std::string Run(std::ostream& os);

    /**
     * @brief Write the files that are asked for.
     * @return an empty string, or what is wrong
     */
    std::string WriteFiles() const;

    /// @return what was planned
    const PipReport& GetReport() const;

  private:
    /// @return an error if there are no such switches
    std::string CheckSizes();
    /// @return an error if the plan cannot be read or is none
    std::string ReadPlan();
    /// @return an error if the matching is none of the ports, or if there is no mesh for it
    std::string ReadMatching();
    /// @return a row for a plan
    static PipReport::Row MakeRow(const PipPlan& plan);
    /// Add a row for a plan, and keep it as the last one. @return what its check has found
    std::string Add(const PipPlan& plan, PipReport::Row row, std::ostream& os);

    Flag m_portList{"ports", "4,8,12,16,20,24,28,32"};
    CountFlag m_rows{CountFlag::Optional("rows", 1)};
    CountFlag m_columns{CountFlag::Optional("columns", 1)};
    ChoiceFlag m_solver{"solver", "true", {"true", "false"}};
    CountFlag m_solverPorts{"solverPorts", 8, 0, 16};
    CountFlag m_conflicts{"conflicts", 200000, 1, 100000000};
    CountFlag m_negotiation{"negotiation", 60, 1, 10000};
    CountFlag m_exchanges{"exchanges", 300, 0, 1000000};
    Flag m_matching{"matching", ""};
    Flag m_read{"read", ""};
    Flag m_write{"write", ""};
    Flag m_lights{"lights", ""};
    Flag m_csv{"csv", ""};
    Flag m_json{"json", ""};

    CircuitSet m_circuits;         //!< whose feasibility is asked for
    std::vector<uint32_t> m_ports; //!< what Check has made of the list
    PipProofEffort m_effort;
    PipPlan m_plan; //!< the last one
    PipReport m_report;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_SETTINGS_H
