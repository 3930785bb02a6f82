// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OUTPUT_SETTINGS_H
#define PHOTONIC_RAILS_OUTPUT_SETTINGS_H

#include "report-settings.h"
#include "timeline-settings.h"

#include "ns3/command-line.h"
#include "ns3/flag.h"
#include "ns3/workload-spec.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What is written of a run of a training job and where, as flags give it.
class OutputSettings
{
  public:
    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /// @return an error if a flag that counts something is no number
    std::string CheckNumbers();
    /**
     * @brief Check flags that name ranks, after CheckNumbers.
     * @param ranks of the job
     * @param simulated those of them that are
     * @param isLent circuits are lent, by shims that learn
     * @return an error if there is no such rank, nobody who could write the profile, or no such
     * timeline
     */
    std::string CheckRanks(uint64_t ranks, uint64_t simulated, bool isLent);
    /// @return an error if the files cannot be written
    std::string CheckFiles();

    /**
     * @brief Write the operations of a rank, if that is wanted.
     * @param workload of the job
     * @return false if it is not possible
     */
    bool WriteOperations(const WorkloadSpec& workload) const;

    /// @return the file for what a shim has learned of its rank's traffic, or an empty string
    const std::string& GetProfileFile() const;
    /// @return that rank
    uint32_t GetProfileRank() const;
    /// @return what is written as a timeline
    const TimelineSettings& GetTimeline() const;
    /// @return the page about the run
    const ReportSettings& GetReport() const;
    /// @return the file for the summary, or an empty string
    const std::string& GetJsonFile() const;
    /// @return the prefix of packet captures, or an empty string
    const std::string& GetPcapPrefix() const;
    /// @return bytes that they keep of each packet
    uint32_t GetPcapSnapLength() const;
    /// @return the prefix of ascii traces, or an empty string
    const std::string& GetAsciiPrefix() const;
    /// @return the file for what queue pairs have counted, or an empty string
    const std::string& GetQueuePairFile() const;
    /// @return true if nothing but errors shall be printed
    bool IsQuiet() const;

  private:
    Flag m_json{"json", ""};
    Flag m_operations{"operations", ""};
    CountFlag m_operationsRank{"operationsRank", 0};
    Flag m_profile{"profile", ""};
    CountFlag m_profileRank{"profileRank", 0};
    TimelineSettings m_timeline;
    ReportSettings m_report;
    Flag m_pcap{"pcap", ""};
    CountFlag m_pcapSnapLength{"pcapSnapLength", 65535, 96, 65535};
    Flag m_ascii{"ascii", ""};
    Flag m_qpStats{"qpStats", ""};
    bool m_quiet{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OUTPUT_SETTINGS_H
