// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OUTPUT_SETTINGS_H
#define PHOTONIC_RAILS_OUTPUT_SETTINGS_H

#include "ns3/option-group.h"
#include "ns3/rank-layout.h"
#include "ns3/record-tables.h"
#include "ns3/trace-event-writer.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

class JobRanks;

/// The page about a run.
class ReportSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit ReportSettings(OptionGroup* parent);

    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /// @return the text of Chart.js, or an empty string
    const std::string& GetLibrary() const
    {
        return m_library;
    }

    /// @return one line with the reason why there is none
    const std::string& GetLibraryRemark() const
    {
        return m_libraryRemark;
    }

    OptionHeading heading{this, "report"};
    FileOption file{
        this,
        "report",
        OptionHelp("write what the run has shown to this file, as a page with charts").First()};
    TextOption libraryFile{
        this,
        "reportLibrary",
        "",
        OptionHelp("file with version 3 of Chart.js, which draws the charts; if empty, that of "
                   "Debian's package libjs-chart.js; none: tables only")
            .ForOneRun()
            .Reads()};
    BoolOption latency{
        this,
        "reportLatency",
        false,
        OptionHelp("measure the latency of packets and RDMA Writes for the page, which takes time")
            .ForOneRun()};

  private:
    std::string m_library;
    std::string m_libraryRemark;
};

/// Tables of the calls and messages of a run; see RecordTables.
class RecordSettings : public OptionGroup
{
  public:
    using OptionGroup::OptionGroup;

    /// @return an error if a table is wanted of a run in several processes
    std::string Check() const;

    /// @return the writer of the tables that are wanted
    RecordTables MakeTables() const
    {
        return {calls.GetText(), messages.GetText()};
    }

    /**
     * @brief Let the files of the tables appear.
     * @param tables made by MakeTables
     * @return an empty string, or one line with the first file that could not be written
     */
    std::string Finish(RecordTables& tables) const;

    FileOption calls{this,
                     "calls",
                     "write a row for each call of each rank to this file: a SQLite database if "
                     "the name ends in .sqlite, otherwise comma-separated values"};
    FileOption messages{this,
                        "messages",
                        "write a row for each message between ranks to this file, a database or "
                        "comma-separated values as for --calls"};
};

/// The file and the scope of the timeline of a run.
class TimelineSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit TimelineSettings(OptionGroup* parent);

    /**
     * @brief Derive the results of the getters below, after each option has passed its own check.
     * @param ranks that are simulated
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint64_t ranks);

    /// @return the file, or an empty string if there is no timeline
    const std::string& GetFile() const
    {
        return m_file.GetText();
    }

    /**
     * @param layout of the ranks that are simulated
     * @return the scope of the timeline. Without --timelineRanks: all ranks if there are at most
     * ALL_RANKS, otherwise the rank of each pipeline stage that represents the stage in the summary
     */
    TimelineScope GetScope(const RankLayout& layout) const;

    /**
     * @param text such as 0,4,8-11, or all
     * @param ranks all there are
     * @return the ranks; nothing if the text is malformed or a rank is not below @p ranks
     */
    static std::optional<std::set<uint32_t>> ParseRanks(const std::string& text, uint64_t ranks);

    /// Jobs of so many ranks are written whole.
    static constexpr uint32_t ALL_RANKS = 16;

  private:
    OptionHeading m_heading{this, "timeline"};
    FileOption m_file{this,
                      "timeline",
                      "write what happens when to this file, for Perfetto (ui.perfetto.dev) or "
                      "chrome://tracing"};
    TextOption m_ranks{
        this,
        "timelineRanks",
        "",
        OptionHelp("whose streams, ports and messages: 0,4,8-11 or all; if empty, all of up to "
                   "16, otherwise one of each pipeline stage")
            .ForOneRun()};
    TimeOption m_from{this,
                      "timelineFrom",
                      "0s",
                      {"0s", "1000000s", "1.5s"},
                      OptionHelp("leave out what ends before").ForOneRun()};
    TimeOption m_to{this,
                    "timelineTo",
                    "",
                    {"0s", "1000000s", "1.5s"},
                    OptionHelp("leave out what begins later; if empty, nothing").ForOneRun()};
    TimeOption m_bin{
        this,
        "timelineBin",
        "10ms",
        {"1us", "1000000s", nullptr, true},
        OptionHelp("in which the utilisation of links is measured; 0s: it is not").ForOneRun()};
    CountOption m_events{this,
                         "timelineEvents",
                         1'000'000,
                         {1},
                         OptionHelp("trace events that are written at most").ForOneRun()};
    std::set<uint32_t> m_named; //!< ranks; empty: none have been
};

/// The output files of a training job.
class OutputSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit OutputSettings(OptionGroup* parent);

    /**
     * @brief Check options that name ranks, when each has been checked.
     * @param ranks of the job
     * @param simulated number of ranks that are simulated
     * @param isLent circuits are lent, by shims that learn
     * @return an error if a rank does not exist, no shim learns a profile, or the scope of the
     * timeline is wrong
     */
    std::string CheckRanks(uint64_t ranks, uint64_t simulated, bool isLent);
    /**
     * @brief Write the operations of a rank, if that is wanted.
     * @param ranks of the job
     * @return an empty string, or why that was not possible
     */
    std::string WriteOperations(const JobRanks& ranks) const;
    /**
     * @brief Write the operations of all ranks as execution traces, if that is wanted.
     * @param ranks of the job
     * @return an empty string, or the file that could not be written
     */
    std::string WriteTraces(const JobRanks& ranks) const;

    OptionHeading heading{this, "output"};
    FileOption json{
        this,
        "json",
        OptionHelp("write a summary of the run, or the description, to this file").First()};
    FileOption operations{this,
                          "operations",
                          "write the operations of a rank to this file, as comma-separated values"};
    FileOption writeTrace{
        this,
        "writeTrace",
        "prefix of execution traces in Chakra's format, to which the operations of "
        "all ranks are written: PREFIX.RANK.et, and groups as PREFIX.json",
        {".0.et", ".json"}};
    TextOption operationsRank{
        this,
        "operationsRank",
        "0",
        OptionHelp("the rank whose operations --operations writes; all: every rank, as a file "
                   "for --trace=FILE.csv")
            .ForOneRun()};
    FileOption profile{this,
                       "profile",
                       "write what the Opus shim of a rank has learned of its traffic to this "
                       "file, as JSON"};
    CountOption profileRank{this,
                            "profileRank",
                            0,
                            {},
                            OptionHelp("the rank whose profile --profile writes").ForOneRun()};
    TimelineSettings timeline{this};
    ReportSettings report{this};
    FileOption pcap{this,
                    "pcap",
                    "prefix of packet captures, one per NIC port (whole packets: as large as the "
                    "traffic)",
                    {"-0-0.pcap"}};
    CountOption pcapSnapLength{this,
                               "pcapSnapLength",
                               65535,
                               {96, 65535},
                               OptionHelp("bytes kept of each packet, 96 to 65535").ForOneRun()};
    FileOption ascii{this,
                     "ascii",
                     "prefix of ascii traces, one per NIC port (a line for each event of a packet)",
                     {"-0-0.tr"}};
    FileOption qpStats{this,
                       "qpStats",
                       "write what each queue pair has counted to this file, as XML"};
    RecordSettings records{this};
    BoolOption quiet{this, "quiet", false, OptionHelp("print nothing").ForOneRun()};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OUTPUT_SETTINGS_H
