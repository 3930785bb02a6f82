// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWEEP_H
#define PHOTONIC_RAILS_SWEEP_H

#include "ns3/output-file.h"
#include "ns3/report-value.h"
#include "ns3/training-settings.h"

#include <cstddef>
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
     * @return an empty string, or the error, in which case nothing changes
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

    /// Read the text of one grid, between two bars. @return an empty string, or an error
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
 * columns for the results of the run. The rows go to a file as they are complete. Rows that the
 * file has already are not run again, so an interrupted sweep resumes with the missing rows.
 */
class Sweep : public OptionGroup
{
  public:
    /**
     * @brief Check the flags and read the rows of an earlier run from the file.
     * @param arguments of the program, the flags of the job among them
     * @return an empty string, or one line that names the flag and its allowed values
     */
    std::string Check(const std::vector<std::string>& arguments);

    /**
     * @brief Run the points that have no row yet.
     * @param progress receives a line for each point that has ended; null for none
     * @return an empty string, or the reason why no point has a result
     */
    std::string Run(std::ostream* progress);

    /// @return true if the run of any point has succeeded
    bool HasResults() const;

    /// Write a text table of the points with the most important results.
    void WriteTable(std::ostream& os) const;

  private:
    /// @return flags and values of the job at a point; flags that are equal at all points come
    /// first
    SweepPlan::Point GetSettings(std::size_t point) const;
    /**
     * @brief Read the inputs of the points other than flags: the seeds of the environment, and a
     * checksum of the files that the flags name.
     */
    void ReadInputs();
    /// @return the values by which the row of a point is found: of the flags, and the inputs
    CsvTable::Row GetKey(std::size_t point) const;
    /// @return the row of a point, if it has been run
    std::optional<CsvTable::Row> FindRow(std::size_t point) const;
    /// Add a row of the table to the index of FindRow.
    void Index(std::size_t row);
    /// @return the row of a point, as text; call in a process of its own
    std::string RunPoint(std::size_t point) const;
    /// Read the file of an earlier run, if there is one.
    std::string ReadFile();
    /// Add a row to the table and to the file. @return an empty string, or an error of the file
    std::string AddRow(const CsvTable::Row& row);
    /// @return an empty string, or an error of the file as a line
    std::string Refuse(const std::string& reason) const;

    /// @param flags of the job @param settings receive them @return an empty string, or an error
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
    TrainingSettings m_job{this};      //!< the flags of the job, which each point reads anew
    std::string m_program;             //!< name of the program, the first of the arguments
    SweepPlan m_plan;                  //!< the points of --vary
    SweepPlan::Point m_same;           //!< flags of the job that are equal at all points
    std::vector<std::string> m_inputs; //!< of each point, see ReadInputs
    CsvTable m_table;
    RecordFile m_file;                           //!< of --csv
    std::map<CsvTable::Row, std::size_t> m_rows; //!< by the values of flags
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWEEP_H
