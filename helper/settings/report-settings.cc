// SPDX-License-Identifier: GPL-2.0-only

#include "report-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/job-file.h"

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

ReportSettings::ReportSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    m_libraryFile.Needs({m_file.IsUsed()});
    m_latency.Needs({m_file.IsUsed()});
}

std::string
ReportSettings::Check()
{
    if (!GetFile().empty() && DistributedRun::GetLaunched() > 1)
    {
        return m_file.Refuse("empty with several processes, each of which sees its own rails "
                             "only");
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
        return m_libraryFile.Refuse("none, or a file with Chart.js v3");
    }
    m_libraryRemark = std::string("There are no charts: version 3 of Chart.js was not found as ") +
                      DEBIAN_LIBRARY + " (Debian's package libjs-chart.js).";
    return "";
}

} // namespace ns3
