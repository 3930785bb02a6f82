// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COST_REPORT_H
#define PHOTONIC_RAILS_COST_REPORT_H

#include "network-cost.h"

#include "ns3/report-value.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Price, power and energy of several networks of several sizes, beside each other: Fig. 7 of
 * arXiv 2507.08119. Of each size the first network is the one to which the others are compared.
 *
 * The JSON is documented in doc/cost-json.md.
 */
struct CostReport
{
    /// One network of one size.
    struct Row
    {
        NetworkKind kind;
        NetworkInventory inventory; //!< with an error if there is no such network
        NetworkCost cost;           //!< zero if there is none
        double usdShare{0};         //!< its price / that of the first one of this size
        double wattsShare{0};       //!< likewise; both 0 if either does not exist
    };

    std::string counting{"ports"};  //!< a name of CostCounting
    InventorySpec spec;             //!< of all rows, but for the GPUs
    NetworkParts parts;             //!< what they are made of
    std::vector<uint32_t> gpus;     //!< sizes
    std::vector<NetworkKind> kinds; //!< networks
    double iterationSeconds{0};     //!< for the energy; 0 if there is no iteration
    std::string run;                //!< what the time is of; empty if there is no iteration
    std::vector<Row> rows;          //!< by size, then network: made by Fill

    /// Make the rows of what is asked for.
    void Fill();

    /// @param os where to write a table for people
    void WriteTable(std::ostream& os) const;
    /// @return a row for each network, for plots; cells are empty where there is no such network
    CsvTable GetCsv() const;
    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @return the JSON object
    ReportValue MakeJson() const;
    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COST_REPORT_H
