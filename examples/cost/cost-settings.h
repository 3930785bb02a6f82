// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COST_SETTINGS_H
#define PHOTONIC_RAILS_COST_SETTINGS_H

#include "scale-table.h"

#include "ns3/cost-report.h"
#include "ns3/costed-run.h"
#include "ns3/flag-parser.h"
#include "ns3/option-group.h"

#include <string>
#include <vector>

namespace ns3
{

/// The flags of photonic-rails-cost: networks to be counted and priced, and where results go.
class CostSettings : public OptionGroup
{
  public:
    /**
     * @brief Check all settings, read the files, and make catalogue, report and table.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

  private:
    /// @return an error if --parts names no catalogue of parts
    std::string ReadParts();
    /// @return an error if --gpus or --networks is no list
    std::string ReadLists();
    /// @return an error if --run names no summary of a run, or if the catalogue lacks parts for it
    std::string ReadRun();
    /// Make report and table. @return an error if the catalogue lacks parts of the rate
    std::string MakeReport();

    /// The value of --networks if neither --networks nor --run is given.
    static constexpr const char* DEFAULT_NETWORKS =
        "leaf-spine:3,leaf-spine,fat-tree,rail-only,electrical,photonic";

    TextOption m_gpus{this, "gpus", "512", "numbers of GPUs, separated by commas"};
    CountOption m_gpusPerDomain{this, "gpusPerDomain", 8, {1, 65536}, "GPUs of a scale-up domain"};
    TextOption m_networks{this,
                          "networks",
                          "",
                          "networks, the one first to which others are compared, each NAME or "
                          "NAME:TIERS: " +
                              FlagParser::List(RailFabric::GetNames()) + " [" + DEFAULT_NETWORKS +
                              "; with --run those given stand beside that of the run]"};
    ChoiceOption m_counting{
        this,
        "counting",
        CostCounting::GetNames()[0],
        CostCounting::GetNames(),
        "what is paid: ports, those with a link, or devices, whole switches, of the Clos network "
        "of text books; built-ports and built-devices, of the network that is simulated; "
        "published, as the script of arXiv 2602.12521 counts"};
    TextOption m_parts{this,
                       "parts",
                       "",
                       OptionHelp("JSON file of parts with prices and power [the built-in one: "
                                  "--printParts]")
                           .Reads()};
    CountOption m_nicRate{
        this,
        "nicRate",
        "",
        {1},
        "line rate of a NIC in Gbit/s, which chooses transceiver and switch [400; with --run that "
        "of the run, or the next higher one that there is]"};
    CountOption m_nicPorts{this,
                           "nicPorts",
                           2,
                           {1, 64},
                           "ports into which a NIC is split at each level of photonic rails"};
    CountOption m_switchPorts{this,
                              "switchPorts",
                              1,
                              {1, 64},
                              "ports of electrical switches, of the whole rate, that a GPU takes"};
    ChoiceOption m_switchCables{
        this,
        "switchCables",
        "optical",
        {"optical", "active"},
        "optical: ports of electrical switches have transceivers; active: they have not, cables "
        "are active, and fiber is not counted"};
    ChoiceOption m_simplex{this,
                           "simplex",
                           "false",
                           {"false", "true"},
                           "transceivers need a port of an OCS for each direction: {}"};
    VariantOption<OcsTechnology> m_ocs{this, "ocs", "polatis", "OCS technology, for its ports: {}"};
    CountOption m_levels{this, "levels", 1, {1, 4}, "with --table3, levels of OCSes"};
    TextOption m_run{this,
                     "run",
                     "",
                     OptionHelp("what photonic-rails-training has written with --json: price the "
                                "network of that run, and its energy for an iteration")
                         .Reads()};

  public:
    FileOption csv{this, "csv", "write a row for each network to this file"};
    FileOption json{this, "json", "write an object with everything to this file"};
    BoolOption printsParts{this, "printParts", false, "print the parts as JSON, and nothing else"};
    BoolOption isTable3{this, "table3", false, "print how many GPUs each technology can join"};

    // Check sets:
    PartsCatalogue catalogue; //!< the parts to choose from
    CostReport report;        //!< networks with prices
    ScaleTable scale;         //!< GPUs by technology
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COST_SETTINGS_H
