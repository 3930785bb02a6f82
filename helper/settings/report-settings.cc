// SPDX-License-Identifier: GPL-2.0-only

#include "report-settings.h"

#include "job-file.h"

#include "ns3/distributed-run.h"

#include <vector>

namespace ns3
{

namespace
{

/// Bytes of a library that are read at most: version 3.9.1 has 199,560.
constexpr std::size_t MAX_LIBRARY_BYTES = std::size_t{4} << 20;

/// Where Debian's package libjs-chart.js puts it.
constexpr const char* DEBIAN_LIBRARY = "/usr/share/javascript/chart.js/chart.min.js";

/// @return whether a text is Chart.js, and can stand in a page
bool
IsLibrary(const std::string& text)
{
    return text.find("Chart.js v3.") != std::string::npos &&
           text.find("</script") == std::string::npos && text.find("<!--") == std::string::npos;
}

} // namespace

void
ReportSettings::AddFlags(CommandLine& cmd)
{
    m_file.AddTo(cmd, "write what the run has shown to this file, as a page with charts");
    m_libraryFile.AddTo(cmd,
                        "file with version 3 of Chart.js, which draws the charts; if empty, that "
                        "of Debian's package libjs-chart.js; none: tables only");
    cmd.AddValue("reportLatency",
                 "measure the latency of packets and RDMA Writes for the page, which takes time",
                 m_latency);
}

std::string
ReportSettings::Check()
{
    if (!GetFile().empty() && DistributedRun::GetLaunched() > 1)
    {
        return RefuseFlag(m_file.GetName(),
                          GetFile(),
                          "empty with several processes, each of which sees its own rails only");
    }
    if (auto error = CheckWritable(m_file); !error.empty())
    {
        return error;
    }
    return ReadLibrary();
}

std::string
ReportSettings::ReadLibrary()
{
    m_library.clear();
    m_libraryRemark.clear();
    if (GetFile().empty())
    {
        return "";
    }
    const std::string& name = m_libraryFile.GetText();
    if (name == "none")
    {
        m_libraryRemark = "There are no charts, as --reportLibrary=none asked for.";
        return "";
    }
    const std::string file = name.empty() ? DEBIAN_LIBRARY : name;
    const auto text = JobFile::ReadText(file, MAX_LIBRARY_BYTES);
    if (text && IsLibrary(*text))
    {
        m_library = *text;
        return "";
    }
    if (!name.empty())
    {
        return RefuseFlag(m_libraryFile.GetName(), name, "none, or a file with Chart.js v3");
    }
    m_libraryRemark = std::string("There are no charts: version 3 of Chart.js was not found as ") +
                      DEBIAN_LIBRARY + " (Debian's package libjs-chart.js).";
    return "";
}

const std::string&
ReportSettings::GetFile() const
{
    return m_file.GetText();
}

bool
ReportSettings::MeasuresLatency() const
{
    return m_latency;
}

const std::string&
ReportSettings::GetLibrary() const
{
    return m_library;
}

const std::string&
ReportSettings::GetLibraryRemark() const
{
    return m_libraryRemark;
}

} // namespace ns3
