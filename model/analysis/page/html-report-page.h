// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_REPORT_PAGE_H
#define PHOTONIC_RAILS_HTML_REPORT_PAGE_H

namespace ns3
{

/// The fixed texts of a page about a run, see HtmlReport.
struct HtmlReportPage
{
    static const char* const STYLE;  //!< CSS: light, dark, narrow, wide and on paper
    static const char* const SCRIPT; //!< hands the block of JSON over to Chart.js
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_REPORT_PAGE_H
