// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWEEP_H
#define PHOTONIC_RAILS_SWEEP_H

#include "ns3/report-value.h"
#include "ns3/training-settings.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Which flags of a program take which values: a pure function of a text.
 *
 * The text is `flag=value,value,...;flag=value,...`: a grid, each combination of which is a point;
 * the last flag changes fastest. Several grids stand between `|`. A flag that is empty at a point,
 * and one that the grid does not name, is not given there.
 */
class SweepPlan
{
  public:
    /// Points that a plan may have.
    static constexpr std::size_t MAX_POINTS = 10000;

    /// Flags and their values at a point, in the order of the text.
    using Point = std::vector<std::pair<std::string, std::string>>;

    /**
     * @param text of the plan
     * @return an empty string, or what is wrong with it; nothing changes then
     */
    std::string Read(const std::string& text);

    /// @return the flags that vary in any grid, in the order of the text
    std::vector<std::string> GetFlags() const;

    /// @return the number of points
    std::size_t GetSize() const;

    /**
     * @param index below GetSize
     * @return the point, with all flags
     */
    Point GetPoint(std::size_t index) const;

  private:
    /// A flag and its values.
    using Axis = std::pair<std::string, std::vector<std::string>>;

    using Grid = std::vector<Axis>;

    /// Read what stands between bars. @return an empty string, or what is wrong
    static std::string ReadGrid(const std::string& text, Grid& grid);
    /// @return combinations of a grid
    static std::size_t GetSize(const Grid& grid);

    std::vector<Grid> m_grids;
};

/**
 * @brief One training job at many points: flags of the training program take several values each,
 * and every combination is run in a process of its own, several at once.
 *
 * The results are a table with a row for each point: a column for every flag that was given, and
 * what the run has shown. It grows in a file; rows that are there already are not run again, so a
 * sweep that was stopped goes on where it was.
 */
class Sweep : public OptionGroup
{
  public:
    /**
     * @brief Check the flags and read what a former run has left in the file.
     * @param arguments of the program, the flags of the job among them
     * @return an empty string, or one line that names the flag and what is allowed
     */
    std::string Check(const std::vector<std::string>& arguments);

    /**
     * @brief Run what is missing.
     * @param progress gets a line for each point that has ended; null for none
     * @return an empty string, or why there is no result of any point
     */
    std::string Run(std::ostream* progress);

    /// Write the points and what matters of their results, for people.
    void WriteTable(std::ostream& os) const;

  private:
    /// Flags and values of the job at a point: those that are the same everywhere come first.
    SweepPlan::Point GetSettings(std::size_t point) const;
    /// @return the row of a point, if it has been run
    std::optional<CsvTable::Row> FindRow(std::size_t point) const;
    /// Note a row of the table, so that it is found.
    void Index(std::size_t row);
    /// @return the row of a point, as text; to be called in a process of its own
    std::string RunPoint(std::size_t point) const;
    /// Read the file of a former run, if there is one.
    std::string ReadFile();
    /// Add a row to the table and to the file.
    void AddRow(const CsvTable::Row& row);

    /// Set a job up. @param flags of the job @param settings get them @return what is wrong
    std::string ReadJob(const SweepPlan::Point& flags, TrainingSettings& settings) const;

    OptionHeading m_heading{this, "sweep"};
    TextOption m_vary{
        this,
        "vary",
        "",
        OptionHelp("flags of the job and their values, all combinations; several of these between "
                   "|: \"policy=provisioned,on-demand;reconfigDelay=1ms,15ms|fabric=electrical\"")
            .First()};
    CountOption m_processes{this,
                            "processes",
                            1,
                            {1, 1024},
                            OptionHelp("points that are run at once").First()};
    FileOption m_csv{
        this,
        "csv",
        OptionHelp("file for the results; rows that it has already are not run again").First()};
    TrainingSettings m_job{this}; //!< whose flags are read point by point
    std::string m_program;        //!< its name, the first of the arguments
    SweepPlan m_plan;             //!< what --vary says
    SweepPlan::Point m_same;      //!< flags of the job that are the same everywhere
    CsvTable m_table;
    std::map<CsvTable::Row, std::size_t> m_rows; //!< by the values of flags
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWEEP_H
