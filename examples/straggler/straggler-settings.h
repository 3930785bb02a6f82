// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLER_SETTINGS_H
#define PHOTONIC_RAILS_STRAGGLER_SETTINGS_H

#include "straggler-report.h"

#include "ns3/collective-algorithm.h"
#include "ns3/fabric-settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The delay of a straggler: a time, or a multiple of the time of the other ranks' ReduceScatter.
struct StragglerDelay
{
    Time time;          //!< the delay, unless it scales
    double multiple{0}; //!< the delay over the time of the ReduceScatter, if it scales
    bool scales{false}; //!< whether the delay is a multiple

    /**
     * @param scatter time of the ReduceScatter of the other ranks, by the alpha-beta model
     * @return the delay
     */
    Time Get(Time scatter) const
    {
        return scales ? Time::FromDouble(scatter.ToDouble(Time::PS) * multiple, Time::PS) : time;
    }
};

/**
 * @brief The flags of photonic-rails-straggler: AllReduces to which one rank comes late.
 *
 * With --scaleUp all ranks are in one scale-up domain. Otherwise each rank is in a domain of its
 * own, and all ranks are on one rail.
 */
class StragglerSettings : public OptionGroup
{
  public:
    /**
     * @brief Check all flags and set the members below that result from them.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @param ranks number of ranks
     * @return a helper that builds the cluster
     */
    RailClusterHelper MakeClusterHelper(uint32_t ranks) const;

    /**
     * @param ranks number of ranks
     * @return the rank that is late
     */
    uint32_t GetStraggler(uint32_t ranks) const
    {
        return m_straggler.IsSet() ? m_straggler.Get() : ranks - 1;
    }

    /// @return a report without plans and rows
    StragglerReport MakeReport() const;

  private:
    std::string CheckRanks();
    std::string CheckSizes();
    std::string CheckAlgorithms();
    std::string CheckDelays();
    /// @return the fabric in a sentence, which says for which numbers of ranks one switch suffices
    std::string DescribeFabric() const;

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

  public:
    BoolOption planOnly{this,
                        "planOnly",
                        false,
                        OptionHelp("only say how many rounds stragglar has").First().Unlisted()};
    FabricSettings fabric{this, 1, "200Gbps"}; //!< hosts, NICs and fabric
    OptionHeading m_output{this, "output"};
    FileOption json{this, "json", OptionHelp("write the table to this file").First()};

    // Check sets:
    std::vector<uint32_t> numbers;                        //!< numbers of ranks
    std::vector<uint64_t> sizes;                          //!< bytes of tensors
    std::vector<Variant<CollectiveAlgorithm>> algorithms; //!< algorithms to compare
    std::vector<StragglerDelay> delays;                   //!< delays of the straggler
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLER_SETTINGS_H
