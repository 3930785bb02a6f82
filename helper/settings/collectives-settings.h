// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVES_SETTINGS_H
#define PHOTONIC_RAILS_COLLECTIVES_SETTINGS_H

#include "fabric-settings.h"
#include "output-settings.h"

#include "ns3/collective-algorithm.h"
#include "ns3/collective-call.h"
#include "ns3/collective-report.h"
#include "ns3/opus-helper.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The settings of a series of collectives on one fabric.
 *
 * The flags for sizes and repetitions stand for those of nccl-tests, whose names in brackets are
 * not read: minBytes (-b, minbytes), maxBytes (-e, maxbytes), stepFactor (-f, stepfactor), warmup
 * (-w, warmup_iters), iters (-n, iters). Their defaults are not those of nccl-tests.
 */
class CollectivesSettings : public OptionGroup
{
  public:
    /**
     * @param parent the group that has this one as a member, if there is one
     * @param hasOneSize run one size only, as --bytes says, on fabrics that are set: there are no
     * flags for the fabric and for output files
     */
    explicit CollectivesSettings(OptionGroup* parent = nullptr, bool hasOneSize = false);

    /**
     * @brief Check all settings and derive the results of the getters below.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return a report without rows
    CollectiveReport MakeReport() const;

    /// @return a helper that builds the cluster
    RailClusterHelper MakeClusterHelper() const
    {
        return fabric.MakeClusterHelper(domains.Get());
    }

    /// @return the test that is timed
    const NcclTest& GetTest() const
    {
        return *m_test;
    }

    /// @return the algorithm of the collective
    CollectiveAlgorithms MakeAlgorithms() const;
    /// @return true if calls take the time of a library (ns3::CollectiveEngine::LibraryTime)
    static bool TakesLibraryTime();
    /// @return a remark if one ring leads through domains of several GPUs; otherwise empty
    std::string GetRingRemark() const;

    /// @return the groups that call the collective at the same time, all of one size
    const std::vector<ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

    /// @return the shape of a group in scale-up domains
    GroupShape GetShape() const;

    /**
     * @brief Build the cluster, and install Opus if circuits are lent (--lend).
     * @param opus installs shims, managers, agents and controllers
     * @return the cluster
     */
    RailCluster Install(OpusHelper& opus) const;

    /**
     * @brief Check everything that the algorithm says of the collective, in groups of up to 16
     * ranks.
     * @param os gets a line if nothing is wrong
     * @return an empty string, or one line with the error
     */
    std::string RunCheck(std::ostream& os) const;

    OptionHeading heading{this, "calls"};
    ChoiceOption collective{this,
                            "collective",
                            "AllReduce",
                            GetCollectives(),
                            OptionHelp("collective: {}").First().Unlisted()};
    TextOption algorithm{
        this,
        "algorithm",
        "",
        OptionHelp("algorithm, the first if not given, or tuned across domains with "
                   "networks and on circuits channels (" +
                   ListAlgorithms() + "; SendRecv, Gather, Scatter: as AllToAll, on circuits ring)")
            .First()
            .Unlisted()};
    BoolOption check{
        this,
        "check",
        false,
        OptionHelp("check the algorithm in groups of up to 16 ranks, and simulate nothing")
            .First()
            .ForOneRun()};
    BytesOption bytes{this, "bytes", "", {0}, OptionHelp("size, such as 64K").First().Unlisted()};
    BytesOption minBytes{this,
                         "minBytes",
                         "1K",
                         {0},
                         OptionHelp("smallest size, such as 8 or 64K").First().Unlisted()};
    BytesOption maxBytes{this,
                         "maxBytes",
                         "16M",
                         {0},
                         OptionHelp("largest size").First().Unlisted()};
    CountOption stepFactor{this,
                           "stepFactor",
                           2,
                           {2, 1U << 20},
                           OptionHelp("factor from one size to the next, at least 2").Unlisted()};
    CountOption warmups{this,
                        "warmup",
                        1,
                        {0, 1000},
                        OptionHelp("calls before those that are timed, 0 to 1000").Unlisted()};
    CountOption iterations{
        this,
        "iters",
        1,
        {1, 1000},
        OptionHelp("calls that are timed, one after the other, 1 to 1000").First().Unlisted()};
    CountOption domains{this, "domains", 8, {1, 1U << 16}, OptionHelp("scale-up domains").First()};
    ChoiceOption groupChoice{
        this,
        "group",
        "world",
        {"world", "rail"},
        OptionHelp("who calls: world, all GPUs together; rail, the GPUs of each rail, all rails at "
                   "the same time")
            .First()};
    FabricSettings fabric{this, 1, "200Gbps"};
    BoolOption lend{this,
                    "lend",
                    false,
                    "a controller lends circuits to groups and pairs, on demand; otherwise those "
                    "of a ring are set up before the first call"};
    TimeOption controlLatency{this,
                              "controlLatency",
                              "10us",
                              {"0s", "1s", "10us"},
                              "one-way latency between a host or an OCS and the controller"};
    OptionHeading outputHeading{this, "output"};
    FileOption json{this, "json", OptionHelp("write the table to this file").First()};
    RecordSettings records{this};

  private:
    /// @return the names of all collectives
    static std::vector<std::string> GetCollectives();
    /// @return the algorithms of each collective, for help
    static std::string ListAlgorithms();
    /// @return true if all GPUs call, in several domains with networks
    bool IsAcross() const;
    /// @return an error if the collective and the algorithm do not fit; sets both
    std::string CheckCollective();
    /// @return an error if there is no such cluster or group; sets the groups
    std::string CheckGroups();
    /// @return an error if the fabric cannot carry the algorithm
    std::string CheckFabric();
    /// @return an error if the schedules of the ranks do not fit together
    std::string CheckSchedule() const;
    /// @return an error if the sizes do not fit
    std::string CheckSizes();
    /// @return remarks for readers of the table
    std::vector<std::string> GetRemarks() const;

    // set by Check
    const NcclTest* m_test{nullptr};
    Variant<CollectiveAlgorithm> m_chosen{"ring"};
    std::vector<ProcessGroup> m_groups;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVES_SETTINGS_H
