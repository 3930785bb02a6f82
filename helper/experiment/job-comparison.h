// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_COMPARISON_H
#define PHOTONIC_RAILS_JOB_COMPARISON_H

#include "simulation-work.h"

#include "ns3/job-verdict.h"
#include "ns3/nstime.h"
#include "ns3/training-settings.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Finds the switching time at which photonic rails cost a share of the step.
 *
 * The cost is nearly piecewise linear in the switching time: the search runs the job next to where
 * a line through two runs reaches the share, until a run costs at most the share and another run,
 * or such a line, exceeds it with a switching time that is at most TOLERANCE longer. A longer
 * switching time is assumed never to make a step shorter.
 */
class BreakEvenSearch
{
  public:
    static constexpr double TOLERANCE = 0.05; //!< the width of the last bracket, relative
    static constexpr int MOST_RUNS = 30;      //!< of a search

    /// @return the longest switching time that is tried
    static Time GetLongest()
    {
        return Seconds(100);
    }

    /// @return the shortest switching time that is tried
    static Time GetShortest()
    {
        return NanoSeconds(1);
    }

    /**
     * @brief Runs the job with a switching time.
     *
     * Returns by how much the step is longer than on electrical rails, relative to these, or
     * nothing if the run failed.
     */
    using Cost = std::function<std::optional<double>(const Time& delay)>;

    /// @param cost called for each switching time at most once
    explicit BreakEvenSearch(Cost cost);

    /// Take a run into account that was made elsewhere.
    void Add(const Time& delay, double cost);

    /**
     * @param share of the step on electrical rails, above 0
     * @param start switching time with which the search begins
     * @return the result
     */
    BreakEven Find(double share, const Time& start);

    /// @return the switching times of all runs, and their costs
    std::vector<std::pair<Time, double>> GetCosts() const;

  private:
    /// @return the cost of a switching time, from a run or from memory
    std::optional<double> Get(const Time& delay);

    Cost m_cost;
    std::map<Time, std::optional<double>> m_known; //!< by switching time
};

/**
 * @brief One training job on electrical and photonic networks, with a low and a high compute
 * efficiency: the effect of photonic rails on the job.
 *
 * Each run has a process of its own, several at once. A network that cannot carry the job has a
 * reason in place of results.
 */
class JobComparison : public OptionGroup
{
  public:
    JobComparison();

    /**
     * @brief Check the flags and describe the job.
     * @param arguments of the program, the flags of the job among them
     * @return an empty string, or one line that names the flag and its allowed values
     */
    std::string Check(const std::vector<std::string>& arguments);

    /**
     * @brief Run the job on all networks.
     * @param progress receives a line for each result; null for none
     * @return the verdict
     */
    JobVerdict Run(std::ostream* progress);

    /// @return the file for the JSON, or an empty string
    const std::string& GetJsonFile() const
    {
        return m_json.GetText();
    }

    /// @return the page with charts
    const ReportSettings& GetReport() const
    {
        return m_report;
    }

  private:
    /// Flags and their values.
    using Flags = std::vector<std::pair<std::string, std::string>>;

    /// The state before the first run: an error, or the verdict so far and the work of a run on
    /// each network, without ranks if the network cannot carry the job.
    using Description = std::pair<std::string, std::pair<JobVerdict, std::vector<SimulationWork>>>;

    /// A row of the verdict.
    struct Network
    {
        const char* flag;   //!< name in --networks
        const char* name;   //!< name in the verdict
        const char* fabric; //!< value of --fabric
        const char* policy; //!< value of --policy, or null
        bool switches;      //!< circuits move within a step, so that their switching time matters
        bool learns;        //!< the second iteration may differ from later ones by more than 1e-6
        int turn;           //!< runs begin in this order

        static constexpr int LAST = 2; //!< of runs that the answer does not begin with
    };

    /// A result that a process finds.
    struct Piece
    {
        std::size_t run; //!< index in JobVerdict::runs
        bool isSearch;   //!< for break-even switching times; otherwise a run of the job
    };

    /// @return all rows
    static const std::vector<Network>& GetNetworks();
    /// @return the names of all rows in --networks
    static std::vector<std::string> GetNames();

    /// Read and check the networks that were asked for. @return an error
    std::string CheckNetworks();
    /**
     * @brief Read and check the job.
     * @param flags besides those of the user
     * @param settings receive all
     * @param learns false: two iterations suffice, unless the user asks for more
     * @return an error
     */
    std::string ReadJob(const Flags& flags, TrainingSettings& settings, bool learns = true) const;
    /// @return the Description as text; call in a process of its own
    std::string Describe() const;
    /// @return flags of a row
    Flags GetFlags(const Network& network) const;
    /// @return the row of a run
    const Network& FindNetwork(const VerdictRun& run) const;
    /// @return flags of a row with one efficiency
    Flags GetFlags(const VerdictRun& run) const;
    /**
     * @brief Simulate a row; call in a process of its own.
     * @param run the row
     * @param delay the switching time, if not that of the job
     * @return its result
     */
    VerdictRun RunOne(const VerdictRun& run, const std::optional<Time>& delay) const;
    /**
     * @brief Find break-even switching times; call in a process of its own.
     * @param run a row on photonic rails
     * @param electrical the step on electrical rails
     * @return the row with switching times
     */
    VerdictRun Search(const VerdictRun& run, const Time& electrical) const;
    /// @return number of searches for break-even switching times
    std::size_t GetSearches() const;
    /// @return number of runs at once
    uint32_t GetProcesses() const;
    /// Write how much work all runs are.
    void TellWork() const;
    /// Write a line on a result, and the conclusion so far.
    void Tell(const Piece& piece) const;
    /// Find results in processes of their own and put them into the verdict.
    void RunPieces(const std::vector<Piece>& pieces);

    OptionHeading m_heading{this, "comparison"};
    TextOption m_networks{this,
                          "networks",
                          "all",
                          OptionHelp("networks to compare: all, or some of " +
                                     FlagParser::List(GetNames()) +
                                     "; electrical is always among them")
                              .First()};
    BoolOption m_breakEven{
        this,
        "breakEven",
        true,
        OptionHelp("find the switching times at which photonic rails cost 1, 3 and 5 %, by runs")
            .First()};
    CountOption m_processes{this,
                            "processes",
                            0,
                            {0, 1024},
                            OptionHelp("runs at once; 0: one for each core").First()};
    TextOption m_jobFile{
        this,
        "job",
        "",
        OptionHelp("a JSON file whose keys are flags of photonic-rails-training, such as the "
                   "settings of a run; flags on the command line win over it")
            .First()
            .Reads()};
    FileOption m_json{this, "json", OptionHelp("write the verdict to this file").First()};
    ReportSettings m_report{this};
    TrainingSettings m_job{this}; //!< the flags of the job, which each run reads anew

    std::vector<std::string> m_arguments; //!< name of the program, and flags of the job
    std::vector<Network> m_wanted;        //!< rows, in the order of the table
    JobVerdict m_verdict;
    std::vector<SimulationWork> m_works; //!< of a run on each row
    std::ostream* m_progress{nullptr};   //!< where lines of progress go, or null
    std::size_t m_done{0};               //!< pieces
    std::size_t m_all{0};                //!< pieces
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_COMPARISON_H
