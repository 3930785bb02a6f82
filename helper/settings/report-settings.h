// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REPORT_SETTINGS_H
#define PHOTONIC_RAILS_REPORT_SETTINGS_H

#include "ns3/option-group.h"

#include <string>

namespace ns3
{

/// The page about a run.
class ReportSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit ReportSettings(OptionGroup* parent);

    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /// @return the file, or an empty string if there is no page
    const std::string& GetFile() const
    {
        return m_file.GetText();
    }

    /// @return whether the latency of packets and RDMA Writes is measured
    bool MeasuresLatency() const
    {
        return m_latency.Get();
    }

    /// @return the text of Chart.js, or an empty string
    const std::string& GetLibrary() const
    {
        return m_library;
    }

    /// @return one line that says why there is none
    const std::string& GetLibraryRemark() const
    {
        return m_libraryRemark;
    }

  private:
    /// @return an error if a library that was named cannot be used
    std::string ReadLibrary();

    OptionHeading m_heading{this, "report"};
    FileOption m_file{
        this,
        "report",
        OptionHelp("write what the run has shown to this file, as a page with charts").First()};
    TextOption m_libraryFile{
        this,
        "reportLibrary",
        "",
        OptionHelp("file with version 3 of Chart.js, which draws the charts; if empty, that of "
                   "Debian's package libjs-chart.js; none: tables only")
            .ForOneRun()};
    BoolOption m_latency{
        this,
        "reportLatency",
        false,
        OptionHelp("measure the latency of packets and RDMA Writes for the page, which takes time")
            .ForOneRun()};
    std::string m_library;
    std::string m_libraryRemark;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REPORT_SETTINGS_H
