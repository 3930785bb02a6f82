// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_SETTINGS_H
#define PHOTONIC_RAILS_PIP_SETTINGS_H

#include "pip-proof.h"
#include "pip-report.h"

#include "ns3/circuit-fabric.h"
#include "ns3/option-group.h"
#include "ns3/pip-plan.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Switches of programmable photonics that are to be planned, as flags give them.
class PipSettings : public OptionGroup
{
  public:
    /**
     * @brief Check all settings, and read the plan if there is one.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Plan, and check every plan by following its light.
     * @param os gets the table for people, row by row
     * @return an empty string, or the first error that a check has found
     */
    std::string Run(std::ostream& os);

    /**
     * @brief Write the files that the flags name.
     * @return an empty string, or the error
     */
    std::string WriteFiles() const;

    /// @return the report on all plans
    const PipReport& GetReport() const
    {
        return m_report;
    }

  private:
    /// @return an error if there are no such switches
    std::string CheckSizes();
    /// @return an error if the plan cannot be read or is none
    std::string ReadPlan();
    /// @return an error if the matching is none of the ports, or if there is no mesh for it
    std::string ReadMatching();
    /// @return a row for a plan
    static PipReport::Row MakeRow(const PipPlan& plan);
    /// Add a row for a plan, and keep it as the last one. @return an empty string, or its error
    std::string Add(const PipPlan& plan, PipReport::Row row, std::ostream& os);

    TextOption m_portList{this,
                          "ports",
                          "4,8,12,16,20,24,28,32",
                          "numbers of ports, separated by commas"};
    CountOption m_rows{this,
                       "rows",
                       "",
                       {1},
                       "rows of hexagons of the mesh [the smallest square mesh that is found]"};
    CountOption m_columns{this,
                          "columns",
                          "",
                          {1},
                          "columns of hexagons of the mesh, together with --rows"};
    ChoiceOption m_solver{this,
                          "solver",
                          "true",
                          {"true", "false"},
                          "ask the SAT solver, if there is one: {}"};
    CountOption m_solverPorts{this,
                              "solverPorts",
                              8,
                              {0, 16},
                              "most ports for which the solver is asked for whole plans"};
    CountOption m_conflicts{this,
                            "conflicts",
                            200000,
                            {1, 100000000},
                            "conflicts after which the solver gives up a question"};
    CountOption m_negotiation{this,
                              "negotiation",
                              60,
                              {1, 10000},
                              "rounds after which the router gives up a matching"};
    CountOption m_exchanges{this,
                            "exchanges",
                            300,
                            {0, 1000000},
                            "attempts to exchange circuits between matchings"};
    TextOption m_matching{this,
                          "matching",
                          "",
                          "say whether these circuits can be up together, such as 0-3,1-2, with "
                          "one number of ports and --rows and --columns, instead of planning"};
    TextOption m_read{
        this,
        "read",
        "",
        OptionHelp("read a plan from this file and check it, instead of planning").Reads()};
    FileOption m_write{this, "write", "write the plan of one number of ports to this file"};
    FileOption m_lights{this, "lights", "write where its light passes to this file, as CSV"};
    FileOption m_csv{this, "csv", "write a row for each switch to this file"};
    FileOption m_json{this, "json", "write an object with everything to this file"};

    CircuitSet m_circuits;         //!< whose feasibility is asked for
    std::vector<uint32_t> m_ports; //!< what Check has made of the list
    PipProofEffort m_effort;
    PipPlan m_plan; //!< the last one
    PipReport m_report;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_SETTINGS_H
