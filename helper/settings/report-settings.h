// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REPORT_SETTINGS_H
#define PHOTONIC_RAILS_REPORT_SETTINGS_H

#include "ns3/command-line.h"
#include "ns3/flag.h"

#include <string>

namespace ns3
{

/// The page about a run, as flags give it.
class ReportSettings
{
  public:
    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /// @return the file, or an empty string if there is no page
    const std::string& GetFile() const;
    /// @return whether the latency of packets and RDMA Writes is measured
    bool MeasuresLatency() const;
    /// @return the text of Chart.js, or an empty string
    const std::string& GetLibrary() const;
    /// @return one line that says why there is none
    const std::string& GetLibraryRemark() const;

  private:
    /// @return an error if a library that was named cannot be used
    std::string ReadLibrary();

    Flag m_file{"report", ""};
    Flag m_libraryFile{"reportLibrary", ""};
    bool m_latency{false};
    std::string m_library;
    std::string m_libraryRemark;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REPORT_SETTINGS_H
