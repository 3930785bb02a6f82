// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCALE_TABLE_H
#define PHOTONIC_RAILS_SCALE_TABLE_H

#include "ns3/ocs-technology.h"
#include "ns3/report-value.h"
#include "ns3/variant.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * @brief How many GPUs photonic rails can join with each technology whose switches are
 * non-blocking: Table 3 of arXiv 2507.08119 with 72 and 8 GPUs per domain, two ports a NIC,
 * bidirectional transceivers and one level.
 *
 *     GPUs = GPUs per domain x floor(radix / ports) ^ levels
 */
struct ScaleTable
{
    std::vector<uint32_t> domains{72, 8}; //!< GPUs per scale-up domain: GB200 and H200 in the paper
    uint32_t nicPorts{2};                 //!< into which a NIC is split at each level
    bool simplex{false};                  //!< a port of a NIC takes two of an OCS
    uint32_t levels{1};                   //!< of OCSes

    /// @return technologies whose switches are non-blocking, the fastest first
    static std::vector<Variant<OcsTechnology>> GetTechnologies();

    /**
     * @param technology a kind of OCS
     * @param gpusPerDomain GPUs of a scale-up domain
     * @return GPUs
     */
    uint64_t GetGpus(const OcsTechnology& technology, uint32_t gpusPerDomain) const;

    /// @param os gets a table for people
    void WriteTable(std::ostream& os) const;
    /// @return a row for each technology and domain
    CsvTable GetCsv() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_TABLE_H
