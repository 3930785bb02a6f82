// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_STUDY_H
#define PHOTONIC_RAILS_RECOVERY_STUDY_H

#include "recovery-report.h"

#include "ns3/run-summary.h"
#include "ns3/training-settings.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A job that loses GPUs, in racks with different kinds of spares: on a photonic rack, on an
 * electrical one whose spares are behind uplinks, and by migration to an idle rack. Each in a
 * process of its own.
 *
 * By default the job fine-tunes a small model on one rack of 8 GPUs: each GPU is a domain of its
 * own, and the rail joins them. GPUs 0, 1, ... are lost, the first in the middle of the third
 * iteration, and each further one when the job has recovered for three iterations.
 */
class RecoveryStudy : public OptionGroup
{
  public:
    RecoveryStudy();

    /**
     * @param arguments of the program, the flags of the job among them
     * @return an empty string, or one line that names the flag and its allowed values
     */
    std::string Check(const std::vector<std::string>& arguments);

    /**
     * @param progress gets a line for each rack; null for none
     * @return the results of the runs
     */
    RecoveryReport Run(std::ostream* progress) const;

    /// @return the file for the report, or an empty string
    const std::string& GetJsonFile() const
    {
        return m_json.GetText();
    }

  private:
    /// A rack and its flags.
    struct Rack
    {
        std::string name;
        double oversubscription{1};
        uint32_t idleDomains{0}; //!< that are kept for it
        std::vector<std::string> flags;
    };

    std::vector<Rack> MakeRacks() const;
    /// Read the flags of a job. @return an empty string, or the error in them
    std::string Read(const Rack& rack,
                     const std::vector<std::string>& more,
                     TrainingSettings& settings) const;
    /// @return the results of the job in a rack; to be called in a process of its own
    RecoveryRow RunRack(const Rack& rack) const;
    /// @return the flag with the lost component and the time; stride: to the GPU of a rank after a
    /// recovery
    std::string MakeFaults(const RunSummary& undisturbed,
                           const RunRecovery* first,
                           uint32_t stride) const;

    OptionHeading m_heading{this, "study"};
    CountOption m_losses{this,
                         "losses",
                         1,
                         {1, 64},
                         OptionHelp("GPUs that are lost, one after the other").First()};
    TextOption m_oversubscriptions{
        this,
        "oversubscriptions",
        "1,2,4,8",
        OptionHelp("how many times slower than their NICs the way to a spare of the electrical "
                   "rack is, separated by commas")
            .First()};
    TimeOption m_migrationTime{
        this,
        "migrationTime",
        "30s",
        {"0s", "3600s", "30s"},
        OptionHelp("what it takes to begin the job on an idle rack").First()};
    RateOption m_migrationRate{
        this,
        "migrationStateRate",
        "10Gbps",
        {},
        OptionHelp("rate at which each rank loads its state there, from storage").First()};
    FileOption m_json{this, "json", OptionHelp("write the report to this file").First()};
    TrainingSettings m_job{this}; //!< whose flags are those of each run

    std::vector<std::string> m_given; //!< flags of the job
    std::vector<uint32_t> m_ratios;   //!< of --oversubscriptions
    uint64_t m_portRate{0};           //!< bit/s
    uint32_t m_ranks{0};              //!< of the job
    uint32_t m_domains{0};            //!< of the job
    uint32_t m_nicPorts{0};           //!< of a GPU
    std::string m_description;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_STUDY_H
