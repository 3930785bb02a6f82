// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLER_SETTINGS_H
#define PHOTONIC_RAILS_STRAGGLER_SETTINGS_H

#include "ns3/collective-algorithm.h"
#include "ns3/fabric-settings.h"
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
    Time Get(Time scatter) const
    {
        return scales ? Time::FromDouble(scatter.ToDouble(Time::PS) * multiple, Time::PS) : time;
    }
};

/**
 * @brief The settings of AllReduces with one rank that is late.
 *
 * The ranks share one scale-up domain if that is a network (--scaleUp), and lie along one rail
 * otherwise, each in a domain of its own.
 */
class StragglerSettings : public OptionGroup
{
  public:
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
    const FabricSettings& GetFabric() const
    {
        return m_fabric;
    }

    /// @return the numbers of ranks
    const std::vector<uint32_t>& GetRanks() const
    {
        return m_numbers;
    }

    /// @return the sizes of tensors
    const std::vector<uint64_t>& GetSizes() const
    {
        return m_bytes;
    }

    /// @return the algorithms
    const std::vector<Variant<CollectiveAlgorithm>>& GetAlgorithms() const
    {
        return m_chosen;
    }

    /// @return by how much the straggler is late
    const std::vector<StragglerDelay>& GetDelays() const
    {
        return m_late;
    }

    /**
     * @param ranks number of ranks
     * @return the rank that is late
     */
    uint32_t GetStraggler(uint32_t ranks) const
    {
        return m_straggler.IsSet() ? m_straggler.Get() : ranks - 1;
    }

    /// @return true if nothing shall be run
    bool IsPlanOnly() const
    {
        return m_planOnly.Get();
    }

    /// @return a report without plans and rows
    StragglerReport MakeReport() const;

    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const
    {
        return m_json.GetText();
    }

  private:
    std::string CheckRanks();
    std::string CheckSizes();
    std::string CheckAlgorithms();
    std::string CheckDelays();

    OptionHeading m_heading{this, "calls"};
    TextOption m_ranks{this,
                       "ranks",
                       "4,8,16",
                       OptionHelp("numbers of ranks, such as 4,8,16").First().Unlisted()};
    TextOption m_sizes{this,
                       "bytes",
                       "64M",
                       OptionHelp("sizes of the tensor, such as 1M,64M").First().Unlisted()};
    TextOption m_algorithms{
        this,
        "algorithms",
        "ring,halving-doubling,direct,stragglar",
        OptionHelp("algorithms of AllReduce; those that cannot serve a number of ranks or a fabric "
                   "are left out")
            .First()
            .Unlisted()};
    TextOption m_delays{
        this,
        "stragglerDelay",
        "0s,0.5x,1x,2x",
        OptionHelp("by how much the straggler is late: times such as 100us, and multiples of what "
                   "the ReduceScatter of the others takes, such as 0.5x")
            .First()
            .Unlisted()};
    CountOption m_straggler{this,
                            "straggler",
                            "",
                            {},
                            OptionHelp("the rank that is late; the last one if not given").First()};
    BoolOption m_planOnly{this,
                          "planOnly",
                          false,
                          OptionHelp("only say how many rounds stragglar has").First().Unlisted()};
    FabricSettings m_fabric{this, 1, "200Gbps"};
    OptionHeading m_output{this, "output"};
    FileOption m_json{this, "json", OptionHelp("write the table to this file").First()};

    // what Check has made of them
    std::vector<uint32_t> m_numbers;
    std::vector<uint64_t> m_bytes;
    std::vector<Variant<CollectiveAlgorithm>> m_chosen;
    std::vector<StragglerDelay> m_late;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLER_SETTINGS_H
