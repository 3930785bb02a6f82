// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVES_SETTINGS_H
#define PHOTONIC_RAILS_COLLECTIVES_SETTINGS_H

#include "fabric-settings.h"

#include "ns3/algorithm-choice.h"
#include "ns3/collective-report.h"
#include "ns3/process-group.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The settings of a series of collectives on one fabric, as flags give them.
 *
 * The flags for sizes and repetitions stand for those of nccl-tests, whose names in brackets are
 * not read: minBytes (-b, minbytes), maxBytes (-e, maxbytes), stepFactor (-f, stepfactor), warmup
 * (-w, warmup_iters), iters (-n, iters). Their defaults are not those of nccl-tests.
 */
class CollectivesSettings
{
  public:
    CollectivesSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);
    /**
     * @brief Run one size only, as --bytes says, on fabrics that are set.
     * @param cmd gets a flag for each setting but the fabric and what becomes of the results
     */
    void AddOneSizeFlags(CommandLine& cmd);
    /// @param fabric a name of a fabric, as if the flag had been given
    void SetFabric(const std::string& fabric);

    /**
     * @brief Check all settings and work out what the getters below return.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return a report without rows
    CollectiveReport MakeReport() const;

    /// @return a helper that builds the cluster
    RailClusterHelper MakeClusterHelper() const;
    /// @return hosts, NICs and fabric
    const FabricSettings& GetFabric() const;
    /// @return what is called
    CollectiveKind GetKind() const;
    /// @return how it is carried out
    CollectiveAlgorithms MakeAlgorithms() const;
    /// @return a remark if one ring leads through domains of several GPUs; otherwise empty
    std::string GetRingRemark() const;
    /// @return the groups that call it at the same time, all of one size
    const std::vector<ProcessGroup>& GetGroups() const;
    /// @return how the ranks of a group lie in scale-up domains
    GroupShape GetShape() const;
    /// @return calls before those that are timed
    uint32_t GetWarmups() const;
    /// @return calls that are timed
    uint32_t GetIterations() const;
    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const;

  private:
    /// Add the flags that do not depend on the number of sizes.
    void AddCallFlags(CommandLine& cmd);
    /// @return an error if the collective and the algorithm do not fit; sets both
    std::string CheckCollective();
    /// @return an error if there is no such cluster or group; sets the groups
    std::string CheckGroups();
    /// @return an error if the fabric cannot carry the algorithm
    std::string CheckFabric();
    /// @return an error if the sizes do not fit
    std::string CheckSizes();
    /// @return what the reader of the table has to know
    std::vector<std::string> GetRemarks() const;

    ChoiceFlag m_collective;
    Flag m_algorithm{"algorithm", ""};
    BytesFlag m_bytes{"bytes", "", 0};
    BytesFlag m_minBytes{"minBytes", "1K", 0};
    BytesFlag m_maxBytes{"maxBytes", "16M", 0};
    CountFlag m_stepFactor{"stepFactor", 2, 2, 1U << 20};
    CountFlag m_warmups{"warmup", 1, 0, 1000};
    CountFlag m_iterations{"iters", 1, 1, 1000};
    CountFlag m_domains{"domains", 8, 1, 1U << 16};
    ChoiceFlag m_groupChoice;
    FabricSettings m_fabric{1, "200Gbps"};
    Flag m_json{"json", ""};

    // what Check has made of them
    CollectiveKind m_kind{CollectiveKind::ALL_REDUCE};
    Variant<CollectiveAlgorithm> m_chosen{"ring"};
    std::vector<ProcessGroup> m_groups;
    bool m_hasOneTier{false}; //!< the fabric has electrical switches next to the hosts only
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVES_SETTINGS_H
