// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COSTED_RUN_H
#define PHOTONIC_RAILS_COSTED_RUN_H

#include "ns3/cost-report.h"
#include "ns3/run-summary.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

/// The inputs of the cost of a simulated run.
struct CostedRun
{
    /// Bytes of a file that Read takes at most.
    static constexpr std::size_t MAX_BYTES = std::size_t{16} << 20;

    std::string fabric;         //!< one of RailFabric::GetNames
    uint32_t gpus{0};           //!< of the job
    uint32_t gpusPerDomain{1};  //!< of a scale-up domain
    uint32_t nicPorts{1};       //!< of a GPU
    uint32_t gbps{0};           //!< of all ports of a NIC together
    uint32_t partsGbps{0};      //!< of the parts; 0: gbps, or the next higher rate that there is
    uint32_t ocsRadix{0};       //!< of the technology
    double iterationSeconds{0}; //!< of the last iteration, as photonic-rails-sweep has it

    /**
     * @brief Read a file that photonic-rails-training has written with --json. Throws nothing.
     * @param text of the file
     * @param run gets the values, unless there is an error
     * @return an empty string, or one line that begins with the name of the wrong value
     */
    static std::string Parse(const std::string& text, CostedRun& run);

    /**
     * @brief Take the inputs from a run in this program.
     * @param summary of the run
     * @param run gets the values, unless there is an error
     * @return as Parse
     */
    static std::string Take(const RunSummary& summary, CostedRun& run);

    /**
     * @brief Price, power and energy of the network of the run, and of others for the same job if
     * they took the same time.
     * @param catalogue prices and power of parts; of those the ones of the rate
     * @param counting a name of CostCounting
     * @param others networks that stand below that of the run
     * @param report gets rows with the network of the run first, unless there is an error
     * @return an empty string, or one line that names the missing part
     */
    std::string MakeReport(const PartsCatalogue& catalogue,
                           const std::string& counting,
                           const std::vector<NetworkKind>& others,
                           CostReport& report) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COSTED_RUN_H
