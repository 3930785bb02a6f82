// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLER_SETTINGS_H
#define PHOTONIC_RAILS_STRAGGLER_SETTINGS_H

#include "fabric-settings.h"

#include "ns3/collective-part.h"
#include "ns3/straggler-report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// By how much a straggler is late: a time, or a multiple of what the others' ReduceScatter takes.
struct StragglerDelay
{
    Time time;          //!< if it does not scale
    double multiple{0}; //!< of the time of the ReduceScatter
    bool scales{false}; //!< the multiple counts

    /**
     * @param scatter what the ReduceScatter of the others takes by the alpha-beta model
     * @return the delay
     */
    Time Get(Time scatter) const;
};

/**
 * @brief The settings of AllReduces with one rank that is late, as flags give them.
 *
 * The ranks share one scale-up domain if that is a network (--scaleUp), and lie along one rail
 * otherwise, each in a domain of its own.
 */
class StragglerSettings
{
  public:
    StragglerSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what the getters below return.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @param ranks number of ranks
     * @return a helper that builds the cluster
     */
    RailClusterHelper MakeClusterHelper(uint32_t ranks) const;
    /// @return hosts, NICs and fabric
    const FabricSettings& GetFabric() const;
    /// @return the numbers of ranks
    const std::vector<uint32_t>& GetRanks() const;
    /// @return the sizes of tensors
    const std::vector<uint64_t>& GetSizes() const;
    /// @return the algorithms
    const std::vector<Variant<CollectiveAlgorithm>>& GetAlgorithms() const;
    /// @return by how much the straggler is late
    const std::vector<StragglerDelay>& GetDelays() const;
    /**
     * @param ranks number of ranks
     * @return the rank that is late
     */
    uint32_t GetStraggler(uint32_t ranks) const;
    /// @return true if nothing shall be run
    bool IsPlanOnly() const;
    /// @return a report without plans and rows
    StragglerReport MakeReport() const;
    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const;

  private:
    std::string CheckRanks();
    std::string CheckSizes();
    std::string CheckAlgorithms();
    std::string CheckDelays();

    Flag m_ranks{"ranks", "4,8,16"};
    Flag m_sizes{"bytes", "64M"};
    Flag m_algorithms{"algorithms", "ring,halving-doubling,direct,stragglar"};
    Flag m_delays{"stragglerDelay", "0s,0.5x,1x,2x"};
    CountFlag m_straggler{CountFlag::Optional("straggler", 0)};
    bool m_planOnly{false};
    FabricSettings m_fabric{1, "200Gbps"};
    Flag m_json{"json", ""};

    // what Check has made of them
    std::vector<uint32_t> m_numbers;
    std::vector<uint64_t> m_bytes;
    std::vector<Variant<CollectiveAlgorithm>> m_chosen;
    std::vector<StragglerDelay> m_late;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLER_SETTINGS_H
