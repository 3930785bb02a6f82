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
 * @brief Price, power and energy of networks of several sizes: Fig. 7 of arXiv 2507.08119. The
 * first network of each size is the reference of the others.
 *
 * The JSON is documented in doc/cost-json.md.
 */
struct CostReport
{
    /// One network of one size.
    struct Row
    {
        NetworkKind kind;
        NetworkInventory inventory; //!< or an error
        NetworkCost cost;           //!< zero after an error
        double usdShare{0};         //!< price / price of the reference
        double wattsShare{
            0}; //!< power / power of the reference; 0 after an error in either network
    };

    std::string counting{"ports"};  //!< a name of CostCounting
    InventorySpec spec;             //!< of all rows, without the number of GPUs
    NetworkParts parts;             //!< parts of all networks
    std::vector<uint32_t> gpus;     //!< sizes
    std::vector<NetworkKind> kinds; //!< networks
    double iterationSeconds{0};     //!< time of an iteration for the energy, or 0
    std::string run;                //!< source of iterationSeconds, or empty
    std::vector<Row> rows;          //!< by size, then network; set by Fill

    /// Compute the rows.
    void Fill();

    /// @param os receives a text table
    void WriteTable(std::ostream& os) const;
    /// @return a row for each network, for plots; the cells of a network with an error are empty
    CsvTable GetCsv() const;
    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @return the JSON object
    ReportValue MakeJson() const;
    /// @param os receives the JSON object
    void WriteJson(std::ostream& os) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COST_REPORT_H
