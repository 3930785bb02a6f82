// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_MIX_H
#define PHOTONIC_RAILS_JOB_MIX_H

#include "ns3/nstime.h"
#include "ns3/report-value.h"
#include "ns3/training-settings.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Several jobs on one cluster, and each of them alone on the same GPUs.
 *
 * The JSON is documented in doc/jobs-json.md.
 */
struct MixReport : JsonReport<MixReport>
{
    /// A job.
    struct Job
    {
        std::string name;
        uint32_t gpus{0};
        std::vector<uint32_t> domains; //!< scale-up domains, in the order of the job's own domains
        Time start;                    //!< of its first iteration
        std::vector<Time> alone;       //!< iterations without the other jobs
        std::vector<Time> together;    //!< iterations with all jobs
        std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values

        /// @return time of all iterations without the other jobs
        Time GetAlone() const;
        /// @return time of all iterations with all jobs
        Time GetTogether() const;
        /// @return GetTogether over GetAlone; 0 if the job has taken no time
        double GetSlowdown() const;
    };

    std::string cluster;              //!< size and fabric, in one line
    std::string placement;            //!< value of --placement
    std::vector<std::string> remarks; //!< limits of the numbers
    std::vector<Job> jobs;            //!< in the order of the file
    std::string interrupted;          //!< signal that has stopped the program; or empty
    double wallSeconds{0};            //!< real time
    uint64_t peakRssBytes{0};         //!< largest resident memory

    /// @param os receives a text table
    void WriteTable(std::ostream& os) const;
    /// @return the keys and values of the JSON object
    static const ReportTable<MixReport>& GetTable();
};

/// How the scale-up domains of a cluster are given to jobs.
class JobPlacement
{
  public:
    /// @return packed: domains in a row; spread: domains in turns; random
    static std::vector<std::string> GetNames();

    /**
     * @param name one of GetNames()
     * @param domains number of domains of the cluster, at least as many as all jobs need
     * @param needs domains that each job needs
     * @param seed of a random placement
     * @return the domains of each job; no domain has two jobs
     */
    static std::vector<std::vector<uint32_t>> Make(const std::string& name,
                                                   uint32_t domains,
                                                   const std::vector<uint32_t>& needs,
                                                   uint32_t seed);
};

/**
 * @brief Several training jobs on one cluster, all together and each alone on the same GPUs.
 *
 * A file lists the jobs; the flags of fabric and control plane are those of the program and hold
 * for all. Each job has scale-up domains of its own and shares the switches, the host network and,
 * on photonic rails, the controllers.
 */
class JobMix : public OptionGroup
{
  public:
    JobMix();

    /**
     * @brief Check the flags, and read and check the jobs.
     * @param arguments of the program
     * @return an empty string, or one line that names the flag or the job and the allowed values
     */
    std::string Check(const std::vector<std::string>& arguments);

    /**
     * @brief Run all jobs together, then each alone. Stops at a signal (Interruption).
     * @param report receives the results
     * @return an empty string, or one line with the reason for which a job has not ended
     */
    std::string Run(MixReport& report) const;

    /// @return the file for the JSON, or an empty string
    const std::string& GetJsonFile() const
    {
        return m_json.GetText();
    }

  private:
    /// A job of the file.
    struct Job
    {
        std::string name;
        Time start;
        std::vector<std::string> flags; //!< as on a command line
        std::shared_ptr<TrainingSettings> settings;
        std::vector<uint32_t> domains; //!< of the cluster
        int64_t firstStream{0};        //!< of random numbers
    };

    /// Read the file. @return an error
    std::string ReadFile();
    /**
     * @brief Read the flags of a job and check the job on a cluster of its own.
     * @param job receives settings
     * @param more flags besides those of the file and the command line
     * @return an error
     */
    std::string ReadJob(Job& job, const std::vector<std::string>& more) const;
    /// Give domains to all jobs. @return an error
    std::string Place();
    /// @return the job whose flags describe the cluster
    const TrainingSettings& GetClusterSettings() const;
    /// @return a helper that builds the cluster of all jobs
    RailClusterHelper MakeClusterHelper() const;
    /**
     * @brief Run some jobs in a simulation of their own.
     * @param wanted indices of the jobs
     * @param iterations receives the times of the iterations of these jobs
     * @return an error
     */
    std::string Simulate(const std::vector<std::size_t>& wanted,
                         std::vector<std::vector<Time>>& iterations) const;

    OptionHeading m_heading{this, "mix"};
    TextOption m_file{this,
                      "mix",
                      "",
                      OptionHelp("JSON file with the jobs: {\"jobs\": [{\"name\": \"a\", "
                                 "\"start\": \"1ms\", \"flags\": {\"model\": \"debugmodel\"}}]}")
                          .First()
                          .Reads()};
    ChoiceOption m_placement{
        this,
        "placement",
        "packed",
        JobPlacement::GetNames(),
        OptionHelp("which scale-up domains a job has: packed, in a row; spread, in turns with the "
                   "other jobs; random")
            .First()};
    CountOption m_seed{this, "placementSeed", 1, {}, OptionHelp("seed of a random placement")};
    CountOption m_domains{
        this,
        "domains",
        0,
        {0, 1U << 16},
        OptionHelp("scale-up domains of the cluster; 0: as many as the jobs need").First()};
    FileOption m_json{this, "json", OptionHelp("write the results to this file").First()};
    TrainingSettings m_common{this}; //!< flags that hold for all jobs, which each job reads anew

    std::vector<std::string> m_arguments; //!< name of the program, and flags for all jobs
    std::vector<Job> m_jobs;
    uint32_t m_allDomains{0}; //!< of the cluster
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_MIX_H
