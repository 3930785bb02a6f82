// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OUTPUT_SETTINGS_H
#define PHOTONIC_RAILS_OUTPUT_SETTINGS_H

#include "report-settings.h"
#include "timeline-settings.h"

#include "ns3/option-group.h"
#include "ns3/workload-spec.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What is written of a run of a training job and where.
class OutputSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit OutputSettings(OptionGroup* parent);

    /**
     * @brief Check options that name ranks, when each has been checked.
     * @param ranks of the job
     * @param simulated those of them that are
     * @param isLent circuits are lent, by shims that learn
     * @return an error if there is no such rank, nobody who could write the profile, or no such
     * timeline
     */
    std::string CheckRanks(uint64_t ranks, uint64_t simulated, bool isLent);
    /**
     * @brief Write the operations of a rank, if that is wanted.
     * @param workload of the job
     * @return false if it is not possible
     */
    bool WriteOperations(const WorkloadSpec& workload) const;

    OptionHeading heading{this, "output"};
    FileOption json{
        this,
        "json",
        OptionHelp("write a summary of the run, or the description, to this file").First()};
    FileOption operations{this,
                          "operations",
                          "write the operations of a rank to this file, as comma-separated values"};
    CountOption operationsRank{this, "operationsRank", 0, {}, OptionHelp("whose").ForOneRun()};
    FileOption profile{this,
                       "profile",
                       "write what the Opus shim of a rank has learned of its traffic to this "
                       "file, as JSON"};
    CountOption profileRank{this, "profileRank", 0, {}, OptionHelp("whose").ForOneRun()};
    TimelineSettings timeline{this};
    ReportSettings report{this};
    FileOption pcap{this,
                    "pcap",
                    "prefix of packet captures, one per NIC port (whole packets: as large as the "
                    "traffic)",
                    "-0-0.pcap"};
    CountOption pcapSnapLength{this,
                               "pcapSnapLength",
                               65535,
                               {96, 65535},
                               OptionHelp("bytes kept of each packet, 96 to 65535").ForOneRun()};
    FileOption ascii{this,
                     "ascii",
                     "prefix of ascii traces, one per NIC port (a line for each event of a packet)",
                     "-0-0.tr"};
    FileOption qpStats{this,
                       "qpStats",
                       "write what each queue pair has counted to this file, as XML"};
    BoolOption quiet{this, "quiet", false, OptionHelp("print nothing").ForOneRun()};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OUTPUT_SETTINGS_H
